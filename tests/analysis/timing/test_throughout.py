"""Changes of level that all rows between them bear out."""

from random import Random

import pytest

from itermon.analysis.findings import Shift
from itermon.analysis.record.columns import Columns
from itermon.analysis.timing.throughout import throughout
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
    return [one.position for one in throughout(shifts, rows, 0)]


def test_a_change_that_all_rows_on_both_sides_show_is_told() -> None:
    told = [shift(3_000, 1.0, 1.2)]
    assert throughout(told, columns((3_000, 1.0), (5_000, 1.2)), 0) == told


@pytest.mark.parametrize(("long", "kept"), [(40, [2_000]), (2_000, [])])
def test_a_change_of_a_few_rows_of_thousands_is_not(long: int, kept: list[int]) -> None:
    """The first rows behind it took as long as it says, and the many after them as long as before."""
    rows = columns((2_000, 1.0), (100, 1.1), (long, 1.0))
    assert places([shift(2_000, 1.0, 1.1)], rows) == kept


def test_a_level_that_the_rows_only_begin_at_is_no_level_of_them() -> None:
    rows = columns((1_000, 1.0), (100, 1.1), (3_000, 1.3))
    assert places([shift(1_000, 1.0, 1.1)], rows) == []


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
    (told,) = throughout([shift(500, 1.0, 1.5), shift(530, 1.5, 1.2)], rows, 0)
    assert (told.position, told.before_s, told.after_s) == (500, 1.0, 1.2)


def test_of_many_small_steps_in_one_direction_none_holds_throughout_and_all_are_kept() -> None:
    steps = [shift(100 * n, 1 + 0.06 * (n - 1), 1 + 0.06 * n) for n in range(1, 6)]
    assert throughout(steps, columns((600, 1.0)), 0) == steps


def test_rows_without_a_time_speak_against_nothing() -> None:
    rows = Columns()
    rows.extend([Iteration(n) for n in range(300)])
    assert places([shift(100, 1.0, 1.5)], rows) == [100]
