"""All wall time by cause, to 100 %: what is divided, what is estimated, what is counted."""

import pytest
from msgspec.structs import replace

from itermon.analysis.causes.causes import Explanation
from itermon.analysis.causes.ledger import (
    Times,
    _range,
    from_row_to_row,
    is_sure,
    ledger,
    with_rough_stops,
    without_guesses,
    without_noise,
)
from itermon.analysis.causes.repeats import Repeated
from itermon.analysis.causes.tally import Sum, Tally
from itermon.analysis.findings import Cause, LedgerRow, Level, Progress
from itermon.analysis.ranks.stragglers import Late
from itermon.events import (
    CHECKPOINT,
    DATA,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    GAP,
    PAUSE,
    REPEATED,
    RESTART,
    STRAGGLER,
    TRAINING,
    UNEXPLAINED,
    WARMUP,
    WARMUP_AND_EVALUATION,
    Witness,
)


def tally(*inside: tuple[str, float], outside: tuple[tuple[str, float], ...] = ()) -> Tally:
    made = Tally()
    for kind, seconds in inside:
        made.add(Explanation([Cause(kind, seconds, "log")], []))
    for kind, seconds in outside:
        made.add(Explanation([], [Cause(kind, seconds, "log")]))
    return made


NOTHING_AGAIN, NOBODY_LATE = Repeated(), Late()


def rows(
    times: Times, causes: Tally, again: Repeated = NOTHING_AGAIN, late: Late = NOBODY_LATE
) -> dict[str, tuple[float, int, bool]]:
    found = ledger(times, causes, again, late)
    assert sum(row.seconds for row in found) == pytest.approx(times.wall_s)
    assert sum(row.share for row in found) == pytest.approx(1)
    return {row.cause: (pytest.approx(row.seconds), row.count, row.estimated) for row in found}


def test_what_no_cause_took_is_training() -> None:
    found = ledger(Times(100.0, iterations=50), tally((EVALUATION, 10.0), (EVALUATION, 15.0)), Repeated(), Late())
    assert found == (
        LedgerRow(TRAINING, 75.0, 0.75, 50),
        LedgerRow(EVALUATION, 25.0, 0.25, 2, least_s=10.0, most_s=15.0),
    )


def test_without_any_time_there_are_no_rows() -> None:
    assert ledger(Times(0.0, iterations=0), Tally(), Repeated(), Late()) == ()


def test_iterations_without_a_line_count_and_are_estimated() -> None:
    assert rows(Times(100.0, iterations=10, unseen=90), Tally()) == {TRAINING: (100.0, 100, True)}


def test_waits_that_leave_no_time_to_compute_are_those_of_the_rows_alone() -> None:
    known = Times(100.0, iterations=10, unseen=90, waited_s=120.0, waited_by_rows_s=9.0)
    for times, told in ((known, (9.0, True, 10)), (replace(known, waited_s=60.0), (60.0, False, 100))):
        found = {row.cause: row for row in ledger(times, Tally(), NOTHING_AGAIN, NOBODY_LATE)}
        assert (found[DATA].seconds, found[DATA].at_least, found[DATA].count) == told


def test_where_rows_may_hide_waits_those_that_are_known_are_a_bound() -> None:
    times = Times(100.0, iterations=100, waited_s=20.0, hides_waits=True)
    (row,) = (one for one in ledger(times, Tally(), NOTHING_AGAIN, NOBODY_LATE) if one.cause == DATA)
    assert (row.seconds, row.at_least, row.each_is_known) == (20.0, True, False)


def test_iterations_done_again_are_a_row_of_their_own_and_no_longer_training() -> None:
    found = rows(Times(100.0, iterations=80, unseen=20), tally(outside=((RESTART, 5.0),)), Repeated(30, 25.0))
    assert found == {TRAINING: (70.0, 70, True), RESTART: (5.0, 1, False), REPEATED: (25.0, 30, False)}


def test_more_done_again_than_there_is_time_leaves_no_training() -> None:
    found = rows(Times(10.0, iterations=5), Tally(), Repeated(4, 30.0))
    assert found == {REPEATED: (10.0, 4, False)}


def test_gaps_without_a_cause_are_a_row() -> None:
    causes = tally((DATA, 3.0), outside=((EVALUATION, 8.0),))
    found = rows(Times(100.0, gap_s=20.0, iterations=50), causes)
    assert found == {
        TRAINING: (77.0, 50, False),
        EVALUATION: (8.0, 1, False),
        DATA: (3.0, 1, False),
        GAP: (12.0, 0, False),
    }


