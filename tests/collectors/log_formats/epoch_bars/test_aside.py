"""Bars of an evaluation that nothing names but the line behind them."""

from __future__ import annotations

import pytest
from log_examples import iterations, of

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


def _end(clock_s: int, loss: float) -> str:
    return f"100%|██| 40/40 [00:{clock_s}<00:00, {40 / clock_s:.2f}it/s, loss={loss}]"


@pytest.mark.parametrize(
    ("ends", "aside", "expected"),
    [
        ([(20, 2.5), (21, 2.25), (23, 2.125)], " 15%|█ | 90/600 [00:08<00:40, 11.2it/s]", [40, 80, 120]),
        ([(20, 2.5), (20, 2.5), (20, 2.5)], " 15%|█ | 90/600 [00:08<00:40, 11.2it/s]", [40]),  # drawn again
        (
            [(20, 2.5), (31, 2.25), (42, 2.125)],
            " 15%|█ | 90/600 [00:08<00:40, 11.2it/s]",
            [40],
        ),  # its clock runs on
        ([(20, 2.5), (21, 2.25), (23, 2.125)], "Stage:  5%|  | 1/20 [00:30<09:30, 30.0s/it]", [40]),
        ([(20, 2.5), (21, 2.25), (23, 2.125)], "  5%|  | 1/20 [00:30<09:30, 30.0s/it]", [40]),  # it runs around it
    ],
)
def test_an_end_behind_one_that_ran_longer_than_their_clocks_are_apart_is_the_next_bars(
    ends: list[tuple[int, float]], aside: str, expected: list[int]
) -> None:
    reader = LogReader()
    text = "".join(f"{_end(*one)}\n{aside}\nscore 0.5\n" for one in ends)
    events = [*reader.feed(f"Learning rate: 0.5\n{text}".encode()), *reader.end(b"")]
    assert [one.index for one in iterations(events)] == expected
