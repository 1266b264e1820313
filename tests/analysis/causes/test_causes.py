"""Why an iteration was slow: evidence is written for people, whatever its seconds."""

import pytest

from itermon.analysis.causes.causes import Case, divided, explain, within
from itermon.analysis.findings import Cause
from itermon.analysis.ranks.leads import Lead
from itermon.analysis.record.spans import Note
from itermon.events import (
    CHECKPOINT,
    COMPILE,
    DATA,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    GAP,
    PAUSE,
    RESTART,
    STRAGGLER,
    TRAINING,
    UNEXPLAINED,
    WARMUP,
    Strength,
)


def test_a_wait_for_data_of_many_minutes_is_written_in_minutes() -> None:
    case = Case(duration_s=1_500.0, clean_s=50.0, data_wait_s=1_450.0, usual_wait_s=0.0123)
    assert [c.evidence for c in within(case)] == ["waited 24 m 10 s for data, usually 12.3 ms"]


def test_a_rank_that_is_late_by_many_minutes_is_late_in_minutes() -> None:
    case = Case(duration_s=1_500.0, clean_s=50.0, lead=Lead(rank=2, local_s=1_450.0, others_s=0.5))
    assert [c.evidence for c in within(case)] == [
        "rank 2 took 24 m 10 s before the collective, the others usually 500 ms"
    ]


def test_an_evaluation_of_many_minutes_divides_in_minutes() -> None:
    cause = Cause(EVALUATION_AND_CHECKPOINT, 2_000.0, "log", "the log has lines of both")
    assert {c.evidence for c in divided([cause], 1_450.0)} == {
        "the log has lines of both; divided by the 24 m 10 s of evaluations alone"
    }


def test_what_the_compiler_did_in_parts_is_one_cause_and_two_checkpoints_are_two() -> None:
    def note(kind: str, detail: str) -> Note:
        return Note(kind, Strength.HOOK, duration_s=2.0, detail=detail)

    parts = [
        note(COMPILE, "again, size mismatch"),
        note(CHECKPOINT, "a.pt"),
        note(COMPILE, "again, size mismatch"),
    ]
    notes = (*parts, note(CHECKPOINT, "b.pt"), note(COMPILE, "lazy backward 0/1"))
    causes = within(Case(duration_s=11.0, clean_s=1.0, notes=notes))
    assert [(c.kind, c.seconds, c.evidence) for c in causes] == [
        (COMPILE, 6.0, "again, size mismatch; lazy backward 0/1"),
        (CHECKPOINT, 2.0, "a.pt"),
        (CHECKPOINT, 2.0, "b.pt"),
    ]
    many = tuple(note(COMPILE, f"part {n} of a model") for n in range(100))
    (cause,) = within(Case(duration_s=201.0, clean_s=1.0, notes=many))
    assert len(cause.evidence) < 250


def outside(duration_s: float | None, kind: str = CHECKPOINT) -> Note:
    return Note(kind, Strength.HOOK, duration_s=duration_s, inside=False)


@pytest.mark.parametrize(
    ("case", "causes"),
    [
        # A wait for data counts beyond what is usual, and as the cause where it is half of the excess.
        (Case(5.0, 1.0, data_wait_s=4.0), [(DATA, 4.0)]),
        (Case(5.0, 1.0, data_wait_s=4.0, usual_wait_s=1.0), [(DATA, 3.0), (UNEXPLAINED, 1.0)]),
        (Case(5.0, 1.0, data_wait_s=2.0), [(DATA, 2.0), (UNEXPLAINED, 2.0)]),
        (Case(5.0, 1.0, data_wait_s=1.9), [(UNEXPLAINED, 4.0)]),
        (Case(0.9, 0.25, data_wait_s=0.65), [(DATA, 0.65)]),  # however short they are
        (Case(5.0, 1.0, data_wait_s=0.5, usual_wait_s=0.5), [(UNEXPLAINED, 4.0)]),
        # A fifth of a clean iteration is noise compared with what is known, and not where nothing is known.
        (Case(1.2, 1.0), [(UNEXPLAINED, 0.2)]),
        (Case(3.1, 1.0, notes=(Note(EVALUATION, Strength.LOG, duration_s=2.0),)), [(EVALUATION, 2.0)]),
        (
            Case(3.25, 1.0, notes=(Note(EVALUATION, Strength.LOG, duration_s=2.0),)),
            [(EVALUATION, 2.0), (UNEXPLAINED, 0.25)],
        ),
        (Case(1.0, 1.0), []),
        (Case(2.0, 1.0, warmup=True), [(WARMUP, 1.0)]),
        # The seconds before it.
        (Case(5.0, 5.0, gap_s=2.0), [(GAP, 2.0)]),
        (Case(5.0, 5.0, gap_s=2.0, restarted=True), [(RESTART, 2.0)]),
        (Case(5.0, 5.0, gap_s=2.0, restarted=True, another=True), [(PAUSE, 2.0)]),
        (Case(5.0, 5.0, gap_s=2.0, notes=(outside(None),)), [(CHECKPOINT, 2.0)]),
        (
            Case(5.0, 5.0, gap_s=2.0, notes=(outside(None), outside(None, EVALUATION))),
            [(EVALUATION_AND_CHECKPOINT, 2.0)],
        ),
        (Case(5.0, 5.0, gap_s=2.0, notes=(outside(2.0),)), [(CHECKPOINT, 2.0)]),
        (Case(5.0, 5.0, gap_s=2.9, notes=(outside(2.0),)), [(CHECKPOINT, 2.0)]),
        (Case(5.0, 5.0, gap_s=3.5, notes=(outside(2.0),)), [(CHECKPOINT, 2.0), (GAP, 1.5)]),
        (Case(1.0, 1.0, gap_s=90.0, notes=(outside(None),), told_s=5.0), [(CHECKPOINT, 5.0), (GAP, 85.0)]),
        (Case(1.0, 1.0, gap_s=90.0, notes=(outside(None),), told_s=0.0), [(GAP, 90.0)]),
        (Case(1.0, 1.0, gap_s=90.0, notes=(outside(None),), told_s=72.0), [(CHECKPOINT, 90.0)]),  # nearly all
        (Case(1.0, 1.0, gap_s=3.0, notes=(outside(None),), told_s=1.0), [(CHECKPOINT, 3.0)]),  # by whole seconds
        (
            Case(91.0, 1.0, notes=(Note(EVALUATION, Strength.LOG),), told_s=5.0),
            [(EVALUATION, 5.0), (UNEXPLAINED, 85.0)],
        ),
    ],
)
def test_each_second_too_many_has_one_cause(case: Case, causes: list[tuple[str, float]]) -> None:
    found = explain(case)
    assert [(c.kind, pytest.approx(c.seconds)) for c in [*found.inside, *found.outside]] == causes


def test_a_late_rank_is_the_cause_where_it_explains_four_fifths() -> None:
    for local_s, kind in ((4.1, STRAGGLER), (3.9, UNEXPLAINED)):
        (cause,) = within(Case(6.0, 1.0, lead=Lead(2, local_s, 0.0)))
        assert (cause.kind, cause.seconds) == (kind, 5.0)


def test_the_main_cause_is_the_costliest_wherever_it_is() -> None:
    assert explain(Case(5.0, 5.0)).main_cause == TRAINING
    assert explain(Case(6.0, 5.0, gap_s=2.0)).main_cause == GAP
    assert explain(Case(9.0, 5.0, gap_s=2.0)).main_cause == UNEXPLAINED