@pytest.mark.parametrize(("gap_s", "count"), [(4.0, 1), (4.2, 1), (4.3, 0), (20.0, 0)])
def test_long_gaps_are_not_counted_where_many_short_ones_are_in_their_sum(gap_s: float, count: int) -> None:
    row = ledger(Times(100.0, 50, gap_s=gap_s), tally(outside=((GAP, 4.0),)), Repeated(), Late())[-1]
    assert (row.cause, row.seconds, row.count) == (GAP, gap_s, count)


def test_a_rank_that_is_late_as_usual_takes_from_training_and_is_estimated() -> None:
    found = rows(Times(100.0, iterations=50), tally((STRAGGLER, 10.0)), late=Late(40, 20.0))
    assert found == {TRAINING: (70.0, 50, False), STRAGGLER: (30.0, 41, True)}


def test_one_time_for_two_is_divided_by_what_evaluations_take_alone() -> None:
    causes = tally(
        *[(EVALUATION, s) for s in (3.0, 4.0, 5.0)], (EVALUATION_AND_CHECKPOINT, 10.0), (CHECKPOINT, 1.0)
    )
    assert rows(Times(100.0, iterations=50), causes) == {
        TRAINING: (77.0, 50, False),
        EVALUATION: (16.0, 4, True),
        CHECKPOINT: (7.0, 2, True),
    }


def test_one_or_two_evaluations_alone_divide_no_time_of_two() -> None:
    causes = tally((EVALUATION, 0.03), (EVALUATION, 0.04), *[(EVALUATION_AND_CHECKPOINT, 2.5)] * 4)
    assert rows(Times(100.0, iterations=50), causes)[EVALUATION_AND_CHECKPOINT] == (10.0, 4, False)


def test_the_part_of_an_evaluation_is_no_more_than_the_whole() -> None:
    causes = tally((EVALUATION, 8.0), (WARMUP_AND_EVALUATION, 5.0))
    assert rows(Times(100.0, iterations=50), causes) == {
        TRAINING: (87.0, 50, False),
        EVALUATION: (13.0, 2, True),
    }
    causes = tally((EVALUATION, 2.0), (WARMUP_AND_EVALUATION, 5.0))
    assert rows(Times(100.0, iterations=50), causes)[WARMUP] == (3.0, 1, True)


def test_without_an_evaluation_alone_the_two_stay_together() -> None:
    causes = tally((EVALUATION_AND_CHECKPOINT, 10.0))
    assert rows(Times(100.0, iterations=50), causes) == {
        TRAINING: (90.0, 50, False),
        EVALUATION_AND_CHECKPOINT: (10.0, 1, False),
    }


def test_waits_of_less_than_2_percent_are_a_row_where_one_of_them_is_a_cause() -> None:
    times = Times(100.0, iterations=50, waited_s=1.5)
    assert rows(times, Tally()) == {TRAINING: (100.0, 50, False)}
    assert rows(times, tally((DATA, 0.5)))[DATA] == (1.5, 50, False)


@pytest.mark.parametrize("waited_s", [0.0, 1.5, 2.0])
def test_iterations_that_waited_no_longer_than_their_causes_say_add_nothing(waited_s: float) -> None:
    found = rows(Times(100.0, iterations=50, waited_s=waited_s), tally((DATA, 2.0)))
    assert found == {TRAINING: (98.0, 50, False), DATA: (2.0, 1, False)}


@pytest.mark.parametrize(("between_s", "named"), [(0.0009, False), (0.001, False), (0.0015, True)])
def test_less_than_a_hundred_thousandth_lies_between_two_readings_of_a_clock(
    between_s: float, named: bool
) -> None:
    assert (GAP in rows(Times(100.0, 50, gap_s=between_s), Tally())) is named


@pytest.mark.parametrize(("waited_s", "named"), [(1.9, False), (2.0, True)])
def test_a_fiftieth_of_the_time_is_a_wait(waited_s: float, named: bool) -> None:
    found = rows(Times(100.0, 50, waited_s=waited_s), Tally())
    assert found.get(DATA) == ((waited_s, 50, False) if named else None)


def test_what_a_late_rank_waited_itself_counts_with_the_others() -> None:
    late = Late(iterations=5, seconds=4.0, own_data_s=1.0)
    found = rows(Times(100.0, 50, waited_s=3.5), Tally(), late=late)
    assert (found[DATA], found[STRAGGLER]) == ((2.5, 50, False), (4.0, 5, True))


def test_what_causes_take_in_all_leaves_no_training_and_half_a_second_is_a_row() -> None:
    assert rows(Times(10.0, 5), tally((EVALUATION, 10.0))) == {EVALUATION: (10.0, 1, False)}
    assert rows(Times(0.5, 5), Tally()) == {TRAINING: (0.5, 5, False)}


