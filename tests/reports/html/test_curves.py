"""The curves: losses with their evaluations, scalars, what the GPUs did; each in its unit, with its range."""

from math import nan

from screen_states import GIB, NOW_S, states

from itermon.analysis.run import Run
from itermon.events import EVALUATION, GpuSample, Iteration, RunInfo, SpanEnd
from itermon.reports.html.curves import MOST_CURVES, curves, rounded


def drawn(run: Run) -> dict[str, dict[str, object]]:
    columns = run.chart(0, len(run.columns) - 1, 1_000)
    return {str(curve["name"]): curve for curve in curves(run, run.findings(), columns)}


def test_losses_have_a_ring_for_each_evaluation_and_no_curve_of_their_own() -> None:
    made = drawn(states()["healthy"].run())
    rings = made["loss"]["rings"]
    assert isinstance(rings, list)
    assert [2 * place for place, _ in rings] == [0, 250, 500, 750, 1_000]
    assert rings[-1][1] == 3.3882
    assert made["loss"]["newest"] == "3.2780"
    assert "val_loss" not in made


def test_the_fall_at_the_beginning_is_not_in_the_range() -> None:
    run = Run()
    run.apply([Iteration(n, 1.0, 100.0 if n < 2 else 3.0 - n / 1_000) for n in range(100)])
    loss = drawn(run)["loss"]
    assert isinstance(loss["high"], float)
    assert isinstance(loss["low"], float)
    assert 2.89 < loss["low"] < loss["high"] < 3.1
    assert loss["marks"] == ["2.9", "3"]


def test_the_gpus_are_shown_in_the_units_of_their_instruments() -> None:
    run = Run()
    run.apply([RunInfo(clock="hook"), *(Iteration(n, 1.0, 3.0, at_s=NOW_S + n) for n in range(9))])
    run.apply(
        [
            GpuSample(
                NOW_S + n,
                power_w=500.0 + n,
                memory_used_bytes=8 * GIB,
                memory_total_bytes=16 * GIB,
                utilization=0.5,
            )
            for n in range(9)
        ]
    )
    made = drawn(run)
    assert made["GPU memory"]["values"][1] == 8.0  # type: ignore[index]
    assert made["GPU utilization"]["values"][1] == 50.0  # type: ignore[index]
    assert (made["GPU utilization"]["low"], made["GPU utilization"]["high"]) == (0.0, 100.0)
    assert made["GPU power"]["newest"] == "504 W"
    assert made["GPU memory"]["newest"] == "50 %"


def test_what_has_hardly_a_value_has_no_curve_and_there_are_not_too_many() -> None:
    run = Run()
    run.apply([Iteration(n, 1.0, scalars={f"s{k}": 1.0 + n for k in range(40)}) for n in range(9)])
    run.apply([SpanEnd(EVALUATION, iteration=9, values={"once": 1.0}), Iteration(9, 1.0)])
    made = drawn(run)
    assert len(made) == MOST_CURVES
    assert "once" not in made


def test_numbers_are_short_and_what_is_none_is_unknown() -> None:
    assert rounded([1.23456789, None, nan]) == [1.2346, None, None]
