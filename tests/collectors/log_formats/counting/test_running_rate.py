"""Rates that are means since the start."""

from random import Random

import pytest

from itermon.collectors.log_formats.counting.running_rate import RunningRate
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Message

EVERY = 200


def steps_s(seed: int) -> list[float]:
    """What a step took in the rows of a run: one slow row, and one of a slow minute."""
    random = Random(seed)
    usual = [0.25 * (1 + random.gauss(0, 0.01)) for _ in range(90)]
    return [0.9, *usual[:7], 0.6, *usual[7:]]


def running(each_s: list[float]) -> list[float]:
    return [round((n + 1) / sum(each_s[: n + 1]), 2) for n in range(len(each_s))]


def is_one(rates: list[float]) -> bool:
    seen = RunningRate()
    return [seen.own(rate, EVERY * n) for n, rate in enumerate(rates, 1)][-1] is None


@pytest.mark.parametrize("seed", range(10))
def test_a_rate_that_comes_back_slowly_after_a_slow_row_is_the_mean_since_the_start(seed: int) -> None:
    assert is_one(running(steps_s(seed)))


@pytest.mark.parametrize("seed", range(10))
def test_a_rate_that_is_back_at_once_is_that_of_the_row(seed: int) -> None:
    assert not is_one([round(1 / each_s, 2) for each_s in steps_s(seed)])
    warm = [0.25 * (1 + 0.9**n) for n in range(90)]
    assert not is_one([round(1 / each_s, 2) for each_s in warm])


def test_rates_that_hardly_differ_have_one_sum_whatever_they_are() -> None:
    assert not is_one([4.0, 4.01, 3.99, 4.0] * 25)


def test_where_an_earlier_step_comes_again_nothing_is_said() -> None:
    seen = RunningRate()
    for n, rate in enumerate(running(steps_s(0))[:5], 1):
        seen.own(rate, EVERY * n)
    assert [seen.own(rate, EVERY * n) for n, rate in enumerate(running(steps_s(0)), 1)][-1] is not None


def test_no_row_of_a_log_has_a_time_by_such_a_rate_and_that_is_told() -> None:
    rows = [f"step {EVERY * n}: loss 2.5 | {rate} it/s\n" for n, rate in enumerate(running(steps_s(1)), 1)]
    events = LogReader().feed("".join(rows).encode())
    assert {event.duration_s for event in events if isinstance(event, Iteration)} == {None}
    said = [event.text for event in events if isinstance(event, Message)]
    assert "the rate is the mean of all steps since the start: it tells no row's own time" in said


@pytest.mark.parametrize(("share", "one"), [(1.0001, True), (0.9951, True), (0.9949, False)])
def test_its_clock_rises_by_little_from_row_to_row_and_falls_by_no_more_than_a_rounding(
    share: float, one: bool
) -> None:
    seen, spent_s = RunningRate(), 0.0
    for n, each_s in enumerate(steps_s(0), 1):
        spent_s += EVERY * each_s
        seen.own(EVERY * n / spent_s, EVERY * n)
        seen.own((EVERY * n + 1) / (share * spent_s), EVERY * n + 1)
    assert seen.is_one is one
