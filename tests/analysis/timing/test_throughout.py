"""Changes of level that all rows between them bear out."""

from math import exp, log, nan
from random import Random
from statistics import median

import pytest

from itermon.analysis.findings import Shift
from itermon.analysis.record.columns import Columns
from itermon.analysis.ticks import Ticks
from itermon.analysis.timing.throughout import _borne, drift, has_moved, median_of, throughout
from itermon.events import Iteration


def columns(*parts: tuple[int, float]) -> Columns:
    """So many rows of each level, one after another, with a little noise."""
    random = Random(1)
    durations = [level_s * (1 + random.gauss(0, 0.01)) for count, level_s in parts for _ in range(count)]
    made = Columns()
    made.extend([Iteration(n, d) for n, d in enumerate(durations)])
    return made


def shift(position: int, before_s: float, after_s: float) -> Shift:
    return Shift(index=position, before_s=before_s, after_s=after_s, position=position)


def places(shifts: list[Shift], rows: Columns) -> list[int]:
    return [one.position for one in throughout(shifts, rows, 0)[1]]


def test_a_change_that_all_rows_on_both_sides_show_is_told() -> None:
    told = [shift(3_000, 1.0, 1.2)]
    assert throughout(told, columns((3_000, 1.0), (5_000, 1.2)), 0) == (0, told)


def test_a_coarse_clock_tells_of_no_small_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {after_s: columns((3_000, 1.0), (3_000, after_s)) for after_s in (1.08, 1.12)}
    assert [places([shift(3_000, 1.0, after_s)], rows[after_s]) for after_s in rows] == [[3_000], [3_000]]
    monkeypatch.setattr(Columns, "coarse", Ticks())
    assert [places([shift(3_000, 1.0, after_s)], rows[after_s]) for after_s in rows] == [[], [3_000]]


def test_a_slow_drift_is_no_step_at_any_row_of_it() -> None:
    """What both halves took differs by a tenth, and what was right beside the place by next to nothing."""
    falling = [(10, 3.15 - 0.001 * n) for n in range(300)]
    middle = columns(*falling)
    assert places([shift(1_200, 3.15, 2.85)], middle) == []
    steep = columns((1_200, 3.15), *[(10, 2.9 - 0.0005 * n) for n in range(100)])
    assert places([shift(1_200, 3.15, 2.88)], steep) == [1_200], "a step, and a drift behind it"


@pytest.mark.parametrize(("long", "kept"), [(40, [2_000]), (2_000, [])])
def test_a_change_of_a_few_rows_of_thousands_is_not(long: int, kept: list[int]) -> None:
    """The first rows behind it took as long as it says, and the many after them as long as before."""
    rows = columns((2_000, 1.0), (100, 1.1), (long, 1.0))
    assert places([shift(2_000, 1.0, 1.1)], rows) == kept


def test_a_level_that_the_rows_only_begin_at_is_no_level_of_them() -> None:
    rows = columns((1_000, 1.0), (100, 1.1), (3_000, 1.3))
    assert places([shift(1_000, 1.0, 1.1)], rows) == []


def test_a_change_is_told_only_where_both_sides_are_of_one_level_throughout() -> None:
    """Between two levels that all rows bear out in the middle, one went and came back in the midst of either."""
    there_and_back = columns((2_000, 1.0), (600, 0.9), (1_000, 1.0), (1_500, 0.9), (500, 1.01))
    assert places([shift(3_600, 1.0, 0.9)], there_and_back) == []
    before = columns((600, 1.0), (400, 1.4), (600, 1.0), (1_000, 1.3), (1_000, 0.8))
    first, (told,) = throughout([shift(1_600, 1.0, 1.3), shift(2_600, 1.3, 0.8)], before, 0)
    assert told.position == 2_600, "what came since is told"
    assert first == 1_600, "the level before it is that of the rows between the two"
    assert places([shift(1_600, 1.0, 1.3)], columns((600, 1.0), (60, 1.4), (940, 1.0), (1_000, 1.3))) == [1_600]


def test_what_is_left_out_joins_the_rows_on_both_sides_of_it() -> None:
    rows = columns((2_000, 1.0), (90, 1.08), (2_000, 1.0), (2_000, 1.3))
    assert places([shift(2_000, 1.0, 1.08), shift(4_090, 1.0, 1.3)], rows) == [4_090]


@pytest.mark.parametrize(("rows_s", "kept"), [(63, []), (64, [500, 564])])
def test_there_and_back_within_a_few_dozen_rows_is_a_blip(rows_s: int, kept: list[int]) -> None:
    rows = columns((500, 1.0), (rows_s, 1.2), (500, 1.0))
    assert places([shift(500, 1.0, 1.2), shift(500 + rows_s, 1.2, 1.0)], rows) == kept


def test_a_blip_is_one_whatever_changed_before_it() -> None:
    rows = columns((500, 1.0), (1_000, 1.5), (30, 2.0), (1_000, 1.5))
    assert places([shift(500, 1.0, 1.5), shift(1_500, 1.5, 2.0), shift(1_530, 2.0, 1.5)], rows) == [500]


