"""What the kinds of lines that all formats share become."""

from __future__ import annotations

from typing import ClassVar

from itermon.collectors.log_formats.parsing.grammar import Line
from itermon.collectors.log_formats.parsing.lines import LineParser
from itermon.events import Total


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
