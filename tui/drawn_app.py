"""What our apps have in common: the terminal is heard, left and come back to in one way, whatever stands on it."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING, ClassVar

from textual.app import App

from . import keys
from .drawing import background, terminal
from .drawing.clipboard import copied, sequences
from .drawing.leaving import LeftAsFound
from .drawing.textual_compat import DirectOutput, never_block, stop_and_go_on, take_any_bytes
from .drawn_screen import DrawnScreen
from .pages.help_page import HelpPage
from .pages.palette import Palette

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual import events
    from textual.binding import BindingType
    from textual.geometry import Size

    from .drawing.theme import Theme

FAILED = 1  # exit code


class DrawnApp(App[None], inherit_bindings=False):
    """An app of drawn screens."""

    CSS = "Screen { background: ansi_default; overflow: hidden; }"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.APP)

    def __init__(self, theme: Theme) -> None:
        super().__init__(ansi_color=True)
        self.drawn_theme = theme
        self.failed = False
        self.typed = b""
        self._hangup = terminal.Hangup()
        self._terminal_size: Size | None = None

    def on_load(self) -> None:
        """Hear what asks us to end, before the terminal is taken over."""
        if not self.is_headless:
            terminal.on_farewell(asyncio.get_running_loop(), self._leave)

    def on_mount(self) -> None:
        """Hear what stops us, and begin."""
        if not self.is_headless:
            loop = asyncio.get_running_loop()
            stop_and_go_on(self, loop, self._hangup.happened)
            self.app_resume_signal.subscribe(self, lambda _: self.draw_all())
        if self.typed:  # it comes with the next bytes, and every terminal answers this
            DirectOutput(self).ask(background.WHO_ARE_YOU)
        self.begin()

    def begin(self) -> None:
        """The first frame, at once."""
        raise NotImplementedError

    def on_resize(self, event: events.Resize) -> None:
        """What stood there has been moved about; the same size again, as at the start, changes nothing."""
        if self._terminal_size not in (None, event.size):
            self.draw_all()
        self._terminal_size = event.size

    def draw_all(self) -> None:
        """Paint everything again: nothing is known of what stands on the terminal."""
        for screen in self.screen_stack:
            if isinstance(screen, DrawnScreen):
                screen.canvas.redraw()
                screen.draw()

    def is_left_alone(self) -> bool:
        """Whether nobody can see us any more: then it ends."""
        if self.is_headless or not self._hangup.happened():
            return False
        self._leave(128 + signal.SIGHUP)
        return True

    def panic(self, *renderables: RenderableType) -> None:
        """The app cannot go on, and says why. Textual's own threads report here, with the exit code 0."""
        self.failed = True
        super().panic(*renderables)

    def action_help(self) -> None:
        """Open the list of the keys that count now; on that list itself, go back."""
        if isinstance(self.screen, HelpPage):
            self.screen.action_close()
        elif isinstance(self.screen, DrawnScreen):
            self.push_screen(HelpPage(self.drawn_theme, self.screen.groups))

    def action_palette(self) -> None:
        """Open the list of the actions that there are now; the one that is taken is done where it was opened."""
        below = self.screen
        if not isinstance(below, DrawnScreen):
            return
        page = Palette(self.drawn_theme, keys.named(below.groups))

        def do_it(_: None) -> None:
            if page.taken:
                self.call_later(below.run_action, page.taken)

        self.push_screen(page, do_it)

    def action_suspend(self) -> None:
        """Stop, and everything of this job with us, as the terminal's own Ctrl-Z would.

        But not a trainer that is piped into us: it would stand still.
        """
        if os.getpgrp() not in (os.getpid(), os.getppid()):
            if isinstance(self.screen, DrawnScreen):
                self.screen.say("Ctrl-Z would stop the training too: it is of the same pipeline")
        elif not self.is_headless:
            os.killpg(0, signal.SIGTSTP)

    async def copy(self, text: str) -> bool:
        """Put `text` on the clipboard, as far as one can from here: whether it went to anybody."""
        output = DirectOutput(self)
        if not await output.is_free():
            return False
        text = copied(text)
        terminal.to_tmux(text, os.environ)
        output.write(sequences(text, os.environ))
        return True

    def action_leave(self, code: int) -> None:
        """End with this exit code: Ctrl-C as a key gives the same as the signal."""
        self._leave(code)

    def _leave(self, code: int) -> None:
        self.exit(return_code=code)


def show(app: DrawnApp, *, mouse: bool, entered: bool = False) -> int:
    """Run `app` until it is left: its exit code. It may have `entered` the terminal's other screen before."""
    never_block()
    app.typed = background.take_typed()
    take_any_bytes(app.typed)
    with LeftAsFound(DirectOutput(app).silence, entered=entered):
        app.run(mouse=mouse)
    return app.return_code or (FAILED if app.failed else 0)
