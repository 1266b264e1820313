"""Rules for Prometheus: what the screens ask for again and again, and what somebody should be told of."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..events import CHECKPOINT, COMPILE, EVALUATION, WARMUP
from ..events.samples import NORMAL_LIMITS, THROTTLING_LIMITS
from . import names
from .series import BAD_LOSS
from .yaml_text import yaml_text

LOCAL, LATENESS = "itermon:local_seconds:sum", "itermon:lateness_seconds"
JOB = "itermon"

_BY_RANK = "max by (run, rank)"
_USUAL = f"max by (run) ({names.USUAL_S.name})"
_LAST = names.LAST_AT.name
_PLANNED = "|".join((EVALUATION, CHECKPOINT, COMPILE, WARMUP))
POWER_CAP = "power cap"
assert POWER_CAP in NORMAL_LIMITS  # noqa: S101 - the word of the samples
_SILENT_S = f"(60 + 10 * {_USUAL})"
"""Iterations of a second are scraped every 15 s, and a checkpoint takes some."""

RECORDED = {
    LOCAL: f"{_BY_RANK} (sum by (run, rank, instance) ({names.LOCAL_S.name}))",
    LATENESS: f"{LOCAL} - on (run) group_left () quantile by (run) (0.5, {LOCAL})",
}
"""By name: what a rank does without waiting for others, and by how much more that is than the median rank's."""


class Alert(NamedTuple):
    """Something that somebody should know, and what they can do."""

    name: str
    expr: str
    held: str  # for so long it must be so
    severity: str
    state: str
    action: str


ALERTS = (
    Alert(
        "ItermonStalled",
        f"time() - max by (run) ({_LAST}) > {_SILENT_S}",
        "5m",
        "critical",
        "{{ $labels.run }}: no iteration for {{ $value | humanizeDuration }}, ten times the usual and more",
        "itermon attach {{ $labels.run }} on its host says what it does; itermon stack {{ $labels.run }} where it is.",
    ),
    Alert(
        "ItermonRankBehind",
        f"max by (run) ({_LAST}) - on (run) group_right () {_BY_RANK} ({_LAST}) > on (run) group_left () {_SILENT_S}",
        "1m",
        "critical",
        "{{ $labels.run }}: rank {{ $labels.rank }} is {{ $value | humanizeDuration }} behind the others",
        "Look at this rank's host: is its process alive, is its GPU?",
    ),
    Alert(
        "ItermonRankGone",
        f"({_BY_RANK} ({names.ITERATIONS.name} offset 5m) unless on (run, rank) {_BY_RANK} ({names.ITERATIONS.name}))"
        f" and on (run) count by (run) ({names.ITERATIONS.name})",
        "1m",
        "critical",
        "{{ $labels.run }}: rank {{ $labels.rank }} is not told of any more, and others of its run are",
        "Its process has ended, or its host or exporter is gone: itermon attach on that host lists what lives there.",
    ),
    Alert(
        "ItermonStraggler",
        f"{LATENESS} > on (run) group_left () 0.1 * {_USUAL}",
        "10m",
        "warning",
        "{{ $labels.run }}: rank {{ $labels.rank }} does {{ $value | humanizeDuration }} more in each iteration than the"
        " median rank, and all wait for it",
        "Compare its local seconds by phase and its GPU's clock with the others'.",
    ),
    Alert(
        "ItermonLostTime",
        f'sum by (run, cause) (increase({names.LOST_S.name}{{cause!~"{_PLANNED}"}}[1h]))'
        f" / on (run) group_left () count by (run) ({names.ITERATIONS.name}) > 360",
        "0m",
        "warning",
        "{{ $labels.run }}: {{ $value | humanizeDuration }} of the last hour lost to {{ $labels.cause }}, on each rank",
        "itermon report {{ $labels.run }} on its host names the iterations and the evidence.",
    ),
    Alert(
        "ItermonBadLoss",
        f'sum by (run) (increase({names.INCIDENTS.name}{{kind="{BAD_LOSS}"}}[10m])) > 0',
        "0m",
        "critical",
        "{{ $labels.run }}: the loss was nan or inf",
        "Stop it, or go back to the last checkpoint: what follows is wasted, unless the trainer skips such steps.",
    ),
    Alert(
        "ItermonRestarted",
        f'max by (run) (increase({names.INCIDENTS.name}{{kind="restart"}}[10m])) > 0',
        "0m",
        "info",
        "{{ $labels.run }}: it began again from a checkpoint",
        "itermon report {{ $labels.run }} says how the process before it ended.",
    ),
    Alert(
        "ItermonThrottled",
        f'max by (run, rank, gpu, UUID) ({names.LIMITED.name}{{reason=~"{"|".join(sorted(THROTTLING_LIMITS))}"}}) == 1',
        "2m",
        "warning",
        "{{ $labels.run }}: rank {{ $labels.rank }}: GPU {{ $labels.gpu }} is slowed down by heat or by its supply",
        "Look at the airflow and the power supply of its host.",
    ),
    Alert(
        "ItermonPowerLimited",
        f'max by (run, rank, gpu, UUID) ({names.LIMITED.name}{{reason="{POWER_CAP}"}}) == 1 and on (run, rank, UUID)'
        f" max by (run, rank, UUID) ({names.CLOCK_HZ.name} / {names.CLOCK_MOST_HZ.name}) < 0.95",
        "10m",
        "info",
        "{{ $labels.run }}: rank {{ $labels.rank }}: GPU {{ $labels.gpu }} is held below 95 % of its boost by its power"
        " limit",
        "A higher limit or better cooling is the lever, not the loader.",
    ),
    Alert(
        "ItermonExporterDown",
        f'up{{job="{JOB}"}} == 0',
        "5m",
        "warning",
        "{{ $labels.instance }}: its exporter does not answer",
        "On that host: itermon export --all",
    ),
)


def rules_yaml() -> str:
    """A file for `rule_files`."""
    alerts: list[dict[str, Any]] = [
        {
            "alert": alert.name,
            "expr": alert.expr,
            "for": alert.held,
            "labels": {"severity": alert.severity},
            "annotations": {"summary": alert.state, "description": alert.action},
        }
        for alert in ALERTS
    ]
    recorded = [{"record": name, "expr": expr} for name, expr in RECORDED.items()]
    groups = [{"name": "itermon", "rules": recorded}, {"name": "itermon-alerts", "rules": alerts}]
    return yaml_text({"groups": groups})