@pytest.mark.parametrize(
    ("share", "count", "evaluated", "shown"),
    [(0.0009, 1, 3, False), (0.0009, 1, 2, True), (0.001, 1, 300, True), (0.0009, 200, 300, True)],
)
def test_evaluations_of_each_iteration_are_in_its_usual_time(share, count, evaluated, shown):
    """What a few of them seem to take is the noise of the others, and no count of evaluations."""
    training, other = LedgerRow(TRAINING, 99.0, 0.99 - share, 300), LedgerRow(GAP, 1.0, 0.01, 2)
    rows = (training, LedgerRow(EVALUATION, 100 * share, share, count), other)
    found = without_noise(rows, lambda: evaluated)
    assert [row.cause for row in found] == [TRAINING, *([EVALUATION] if shown else []), GAP]
    assert sum(row.share for row in found) == pytest.approx(1.0)
    assert sum(row.seconds for row in found) == pytest.approx(sum(row.seconds for row in rows))
    assert without_noise((other,), lambda: 300) == (other,)


@pytest.mark.parametrize(("inside", "evaluated", "shown"), [(True, 15, False), (True, 2, True), (False, 15, True)])
def test_the_last_of_many_evaluations_that_are_inside_the_times_is_no_sum_of_them(
    inside: bool, evaluated: int, shown: bool
) -> None:
    rows = (LedgerRow(TRAINING, 95.0, 0.95, 15), LedgerRow(EVALUATION, 5.0, 0.05, 1))
    found = without_noise(rows, lambda: evaluated, inside=inside)
    assert found == (rows if shown else (LedgerRow(TRAINING, 100.0, 1.0, 15),))


def test_a_run_of_which_no_iteration_has_a_time_has_no_ledger() -> None:
    """Its printed total alone is known: it was called a gap of 100 %."""
    assert ledger(Times(100.0, iterations=10, gap_s=100.0), Tally(), Repeated(), Late()) == ()


def test_a_row_says_from_where_to_where_its_times_lie_where_nothing_else_is_in_it() -> None:
    pauses = tally(outside=((PAUSE, 80.0), (PAUSE, 9_000.0), (PAUSE, 300.0)))
    (_, pause) = ledger(Times(10_000.0, 50, gap_s=9_380.0), pauses, Repeated(), Late())
    assert (pause.cause, pause.count, pause.span_s) == (PAUSE, 3, (80.0, 9_000.0))
    pauses.leave_out(PAUSE, Sum(80.0, 1))
    (_, rest) = ledger(Times(10_000.0, 50, gap_s=9_380.0), pauses, Repeated(), Late())
    assert (rest.count, rest.span_s) == (2, None)


def test_where_only_pauses_have_a_time_nobody_knows_where_that_of_the_run_went() -> None:
    assert ledger(Times(100.0, 3, gap_s=100.0), tally(outside=((PAUSE, 100.0),)), Repeated(), Late()) == ()


def test_where_more_is_in_a_row_than_its_own_times_they_do_not_tell_of_it() -> None:
    waits = tally(outside=((DATA, 80.0), (DATA, 400.0)))
    row = ledger(Times(10_000.0, 5_000, gap_s=480.0, waited_s=600.0), waits, Repeated(), Late())[-1]
    assert (row.cause, row.seconds, row.span_s) == (DATA, pytest.approx(600.0), None)


@pytest.mark.parametrize(("roughly_s", "rough"), [(10.0, False), (11.0, True)])
def test_a_sum_of_which_more_than_a_tenth_is_known_roughly_is_rough(roughly_s: float, rough: bool) -> None:
    stops = tally((EVALUATION, 100.0))
    stops.sums[EVALUATION].rough_s = roughly_s
    (_, row) = ledger(Times(1_000.0, 50), stops, Repeated(), Late())
    assert (row.rough, row.estimated) == (rough, rough)


@pytest.mark.parametrize(("seconds", "count", "told"), [(99.0, 2, True), (98.9, 2, False), (99.0, 3, False)])
def test_a_hundredth_beside_its_own_times_is_nothing_else(seconds: float, count: int, told: bool) -> None:
    assert _range(Sum(seconds, count, least_s=40.0, most_s=59.0), 2, 100.0) == (
        (40.0, 59.0) if told else (None, None)
    )


@pytest.mark.parametrize(
    ("undescribed", "by_rows", "cause", "agree", "told"),
    [
        (True, False, PAUSE, False, False),
        (True, False, RESTART, False, False),
        (True, False, REPEATED, False, False),
        (True, False, UNEXPLAINED, False, True),
        (True, False, PAUSE, True, True),
        (False, False, PAUSE, False, True),
        (True, True, PAUSE, False, True),
    ],
)
def test_a_pause_that_the_counter_alone_tells_of_has_no_share(
    undescribed: bool, by_rows: bool, cause: str, agree: bool, told: bool
) -> None:
    rows = (LedgerRow(TRAINING, 50.0, 0.5, 9), LedgerRow(cause, 50.0, 0.5, 1))
    progress = Progress(trainings=2, openings=2 if agree else None)
    assert is_sure(rows, progress, undescribed=undescribed, by_rows=by_rows) is told


