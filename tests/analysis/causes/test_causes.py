"""Why an iteration was slow: evidence is written for people, whatever its seconds."""

import pytest

from itermon.analysis.causes.causes import Case, explain, within
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


def test_what_is_usually_waited_is_left_out_where_the_clean_time_holds_more_of_it() -> None:
    case = Case(duration_s=130.0, clean_s=85.0, data_wait_s=72.0, usual_wait_s=0.04)
    assert [(c.seconds, c.evidence) for c in within(case)] == [(45.0, "waited 72.0 s for data")]


def test_a_rank_that_is_late_by_many_minutes_is_late_in_minutes() -> None:
    case = Case(duration_s=1_500.0, clean_s=50.0, lead=Lead(rank=2, local_s=1_450.0, others_s=0.5))
    assert [c.evidence for c in within(case)] == [
        "rank 2 took 24 m 10 s before the collective, the others usually 500 ms"
    ]


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
        # A wait for data counts beyond what is usual, and is named where it is a fifth of the excess.
        (Case(5.0, 1.0, data_wait_s=4.0), [(DATA, 4.0)]),
        (Case(5.0, 1.0, data_wait_s=4.0, usual_wait_s=1.0), [(DATA, 3.0), (UNEXPLAINED, 1.0)]),
        (Case(5.0, 1.0, data_wait_s=2.0), [(DATA, 2.0), (UNEXPLAINED, 2.0)]),
        (Case(5.0, 1.0, data_wait_s=0.8), [(DATA, 0.8), (UNEXPLAINED, 3.2)]),
        (Case(5.0, 1.0, data_wait_s=0.7), [(UNEXPLAINED, 4.0)]),
        # Of a usual wait as much as the clean time has room for, beside what else is usual.
        (Case(5.0, 1.0, data_wait_s=4.0, usual_wait_s=2.0, usual_work_s=1.5), [(DATA, 4.0)]),
        (
            Case(5.0, 1.0, data_wait_s=4.0, usual_wait_s=2.0, usual_work_s=0.75),
            [(DATA, 3.75), (UNEXPLAINED, 0.25)],
        ),
        (
            Case(5.0, 1.0, data_wait_s=4.0, usual_wait_s=0.5, usual_work_s=0.55),
            [(DATA, 3.5), (UNEXPLAINED, 0.5)],
        ),
        (
            Case(5.0, 1.0, data_wait_s=4.0, usual_wait_s=0.25, usual_work_s=0.5),
            [(DATA, 3.75), (UNEXPLAINED, 0.25)],
        ),
        (Case(1.2, 1.0, data_wait_s=1.0, usual_wait_s=1.0, usual_work_s=0.5), [(UNEXPLAINED, 0.2)]),  # of noise
        (Case(5.0, 1.0, data_wait_s=3.9, warmup=True), [(DATA, 3.9)]),
        (Case(5.0, 1.0, data_wait_s=3.5, warmup=True), [(DATA, 3.5), (WARMUP, 0.5)]),
        (Case(0.9, 0.25, data_wait_s=0.65), [(DATA, 0.65)]),  # however short they are
        (Case(5.0, 1.0, data_wait_s=0.5, usual_wait_s=0.5), [(UNEXPLAINED, 4.0)]),
        # A fifth of a clean iteration is noise compared with what is known, and not where nothing is known.
        (Case(1.2, 1.0), [(UNEXPLAINED, 0.2)]),
        (Case(60.01, 0.01, data_wait_s=60.0 - 1e-13, warmup=True), [(DATA, 60.0)]),  # and no warm-up of +0 s
        (Case(3.1, 1.0, notes=(Note(EVALUATION, Strength.LOG, duration_s=2.0),)), [(EVALUATION, 2.0)]),
        (
            Case(3.25, 1.0, notes=(Note(EVALUATION, Strength.LOG, duration_s=2.0),)),
            [(EVALUATION, 2.0), (UNEXPLAINED, 0.25)],
        ),
        (Case(1.0, 1.0), []),
        (Case(6.0, 1.0, warmup=True, tick_s=1.0), []),  # five ticks
        (Case(6.1, 1.0, warmup=True, tick_s=1.0), [(WARMUP, 5.1)]),
        (Case(1.25, 1.0, warmup=True), [(WARMUP, 0.25)]),
        (Case(1.2, 1.0, warmup=True), []),  # a fifth more in the beginning is noise, too
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


def timed(
    kind: str, seconds: float | None, *, inside: bool = True, detail: str = "", strength: str = "log"
) -> Note:
    return Note(kind, Strength(strength), duration_s=seconds, inside=inside, detail=detail)


def seconds_of(causes: list[Cause]) -> list[tuple[str, float]]:
    return [(cause.kind, pytest.approx(cause.seconds)) for cause in causes]


