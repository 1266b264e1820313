"""What may block (a disk that does not answer, a huge file), beside the thread that draws and hears keys."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


class Aside:
    """Work in threads of its own: only the newest counts, and what is older is told to stop.

    They are daemons: one that a dead disk holds up keeps nobody from leaving.
    """

    def __init__(self) -> None:
        self._newest = 0

    def do(self, work: Callable[[Callable[[], bool]], Result], then: Callable[[Result], None]) -> None:
        """Call `work` in a thread, with what says whether it is to stop; and `then` here, with its result."""
        self.forget()
        number, loop = self._newest, asyncio.get_running_loop()

        def deliver(result: Result) -> None:
            if number == self._newest:
                then(result)

        def run() -> None:
            result = work(lambda: number != self._newest)
            with contextlib.suppress(RuntimeError):  # the loop has ended: nobody waits for it
                loop.call_soon_threadsafe(deliver, result)

        threading.Thread(target=run, name="aside", daemon=True).start()

    def forget(self) -> None:
        """Nobody waits for what is under way."""
        self._newest += 1
