"""The rules, by promtool, on series as an exporter gives them: each alert where it should be, and only there."""

from __future__ import annotations

import json
from pathlib import Path

from prometheus_server import needs_prometheus, promtool

from itermon.metrics.rules import ALERTS, LATENESS, rules_yaml

pytestmark = needs_prometheus


def of(name: str, rank: int | str = 0, **labels: str) -> str:
    inside = ",".join(f'{key}="{value}"' for key, value in {"run": "a", "rank": str(rank), **labels}.items())
    return f"{name}{{{inside}}}"


ITERATES = of("itermon_iterations_total"), "0+15x400"
USUAL = of("itermon_iteration_usual_seconds"), "1x200"
STAMPS = of("itermon_last_iteration_timestamp_seconds"), "0+15x200"
GPU = {"gpu": "3", "UUID": "GPU-1"}


def ranks(late: str, others: str = "0.5x200") -> list[tuple[str, str]]:
    rows = [(of("itermon_local_seconds", n, phase="data"), "0.1x200") for n in range(4)]
    return [
        *rows,
        *((of("itermon_local_seconds", n, phase="forward"), late if n == 2 else others) for n in range(4)),
    ]


# By alert: series, every 15 s from 0 on; when it is looked; what is raised by then (labels after `alertname`).
CASES: dict[str, tuple[str, list[tuple[str, str]], str, list[dict[str, str]]]] = {
    "stalled": ("ItermonStalled", [ITERATES, USUAL, (STAMPS[0], "0+15x20 300x180")], "20m", [{"run": "a"}]),
    "a checkpoint": ("ItermonStalled", [ITERATES, USUAL, (STAMPS[0], "0+15x20 300x20 615+15x100")], "12m", []),
    "no stall": ("ItermonStalled", [ITERATES, USUAL, STAMPS], "20m", []),
    "long iterations": (
        "ItermonStalled",
        [(USUAL[0], "300x200"), (STAMPS[0], "0+0x100 1500+0x100")],
        "24m",
        [],
    ),
    "behind": (
        "ItermonRankBehind",
        [USUAL, STAMPS, (of("itermon_last_iteration_timestamp_seconds", 7), "0+15x20 300x180")],
        "10m",
        [{"run": "a", "rank": "7"}],
    ),
    "not behind": (
        "ItermonRankBehind",
        [USUAL, STAMPS, (of("itermon_last_iteration_timestamp_seconds", 7), "0+15x200")],
        "10m",
        [],
    ),
    "gone": (
        "ItermonRankGone",
        [ITERATES, (of("itermon_iterations_total", 7), "0+15x20 stale")],
        "8m",
        [{"run": "a", "rank": "7"}],
    ),
    "run over": ("ItermonRankGone", [(of("itermon_iterations_total"), "0+15x20 stale")], "8m", []),
    "straggler": ("ItermonStraggler", [USUAL, *ranks("0.7x200")], "15m", [{"run": "a", "rank": "2"}]),
    "balanced": ("ItermonStraggler", [USUAL, *ranks("0.55x200")], "15m", []),
    "rotating": ("ItermonStraggler", [USUAL, *ranks("0.7x10 0.5x10 0.7x10 0.5x10 0.7x10")], "15m", []),
    "lost": (
        "ItermonLostTime",
        [ITERATES, (of("itermon_lost_seconds_total", cause="data"), "0+3x400")],
        "61m",
        [{"run": "a", "cause": "data"}],
    ),
    "little lost": (
        "ItermonLostTime",
        [ITERATES, (of("itermon_lost_seconds_total", cause="data"), "0+1x400")],
        "61m",
        [],
    ),
    "planned": (
        "ItermonLostTime",
        [ITERATES, (of("itermon_lost_seconds_total", cause="evaluation"), "0+9x400")],
        "61m",
        [],
    ),
    "nan": (
        "ItermonBadLoss",
        [(of("itermon_incidents_total", kind="bad loss"), "0x20 1x200")],
        "8m",
        [{"run": "a"}],
    ),
    "no nan": ("ItermonBadLoss", [(of("itermon_incidents_total", kind="bad loss"), "5x200")], "8m", []),
    "restarted": (
        "ItermonRestarted",
        [(of("itermon_incidents_total", kind="restart"), "0x20 1x200")],
        "8m",
        [{"run": "a"}],
    ),
    "hot": (
        "ItermonThrottled",
        [(of("itermon_gpu_limited", reason="thermal", **GPU), "1x200")],
        "5m",
        [{"run": "a", "rank": "0", **GPU}],
    ),
    "not hot": ("ItermonThrottled", [(of("itermon_gpu_limited", reason="power cap", **GPU), "1x200")], "5m", []),
    "power": (
        "ItermonPowerLimited",
        [
            (of("itermon_gpu_limited", reason="power cap", **GPU), "1x200"),
            (of("itermon_gpu_clock_hertz", **GPU), "1410000000x200"),
            (of("itermon_gpu_clock_boost_hertz", **GPU), "1980000000x200"),
        ],
        "15m",
        [{"run": "a", "rank": "0", **GPU}],
    ),
    "power without loss": (
        "ItermonPowerLimited",
        [
            (of("itermon_gpu_limited", reason="power cap", **GPU), "1x200"),
            (of("itermon_gpu_clock_hertz", **GPU), "1975000000x200"),
            (of("itermon_gpu_clock_boost_hertz", **GPU), "1980000000x200"),
        ],
        "15m",
        [],
    ),
    "down": (
        "ItermonExporterDown",
        [('up{job="itermon",instance="h:1"}', "1x5 0x100")],
        "10m",
        [{"instance": "h:1"}],
    ),
}


