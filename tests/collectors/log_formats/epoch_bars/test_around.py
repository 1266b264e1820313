"""While a bar of epochs goes on, first lines that come again were held back by a buffer."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.epoch_bars.around import Around
from itermon.collectors.log_formats.parsing.bars import Bar
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration

SETTINGS = "Namespace(batch=8, epochs=4, lr=0.1, seed=7)\n"


def inner(steps: int = 20) -> str:
    frames = (f"batch: {5 * n:3}%|##| {n}/20 [00:{n:02}<00:30,  1.00s/it]\n" for n in range(1, steps + 1))
    return "".join(("batch:   0%|  | 0/20 [00:00<?, ?it/s]\n", *frames))


def outer(title: str, n: int, seconds: int) -> str:
    return f"{title}: {25 * n:3}%|##| {n}/4 [0{seconds // 60}:{seconds % 60:02}<01:00, {seconds / n if n else 22:.2f}s/it]\n"


def indices(text: str) -> list[int]:
    return [one.index for one in LogReader().feed(text.encode()) if isinstance(one, Iteration)]


@pytest.mark.parametrize("title", ["epoch", "Epochs"])
def test_settings_that_come_late_begin_no_run(title: str) -> None:
    begun = f"train\n{outer(title, 0, 0)}{SETTINGS}{inner()}{outer(title, 1, 22)}{inner()}"
    assert indices(f"{begun}{SETTINGS}{outer(title, 2, 44)}{inner(9)}")[-1] == 49
    assert indices(f"{begun}{SETTINGS}{outer(title, 0, 0)}{inner(9)}")[-1] == 9


def test_a_bar_of_epochs_that_is_over_holds_nothing() -> None:
    around, steps = Around(), Bar("batch", 20, 20, 20.0, 1.0, "")
    around.see(Bar("epoch", 3, 4, 66.0, 22.0, ""), steps)
    assert around.goes_on()
    around.see(Bar("epoch", 4, 4, 88.0, 22.0, ""), steps)
    assert not around.goes_on()


def test_a_bar_of_less_than_a_pass_is_not_around_it() -> None:
    around = Around()
    around.see(Bar("check", 3, 4, 6.0, 2.0, ""), Bar("batch", 20, 20, 20.0, 1.0, ""))
    assert not around.goes_on()
