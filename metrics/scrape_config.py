"""Where Prometheus finds the exporters: hosts by name, the nodes of a Slurm job, the pods of a cluster."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

from .rules import JOB
from .yaml_text import yaml_text

PORT = 9464
MOST_HOSTS = 10_000

_PART = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")
_PIECE = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


class HostListError(ValueError):
    """It is no list of hosts; the message says what is wrong."""


def hosts_of(text: str) -> list[str]:
    """The hosts of a list as Slurm writes it: `gpu[01-03,07],login1`. Raises `HostListError`."""
    found: list[str] = []
    parts = _PART.findall(text)
    if ",".join(parts) != text or not parts:
        raise HostListError(f"{text[:80]!r} is no list of hosts: write gpu[01-16],gpu20")
    for part in parts:
        pieces = [
            _numbers(inside, text) if inside or not plain else [plain] for inside, plain in _PIECE.findall(part)
        ]
        count = 1
        for piece in pieces:
            count *= len(piece)
        if len(found) + count > MOST_HOSTS:
            raise HostListError(f"{text[:80]!r}: more than {MOST_HOSTS:,} hosts")
        found += ["".join(each) for each in product(*pieces)]
    return found


def _numbers(inside: str, text: str) -> list[str]:
    """`01-03,07` as 01, 02, 03, 07."""
    found: list[str] = []
    for each in inside.split(","):
        match = _RANGE.fullmatch(each)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if match is None or not 0 <= last - first < MOST_HOSTS:
            raise HostListError(f"{text[:80]!r}: {each[:40]!r} is no range of numbers")
        found += [f"{number:0{len(match[1])}}" for number in range(first, last + 1)]
    return found


def static(hosts: list[str], port: int = PORT) -> str:
    """A `scrape_config` for these hosts; none: this machine."""
    targets = [f"{host}:{port}" for host in hosts or ["127.0.0.1"]]
    return _config({"static_configs": [{"targets": targets}]})


def kubernetes() -> str:
    """A `scrape_config` for pods that say in their annotations that they serve metrics."""
    annotation = "__meta_kubernetes_pod_annotation_itermon"
    labels: list[dict[str, Any]] = [
        {"source_labels": [f"{annotation}_scrape"], "action": "keep", "regex": "true"},
        {
            "source_labels": ["__meta_kubernetes_pod_ip", f"{annotation}_port"],
            "action": "replace",
            "regex": "(.+);(\\d+)",
            "replacement": "$1:$2",
            "target_label": "__address__",
        },
        {"source_labels": ["__meta_kubernetes_namespace"], "target_label": "namespace"},
        {"source_labels": ["__meta_kubernetes_pod_name"], "target_label": "pod"},
    ]
    said = (
        "# In the pod's template (another address than loopback must be asked for):\n"
        f'#   annotations: {{itermon/scrape: "true", itermon/port: "{PORT}"}}\n'
        f"#   command: itermon export --all --listen 0.0.0.0:{PORT}\n"
    )
    return said + _config({"kubernetes_sd_configs": [{"role": "pod"}], "relabel_configs": labels})


def _config(where: dict[str, Any]) -> str:
    return yaml_text({"scrape_configs": [{"job_name": JOB, "scrape_interval": "15s", **where}]})
