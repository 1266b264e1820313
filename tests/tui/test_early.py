"""The first screen, before there is an app: drawn as the app would, and only where it does not hold the app up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from screen_states import NOW_S, states

from itermon.events import Batch, RunInfo, SourceState
from itermon.tui import early
from itermon.tui.app import Monitor
from itermon.tui.drawing.theme import theme_for
from itermon.tui.early import Painted
from itermon.tui.view import View
from itermon.tui.watched import Watched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fed_app import Link


class Feeding:
    """Gives one list of batches after another, and then none."""

    def __init__(self, *given: Sequence[Batch]) -> None:
        self.given, self.waits = list(given), 0

    def __call__(self, _seconds: float) -> Sequence[Batch]:
        self.waits += 1
        return self.given.pop(0) if self.given else ()


HEADER = Batch([RunInfo()], state=SourceState.READING)
ITERATIONS = states()["healthy"].batches[0]


def test_it_takes_in_until_there_is_an_iteration() -> None:
    watched, feeding = Watched(), Feeding([HEADER], [], [ITERATIONS], [HEADER])
    assert early._take_first(watched, feeding)
    assert (feeding.waits, len(feeding.given)) == (3, 1)
    assert len(watched.session.run.columns) == 1_248


def test_a_source_that_computes_nothing_does_not_hold_the_app_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(early.time, "process_time", lambda: 7.0)
    feeding = Feeding([HEADER])
    assert not early._take_first(Watched(), feeding)
    assert feeding.waits == 1 + early.IDLE


def test_without_an_iteration_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(early, "PATIENCE_S", 0.0)
    with early.early_screen(Watched(), Feeding([ITERATIONS]), theme_for(16), View()) as painted:
        assert painted is None


@pytest.mark.parametrize(("size", "rows_again"), [((120, 36), False), ((120, 40), True)])
async def test_the_app_goes_on_from_what_stands_there(size: tuple[int, int], rows_again: bool, link: Link) -> None:
    watched = Watched("train.log", clock=lambda: NOW_S)
    for batch in states()["healthy"].batches:
        watched.session.take(batch)
    painted = Painted((120, 36), early._lines(watched, View(), 120, 36))
    app = Monitor(watched, lambda _: [], theme_for(1 << 24), painted)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert any("gpt2-xl" in text for text in link.written) == rows_again
