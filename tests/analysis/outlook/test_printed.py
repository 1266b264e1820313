"""What a log says is left of its run, beside what is measured here."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import Eta, PrintedEta, Schedule
from itermon.analysis.outlook import printed
from itermon.analysis.run import Run
from itermon.events import EVALUATION, Config, End, Event, Iteration

OURS = Eta(remaining_s=1_000.0, low_s=900.0, high_s=1_100.0)
STOPS = (Schedule(EVALUATION, 100, remaining=4, mean_s=50.0),)


@pytest.mark.parametrize("printed_s", [900.0, 1_100.0, 1_000.0])
def test_what_lies_in_the_interval_agrees(printed_s: float) -> None:
    assert printed.witness(printed_s, OURS, 500, 9.0) == PrintedEta(printed_s, agrees=True)


def test_without_an_interval_a_twentieth_and_two_roundings_agree() -> None:
    assert printed.witness(1_049.0, Eta(remaining_s=1_000.0), 500, 9.0).agrees
    assert not printed.witness(1_051.0, Eta(remaining_s=1_000.0), 500, 9.0).agrees
    assert printed.witness(4.0, Eta(remaining_s=2.0), 500, 9.0).agrees
    assert not printed.witness(4.5, Eta(remaining_s=2.0), 500, 9.0).agrees
    assert not printed.witness(3.0, Eta(remaining_s=0.0), 0, 9.0).agrees


@pytest.mark.parametrize(
    ("printed_s", "plan", "mean_s", "why"),
    [
        (800.0, STOPS, 9.0, "it leaves out evaluations to come, 3 m 20 s"),
        (1_500.0, STOPS, 3.0, "it counts with the mean of all iterations so far, 3.00 s, with all stops in it"),
        (1_500.0, (), 9.0, "what it counts with is not known: a bar takes its newest steps alone"),
    ],
)
def test_where_it_differs_the_figures_say_why_if_they_can(
    printed_s: float, plan: tuple[Schedule, ...], mean_s: float, why: str
) -> None:
    eta = Eta(remaining_s=1_000.0, low_s=900.0, high_s=1_100.0, schedules=plan)
    assert printed.witness(printed_s, eta, 500, mean_s) == PrintedEta(printed_s, agrees=False, why=why)


def test_the_newest_word_counts_less_what_passed_since_and_an_old_one_is_none() -> None:
    said = Iteration(1, 1.0, remaining_s=100.0)
    assert printed.said([Iteration(0, 1.0, remaining_s=500.0), said]) == 100.0
    assert printed.said([said, Iteration(5, 2.0, averaged_over=4)]) == 92.0
    assert printed.said([Iteration(1, 1.0, remaining_s=1.0), Iteration(2, 2.0)]) == 0.0
    assert printed.said([Iteration(1, 1.0)]) is None


def run_of(count: int, total: int | None, each_s: float = 1.0) -> Run:
    run = Run()
    settings: list[Event] = [Config(max_iterations=total)] if total else []
    run.apply(settings + [Iteration(i, 1.0, remaining_s=(1_000 - i) * each_s) for i in range(count)])
    return run


def test_a_run_of_known_length_keeps_its_own_eta_beside_the_printed_one() -> None:
    eta = run_of(200, 1_000).findings().eta
    assert eta.printed == PrintedEta(801.0, agrees=True)
    eta = run_of(200, 1_000, each_s=2.0).findings().eta
    assert eta.remaining_s == pytest.approx(801.0)
    assert eta.printed is not None
    assert (eta.printed.remaining_s, eta.printed.agrees) == (1_602.0, False)


def test_where_nothing_says_the_length_the_printed_time_stands_alone_and_is_marked() -> None:
    found = run_of(200, None).findings()
    assert (found.eta.remaining_s, found.eta.low_s, found.eta.note) == (
        801.0,
        None,
        "printed by the log; nothing here confirms it",
    )
    assert "eta" not in found.unknown


def test_it_is_not_taken_alone_after_a_few_iterations_or_after_the_end() -> None:
    assert run_of(2, None).findings().eta.remaining_s is None
    run = run_of(200, 1_000)
    run.apply([End()])
    assert run.findings().eta.printed is None
