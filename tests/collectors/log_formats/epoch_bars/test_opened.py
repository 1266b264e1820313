"""The log's first lines come again behind several bars of a training: the next bar is another's, of any length."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.epoch_bars.opened import OpenedAnew
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, RunInfo

HEAD = ["Training the network", "- rate 0.5", "- learning rate decays by 0.9"]


def training(epochs: int, steps: int) -> list[str]:
    """Of so many epochs, with a full bar each."""
    bars = [f"100%|##| {steps}/{steps} [00:{20 - n:02}<00:00, 2.00it/s]" for n in range(epochs)]
    return [*HEAD, *(line for n, bar in enumerate(bars) for line in (bar, f"EPOCH {n + 1} accuracy = 0.5", ""))]


def read(lines: list[str]) -> tuple[int, int]:
    """How many trainings, and the newest iteration."""
    reader = LogReader(lines)
    events = [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]
    last = [one.index for one in events if isinstance(one, Iteration)][-1]
    return sum(isinstance(one, RunInfo) for one in events[1:]), last


@pytest.mark.parametrize(
    ("trainings", "are", "newest"),
    [
        (((4, 20), (3, 30), (2, 50)), 3, 100),
        (((4, 30), (3, 20)), 2, 60),
        (((4, 20), (3, 20)), 2, 60),
    ],
)
def test_the_newest_training_is_read(trainings: tuple[tuple[int, int], ...], are: int, newest: int) -> None:
    assert read([line for epochs, steps in trainings for line in training(epochs, steps)]) == (are, newest)


def test_first_lines_of_each_epoch_open_no_training() -> None:
    bars = OpenedAnew()
    assert not any(bars.begins(opened=True, several=several) for several in (False, True, True))
