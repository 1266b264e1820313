"""Each line is heard once: by its stamp where the rows have such, by its arrival where they have none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from itermon.collectors.log_formats.base import NoParser
from itermon.collectors.log_formats.between.between_rows import BetweenRows
from itermon.collectors.log_formats.parsing.stamps import stamp
from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, EVALUATION, Alive, End, Event, Iteration, SpanEnd, Total

LINE = "2025-03-01 10:00:00 val loss: 0.25"
AT_S = stamp(LINE) or 0.0


def heard(row: Iteration, arrived_s: float | None, line: str = LINE) -> list[Event]:
    between = BetweenRows()
    assert between.events(line, (), arrived_s, NoParser()) == [], "nothing trains yet"
    assert between.before([row], 100.0) == []
    return between.events(line, (), arrived_s, NoParser())


def test_the_clock_of_a_line_is_that_of_the_rows() -> None:
    stamped, arrived = Iteration(1, at_s=AT_S - 60.0), Iteration(1, at_s=100.0)
    assert heard(stamped, 7.0) == [Alive(AT_S)]
    assert heard(stamped, 7.0, "val loss: 0.25") == []
    assert heard(arrived, 107.0) == [Alive(107.0)]
    assert heard(Iteration(1), None) == []


def test_at_the_end_comes_what_was_told_and_a_total_unless_the_format_has_one() -> None:
    for held in ([], [Total(10.0)]):
        between = BetweenRows()
        between.before([Iteration(1, at_s=AT_S - 60.0)], None)
        between.events(LINE, (), None, NoParser())
        between.events("Finished training in 10 seconds", (), None, NoParser())
        assert between.handed_on(held) == held
        assert [type(event) for event in between.end()] == [SpanEnd, *([] if held else [Total]), End]


def test_rows_alone_are_looked_at_when_another_line_follows() -> None:
    """Each row by itself is the newest: what is told after ten of them stands behind the tenth."""
    between = BetweenRows()
    for index in range(10):
        assert between.before([Iteration(index, at_s=AT_S - 60.0 + index)], None) == []
    between.events("2025-03-01 10:00:00 saved the checkpoint", (), None, NoParser())
    told = between.before([Iteration(10, at_s=AT_S + 1.0)], None)
    assert [(type(event), event.shown_at) for event in told if isinstance(event, SpanEnd)] == [(SpanEnd, 9)]


def test_what_another_process_says_of_its_tests_is_not_this_ones() -> None:
    between = BetweenRows()
    between.before([Iteration(1, at_s=AT_S - 60.0)], None)
    between.is_over = True
    assert between.events(LINE, (), None, NoParser()) == between.end() == []
    between.before([Iteration(2, at_s=AT_S - 30.0)], None)
    between.is_over = False
    assert between.events(LINE, (), None, NoParser()) == [Alive(AT_S)], "it went on"


def test_a_sign_of_life_is_told_behind_the_row_that_its_format_holds_back() -> None:
    """Else the silence behind that row would be one behind the row before it."""
    held: Any = SimpleNamespace(holds=True)
    for is_over in (False, True):
        between = BetweenRows()
        between.before([Iteration(1, at_s=AT_S - 60.0)], None)
        assert between.events(LINE, (), None, held) == []
        row = [Iteration(2, at_s=AT_S - 30.0)]
        behind = between.handed_on(row)[1:] if is_over else between.events("epoch 3 loss: 0.5", row, None, held)
        assert behind == [Alive(AT_S)]


def test_a_stamp_alone_is_that_of_the_line_below_it() -> None:
    """As loggers write a message that begins with a newline: the evaluation lasts from its own stamp to the next one."""
    text = "".join(
        f"2025-03-01 10:{minute:02}:{second:02},250 \n{said}\n"
        for minute, second, said in [
            (0, 0, "Epoch: 0/3 | Learning Rate: 2.000e-04"),
            (0, 10, "[0000/100]| Loss box:6.5e+00 mask:1.5e+00 total:8.0e+00"),
            (1, 0, "[0050/100]| Loss box:5.5e+00 mask:1.5e+00 total:7.0e+00"),
            (1, 50, "Evaluation on held-out dataset: 1200"),
            (5, 50, "Box Evaluation: 1200 samples"),
            (6, 0, "Epoch: 1/3 | Learning Rate: 1.000e-04"),
            (6, 10, "[0000/100]| Loss box:4.5e+00 mask:1.5e+00 total:6.0e+00"),
            (7, 0, "[0050/100]| Loss box:3.5e+00 mask:1.5e+00 total:5.0e+00"),
        ]
    )
    reader = LogReader()
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    rows = [one for one in events if isinstance(one, Iteration)]
    assert [(one.index, one.loss) for one in rows] == [(0, 8.0), (50, 7.0), (100, 6.0), (150, 5.0)]
    assert [one.duration_s for one in rows[1:]] == [1.0, 310 / 50, 1.0]
    told = [one for one in events if isinstance(one, SpanEnd) and one.told]
    assert [(one.kind, one.shown_at, one.duration_s) for one in told] == [(EVALUATION, 50, 240.0)]


def test_the_newest_row_is_looked_at_before_what_the_format_reads_behind_it() -> None:
    """A save behind an evaluation that the format tells of, with rows alone before that one."""
    between = BetweenRows()
    for index in range(3):
        assert between.before([Iteration(index, at_s=AT_S - 60.0 + index)], None) == []
    assert between.before([SpanEnd(EVALUATION, AT_S - 30.0, 3)], None) == []
    between.events("2025-03-01 10:00:00 saved the checkpoint", (), None, NoParser())
    told = between.before([Iteration(3, at_s=AT_S + 1.0)], None)
    assert [(one.kind, one.iteration) for one in told if isinstance(one, SpanEnd)] == [(CHECKPOINT, 2)]


def test_a_row_that_may_begin_another_training_tells_of_no_evaluation_before_it() -> None:
    rows = [
        f"2025-03-01 10:{m:02}:00 INFO step={10 * (m % 10 + 1)} interval=0.5 valid={{'mse': 0.5}}"
        for m in range(40)
    ]
    events = [*(reader := LogReader()).feed("\n".join([*rows, ""]).encode()), *reader.end(b"")]
    assert sum(isinstance(one, Iteration) for one in events) == len(rows)
    assert not [one for one in events if isinstance(one, SpanEnd) and one.duration_s]


def test_a_bar_that_waits_is_no_row_that_waits() -> None:
    """Only parsers of rows have rows that are `waiting`: a report of a log of bars, in which a frame waited, failed."""

    class OfBars(NoParser):
        _waiting = (object(), None, object())

    between = BetweenRows()
    row = [Iteration(1, 1.0)]
    between.before(row, None)
    between.events("a bar", row, None, OfBars())
    assert between.events("Saved checkpoint to a.pt", [], None, OfBars()) == []
