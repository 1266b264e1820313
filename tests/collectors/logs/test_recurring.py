"""Rows that stand far apart, between pages of something else, are found by their coming again and again."""

from __future__ import annotations

from itermon.collectors.logs.doubt import recurring_in
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, OtherRows

_PAGE = ["(1) A is true", "Epoch", "thought: so B lies", "", "score", "answer given, round over"]
_VERL = "step:{} - actor/pg_loss:-0.{} - actor/lr:1e-06 - response_length/mean:380.5 - timing_s/step:2{}.5\n"


def pages(rows: list[str], before: int = 15_000, between: int = 4_501) -> str:
    def page(n: int, lines: int) -> str:
        return "".join(f"{_PAGE[(n * 7 + k) % len(_PAGE)]}{' x' * (k % 3)}\n" for k in range(lines))

    return page(0, before) + "".join(row + page(n, between) for n, row in enumerate(rows))


def places(text: str) -> list[int]:
    reader = LogReader()
    data = text.encode()
    events = [event for at in range(0, len(data), 1 << 18) for event in reader.feed(data[at : at + (1 << 18)])]
    events = [*events, *reader.end(b"")] if not reader.anew else reader.end(b"")
    return [one.index for one in events if isinstance(one, Iteration)]


def test_rows_of_a_trainer_between_pages_of_what_its_model_said_are_read() -> None:
    rows = [_VERL.format(n, n, n) for n in range(1, 7)]
    assert places(pages(rows)) == [*range(1, 7)]


def test_pages_alone_are_no_training() -> None:
    assert places(pages(["score of A: 2.5\n"] * 4)) == []


def test_of_each_shape_that_recurs_there_are_some_lines() -> None:
    lines = [f"a: {n}.5" for n in range(100)] + ["b: 1.5", "b: 2.5"] + ["c"] * 9
    assert {line[0] for line in recurring_in(lines)} == {"a"}
    assert 4 <= len(recurring_in(lines)) <= 17


def test_what_a_format_that_is_given_up_told_of_other_lines_holds_no_more() -> None:
    row = "[1, {:5d}/ 9000] - Class: 3.5 - Loss of two: [0.25 / 89.25] - [wd: 7.5e-02] [lr: 2.5e-04] (1228.6 ms)\n"
    data = "".join(row.format(n) + f"INFO:root:[1, {n}] grad_stats: [4.8e-01]\n" for n in range(6000)).encode()
    reader = LogReader()
    events = [event for at in range(0, len(data), 1 << 18) for event in reader.feed(data[at : at + (1 << 18)])]
    told = [one for one in [*events, *reader.end(b"")] if isinstance(one, OtherRows)]
    assert not told or told[-1].lines == 0
