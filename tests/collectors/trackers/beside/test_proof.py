"""A log and a tracker's run are one only where figures and times say so."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from itermon.collectors.trackers.beside.proof import Same, _rounding, same_run
from itermon.events import Iteration, Witness

BEGUN_S, NEWEST_S = 1_700_000_000.0, 1_700_000_100.0
LOG = [Iteration(number, loss=round(3 - 0.0123 * number, 4)) for number in range(20)]
ROWS = {one.index: replace(one, loss=3 - 0.0123 * one.index + 1e-5, at_s=BEGUN_S + one.index) for one in LOG}


def proven(log: list[Iteration], rows: dict[int, Iteration], written_s: float | None = NEWEST_S) -> Same | None:
    return same_run(log, rows, begun_s=BEGUN_S, newest_s=NEWEST_S, written_s=written_s)


def stamped(ahead_s: float, each_s: float = 1.0) -> list[Iteration]:
    return [replace(one, at_s=BEGUN_S + ahead_s + each_s * one.index) for one in LOG]


def test_figures_that_agree_as_far_as_they_are_written_in_a_log_of_that_time() -> None:
    assert proven(LOG, ROWS) == Same(20, 0, 0.0)


def test_a_log_that_counts_from_one() -> None:
    assert proven([replace(one, index=one.index + 1) for one in LOG], ROWS) == Same(20, -1, 0.0)


def test_equal_figures_of_another_time_are_of_another_run_with_the_same_seed() -> None:
    assert proven(LOG, ROWS, NEWEST_S + 4_000) is None
    assert proven(LOG, ROWS, BEGUN_S - 100) is None
    assert proven(LOG, ROWS, None) is None


def test_printed_times_that_agree_need_no_other_clock() -> None:
    log = [replace(one, loss=None, duration_s=0.1 + one.index / 1_000) for one in LOG]
    rows = {one.index: one for one in log}
    assert proven(log, rows, None) == Same(20, 0, 0.0)
    derived = {number: replace(one, witness=Witness.STAMPS) for number, one in rows.items()}
    assert proven(log, derived) is None


def test_too_few_figures_or_one_figure_again_and_again_prove_nothing() -> None:
    assert proven(LOG[:4], ROWS) is None
    assert proven(LOG[:5], ROWS) is not None
    same = [replace(one, loss=0.0) for one in LOG]
    assert proven(same, {one.index: one for one in same}) is None


def test_figures_that_differ_are_of_another_run() -> None:
    assert proven([replace(one, loss=(one.loss or 0) + 0.001) for one in LOG], ROWS) is None
    assert proven([*LOG[:18], *(replace(one, loss=9.5) for one in LOG[18:])], ROWS) is None


def test_stamps_say_how_the_two_clocks_differ() -> None:
    assert proven(stamped(0.5), ROWS) == Same(20, 0, 0.5)
    assert proven(stamped(2 * 3_600.0), ROWS, None) == Same(20, 0, 7_200.0)


def test_stamps_of_another_hour_or_pace_are_of_another_run() -> None:
    assert proven(stamped(1_000.0), ROWS) is None
    assert proven(stamped(86_400.0), ROWS) is None
    assert proven(stamped(0.0, each_s=60.0), ROWS) is None


@pytest.mark.parametrize(
    ("written_s", "found"),
    [(NEWEST_S + 3_600, True), (NEWEST_S + 3_601, False), (BEGUN_S - 60, True), (BEGUN_S - 61, False)],
)
def test_a_log_may_be_written_a_minute_before_its_run_begins_and_an_hour_after_it(
    written_s: float, found: bool
) -> None:
    assert (proven(LOG, ROWS, written_s) is not None) is found


@pytest.mark.parametrize(("begun_s", "newest_s"), [(None, NEWEST_S), (BEGUN_S, None)])
def test_without_a_time_of_the_run_equal_figures_prove_nothing(
    begun_s: float | None, newest_s: float | None
) -> None:
    assert same_run(LOG, ROWS, begun_s=begun_s, newest_s=newest_s, written_s=NEWEST_S) is None


@pytest.mark.parametrize(
    ("ahead_s", "found"),
    [(5.0, True), (5.5, False), (-5.0, True), (905.0, True), (894.0, False), (14 * 3_600.0, True),
     (14 * 3_600.0 + 900, False),      (-14 * 3_600.0, True), (0.0, True)],
)  # fmt: skip
def test_two_clocks_differ_by_seconds_from_quarters_of_an_hour_up_to_fourteen_hours(
    ahead_s: float, found: bool
) -> None:
    assert proven(stamped(ahead_s), ROWS, None) == (Same(20, 0, ahead_s) if found else None)


@pytest.mark.parametrize(("far", "found"), [(4, True), (5, False)])
def test_a_fifth_of_the_stamps_may_be_far_off(far: int, found: bool) -> None:
    log = [replace(one, at_s=(one.at_s or 0) + 100 * (one.index < far)) for one in stamped(0.0)]
    assert (proven(log, ROWS) is not None) is found


@pytest.mark.parametrize(("stamps", "offset_s"), [(4, 0.0), (5, 0.5)])
def test_five_stamps_are_a_clock(stamps: int, offset_s: float) -> None:
    log = [one if one.index < stamps else replace(one, at_s=None) for one in stamped(0.5)]
    assert proven(log, ROWS) == Same(20, 0, offset_s)


@pytest.mark.parametrize(("of", "wrong", "found"), [(20, 1, True), (20, 2, False), (19, 1, False), (19, 0, True)])
def test_one_of_twenty_figures_may_differ(of: int, wrong: int, found: bool) -> None:
    log = [replace(one, loss=9.5) if one.index < wrong else one for one in LOG[:of]]
    assert (proven(log, ROWS) is not None) is found


@pytest.mark.parametrize(
    ("mine", "theirs", "same"),
    [
        (2.5, 2.55, True),
        (2.5, 2.56, False),
        (2.55, 2.5, True),
        (2.0, 2.5, True),
        (2.0, 2.6, False),
        (100_000.5, 100_000.6, True),  # what a float32 cannot tell apart
        (1_000_000.0, 1_000_001.0, True),
        (1_000_000.0, 1_000_002.0, False),
        (0.5, 0.6, False),
        (2.5e-7, 2.52e-7, True),
        (2.5e-7, 2.6e-7, False),
    ],
)
def test_two_figures_are_the_same_as_far_as_the_shorter_is_written(mine: float, theirs: float, same: bool) -> None:
    assert (abs(mine - theirs) <= _rounding(mine, theirs)) is same


@pytest.mark.parametrize("ahead", [-1, 0, 1])
def test_a_tracker_may_count_one_more_or_less_than_the_log(ahead: int) -> None:
    rows = {number + ahead: row for number, row in ROWS.items()}
    log = LOG if ahead >= 0 else LOG[1:]
    assert proven(log, rows) == Same(len(log), ahead, 0.0)
    assert proven(log, {number + 3 * ahead + 5: row for number, row in ROWS.items()}) is None