@pytest.mark.parametrize(
    ("undescribed", "by", "evaluations", "told"),
    [
        (True, None, 5, True),
        (True, None, 6, False),
        (True, Witness.STAMPS, 6, True),
        (False, None, 6, True),
    ],
)
def test_evaluations_of_which_a_part_has_a_time_have_no_share(
    undescribed: bool, by: Witness | None, evaluations: int, told: bool
) -> None:
    rows = (LedgerRow(TRAINING, 50.0, 0.5, 9), LedgerRow(EVALUATION, 50.0, 0.5, 4))
    progress = Progress(trainings=1, wall_witness=by, evaluations=evaluations)
    assert is_sure(rows, progress, undescribed=undescribed, by_rows=False) is told


def seconds_of(rows: tuple[LedgerRow, ...]) -> dict[str, float]:
    return {row.cause: row.seconds for row in rows}


_CAUSES = (TRAINING, EVALUATION, GAP, UNEXPLAINED, WARMUP, REPEATED, RESTART, PAUSE)
ROWS = tuple(
    LedgerRow(cause, seconds, seconds / 100, 4, least_s=1.0, most_s=9.0)
    for cause, seconds in zip(_CAUSES, (40.0, 20.0, 10.0, 8.0, 2.0, 5.0, 5.0, 10.0), strict=True)
)
SURE, UNSURE = Progress(trainings=1, restarts=1, openings=2), Progress(trainings=1, restarts=1, openings=5)


def test_from_row_to_row_only_what_lines_tell_of_has_a_cause() -> None:
    found = from_row_to_row(ROWS, Level(), SURE)
    named = {TRAINING: 60.0, EVALUATION: 20.0, REPEATED: 5.0, RESTART: 5.0, PAUSE: 10.0}
    assert seconds_of(found) == pytest.approx(named)
    assert sum(row.share for row in found) == pytest.approx(1)
    worked_out = [(row.cause, row.span_s) for row in found if row.estimated]  # training: up to each first row
    assert worked_out == [(TRAINING, (1.0, 9.0)), (EVALUATION, None), (REPEATED, None)]
    assert from_row_to_row((LedgerRow(GAP, 1.0, 1.0),)) == (LedgerRow(TRAINING, 1.0, 1.0),)
    assert from_row_to_row(ROWS[:1]) == ROWS[:1]
    first = (LedgerRow(TRAINING, 90.0, 0.9, 400), LedgerRow(WARMUP_AND_EVALUATION, 10.0, 0.1, 1))
    assert seconds_of(from_row_to_row(first)) == {TRAINING: 100.0}


@pytest.mark.parametrize(
    ("level", "progress", "count", "left"),
    [
        (Level(), SURE, 3, {TRAINING, EVALUATION, REPEATED, RESTART, PAUSE}),
        (Level(), SURE, 2, {TRAINING, REPEATED, RESTART, PAUSE}),
        (Level(evaluates=True), SURE, 3, {TRAINING, REPEATED, RESTART, PAUSE}),
        (Level(between=(1.0, 9.0, 9)), SURE, 3, {TRAINING, REPEATED, RESTART, PAUSE}),
        (Level(), UNSURE, 3, {TRAINING, EVALUATION, PAUSE}),
        (Level(), Progress(trainings=9), 3, {TRAINING, EVALUATION}),  # they may be epochs
    ],
)
def test_nor_a_stop_that_is_not_sure_nor_what_the_counter_alone_tells_of(
    level: Level, progress: Progress, count: int, left: set[str]
) -> None:
    rows_of = tuple(replace(row, count=count) for row in ROWS)
    assert set(seconds_of(from_row_to_row(rows_of, level, progress))) == left


def test_stops_within_the_times_that_rows_print_are_rough() -> None:
    found = with_rough_stops(ROWS)
    assert [row.cause for row in found if row.rough] == [EVALUATION]
    assert seconds_of(found) == seconds_of(ROWS)


def test_without_a_level_nothing_is_longer_than_usual() -> None:
    found = seconds_of(without_guesses(ROWS))
    assert found[TRAINING] == pytest.approx(50.0)
    assert set(found) == {TRAINING, EVALUATION, GAP, REPEATED, RESTART, PAUSE}
    assert set(seconds_of(without_guesses(ROWS, 1.0))) == set(found)
    assert seconds_of(without_guesses(ROWS, 0.9)) == seconds_of(ROWS)


def test_what_adding_and_taking_away_leave_of_nothing_has_no_row() -> None:
    found = ledger(Times(40_000.0, iterations=50), tally((EVALUATION, 5e-14)), Repeated(), Late())
    assert [row.cause for row in found] == [TRAINING]