def test_a_note_without_a_time_or_outside_hides_none_after_it_and_no_more_than_all_is_put_down() -> None:
    notes = (timed(EVALUATION, None), timed(DATA, 9.0, inside=False), timed(COMPILE, 0.5), timed(CHECKPOINT, 9.0))
    found = within(Case(5.0, 1.0, notes=(*notes, timed(DATA, 1.0))))
    assert seconds_of(found) == [(COMPILE, 0.5), (CHECKPOINT, 4.5)]
    assert explain(Case(5.0, 1.0, notes=notes[2:])).kinds == [COMPILE, CHECKPOINT]


@pytest.mark.parametrize(
    ("kind", "waited_s", "usual_s", "data_s"),
    [
        (EVALUATION, 6.0, 1.0, [5.0]),
        (EVALUATION, 20.0, 1.0, [8.0]),  # no more than the excess that is left
        (EVALUATION, 2.6, 1.0, [1.6]),  # a fifth of it
        (EVALUATION, 2.5, 1.0, []),
        (EVALUATION, 1.0, 1.0, []),
        (DATA, 6.0, 1.0, []),
    ],
)
def test_a_wait_for_data_counts_where_it_is_a_fifth_of_the_rest_and_no_span_has_it(
    kind: str, waited_s: float, usual_s: float, data_s: list[float]
) -> None:
    case = Case(10.0, 1.0, notes=(timed(kind, 1.0),), data_wait_s=waited_s, usual_wait_s=usual_s)
    found = [cause.seconds for cause in within(case) if cause.kind == DATA and cause.evidence.startswith("waited")]
    assert found == pytest.approx(data_s)
    unslowed = Case(1.0, 1.0, data_wait_s=0.5, usual_wait_s=0.5)
    assert within(unslowed) == []


@pytest.mark.parametrize(("length", "named"), [(199, True), (200, False)])
def test_evidence_grows_up_to_two_hundred_characters(length: int, named: bool) -> None:
    notes = (
        timed(COMPILE, 1.0, detail="a" * length, strength="hook"),
        timed(COMPILE, 1.0, detail="b", strength="hook"),
    )
    (cause,) = within(Case(3.0, 1.0, notes=notes))
    assert cause.evidence.endswith("; b") is named


QUARTERS = ((Cause(EVALUATION, 0.0, "telemetry"), 0.25), (Cause(CHECKPOINT, 0.0, "telemetry"), 0.75))


@pytest.mark.parametrize(
    ("kinds", "suspicions", "found"),
    [
        ([EVALUATION, CHECKPOINT], QUARTERS, [(EVALUATION, 2.0), (CHECKPOINT, 6.0)]),
        ([EVALUATION, CHECKPOINT], QUARTERS[:1], [(EVALUATION_AND_CHECKPOINT, 8.0)]),
        ([EVALUATION], QUARTERS, [(EVALUATION, 8.0)]),
        ([], QUARTERS, [(EVALUATION, 2.0), (CHECKPOINT, 6.0)]),
        ([], (), [(UNEXPLAINED, 8.0)]),
    ],
)
def test_samples_divide_what_lines_report_together(
    kinds: list[str], suspicions: tuple[tuple[Cause, float], ...], found: list[tuple[str, float]]
) -> None:
    notes = tuple(timed(kind, None) for kind in kinds)
    assert seconds_of(within(Case(9.0, 1.0, notes=notes, suspicions=suspicions))) == found


@pytest.mark.parametrize(
    ("excess_s", "gap_s", "notes", "known"),
    [
        (2.0, 0.0, (), True),
        (2.0, 1.0, (), False),
        (2.0, 0.0, (timed(DATA, 1.0, inside=False),), False),
        (2.1, 1.0, (), True),
    ],
)
def test_a_fifth_more_beside_what_is_known_is_noise(
    excess_s: float, gap_s: float, notes: tuple[Note, ...], known: bool
) -> None:
    found = within(Case(10.0 + excess_s, 10.0, gap_s, notes))
    assert seconds_of(found) == ([(UNEXPLAINED, excess_s)] if known else [])


@pytest.mark.parametrize(("lead_s", "kind"), [(8.0, STRAGGLER), (7.9, UNEXPLAINED)])
def test_a_late_rank_covers_four_fifths(lead_s: float, kind: str) -> None:
    case = Case(11.0, 1.0, lead=Lead(rank=2, local_s=1.0 + lead_s, others_s=1.0))
    assert seconds_of(within(case)) == [(kind, 10.0)]


@pytest.mark.parametrize(
    ("gap_s", "note_s", "found"),
    [
        (0.5, None, [(GAP, 0.5)]),
        (3.0, 1.0, [(COMPILE, 1.0)]),
        (3.1, 1.0, [(COMPILE, 1.0), (GAP, 2.1)]),
        (1.0, 1.0, [(COMPILE, 1.0)]),
        (1.0, 4.0, [(COMPILE, 4.0)]),
    ],
)
def test_what_is_left_of_a_gap_is_one_where_it_is_more_than_noise(
    gap_s: float, note_s: float | None, found: list[tuple[str, float]]
) -> None:
    notes = () if note_s is None else (timed(COMPILE, note_s, inside=False),)
    assert seconds_of(explain(Case(10.0, 10.0, gap_s, notes)).outside) == found