def test_of_a_blip_that_comes_back_only_in_part_the_rest_is_told() -> None:
    rows = columns((500, 1.0), (30, 1.5), (500, 1.2))
    _, (told,) = throughout([shift(500, 1.0, 1.5), shift(530, 1.5, 1.2)], rows, 0)
    assert (told.position, told.before_s, told.after_s) == (500, 1.0, 1.2)


def test_of_several_blips_in_a_row_the_rest_is_told_since_the_first() -> None:
    rows = columns((500, 1.0), (30, 1.2), (10, 1.0), (500, 1.3))
    _, told = throughout([shift(500, 1.0, 1.2), shift(530, 1.2, 1.0), shift(540, 1.0, 1.3)], rows, 0)
    assert told == [shift(500, 1.0, 1.3)]


def test_of_many_small_steps_in_one_direction_none_holds_throughout_and_all_are_kept() -> None:
    steps = [shift(100 * n, 1 + 0.06 * (n - 1), 1 + 0.06 * n) for n in range(1, 6)]
    assert throughout(steps, columns((600, 1.0)), 0) == (0, steps)


def test_rows_without_a_time_speak_against_nothing() -> None:
    rows = Columns()
    rows.extend([Iteration(n) for n in range(300)])
    assert places([shift(100, 1.0, 1.5)], rows) == [100]


def timed(durations: list[float]) -> Columns:
    made = Columns()
    made.extend([Iteration(n, None if d != d else d) for n, d in enumerate(durations)])
    return made


def test_of_a_long_part_sixteen_stretches_are_looked_at_from_its_first_row_to_its_last() -> None:
    squares = [1.0 + n * n for n in range(2_100)]
    begins = (0, 129, 258, 387, 516, 645, 774, 903, 1033, 1162, 1291, 1420, 1549, 1678, 1807, 1936)
    seen = [squares[100 + begin + n] for begin in begins for n in range(64)]
    assert median_of(timed(squares), 100, 2_100) == median(seen)


def test_of_a_part_of_a_thousand_rows_all_are_looked_at_that_have_a_time() -> None:
    squares = [1.0 + n * n for n in range(1_400)]
    for end in (300, 1_100, 1_124):
        assert median_of(timed(squares), 100, end) == median(squares[100:end])
    assert median_of(timed([nan, 1.0, 3.0, nan, 9.0]), 0, 4) == 2.0
    assert median_of(timed([nan, 1.0, 3.0]), 0, 1) is None
    assert median_of(timed([*[nan] * 1_990, *[3.0] * 10]), 0, 2_000) == 3.0


@pytest.mark.parametrize(
    ("before_s", "after_s", "borne"),
    [
        (1.0, 1.2, log(1.2) / log(1.05)),
        (1.05, 1.15, log(1.15 / 1.05) / log(1.05)),
        (1.0, 1.05, 0.0),  # more than half of the way from what is told
        (1.1, 1.2, 0.0),
        (1.09, 1.11, log(1.11 / 1.09) / log(1.05)),
        (1.09, 1.09, 0.0),
        (1.09, 1.08, 0.0),
        (None, 1.0, 1.0),
        (1.2, None, 1.0),
    ],
)
def test_a_change_is_borne_by_levels_near_those_that_are_told(
    before_s: float | None, after_s: float | None, borne: float
) -> None:
    assert _borne(shift(9, 1.0, 1.2), before_s, after_s) == pytest.approx(borne)
    if before_s and after_s:
        assert _borne(shift(9, 1.2, 1.0), after_s, before_s) == pytest.approx(borne), "as a fall"


def test_half_of_the_way_is_near() -> None:
    assert _borne(shift(9, 1.0, 4.0), 2.0, 4.0) == pytest.approx(log(2) / log(1.05))
    assert _borne(shift(9, 1.0, 4.0), 1.0, 2.0) == pytest.approx(log(2) / log(1.05))


def warming(way: float, count: int = 600) -> list[tuple[int, float]]:
    """So many rows whose level goes a `way`, ever more slowly."""
    return [(1, 1 + way * (1 - exp(-5 * n / count))) for n in range(count)]


@pytest.mark.parametrize("way", [0.2, -0.2])
def test_a_level_that_moves_slowly_through_all_rows_drifts(way: float) -> None:
    assert drift(columns((1, 3.0), *warming(way)), 1) == pytest.approx((1 + 0.22 * way, 1 + way), rel=0.02)


@pytest.mark.parametrize(
    "parts",
    [
        [(600, 1.0)],
        [(300, 1.0), (300, 1.3)],  # a step
        [(255, 1.0), (345, 1.3)],  # ... within a part
        [(200, 1.0), (200, 1.3), (200, 1.2)],  # it comes back
        warming(0.04),
        warming(0.2, 150),  # too few
    ],
)
def test_neither_noise_nor_a_step_is_a_drift(parts: list[tuple[int, float]]) -> None:
    assert drift(columns(*parts), 0) is None


def test_a_level_has_moved_by_what_is_a_change_of_it_elsewhere() -> None:
    assert [has_moved(1.0, level_s) for level_s in (1.04, 1.06, 0.96, 0.94)] == [False, True, False, True]
