"""The app: takes in what the sources give, and lets the screen that is seen draw itself once a tick."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..events import SourceState
from .drawing.leaving import leave
from .drawing.textual_compat import DirectOutput, stay_on_the_other_screen
from .drawn_app import DrawnApp, show
from .drawn_screen import DrawnScreen
from .watch_screen import WatchScreen

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..events import Batch
    from .drawing.theme import Theme
    from .early import Painted
    from .view import View
    from .watched import Watched

TICK_S = 0.5
READING_TICK_S = 0.005
READING_DRAW_S = 0.2
EARLY_S = 2.0
SLOW_TICK_S = 2.0  # nobody looks, or the run has ended
BUDGET_S = 0.025
"""Of one frame, for taking events in: keys stay quick while a million iterations come."""
SHARE = 0.012
"""Of a core, for what is new: where it is dear to draw (a long run on a large screen), it is shown less often."""
LONGEST_REST_S = 3.0
"""Then it is shown in any case; the clock goes on all the time."""
MUCH = 1_000
"""Events in one frame, after which the next does not wait for a tick: the queue holds a few thousand, and whoever
writes or replays more than that in a tick would be held back by the screen."""


class Monitor(DrawnApp):
    """The watch screen and its pages.

    Args:
        watched: What they show.
        drain: `drain(most)` gives up to `most` batches that wait, oldest first, and never blocks.
        theme: How they look.
        painted: What stands on the terminal already.
    """

    def __init__(
        self,
        watched: Watched,
        drain: Callable[[int], list[Batch]],
        theme: Theme,
        painted: Painted | None = None,
    ) -> None:
        super().__init__(theme)
        self._painted = painted
        self.watched = watched
        self.watch_screen = WatchScreen(watched, theme, self.copy)
        self._drain = drain
        self._is_seen = True
        self._drawn_state: SourceState | None = None
        self._drawn_at_s = 0.0
        self._rests_until_s = 0.0
        self._started_s = time.monotonic()
        self._trouble = ""
        self._will_compare = watched.extras.from_home and watched.extras.other is not None

    def get_default_screen(self) -> WatchScreen:
        """The screen below all pages."""
        return self.watch_screen

    def begin(self) -> None:
        """The first frame, at once."""
        if self._painted is not None and self._painted.size == self.size:
            self.watch_screen.canvas.assume(self._painted.lines)
        self._frame()

    def on_app_focus(self) -> None:
        """Seen again: as quick as before."""
        self._is_seen = True

    def on_app_blur(self) -> None:
        """Nobody looks: slower."""
        self._is_seen = False

    def _frame(self) -> None:
        if self.is_left_alone():
            return
        began_s, now_s, version = time.thread_time(), time.monotonic(), self.watched.session.version
        much = not self._rests(now_s) and self._take()
        state = self.watched.session.state
        # The newest of a long log comes a moment after the first frame: it is not to wait for the next tick.
        early = state is SourceState.WAITING and now_s - self._started_s < EARLY_S
        hurry = much or early or state is SourceState.READING
        if not hurry or state != self._drawn_state or now_s - self._drawn_at_s > READING_DRAW_S:
            self._drawn_state, self._drawn_at_s = state, now_s
            self.draw()
        if state not in (SourceState.READING, SourceState.WAITING):
            self._tell()
        if self._will_compare and state not in (SourceState.WAITING, SourceState.READING):
            self._will_compare = False
            self.watch_screen.action_compare()
        if not hurry and self.watched.session.version != version:
            self._rests_until_s = now_s + min(LONGEST_REST_S, (time.thread_time() - began_s) / SHARE)
        slow = not self._is_seen or self.watched.has_ended
        self.set_timer(READING_TICK_S if hurry else SLOW_TICK_S if slow else TICK_S, self._frame)

    def _tell(self) -> None:
        """What is to be told goes its way; what the terminal is to get goes between two frames."""
        notices, output = self.watched.extras.notices, DirectOutput(self)
        if self.watched.session.is_preview:
            return
        self.watched.look_into_hang()
        if notices is None:
            return
        notices.look(self.watched.findings)
        if output.usable and not output.stalled and (text := notices.to_write()):
            output.write(text)
        trouble = notices.trouble
        if trouble != self._trouble and trouble and isinstance(self.screen, DrawnScreen):
            self.screen.say(f"not told: {trouble}")
        self._trouble = trouble

    def _rests(self, now_s: float) -> bool:
        """Whether what is new waits for a later frame. What a person steps through, and what is read, does not."""
        live = self.watched.session.state is SourceState.LIVE and self.watched.extras.replay is None
        return live and now_s < self._rests_until_s

    def draw(self) -> None:
        """Draw the screen on top as it is now."""
        self.watched.begin_frame()
        for screen in self.screen_stack[-1:]:  # none while the app comes to its end
            if isinstance(screen, DrawnScreen):
                screen.draw()

    def _take(self) -> bool:
        """Take in what waits, for as long as a frame may: was it so much that more may wait behind it?"""
        until = time.perf_counter() + BUDGET_S
        taken = 0
        while time.perf_counter() < until:
            batches = self._drain(1)
            if not batches:
                return taken >= MUCH
            for batch in batches:
                self.watched.session.take(batch)
                taken += batch.weight
        return True


def watch(
    watched: Watched,
    drain: Callable[[int], list[Batch]],
    theme: Theme,
    view: View,
    *,
    painted: Painted | None = None,
    mouse: bool = True,
) -> int:
    """Show the watch screen until the user leaves.

    Args:
        watched: What is shown.
        drain: `drain(most)` gives up to `most` batches that wait, oldest first, and never blocks.
        theme: How it looks.
        view: Where the reader looks at first.
        painted: What stands on the terminal already, on its other screen.
        mouse: Take clicks and the wheel.

    Returns:
        The exit code.
    """
    app = Monitor(watched, drain, theme, painted)
    app.watch_screen.view = view
    if painted is None:
        return show(app, mouse=mouse)
    stay_on_the_other_screen()
    try:
        return show(app, mouse=mouse, entered=True)
    except BaseException:  # before Textual takes the terminal over, and gives it back
        leave()
        raise
