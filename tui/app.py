"""The app: wires the session, the view and the canvas to Textual's timer and keys. Draws nothing itself."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Protocol

from textual.app import App, ComposeResult

from ..events import SourceState
from . import keys
from .drawing import terminal
from .drawing.canvas import Canvas
from .drawing.lines import fit
from .drawing.textual_compat import never_block
from .drawing.theme import theme_for
from .layout import draw_screen, position_at
from .pages.compare_page import ComparePage
from .pages.help import help_text
from .pages.log_page import LogPage
from .pages.pages import TextPage
from .pages.plan_page import PlanPage
from .scene import Scene, Standing
from .session import Session
from .view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.geometry import Size

    from ..analysis.findings import Findings
    from ..analysis.run import Run
    from ..events import Batch
    from .drawing.lines import Block
    from .drawing.theme import Theme
    from .pages.log_page import LogText
    from .pages.pages import Page

TICK_S = 0.5
READING_TICK_S = 0.005
READING_DRAW_S = 0.2
EARLY_S = 2.0
SLOW_TICK_S = 2.0  # nobody looks, or the run has ended
BUDGET_S = 0.025
"""Of one frame, for taking events in: keys stay quick while a million iterations come."""


class Replay(Protocol):
    """What the keys of a replay need."""

    speed: float

    def toggle_pause(self) -> None:
        """Stop the clock, or let it run."""

    def step(self) -> None:
        """One iteration further."""

    def jump(self, fraction: float) -> None:
        """To a part of the recording, 0..1."""

    def faster(self) -> None:
        """Twice as fast."""

    def slower(self) -> None:
        """Half as fast."""


class Monitor(App[None]):
    """The watch screen and its pages."""

    CSS = "Screen { background: ansi_default; overflow: hidden; }"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar = []

    def __init__(
        self,
        session: Session,
        drain: Callable[[int], list[Batch]],
        theme: Theme,
        *,
        title: str = "",
        clock: Callable[[], float] = time.time,
        replay: Replay | None = None,
        other: Callable[[], Run | None] | None = None,
        log: LogText | None = None,
    ) -> None:
        super().__init__(ansi_color=True)
        self.session, self.view = session, View()
        self._drain, self._theme, self._clock, self._replay = drain, theme, clock, replay
        self._source_title, self._other, self._log_text = title, other, log
        self._canvas = Canvas(theme)
        self._found: Findings | None = None
        self._hangup = terminal.Hangup()
        self._page: Page | None = None
        self._lines_told: tuple[int | None, Sequence[tuple[int, str]]] = (None, ())
        self._focused = True
        self._drawn_version, self._drawn_at_s = -1, 0.0
        self._started_s, self._drawn_state = time.monotonic(), ""

    def compose(self) -> ComposeResult:
        """One canvas."""
        yield self._canvas

    def on_mount(self) -> None:
        """The first frame, at once."""
        if not self.is_headless:
            terminal.on_farewell(asyncio.get_running_loop(), self._leave)
        self._frame()

    def _leave(self, code: int) -> None:
        self.exit(return_code=code)

    def on_resize(self, event: events.Resize) -> None:
        """Draw for the new size."""
        self._canvas.redraw()
        self._draw(event.size)

    def on_app_focus(self) -> None:
        """Seen again: as quick as before."""
        self._focused = True

    def on_app_blur(self) -> None:
        """Nobody looks: slower."""
        self._focused = False

    def on_key(self, event: events.Key) -> None:
        """Do what the key's entry says; an open page takes them first."""
        event.prevent_default()
        event.stop()
        action = keys.action_of(event.key)
        if self._page is not None and event.key != "ctrl+c":
            if not self._page.press(event.key, event.character):
                self._page = None
        elif action is not None:
            self._act(action, event)
        self._draw()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the iteration that was clicked."""
        if self._page is None:
            width, height = self.size
            at = position_at(self._scene(), (width, height - 1), event.screen_x)
            self.view = self.view.with_cursor(at, len(self.session.run.columns))
            self._draw()

    def on_mouse_scroll_up(self) -> None:
        """Zoom in."""
        self._zoom(0.5)

    def on_mouse_scroll_down(self) -> None:
        """Zoom out."""
        self._zoom(2.0)

    def _zoom(self, factor: float) -> None:
        self.view = self.view.zoomed(factor, len(self.session.run.columns))
        self._draw()

    def _frame(self) -> None:
        if not self.is_headless and self._hangup.happened():
            self._leave(128 + signal.SIGHUP)
            return
        self._take()
        state = self.session.state
        # The newest of a long log comes a moment after the first frame: it is not to wait for the next tick.
        hurry = state == SourceState.READING or (
            state == SourceState.WAITING and time.monotonic() - self._started_s < EARLY_S
        )
        if not hurry or state != self._drawn_state or time.monotonic() - self._drawn_at_s > READING_DRAW_S:
            if self.session.version != self._drawn_version or self.session.moves:
                self._found = None
            self._drawn_version, self._drawn_at_s = self.session.version, time.monotonic()
            self._drawn_state = state
            self._draw()
        slow = not self._focused or (self._found is not None and bool(self._found.ended))
        self.set_timer(READING_TICK_S if hurry else SLOW_TICK_S if slow else TICK_S, self._frame)

    def _take(self) -> None:
        until = time.perf_counter() + BUDGET_S
        while time.perf_counter() < until:
            batches = self._drain(1)
            if not batches:
                return
            for batch in batches:
                self.session.take(batch)

    def _draw(self, size: Size | None = None) -> None:
        width, height = size or self.size
        if width and height:
            self._canvas.show(self._lines((width, height)))

    def _lines(self, size: tuple[int, int]) -> Block:
        if self._page is not None:
            return self._page.lines(size)
        width, height = size
        screen = draw_screen(self._scene(), (width, height - 1))
        return [*screen, fit(keys.footer(self._groups, width), width)]

    def _scene(self) -> Scene:
        standing = self._standing(self.session.now_s(self._clock()))
        return Scene(self.session.run, self._findings(), standing, self.view, self._told())

    @property
    def _groups(self) -> Sequence[str]:
        has = {keys.REPLAY: self._replay, keys.LOG: self._log_text}
        return [group for group in keys.GROUPS if has.get(group, True) is not None]

    def _findings(self) -> Findings:
        """The findings of this frame: asked for once."""
        if self._found is None:
            self._found = self.session.findings(self.session.now_s(self._clock()))
        return self._found

    def _told(self) -> Sequence[tuple[int, str]] | None:
        """What the log says of the iteration under the cursor: read once for each that it stands on."""
        at = None if self.session.is_preview else self.view.cursor
        if self._log_text is None or at is None:
            return None
        if self._lines_told[0] != at:
            self._lines_told = (at, self._log_text.lines_about(*self.session.iteration_at(at)))
        return self._lines_told[1]

    def _standing(self, now_s: float) -> Standing:
        session = self.session
        return Standing(
            title=self._source_title,
            state=session.state,
            note=session.note,
            history=session.history,
            preview=session.is_preview,
            now_s=now_s,
            replay=None if self._replay is None else self._replay.speed,
        )

    def _act(self, action: str, event: events.Key) -> None:
        total = len(self.session.run.columns)
        match action:
            case "quit":
                self.exit()
            case "redraw":
                self._canvas.redraw()
            case "pan_left" | "pan_right":
                self.view = self.view.panned(-1 if action == "pan_left" else 1, total)
            case "zoom_in" | "zoom_out":
                self.view = self.view.zoomed(0.5 if action == "zoom_in" else 2.0, total)
            case "scale":
                self.view = self.view.with_next_scale()
            case "next_spike" | "previous_spike":
                at = self._scene().next_mark(self.view.cursor, 1 if action == "next_spike" else -1)
                if at is not None:
                    self.view = self.view.with_cursor(at, total)
            case "close":
                self.view = self.view.with_cursor(None, total)
            case _ if self._replay is not None and action in ("pause", "step", "faster", "slower", "jump"):
                self._control(self._replay, action, event)
            case _:
                self._page = self._opened(action)

    def _opened(self, action: str) -> Page | None:
        match action:
            case "help":
                return TextPage("help", partial(help_text, self._groups))
            case "plan":
                return PlanPage(self._findings)
            case "compare":
                return ComparePage(self.session.run, self._other)
            case "log" if self._log_text is not None:
                at = None if self.session.is_preview else self.view.cursor
                return LogPage(self._log_text, None if at is None else self.session.iteration_at(at))
        return None

    @staticmethod
    def _control(replay: Replay, action: str, event: events.Key) -> None:
        match action:
            case "pause":
                replay.toggle_pause()
            case "step":
                replay.step()
            case "faster":
                replay.faster()
            case "slower":
                replay.slower()
            case "jump" if event.key.isdigit():
                replay.jump(int(event.key) / 10)


def watch(
    drain: Callable[[int], list[Batch]],
    *,
    title: str = "",
    clock: Callable[[], float] = time.time,
    replay: Replay | None = None,
    other: Callable[[], Run | None] | None = None,
    log: LogText | None = None,
    ascii_only: bool = False,
    mouse: bool = True,
) -> int:
    """Show the watch screen until the user leaves; returns the exit code.

    `drain(most)` gives up to `most` batches that wait, oldest first, and never blocks. `clock` is Unix time.
    `other` gives the run to compare with, `None` while it is being read;
    `log` the text of the log where there is one.
    """
    theme = theme_for(terminal.colours(os.environ), ascii_only=ascii_only or terminal.ascii_only(os.environ))
    app = Monitor(Session(), drain, theme, title=title, clock=clock, replay=replay, other=other, log=log)
    never_block()
    app.run(mouse=mouse)
    return app.return_code or 0
