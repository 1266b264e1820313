"""Which line gives which iteration: regular stretches, resumed runs, several ranks, replaced files."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.collectors.logs.line_index import LineIndex
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    Config,
    Event,
    Iteration,
    Iterations,
    Message,
    SpanBegin,
    SpanEnd,
)


def columns(numbers: list[int]) -> Iterations:
    zeros = array("d", [0.0] * len(numbers))
    return Iterations(array("q", numbers), zeros, zeros, zeros)


def indexed(numbers: list[int]) -> LineIndex:
    index = LineIndex()
    for line, number in enumerate(numbers, 1):
        index.add_line(line, [Iteration(number)])
    return index


def lines_of(index: LineIndex, number: int, most: int = 4) -> list[int | None]:
    return [index.line_of(number, earlier) for earlier in range(most)]


@given(st.lists(st.integers(0, 12), max_size=40), st.integers(0, 12))
def test_every_line_of_an_iteration_is_found_in_its_order(numbers: list[int], wanted: int) -> None:
    expected = [line for line, number in enumerate(numbers, 1) if number == wanted]
    found = lines_of(indexed(numbers), wanted, len(expected) + 1)
    assert found == [*expected, None]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6), st.integers(1, 9), st.booleans()), max_size=12))
def test_blocks_and_single_lines_give_the_same_index(blocks: list[tuple[int, int, int, bool]]) -> None:
    index, numbers = LineIndex(), list[int]()
    for first, step, count, as_columns in blocks:
        block = list(range(first, first + step * count, step))
        events: Iterations | list[Event] = columns(block) if as_columns else [Iteration(n) for n in block]
        index.add_block(len(numbers) + 1, events)
        numbers += block
    for wanted in range(80):
        expected = [line for line, number in enumerate(numbers, 1) if number == wanted]
        assert lines_of(index, wanted, len(expected) + 1) == [*expected, None]


def test_a_regular_log_takes_one_row_whatever_its_steps() -> None:
    index = LineIndex()
    for place in range(1_000):
        index.add_line(7 + 2 * place, [Iteration(10 * place)])
    index.add_block(2_007, columns(list(range(10_000, 10_100))))
    index.add_block(2_107, columns(list(range(10_100, 10_200))))
    assert len(index._count) == 2
    assert index.line_of(5_000) == 7 + 2 * 500
    assert index.line_of(5_001) is None
    assert index.line_of(10_150) == 2_157


@given(
    st.integers(-3, 1 << 40), st.sampled_from((1, 2, 10, 1_000)), st.integers(2, 30),
    st.none() | st.tuples(st.integers(0, 29), st.integers(-2, 2)),
)  # fmt: skip
def test_a_block_is_found_whether_its_steps_are_equal_or_one_is_not(
    first: int, step: int, count: int, moved: tuple[int, int] | None
) -> None:
    numbers = [first + step * place for place in range(count)]
    if moved is not None:
        numbers[moved[0] % count] += moved[1]
    index = LineIndex()
    index.add_block(1, columns(numbers))
    for line, number in enumerate(numbers, 1):
        assert line in lines_of(index, number)


def test_a_block_with_gaps_is_found_too() -> None:
    index = LineIndex()
    index.add_block(1, columns([1, 2, 5, 6, 7, 7]))
    assert [index.line_of(n) for n in (1, 2, 3, 5, 7)] == [1, 2, None, 3, 5]
    assert index.line_of(7, 1) == 6


def test_what_stands_between_two_iterations_is_said_of_the_second() -> None:
    index = LineIndex()
    index.add_line(1, [Message("before all")])
    index.add_line(2, [Iteration(0), Message("on its own line")])
    index.add_line(3, [Config(origin="log")])
    index.add_line(4, [SpanEnd(EVALUATION, iteration=1)])
    index.add_line(5, [SpanBegin(CHECKPOINT)])
    index.add_line(6, [Iteration(1)])
    index.add_line(7, [Iteration(2)])
    assert [index.lines_about(n) for n in range(4)] == [[1], [4, 5], [], []]


def test_of_an_iteration_that_the_log_leaves_out_are_the_lines_that_name_it() -> None:
    index = LineIndex()
    index.add_line(1, [Iteration(0)])
    index.add_line(2, [SpanEnd(EVALUATION, iteration=5)])
    index.add_line(3, [SpanBegin(CHECKPOINT)])
    index.add_line(4, [Message("a warning", iteration=0)])
    index.add_line(5, [Iteration(10)])
    assert [index.lines_about(n) for n in (4, 5, 6)] == [[], [2], []]
    assert index.lines_about(5, 1) == []
    assert index.lines_about(10) == [2, 3, 4]


def test_only_the_rank_that_came_first_is_counted() -> None:
    index = LineIndex()
    index.add_block(1, [Iteration(n, rank=rank) for n in range(3) for rank in (0, 1)])
    assert [lines_of(index, n, 2) for n in range(3)] == [[1, None], [3, None], [5, None]]


def test_of_a_replaced_file_nothing_is_found_but_it_counts() -> None:
    index = indexed([0, 1, 2, 3])
    index.add_line(5, [Message("an error")])
    index.replace_file()
    assert lines_of(index, 2, 2) == [None, None]
    for line, number in enumerate((2, 3, 4), 1):
        index.add_line(line, [Iteration(number)])
    assert lines_of(index, 2, 2) == [None, 1]
    assert index.line_of(4) == 3
    assert index.lines_about(2, 1) == []
    assert index.lines_about(4) == []


@pytest.mark.parametrize("single", [True, False])
def test_a_file_that_is_read_again_as_another_format_counts_anew(single: bool) -> None:
    index = LineIndex()
    index.add_line(1, [Message("x")])
    index.add_line(2, [Iteration(0)])
    index.read_again()
    assert lines_of(index, 0, 2) == [None, None]
    index.add_line(1, [Message("x")])
    if single:
        index.add_line(2, [Iteration(0)])
    else:
        index.add_block(2, [Iteration(0)])
    assert lines_of(index, 0, 3) == [2, None, None]
    assert index.lines_about(0) == [1]


def test_a_file_in_the_place_of_one_that_was_read_again_counts_twice() -> None:
    index = LineIndex()
    index.add_line(1, [Iteration(0)])
    index.read_again()
    index.add_line(2, [Iteration(0)])
    index.replace_file()
    index.add_line(3, [Iteration(0)])
    assert lines_of(index, 0, 3) == [None, 3, None]


@pytest.mark.parametrize("step", [1, 10])
def test_a_block_of_equal_steps_is_indexed_at_once(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one it takes many times as long."""
    monkeypatch.setattr(LineIndex, "_add", None)
    index = LineIndex()
    index.add_block(1, columns([*range(7, 7 + 30 * step, step)]))
    assert [index.line_of(7 + place * step) for place in (0, 1, 29, 30)] == [1, 2, 30, None]


def test_the_newest_row_is_kept_word_for_word_where_its_numbers_stand_on_it() -> None:
    index = LineIndex()
    index.add_line(4, [Iteration(7, loss=0.25)], "step 7 loss 0.250")
    assert index.row == (4, "step 7 loss 0.250")
    index.add_line(5, [SpanBegin(EVALUATION)], "evaluating")
    assert index.row == (4, "step 7 loss 0.250")
    index.add_line(6, [Iteration(8, loss=0.125)], "took 3 s")  # the loss stood on a line before it
    assert index.row is None
    index.add_line(7, [Iteration(9)], "step 9 acc 0.5")
    index.add_held(8, [Iteration(10)])
    assert index.row is None


def test_of_an_object_over_many_lines_nobody_knows_which_line_its_newest_row_is_on() -> None:
    index = LineIndex()
    index.add_block(1, [Iteration(10), Iteration(20)], lines=24)
    assert index.newest is None
    assert index.iterations == 2
    index = LineIndex()
    index.add_block(1, [Iteration(10), Iteration(20)], lines=2)
    assert index.newest == 2
