"""Where the exporters are: lists of hosts as Slurm writes them, and what promtool says of the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest
from prometheus_server import needs_prometheus, promtool

from itermon.metrics.scrape_config import HostListError, hosts_of, kubernetes, static


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("gpu1", ["gpu1"]),
        ("gpu[01-03,7]", ["gpu01", "gpu02", "gpu03", "gpu7"]),
        ("a,b[1-2],c", ["a", "b1", "b2", "c"]),
        ("r[1-2]n[08-10].x", ["r1n08.x", "r1n09.x", "r1n10.x", "r2n08.x", "r2n09.x", "r2n10.x"]),
        ("node[098-101]", ["node098", "node099", "node100", "node101"]),
    ],
)
def test_a_list_of_hosts_is_written_out(text: str, hosts: list[str]) -> None:
    assert hosts_of(text) == hosts


@pytest.mark.parametrize(
    "text",
    ["", ",", "a,,b", "a[", "a[1-2", "a]1", "a[2-1]", "a[x]", "a[]", "a[1-]", "a[0-99999]", "a[0-99][0-999]"],
)
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(HostListError):
        hosts_of(text)


@needs_prometheus
def test_prometheus_reads_what_is_printed(tmp_path: Path) -> None:
    (tmp_path / "static.yml").write_text(static(hosts_of("gpu[1-2]"), 9000))
    # Debian's server is built without Kubernetes: the rest of that configuration is checked on hosts.
    pods = (
        kubernetes()
        .replace("kubernetes_sd_configs:", "static_configs:")
        .replace('role: "pod"', 'targets: ["a:1"]')
    )
    (tmp_path / "pods.yml").write_text(pods)
    for name in ("static.yml", "pods.yml"):
        ran = promtool("check", "config", str(tmp_path / name))
        assert ran.returncode == 0, ran.stdout + ran.stderr
    assert '"gpu1:9000"' in static(["gpu1"], 9000)
    assert '"127.0.0.1:9464"' in static([])
