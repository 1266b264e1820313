"""An evaluation and a save between two rows, of which stamps time one: whose is the rest? What is usual?"""

import pytest
from simulated_runs import watched

from itermon.analysis.causes.cases import _without_echoes
from itermon.analysis.causes.causes import Case, explain, within
from itermon.analysis.record.spans import Note
from itermon.events import CHECKPOINT, EVALUATION, EVALUATION_AND_CHECKPOINT, Iteration, RunInfo, Strength


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
