"""Trainings one after another whose headings count their epochs, and whose rows nothing counts."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.plain.headed_anew import HeadedAnew
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration


def training(heading: str, epochs: range, said: str) -> str:
    rows = (
        f"{heading.format(one)}\n----\ntrain Loss: {3 - one / 8:.4f} Acc: 0.5\nval Loss: 2.{one}\n"
        for one in epochs
    )
    return "".join((*rows, f"{said}\n"))


def indices(text: str) -> list[int]:
    reader = LogReader()
    return [one.index for one in (*reader.feed(text.encode()), *reader.end(b"")) if isinstance(one, Iteration)]


@pytest.mark.parametrize("heading", ["For the small model, Epoch {}/7", "=== a model: round {} of 8"])
def test_each_training_counts_anew(heading: str) -> None:
    one = training(heading, range(8), "Training complete in 3m 21s")
    assert indices(one + one) == [*range(8), *range(8)]


def test_without_an_end_it_may_be_a_loop_inside() -> None:
    one = training("For the small model, Epoch {}/7", range(8), "")
    assert indices(one + one) == [*range(16)]


def test_headings_that_count_on_begin_nothing() -> None:
    heading, said = "For the small model, Epoch {}/15", "Training complete in 3m 21s"
    assert indices(training(heading, range(8), said) + training(heading, range(8, 16), said)) == [*range(16)]


def test_what_counts_from_another_number_is_no_beginning() -> None:
    headed = HeadedAnew()
    assert [headed.begins(f"Epoch {n}", ended=n < 3) for n in (1, 2, 3, 4, 2, 1, 2)] == [False] * 5 + [True, False]
