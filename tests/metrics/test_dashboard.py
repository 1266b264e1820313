"""The dashboard: every query answered by a real server that has scraped a real exporter."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from metric_recordings import BEGAN_S, Recorder, head, trained
from prometheus_server import Server, needs_prometheus, prometheus
from waiting import eventually

pytest.importorskip("prometheus_client", reason="the extra itermon[prometheus] is not installed")

from itermon.events import Phases
from itermon.metrics import names
from itermon.metrics.dashboard import dashboard_json, expressions
from itermon.metrics.exporter import Exporter
from itermon.metrics.exposition import Shown, serve
from itermon.metrics.rules import ALERTS, LATENESS, rules_yaml
from itermon.metrics.series import Series

GPU = ("3", "GPU-1")
OF_GPU = {names.POWER_W: 690.0, names.CLOCK_HZ: 1.8e9, names.CLOCK_MOST_HZ: 1.98e9, names.MEMORY_BYTES: 7e10}


def test_panels_lie_side_by_side_and_each_asks_only_for_the_run_that_was_chosen() -> None:
    board = json.loads(dashboard_json())
    taken = set()
    for panel in board["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not taken & cells
        assert at["x"] + at["w"] <= 24
        taken |= cells
        for target in panel["targets"]:
            assert target["expr"].count("itermon_") == target["expr"].count('{run="$run"}')
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])


def test_every_metric_that_is_asked_for_is_one() -> None:
    known = {metric.name for metric in names.METRICS}
    asked = [*expressions(), *(alert.expr for alert in ALERTS)]
    assert {name for expr in asked for name in re.findall(r"\bitermon_\w+", expr)} <= known


def begin(recorder: Recorder, rank: int, forward_s: float) -> None:
    events = trained(0, 400, BEGAN_S)
    phases = [Phases(i, {"forward": forward_s, "gradient sync": 0.25}, on_host=True) for i in range(336, 400)]
    called = f"gpt2-rank{rank}" if rank else "gpt2"
    recorder.begin(called, 10 + rank, *head("gpt2", rank, world=4), *events, *phases)


@needs_prometheus
def test_a_real_server_scrapes_it_and_answers_every_query(recorder: Recorder, tmp_path: Path) -> None:
    for rank in range(4):
        begin(recorder, rank, 0.75 if rank == 2 else 0.5)
    follows, shown = Exporter(gpus=False, clock=lambda: BEGAN_S + 100), Shown()
    while not follows.refresh():
        pass
    of_gpu = [Series(metric, ("gpt2", "0", *GPU), value) for metric, value in OF_GPU.items()]
    limit = Series(names.LIMITED, ("gpt2", "0", *GPU, "power cap"), 1)
    shown.show([*follows.series(), *of_gpu, limit])
    exporter = serve(shown, "127.0.0.1", 0)
    (tmp_path / "rules.yml").write_text(rules_yaml())
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(tmp_path / "rules.yml")],
        "scrape_configs": [
            {"job_name": "itermon", "static_configs": [{"targets": [f"127.0.0.1:{exporter.server_port}"]}]}
        ],
    }
    try:
        with prometheus(tmp_path / "server", json.dumps(config)) as server:
            eventually(lambda: len(server.values(LATENESS)) == 4, lambda: server.query("up"))
            eventually(lambda: server.values("count_over_time(itermon_tokens_total[1m]) > 2"))
            check_values(server, follows)
            check_queries(server)
    finally:
        exporter.shutdown()
        exporter.server_close()


def check_values(server: Server, follows: Exporter) -> None:
    """The server has what was exported, to the last bit."""
    for metric in (names.ITERATIONS, names.SPENT_S, names.LOST_S, names.TOKENS, names.LOCAL_S, names.USUAL_S):
        exported = {
            tuple(value for _, value in sorted(zip(metric.labels, each.labels, strict=True))): each.value
            for each in follows.series()
            if each.metric is metric
        }
        assert exported
        assert server.values(metric.name) == exported
    assert server.values(LATENESS) == {(str(n), "gpt2"): 0.25 if n == 2 else 0.0 for n in range(4)}


def check_queries(server: Server) -> None:
    """No query of a panel is refused; all but those of what this run does not have give values."""
    without = ("DCGM_", "itermon_gradient_norm", "itermon_mfu_ratio")
    for expr in expressions():
        expr = expr.replace("$run", "gpt2").replace("$__rate_interval", "1m")  # noqa: PLW2901
        answer = server.query(expr)
        assert answer["status"] == "success", (expr, answer)
        assert bool(answer["data"]["result"]) != any(word in expr for word in without), expr
    rules = server.get("/api/v1/rules")["data"]["groups"]
    assert {rule["health"] for group in rules for rule in group["rules"]} == {"ok"}
