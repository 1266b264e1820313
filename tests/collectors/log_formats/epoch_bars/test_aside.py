"""Bars of an evaluation that nothing names but the line behind them."""

from __future__ import annotations

import pytest
from log_examples import of

from itermon.collectors.logs.reader import LogReader
from itermon.events import SpanEnd

RESULT = "epoch {e} | train_loss: 2.5 | test_loss: {e}.25"


def bar(total: int, clock_s: int, *, drawn: tuple[float, ...] = (0, 0.5, 1, 1), title: str = "") -> list[str]:
    rate = total / clock_s
    parts = [(round(part * total), round(part * clock_s)) for part in drawn]
    return [
        f"{title}{100 * n // total:3}%|██   | {n}/{total} [00:{took:02}<00:{clock_s - took:02}, {rate:.2f}it/s]"
        for n, took in parts
    ]


def evaluations(*behind: list[str]) -> list[float | None]:
    lines = [line for e in (1, 2, 3) for part in (bar(40, 20), *behind, [RESULT.format(e=e)]) for line in part]
    reader = LogReader()
    events = [*reader.feed("\n".join(lines).encode()), *reader.end(b"")]
    return [one.duration_s for one in of(SpanEnd, events)]


def test_what_an_evaluation_took_is_what_all_its_bars_took() -> None:
    assert evaluations(bar(500, 10), bar(500, 10), bar(500, 8)) == [pytest.approx(28.0, abs=0.1)] * 3


@pytest.mark.parametrize(
    "other",
    [bar(500, 10, drawn=(1,)), bar(500, 10, drawn=(0, 0.5)), bar(70, 10, title="Loading images: ")],
    ids=["not seen to begin", "cut off", "something else"],
)
def test_of_bars_that_do_not_tell_all_no_time_is_told(other: list[str]) -> None:
    assert evaluations(bar(500, 8), other) == [None] * 3


def test_without_a_bar_the_line_alone_tells_of_it() -> None:
    assert evaluations() == [None] * 3
