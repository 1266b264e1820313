"""All that we use of Textual and that it does not promise. Where it is not there, Textual paints by itself.

Textual 8.2 queues 30 writes to the terminal; the 31st blocks the event loop (a stalled SSH link: no key works; a
closed one: the thread that writes has died of it, and nothing ever ends the wait).
"""

from __future__ import annotations

import asyncio
import codecs
import re
import signal
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.drivers import _writer_thread, linux_driver
from textual.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App

ENTER_SCREEN = "\x1b[?1049h"
PATIENCE_S, LOOKS = 1.0, 20
"""How long, and how often in that time, we look whether a terminal that was busy takes more."""

SYNC_START, SYNC_END = "\x1b[?2026h", "\x1b[?2026l"


def never_block() -> None:
    """Let every queue of writes be as long as it gets; `DirectOutput.stalled` keeps us from adding frames to it.

    Set where the queues are made, before the app runs: Textual makes a new one when a stopped process goes on, and
    tmux sends SIGCONT with the SIGHUP of a pane that it closes.
    """
    if isinstance(getattr(_writer_thread, "MAX_QUEUED_WRITES", None), int):
        _writer_thread.MAX_QUEUED_WRITES = 0  # type: ignore[misc]


def take_any_bytes(typed: bytes = b"") -> None:
    """Let a key that is no UTF-8 (`é` of a terminal in Latin-1) be one that means nothing.

    Textual 8.2 decodes strictly, in a thread that ends the app with a traceback where that raises. What a terminal
    answers too late to our question for its colours is no key either.

    Args:
        typed: what came before anybody heard: it counts as the beginning of what comes next.
    """
    waiting = [typed]

    def lenient(encoding: str) -> Callable[[], WithoutAnswers]:
        decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        return partial(WithoutAnswers, decoder, waiting.pop() if waiting else b"")

    if hasattr(linux_driver, "getincrementaldecoder"):
        linux_driver.getincrementaldecoder = lenient


class WithoutAnswers:
    """Decodes what comes from the terminal, less the answers to `background.ASK`: Textual reads them as keys."""

    _ANSWER = re.compile(r"\x1b\]11;[rgba:0-9a-fA-F/]{0,40}(?:\x07|\x1b\\)|\x1b\[\?[0-9;]{0,60}c")
    _BEGUN = re.compile(r"(?:\x1b\](?:1(?:1(?:;[rgba:0-9a-fA-F/]{0,40}\x1b?)?)?)?|\x1b\[\?[0-9;]{0,60})$")

    def __init__(self, decoder: codecs.IncrementalDecoder, typed: bytes = b"") -> None:
        self._decoder = decoder
        self._begun = decoder.decode(typed)

    def decode(self, data: bytes, final: bool = False) -> str:  # noqa: FBT001, FBT002 - the signature of a decoder
        """The text of `data`; the beginning of an answer waits for its end."""
        text = self._ANSWER.sub("", self._begun + self._decoder.decode(data, final))
        begun = None if final else self._BEGUN.search(text)
        self._begun = begun[0] if begun else ""
        return text[: len(text) - len(self._begun)]


def stay_on_the_other_screen() -> None:
    """It was entered before: to enter it once more, as Textual does when it starts, would clear it."""
    driver: Any = linux_driver.LinuxDriver
    write = driver.write

    def write_but_enter(self: Any, data: str) -> None:
        if data == ENTER_SCREEN:
            driver.write = write
        else:
            write(self, data)

    driver.write = write_but_enter


def stop_and_go_on(app: App[Any], loop: asyncio.AbstractEventLoop, is_gone: Callable[[], bool]) -> None:
    """Let SIGTSTP and SIGCONT find the app between two steps, not in the middle of one, where they may lock it.

    A SIGCONT that Textual does not expect (after SIGSTOP, or out of the blue) starts its threads a second time and
    takes its own settings of the terminal for the person's: no key ends it then. So it leaves the terminal first.
    """
    driver: Any = getattr(app, "_driver", None)
    if not all(hasattr(driver, name) for name in ("_sigtstp_application", "_sigcont_application")):
        return

    def go_on() -> None:
        if is_gone():
            return
        if not getattr(driver, "_must_signal_resume", True):
            driver.suspend_application_mode()
            driver._must_signal_resume = True
        driver._sigcont_application()

    loop.add_signal_handler(signal.SIGTSTP, driver._sigtstp_application)
    loop.add_signal_handler(signal.SIGCONT, go_on)


class DirectOutput:
    """The way to the terminal past the compositor."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app

    @property
    def usable(self) -> bool:
        """Whether there is a terminal behind the app, and we know how this Textual writes to it."""
        return self._queue() is not None and not self._app.is_headless

    @property
    def stalled(self) -> bool:
        """Whether what was written before still waits: nobody reads the terminal right now."""
        queue = self._queue()
        return queue is not None and queue.qsize() > 1

    async def is_free(self, patience_s: float = PATIENCE_S) -> bool:
        """Whether it takes more, now or in a moment: on a busy machine the last frame may still be on its way."""
        for _ in range(LOOKS):
            if not self.stalled:
                break
            await asyncio.sleep(patience_s / LOOKS)
        return self.usable and not self.stalled

    def write(self, text: str) -> None:
        """Write `text` as one frame."""
        driver: Any = getattr(self._app, "_driver", None)
        synchronised = getattr(self._app, "_sync_available", False)
        driver.write(f"{SYNC_START}{text}{SYNC_END}" if synchronised else text)

    def ask(self, question: bytes) -> None:
        """Write what the terminal answers."""
        if self.usable:
            self.write(question.decode())

    def silence(self) -> None:
        """Drop what waits to be written: a signal ends us. Without a lock, which this very thread may hold."""
        queue = self._queue()
        if queue is not None:
            queue.queue.clear()

    def _queue(self) -> Any:
        driver = getattr(self._app, "_driver", None)
        return getattr(getattr(driver, "_writer_thread", None), "_queue", None)


class PaintedByUs(Screen[None], inherit_bindings=False):
    """Textual does not paint it: its own first paint, and those of each resize, wrote all of it three times."""

    def _compositor_refresh(self) -> None:
        if DirectOutput(self.app).usable:
            self._dirty_widgets.clear()
        else:
            super()._compositor_refresh()
