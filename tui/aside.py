"""What may block (a disk that does not answer, a huge file), beside the thread that draws and hears keys."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

Result = TypeVar("Result")

PATIENCE_S = 0.015
"""Nearly every read of a screenful is done by then and stands in the same frame; a key may take ten times that."""


class Aside:
    """Work in threads of its own: only the newest counts, and what is older is told to stop.

    They are daemons: one that a dead disk holds up keeps nobody from leaving.
    """

    def __init__(self) -> None:
        self._newest = 0

    def do(self, work: Callable[[Callable[[], bool]], Result], then: Callable[[Result], None]) -> None:
        """Call `work` in a thread, with what says whether it is to stop; and `then` here, with its result."""
        import asyncio  # noqa: PLC0415 - dear to import, and not needed before the app runs

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


class Latest(Generic[Result]):
    """The newest answer to what is asked again and again: it stands until the next one is there.

    One question is under way at a time, in a daemon thread: a dead disk holds up one of them, and nobody else.
    """

    def __init__(self) -> None:
        self.answer: Result | None = None
        self._is_asked = self._is_asked_again = False

    def ask(self, work: Callable[[], Result], then: Callable[[], None]) -> None:
        """Have `work` answer. Where that takes longer than a moment, `then` is called here once there is news."""
        import asyncio  # noqa: PLC0415 - as above
        from concurrent.futures import Future, wait  # noqa: PLC0415 - as above

        if self._is_asked:
            self._is_asked_again = True
            return
        self._is_asked, self._is_asked_again = True, False
        coming: Future[Result] = Future()

        def run() -> None:
            try:
                coming.set_result(work())
            except BaseException as error:  # noqa: BLE001 - raised again where the answer is taken
                coming.set_exception(error)

        threading.Thread(target=run, name="latest", daemon=True).start()
        if wait([coming], PATIENCE_S).done:
            self._take(coming)
            return
        loop = asyncio.get_running_loop()

        def deliver(come: Future[Result]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended: nobody waits for it
                loop.call_soon_threadsafe(self._tell, come, then)

        coming.add_done_callback(deliver)

    def _tell(self, come: Future[Result], then: Callable[[], None]) -> None:
        before = self.answer
        self._take(come)
        if self.answer != before or self._is_asked_again:
            then()

    def _take(self, come: Future[Result]) -> None:
        self._is_asked = False
        self.answer = come.result()
