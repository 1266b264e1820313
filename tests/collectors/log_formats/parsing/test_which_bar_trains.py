"""Of several bars of a log, which is the training's."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.parsing.bars import Bar, of_turns, untitled_prepare


def turns(*each: tuple[int, float]) -> int | None:
    """Of bars of these lengths, each at its end after so many seconds."""
    return of_turns([Bar("", total, total, elapsed_s, 1.0, "") for total, elapsed_s in each])


def test_of_bars_that_take_turns_the_first_and_longest_trains() -> None:
    assert turns((90, 50.0), (10, 5.0), (90, 50.0)) == 90
    assert turns((90, 50.0), (90, 60.0), (10, 5.0), (90, 1.0)) == 90, "the newest may be cut off"


@pytest.mark.parametrize(
    "each",
    [
        [],
        [(90, 50.0), (10, 5.0)],  # one turn
        [(90, 50.0), (90, 51.0), (10, 5.0)],
        [(90, 50.0), (10, 5.0), (20, 5.0)],  # the first never came again
        [(90, 5.0), (10, 50.0), (90, 5.0)],  # the longest is another
    ],
)
def test_what_takes_no_turns_says_nothing(each: list[tuple[int, float]]) -> None:
    assert turns(*each) is None


@pytest.mark.parametrize(
    ("titles", "prepare"),
    [
        (["", "Iteration", "Iteration"], True),
        (["Iteration"], True),
        (["", "Iteration", ""], False),
        (["", "Loading"], False),
        (["", "train: Scanning labels"], False),
        ([], False),
    ],
)
def test_where_bars_with_a_title_train_those_without_prepared(titles: list[str], prepare: bool) -> None:
    assert untitled_prepare([Bar(title, 1, 10, 2.0, 2.0, "") for title in titles]) is prepare
