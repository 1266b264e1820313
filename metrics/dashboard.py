"""A dashboard for Grafana: one run, from the whole down to its ranks and their GPUs. It needs no recording rule."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from . import names

RUN_OF = '{run="$run"}'
_LOCAL = f"max by (run, rank) (sum by (run, rank, instance) ({names.LOCAL_S.name}{RUN_OF}))"
_ITERATIONS = f"max by (run, rank) ({names.ITERATIONS.name}{RUN_OF})"


class Panel(NamedTuple):
    """A chart, a number or a table: what it is called, and its queries, each with its legend."""

    title: str
    queries: tuple[tuple[str, str], ...]
    unit: str = "s"
    kind: str = "timeseries"
    width: int = 12


PANELS = (
    Panel("Ranks", ((f"count({_ITERATIONS})", ""),), "none", "stat", 4),
    Panel("Newest iteration", ((f"max({names.POSITION.name}{RUN_OF})", ""),), "none", "stat", 4),
    Panel("Last iteration", ((f"max({names.LAST_AT.name}{RUN_OF}) * 1000", ""),), "dateTimeFromNow", "stat", 4),
    Panel("Done", ((f"max({names.ETA_AT.name}{RUN_OF}) * 1000", ""),), "dateTimeFromNow", "stat", 4),
    Panel("MFU", ((f"max({names.MFU.name}{RUN_OF})", ""),), "percentunit", "stat", 4),
    Panel(
        "Tokens per second",
        ((f"sum(rate({names.TOKENS.name}{RUN_OF}[$__rate_interval]))", ""),),
        "none",
        "stat",
        4,
    ),
    Panel(
        "Iteration time",
        (
            (f"quantile(0.5, {names.USUAL_S.name}{RUN_OF})", "usual, median rank"),
            (
                (
                    f"max(rate({names.SPENT_S.name}{RUN_OF}[$__rate_interval])"
                    f" / rate({names.ITERATIONS.name}{RUN_OF}[$__rate_interval]))"
                ),
                "mean with all stops, slowest rank",
            ),
        ),
    ),
    Panel(
        "Time lost, by cause: share of each rank's time",
        (
            (
                f"sum by (cause) (rate({names.LOST_S.name}{RUN_OF}[$__rate_interval])) / scalar(count({_ITERATIONS}))",
                "{{cause}}",
            ),
        ),
        "percentunit",
    ),
    Panel(
        "Ranks that the others wait for: local time above the median rank's",
        ((f"topk(8, {_LOCAL} - scalar(quantile(0.5, {_LOCAL})))", "rank {{rank}}"),),
    ),
    Panel(
        "Local time by phase, slowest and median rank",
        (
            (f"max by (phase) ({names.LOCAL_S.name}{RUN_OF})", "{{phase}}, slowest"),
            (f"quantile by (phase) (0.5, {names.LOCAL_S.name}{RUN_OF})", "{{phase}}, median"),
            (f"quantile(0.5, {names.SYNC_S.name}{RUN_OF})", "gradient sync, median"),
        ),
    ),
    Panel("Loss", ((f"quantile(0.5, {names.LOSS.name}{RUN_OF})", "median rank"),), "none"),
    Panel("Gradient norm", ((f"max({names.GRADIENT_NORM.name}{RUN_OF})", "largest of a rank"),), "none"),
    Panel(
        "Incidents in the last hour",
        ((f"sum by (kind) (increase({names.INCIDENTS.name}{RUN_OF}[1h]))", "{{kind}}"),),
        "none",
    ),
    Panel(
        "Ranks by how long ago their last iteration was",
        ((f"topk(8, time() - max by (rank) ({names.LAST_AT.name}{RUN_OF}))", "rank {{rank}}"),),
    ),
    Panel(
        "GPU power",
        ((f"max by (rank, gpu) ({names.POWER_W.name}{RUN_OF})", "rank {{rank}}, GPU {{gpu}}"),),
        "watt",
    ),
    Panel(
        "GPU clock, share of boost",
        (
            (
                f"min by (rank, gpu) ({names.CLOCK_HZ.name}{RUN_OF} / {names.CLOCK_MOST_HZ.name}{RUN_OF})",
                "rank {{rank}}",
            ),
        ),
        "percentunit",
    ),
    Panel("GPU memory", ((f"max by (rank, gpu) ({names.MEMORY_BYTES.name}{RUN_OF})", "rank {{rank}}"),), "bytes"),
    Panel(
        "What holds the GPUs' clocks down",
        ((f"count by (reason) ({names.LIMITED.name}{RUN_OF})", "{{reason}}"),),
        "none",
    ),
    Panel(
        "Temperature by NVIDIA's exporter, of this run's GPUs",
        (
            (
                (
                    f"max by (rank, gpu) (DCGM_FI_DEV_GPU_TEMP * on (UUID) group_left (run, rank) {names.POWER_W.name}{RUN_OF}"
                    f" / on (UUID) group_left () {names.POWER_W.name}{RUN_OF})"
                ),
                "rank {{rank}}, GPU {{gpu}}",
            ),
        ),
        "celsius",
    ),
)


def expressions() -> list[str]:
    """All that is asked, with the variables of Grafana in it."""
    return [expr for panel in PANELS for expr, _ in panel.queries]


def dashboard_json() -> str:
    """For Grafana: Dashboards, New, Import."""
    variables = [
        {"name": "datasource", "type": "datasource", "query": "prometheus"},
        {
            "name": "run",
            "type": "query",
            "datasource": _SOURCE,
            "query": f"label_values({names.INFO_OF_RUN.name}, run)",
            "refresh": 2,
        },
    ]
    whole = {
        "uid": "itermon-run",
        "title": "itermon: a run",
        "tags": ["itermon"],
        "schemaVersion": 39,
        "refresh": "15s",
        "time": {"from": "now-3h", "to": "now"},
        "templating": {"list": variables},
        "panels": _placed(),
    }
    return json.dumps(whole, indent=2) + "\n"


_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
_HEIGHT = {"stat": 4}


def _placed() -> list[dict[str, Any]]:
    """The panels in rows of 24 columns."""
    x = y = below = 0
    placed = []
    for number, panel in enumerate(PANELS, 1):
        height = _HEIGHT.get(panel.kind, 8)
        if x + panel.width > 24:
            x, y = 0, below
        below = y + height
        targets = [
            {"refId": chr(65 + n), "expr": expr, "legendFormat": legend, "datasource": _SOURCE}
            for n, (expr, legend) in enumerate(panel.queries)
        ]
        placed.append(
            {
                "id": number,
                "type": panel.kind,
                "title": panel.title,
                "datasource": _SOURCE,
                "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []},
                "gridPos": {"x": x, "y": y, "w": panel.width, "h": height},
                "targets": targets,
            }
        )
        x += panel.width
    return placed