@pytest.mark.parametrize(
    ("all_s", "clean_s", "told_s", "told", "other"),
    [
        (5.0, 0.5, 2.0, 2.0, 3.0),
        (4.0, 0.5, 2.0, 4.0, None),  # two seconds are the stamps'
        (20.0, 0.5, 15.0, 15.0, 5.0),
        (20.0, 0.5, 16.0, 20.0, None),  # a fifth is its own preparation
        (20.0, 9.0, 11.0, 11.0, 9.0),  # however long an iteration is
        (20.0, 0.5, 0.5, 0.5, 19.5),
        (20.0, 0.5, 0.0, None, 20.0),
        (20.0, 0.5, None, 20.0, None),
    ],
)
def test_lines_tell_of_no_more_than_passed_until_they_came(
    all_s: float, clean_s: float, told_s: float | None, told: float | None, other: float | None
) -> None:
    case = Case(all_s + clean_s, clean_s, notes=(timed(EVALUATION, None),), told_s=told_s)
    expected = [(kind, s) for kind, s in ((EVALUATION, told), (UNEXPLAINED, other)) if s is not None]
    assert seconds_of(within(case)) == expected


@pytest.mark.parametrize(
    ("tick_s", "told"), [(0.001, [(CHECKPOINT, 0.028), (UNEXPLAINED, 0.2)]), (0.125, [(CHECKPOINT, 0.228)])]
)
def test_stamps_of_milliseconds_tell_of_milliseconds(tick_s: float, told: list[tuple[str, float]]) -> None:
    case = Case(50.228, 50.0, notes=(timed(CHECKPOINT, None),), told_s=0.028, tick_s=tick_s)
    assert seconds_of(within(case)) == [(kind, pytest.approx(seconds)) for kind, seconds in told]
    assert len(within(Case(50.228, 50.0, notes=case.notes, told_s=0.028, fine=True))) == 2


@pytest.mark.parametrize(("tick_s", "count"), [(0.0, 1), (0.9, 1), (1.0, 0)])
def test_what_the_clock_does_not_tell_apart_is_no_excess(tick_s: float, count: int) -> None:
    for notes in ((), (timed(EVALUATION, None),)):
        assert len(within(Case(3.0, 2.0, notes=notes, tick_s=tick_s))) == count


def test_evidence_says_who_gave_the_time() -> None:
    def of(*notes: Note) -> str:
        return within(Case(9.0, 1.0, notes=notes))[0].evidence

    assert of(timed(COMPILE, 8.0)) == "the log gives its time"
    assert of(timed(COMPILE, 8.0, detail="again")) == "again: the log gives its time"
    assert of(timed(COMPILE, 8.0, detail="again", strength="hook")) == "again"
    assert of(timed(EVALUATION, None)) == ""
    assert (
        of(timed(EVALUATION, None), timed(CHECKPOINT, None)) == "the log has lines of both, and one time for both"
    )


@pytest.mark.parametrize(
    ("duration_s", "gap_s", "kind", "strength", "less"),
    [
        (0.0, 249.0, GAP, Strength.GUESS, ", whose first iterations may have taken it"),  # they are slow
        (0.0, 250.0, PAUSE, Strength.GUESS, ", less 50.0 s for that iteration"),
        (0.0, 5_000.0, PAUSE, Strength.GUESS, ", less 50.0 s for that iteration"),  # 1 % shows
        (0.0, 25_000.0, PAUSE, Strength.LOG, ""),
        (50.0, 75.0, PAUSE, Strength.LOG, ""),
    ],
)
def test_a_pause_less_a_first_iteration_that_nobody_timed_is_an_estimate(
    duration_s: float, gap_s: float, kind: str, strength: Strength, less: str
) -> None:
    (pause,) = explain(Case(duration_s, 50.0, gap_s=gap_s, restarted=True, another=True)).outside
    said = f"from the last iteration of one training to the first of the next{less}"
    assert (pause.kind, pause.strength, pause.evidence) == (kind, strength, said)


@pytest.mark.parametrize("how", [(50, 2e3, "16 m 40 s"), (0, 2e3, "17 m 30 s"), (0, 600, "10 m 00 s")])
def test_a_pause_is_less_what_passed_until_the_first_row(how: tuple[float, float, str]) -> None:
    case = Case(how[0], 50.0, gap_s=7_500.0, another=True, unprinted=20, longest_s=how[1])
    (pause,) = explain(case).outside
    assert pause.strength == Strength.GUESS
    of = "20 iterations before" if how[0] else "21 iterations up to"  # its own time is none of the pause
    assert pause.evidence.endswith(f"of the next, less {how[2]} for the {of} it")


def test_an_evaluation_between_two_trainings_is_not_said_to_be_the_second_ones() -> None:
    note = Note(EVALUATION, Strength.LOG, duration_s=3.0, inside=False)
    evaluation, pause = explain(Case(5.0, 5.0, gap_s=90.0, notes=(note,), restarted=True, another=True)).outside
    assert (evaluation.kind, evaluation.seconds, pause.seconds) == (EVALUATION, 3.0, 87.0)
    assert evaluation.evidence == "between the two trainings; the log gives its time"
