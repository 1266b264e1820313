"""Lines that tell of a loss, and are no rows."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.between.other_rows import FEWEST, OtherRows
from itermon.events import Iteration
from itermon.events import OtherRows as Found


def lines(other: OtherRows, count: int, text: str = "Step {}, loss: 0.{}", first: int = 1) -> list[Found]:
    return [one for n in range(count) for one in other.line(text.format(n, n), first + n)]


def test_one_or_two_between_two_rows_belong_to_them() -> None:
    other = OtherRows()
    for n in range(50):
        assert other.row() == lines(other, 2, first=3 * n + 2) == []
    assert other.end() == []


def test_a_long_stretch_is_told_of_with_its_first_line_and_that_it_stands_behind_the_rows() -> None:
    other = OtherRows()
    other.rows(10)
    told = lines(other, 3 * FEWEST, first=11)
    assert told[0] == Found(FEWEST, FEWEST, 11, newest=10 + FEWEST)
    assert other.end() == [Found(3 * FEWEST, 3 * FEWEST, 11, newest=10 + 3 * FEWEST)]
    assert other.end() == []  # nothing new


def test_a_row_behind_it_takes_back_that_it_stands_behind_the_rows() -> None:
    other = OtherRows()
    other.row()
    lines(other, FEWEST, first=2)
    assert other.row() == [Found(FEWEST, 0, 2)]


def test_steps_within_each_epoch_that_has_a_row_are_no_other_training() -> None:
    other = OtherRows()
    for n in range(10):
        lines(other, 100, first=101 * n + 1)
        other.row()
    assert other.end()[-1:] in ([], [Found()])


def test_rows_that_were_held_back_had_the_lines_between_them() -> None:
    other = OtherRows()
    for n in range(10):
        lines(other, FEWEST + 5, first=101 * n + 1)
        other.row(held=FEWEST + 4)
    assert other.end() == []


@pytest.mark.parametrize(("rows", "told"), [(10, 30), (40, 0)])
def test_lines_without_a_counter_are_a_training_only_where_they_are_more_than_the_rows(
    rows: int, told: int
) -> None:
    other = OtherRows()
    other.rows(rows)
    lines(other, 30, "critic {}, loss: 0.{}")
    assert sum(one.lines for one in other.end()) == told


@pytest.mark.parametrize(
    "text",
    [
        "Step {}, val_loss: 0.{}",
        "Epoch {}: best loss 0.{}",
        "Epoch {}:  50%|#####     | 1/2 [00:01<00:01, loss=0.{}]",
        "Using dynamic loss scale of {}{}",
        "step {} of {}: nothing is lost",
    ],
)
def test_what_validates_and_frames_of_bars_are_not_meant(text: str) -> None:
    other = OtherRows()
    other.row()
    assert lines(other, 2 * FEWEST, text) == other.end() == []


def test_since_which_line_none_is_a_number() -> None:
    other = OtherRows()
    other.row()
    lines(other, FEWEST)
    lines(other, 5, "step={} L=nan, avg_L=nan, {}", first=100)
    lines(other, 1, "step={} L=0.{}", first=105)
    lines(other, 9, "step={} L=nan, avg_L=nan, {}", first=106)
    assert other.end()[-1].not_finite == 106


def test_of_a_log_that_is_followed_losses_that_are_no_numbers_are_told_as_they_come_and_when_they_are_over() -> (
    None
):
    other = OtherRows()
    other.row()
    lines(other, 1_000)
    told = lines(other, FEWEST, "step={} L=nan, {}", first=1_002)
    assert [one.not_finite for one in told] == [1_002]
    told = lines(other, 1, "step={} L=0.{}", first=1_100)
    assert [one.not_finite for one in told] == [None]


def test_headings_that_count_on_behind_the_rows_are_told_of_as_they_come_and_until_a_row_comes() -> None:
    other, told = OtherRows(), []
    for n in range(8):
        other.line(f"Epoch {n}", 2 * n)
        assert other.read([Iteration(10 * n + 9, loss=0.5)], "step 9, loss 0.5", 2 * n + 1) == []
    for n in range(8, 20):
        told += other.line(f"Epoch {n}", 2 * n)
    assert told[0] == Found(newest=22, against="lines count on to epoch 11 behind the newest row")
    assert other.end() == []
    assert other.read([Iteration(199, loss=0.5)], "step 9, loss 0.5", 41) == [Found()]
