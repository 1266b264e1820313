"""What the kinds of lines that all formats share become."""

from __future__ import annotations

from typing import ClassVar

from itermon.collectors.log_formats.parsing.grammar import Line, shape_of
from itermon.collectors.log_formats.parsing.lines import LineParser
from itermon.collectors.log_formats.registry import all_formats
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


def test_a_rule_that_names_a_digit_is_asked_of_each_line() -> None:
    class Top(LineParser):
        name = "top"
        lines = (
            Line("top", r"^top1 step (?P<iteration>\d+) loss (?P<loss>N)$"),
            Line("top", r"^top\d step \d+", "known"),
        )

    parser = Top()
    texts = [f"top{digit} step {step} loss 2.5" for step, digit in enumerate((5, 1, 5, 1), 1)]
    read = [event.index for text in texts for event in parser.line(text, None) if isinstance(event, Iteration)]
    assert read == [2, 4]


def test_rules_find_in_a_line_what_they_find_in_its_shape() -> None:
    """But those that name a digit of their own: so a line of a shape that was seen before need not be searched."""
    lines = {line for one in all_formats() for example in one.examples for line in example.log.split("\n")}
    kinds = [kind for parser in _parsers() for kind in parser.kinds() if not kind.sees_digits]
    assert len(kinds) > 300
    for kind in kinds:
        for line in (line for line in lines if kind.contains in line):
            here, there = kind.find(line), kind.find(shape_of(line))
            assert (here and here.regs) == (there and there.regs), (kind.written, line)


def _parsers() -> list[type[LineParser]]:
    parsers = [one.parser for one in all_formats()]
    return [one for one in parsers if isinstance(one, type) and issubclass(one, LineParser)]
