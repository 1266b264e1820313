"""A clock of the log confirms rows' times only where those, taken for all iterations, fit into it."""

from __future__ import annotations

from random import Random

import pytest
from simulated_runs import watched

from itermon.events import ClockKind, Iteration, RunInfo, Witness
from itermon.reports.report_text import report


@pytest.mark.parametrize(("passed_s", "agrees"), [(60.0, True), (55.0, True), (30.0, False)])
def test_rows_that_take_longer_than_those_between_them_are_contradicted_by_the_clock(
    passed_s: float, agrees: bool
) -> None:
    """A row of 0.6 s each hundred, and a clock by which the hundred take this long."""
    events = [Iteration(100 * n, 0.6, elapsed_s=passed_s * n) for n in range(1, 40)]
    found = watched([RunInfo(), *events]).findings()
    (clock,) = (one for one in found.witnesses if one.name == Witness.ELAPSED)
    assert clock.agrees is agrees
    assert (Witness.ELAPSED in found.level.witnesses) is agrees
    assert (
        found.unknown.get("level", "").startswith("the printed times, taken for all iterations, add up")
        is not agrees
    )


def test_the_slow_first_row_of_a_process_says_nothing_of_iterations_without_a_line() -> None:
    """It compiles. A hundred times that would be more than the time that passed, of which nobody says so."""
    events: list[Iteration | RunInfo] = [RunInfo()]
    for _ in range(3):
        events += [Iteration(100 * n, 0.5 if n else 300.0, elapsed_s=52.0 * n) for n in range(20)]
        events += [RunInfo()]
    found = watched([*events]).findings()
    (clock,) = (one for one in found.witnesses if one.name == Witness.ELAPSED)
    assert clock.agrees


@pytest.mark.parametrize(("others_s", "agrees"), [(0.5, True), (0.2, False)])
def test_the_first_of_each_epoch_waits_for_its_loader_as_no_iteration_without_a_line_does(
    others_s: float, agrees: bool
) -> None:
    """Lines of the steps 0, 10 and 20: the first takes 2.7 s. As many others would be more than what passed."""
    drawn, at_s = Random(1), 1e9
    events: list[Iteration | RunInfo] = [RunInfo(undescribed=True, clock=ClockKind.LOG)]
    for n in [21 * epoch + step for epoch in range(100) for step in (0, 10, 20)] * 2:
        took_s = drawn.gauss(0.5, 0.005) if n % 21 else drawn.gauss(2.7, 0.2)
        at_s += took_s + (others_s * 9 if n % 21 else 0.0)
        events.append(Iteration(n, took_s, at_s=at_s, witness=Witness.PRINTED))
    found = watched(events).findings()
    assert found.witnesses[0].agrees is agrees
    assert (found.level.clean_s == pytest.approx(0.5, rel=0.02)) if agrees else found.level.clean_s is None


@pytest.mark.parametrize(("apart_s", "told"), [(66.0, True), (51.0, False), (0.0, False)])
def test_stamps_that_say_another_time_than_rows_print_are_told(apart_s: float, told: bool) -> None:
    """A printed time may leave out what each epoch does besides."""
    rows = [Iteration(n, 50.0, 2.0, at_s=1e9 + apart_s * n, witness=Witness.PRINTED) for n in range(1, 80)]
    found = watched([RunInfo(source_format="a log", undescribed=True, clock=ClockKind.LOG), *rows]).findings()
    assert (found.level.apart_s == pytest.approx(apart_s)) if told else found.level.apart_s is None
    assert ("~66.0 s passes for each, by the lines' time stamps" in " ".join(report(found).split())) is told


SKEWED = (0.49, 0.5, 0.57, 0.5, 0.52, 0.58, 0.49, 0.5, 0.6, 0.5)
EVEN = (0.46, 0.5, 0.54, 0.49, 0.5, 0.52, 0.48, 0.5, 0.51, 0.5)


@pytest.mark.parametrize(("each_s", "told"), [(SKEWED, True), (EVEN, False)])
def test_rates_whose_middle_is_not_what_a_bars_clock_shows_are_not_confirmed_by_it(
    each_s: tuple[float, ...], *, told: bool
) -> None:
    """Some take clearly longer: the mean of all adds up to what passed, and the middle does not."""
    elapsed_s, rows = 0.0, []
    for n in range(1, 1_200):
        elapsed_s += each_s[n % 10]
        rows.append(Iteration(n, each_s[n % 10], elapsed_s=float(int(elapsed_s)), witness=Witness.RATE))
    found = watched([RunInfo(), *rows]).findings()
    assert found.level.clean_s == pytest.approx(0.5, rel=0.02)
    assert (Witness.ELAPSED in found.level.witnesses) is not told
    assert (found.level.apart_s == pytest.approx(0.525, rel=0.01)) if told else found.level.apart_s is None
    said = " ".join(report(found).split())
    assert ("by the printed rates; from row to row ~52" in said) is told
    assert ("confirmed by a clock in the log" in said) is not told