def test_each_alert_is_raised_where_it_should_be_and_only_there(tmp_path: Path) -> None:
    (tmp_path / "rules.yml").write_text(rules_yaml())
    severity = {alert.name: alert.severity for alert in ALERTS}
    tests = []
    for title, (alert, series, when, raised) in CASES.items():
        more = {"job": "itermon"} if alert == "ItermonExporterDown" else {}
        tests.append(
            {
                "name": title,
                "interval": "15s",
                "input_series": [{"series": name, "values": values} for name, values in series],
                "alert_rule_test": [
                    {
                        "eval_time": when,
                        "alertname": alert,
                        "exp_alerts": [
                            {"exp_labels": {**labels, **more, "severity": severity[alert]}} for labels in raised
                        ],
                    }
                ],
            }
        )
    # What it says is left out of the comparison: annotations are tested below.
    plain = "\n".join(line for line in rules_yaml().splitlines() if line.split(":")[0].strip() not in _SAID)
    (tmp_path / "rules.yml").write_text(plain)
    (tmp_path / "test.yml").write_text(
        json.dumps({"rule_files": ["rules.yml"], "evaluation_interval": "15s", "tests": tests})
    )
    ran = promtool("test", "rules", str(tmp_path / "test.yml"))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert {alert for alert, *_ in CASES.values()} == set(severity), "each alert has a case"
    assert {alert for alert, _, _, raised in CASES.values() if raised} == set(severity), (
        "... in which it is raised"
    )


_SAID = {"annotations", "summary", "description"}


def test_lateness_is_that_beyond_the_median_rank(tmp_path: Path) -> None:
    (tmp_path / "rules.yml").write_text(rules_yaml())
    expected = [{"labels": f'{{run="a",rank="{n}"}}', "value": 0.25 if n == 2 else 0.0} for n in range(4)]
    case = {
        "interval": "15s",
        "input_series": [{"series": name, "values": values} for name, values in ranks("0.75x20")],
        "promql_expr_test": [
            {"expr": f"sum by (run, rank) ({LATENESS})", "eval_time": "2m", "exp_samples": expected}
        ],
    }
    (tmp_path / "test.yml").write_text(
        json.dumps({"rule_files": ["rules.yml"], "evaluation_interval": "15s", "tests": [case]})
    )
    ran = promtool("test", "rules", str(tmp_path / "test.yml"))
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_each_says_what_is_so_and_what_to_do() -> None:
    for alert in ALERTS:
        assert alert.state.count("{{") == alert.state.count("}}") > 0
        assert alert.action.endswith((".", "?", "--all"))
