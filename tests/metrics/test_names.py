"""The table of metrics: names as Prometheus wants them, labels that stand still."""

import re

import pytest

from itermon.metrics.names import COUNTER, GAUGE, INFO, METRICS, OF_RANK, Metric

STANDS_STILL = {"run", "rank", "cause", "phase", "kind", "gpu", "UUID", "reason"}
OF_A_PROCESS = {"run_id", "host", "framework", "world_size", "stage"}


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_name_ends_as_its_kind_and_unit_say(metric: Metric) -> None:
    assert re.fullmatch(r"itermon_[a-z_]+", metric.name)
    assert metric.name.endswith("_total") == (metric.kind == COUNTER)
    assert metric.name.endswith("_info") == (metric.kind == INFO)
    assert metric.family.endswith(metric.unit)
    assert metric.kind in (COUNTER, GAUGE, INFO)
    assert metric.help.endswith(".")


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_series_is_of_a_rank_and_no_label_makes_new_ones(metric: Metric) -> None:
    assert metric.labels[:2] == OF_RANK
    assert set(metric.labels) <= (STANDS_STILL | OF_A_PROCESS if metric.kind == INFO else STANDS_STILL)


def test_no_two_have_one_family() -> None:
    assert len({metric.family for metric in METRICS}) == len(METRICS)
