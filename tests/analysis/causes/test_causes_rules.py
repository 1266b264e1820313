"""An evaluation and a save between two rows, of which stamps time one: whose is the rest? What is usual?"""

import pytest
from msgspec.structs import replace
from simulated_runs import watched

from itermon.analysis.causes.cases import _without_echoes
from itermon.analysis.causes.causes import AT_MOST, Case, explain, within
from itermon.analysis.causes.ledger import with_least_training
from itermon.analysis.findings import LedgerRow
from itermon.analysis.record.spans import Note
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    GAP,
    TRAINING,
    UNEXPLAINED,
    Iteration,
    RunInfo,
    Strength,
)


def _stop(told_s: float | None, kind: str = CHECKPOINT) -> list[tuple[str, float]]:
    """Of 100 s beside 2 s of training: an evaluation of 40 s by its lines, another stop of at most `told_s`."""
    notes = (Note(EVALUATION, Strength.LOG, duration_s=40.0, at_s=90.0), Note(kind, Strength.LOG, at_s=95.0))
    return [(c.kind, c.seconds) for c in within(Case(102.0, 2.0, notes=notes, told_s=told_s))]


def test_a_save_has_the_rest_of_a_stop_only_where_its_stamps_allow_it() -> None:
    """What lies before the evaluation's own lines may be another evaluation: nobody knows whose it is."""
    assert _stop(told_s=60.0) == [(EVALUATION, 40.0), (CHECKPOINT, 60.0)]
    assert _stop(told_s=5.0) == [(EVALUATION_AND_CHECKPOINT, 100.0)]
    assert _stop(told_s=0.0) == [(EVALUATION_AND_CHECKPOINT, 100.0)]
    outside = (Note(EVALUATION, Strength.LOG, duration_s=40.0, at_s=90.0, inside=False),)
    outside += (Note(CHECKPOINT, Strength.LOG, at_s=95.0, inside=False),)
    found = explain(Case(2.0, 2.0, gap_s=100.0, notes=outside, told_s=5.0)).outside
    assert [(c.kind, c.seconds) for c in found] == [(EVALUATION_AND_CHECKPOINT, 100.0)]


def test_the_first_row_of_an_epoch_does_not_say_what_is_usually_waited() -> None:
    """Of epochs with two rows, the first iteration and the mean of all others, the latter is what is usual."""
    waits_s = (*(0.75, 0.0625) * 20, 2.25)
    rows = [
        Iteration(100 * (n // 2) + 99 * (n % 2), 9.0 if n == 40 else 4.0, data_wait_s=wait_s)
        for n, wait_s in enumerate(waits_s)
    ]
    spike = watched([RunInfo(), *rows]).spike(40)
    assert spike is not None
    assert "waited 2.25 s for data, usually 62.5 ms" in [cause.evidence for cause in spike.causes]


@pytest.mark.parametrize(("moment_s", "seconds"), [(None, 5.2), (0.0, 4.6), (1.0, 5.2)])
def test_a_stop_takes_no_more_than_lies_between_the_stamps_of_its_lines(
    moment_s: float | None, seconds: float
) -> None:
    case = Case(25.2, 20.0, notes=(Note(CHECKPOINT, Strength.LOG),), told_s=4.6, moment_s=moment_s)
    assert [(c.kind, c.seconds) for c in within(case)] == [(CHECKPOINT, pytest.approx(seconds))]


@pytest.mark.parametrize(("alike", "said"), [(True, ", usually 100 ms"), (False, "")])
def test_what_is_usually_waited_is_told_where_most_waits_are_like_it(said: str, *, alike: bool) -> None:
    case = Case(6.0, 1.0, data_wait_s=5.1, usual_wait_s=0.1, usual_work_s=0.9, waits_alike=alike)
    assert [c.evidence for c in within(case)] == [f"waited 5.10 s for data{said}"]


def test_a_line_that_is_printed_again_without_its_stamp_takes_nothing_of_what_the_first_one_tells() -> None:
    first, again = (Note(CHECKPOINT, Strength.LOG, at_s=at_s, begun=True) for at_s in (1_044.0, None))
    assert _without_echoes([first, again]) == [first]
    assert _without_echoes([again, first]) == [again, first]


def test_what_may_hold_iterations_that_nobody_counted_is_a_bound() -> None:
    told = Note(EVALUATION, Strength.LOG, inside=True)
    (cause,) = within(Case(5.0, 1.0, notes=(told,), uncounted_s=2.0))
    assert (cause.kind, cause.seconds, cause.at_most, cause.evidence) == (EVALUATION, 4.0, True, AT_MOST)
    (exact,) = within(Case(5.0, 1.0, notes=(told,)))
    assert (exact.at_most, exact.evidence) == (False, "")


@pytest.mark.parametrize(
    ("uncounted_s", "kinds"),
    [(0.0, [EVALUATION, UNEXPLAINED]), (2.0, [EVALUATION]), (0.5, [EVALUATION, UNEXPLAINED])],
)
def test_beside_a_stop_of_a_known_time_iterations_that_nobody_counted_took_what_is_left(
    uncounted_s: float, kinds: list[str]
) -> None:
    timed = Note(EVALUATION, Strength.LOG, duration_s=2.5, inside=True)
    causes = within(Case(5.0, 1.0, notes=(timed,), uncounted_s=uncounted_s))
    assert [cause.kind for cause in causes] == kinds
    assert causes[0].seconds == 2.5
    assert not causes[0].at_most


def test_beside_a_stop_that_took_at_most_so_much_the_training_took_at_least_what_is_left() -> None:
    def least(*rows: LedgerRow) -> list[str]:
        return [row.cause for row in with_least_training(rows) if row.at_least]

    training, most = LedgerRow(TRAINING, 80.0, 0.8), LedgerRow(EVALUATION, 20.0, 0.2, at_most=True)
    assert least(training, most) == [TRAINING]
    assert least(training, replace(most, at_most=False)) == []
    assert least(training, replace(most, share=0.0005)) == []  # less than the figures show
    assert least(training, most, LedgerRow(GAP, 1.0, 0.01, at_least=True)) == [GAP]  # which may be more
    assert least(training, most, LedgerRow(GAP, 1.0, 0.01, rough=True)) == []
