"""What the kinds of lines that all formats share become."""

from __future__ import annotations

from typing import ClassVar

from itermon.collectors.log_formats.parsing.grammar import Line
from itermon.collectors.log_formats.parsing.lines import LineParser
from itermon.events import Iteration, Total


class Timed(LineParser):
    """A format that says at its end how long it took."""

    name = "timed"
    lines: ClassVar[tuple[Line, ...]] = (Line("done", r"done in (?P<duration_h>N) hours", "took"),)


def test_how_long_the_training_took_is_a_total_with_its_words() -> None:
    assert Timed().line("  25 epochs done in 0.5 hours", None)[-1] == Total(1800.0, "25 epochs done in 0.5 hours")
    assert Timed().line("done in 1.5 hours", 7.0)[-1] == Total(5400.0, "done in 1.5 hours", 7.0)


def test_a_time_that_no_training_takes_says_nothing() -> None:
    assert Timed().line("done in -1 hours", None) == []
    assert Timed().line("done in nan hours", None) == []


class Batches(LineParser):
    """A format whose batches begin again with each epoch."""

    name = "batches"
    first_epoch = None
    lines: ClassVar[tuple[Line, ...]] = (
        Line("epoch", r"epoch (?P<epoch>N): (?P<batch>N)/(?P<batches>N) in (?P<duration>N) s"),
    )


class FromZero(Batches):
    """... whose epochs are known to count from 0."""

    first_epoch = 0


def test_where_a_format_counts_from_is_known_and_an_excerpt_does_not_change_it() -> None:
    (iteration,) = (e for e in FromZero().line("epoch 1: 5/10 in 1 s", None) if isinstance(e, Iteration))
    assert iteration.index == 15


def indices(*places: tuple[int, int]) -> list[int]:
    parser = Batches()
    read = [e for epoch, batch in places for e in parser.line(f"epoch {epoch}: {batch}/10 in 1 s", None)]
    return [e.index for e in read if isinstance(e, Iteration)]


def test_epochs_count_from_the_first_one_seen_be_it_0_or_1() -> None:
    assert indices((0, 5), (1, 5)) == [5, 15]
    assert indices((1, 5), (2, 5)) == [5, 15]


def test_a_run_that_is_resumed_far_on_counts_all_epochs_before() -> None:
    assert indices((7, 5), (8, 5)) == [75, 85]


def test_a_later_run_in_the_same_log_may_show_that_epochs_count_from_0() -> None:
    assert indices((1, 5), (2, 5), (0, 5), (1, 5)) == [5, 15, 5, 15]
