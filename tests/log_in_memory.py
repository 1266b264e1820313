"""A log kept in memory, as the screen needs it."""

import threading
from collections.abc import Callable


class LogInMemory:
    """Lines of a nanoGPT log, counted from 1, one an iteration."""

    def __init__(self, count: int) -> None:
        self.reads = threading.Event()  # cleared: as a disk that does not answer
        self.answers, self.stopped = threading.Event(), threading.Event()  # of `search`: when, that it was told
        self.reads.set()
        self.answers.set()
        self.texts = [f"iter {n}: loss 3.1000, time 100.00ms, mfu 41.20%" for n in range(count)]

    @property
    def lines(self) -> int:
        return len(self.texts)

    first, gone = 1, ""

    def lines_from(self, number: int, count: int) -> list[tuple[int, str]]:
        self.reads.wait(60)
        return list(enumerate(self.texts, 1))[number - 1 : number - 1 + count]

    def search(self, text: str, after: int = 0, stop: Callable[[], bool] = lambda: False) -> int | None:
        self.answers.wait(60)
        if stop():
            self.stopped.set()
            return None
        return next((n for n, t in enumerate(self.texts, 1) if n > after and text.lower() in t.lower()), None)

    def search_back(self, text: str, before: int, stop: Callable[[], bool] = lambda: False) -> int | None:
        found = [n for n, t in enumerate(self.texts, 1) if n < before and text.lower() in t.lower()]
        return None if stop() else max(found, default=None)

    def line_of(self, iteration: int, earlier: int = 0) -> int | None:
        return iteration + 1 if iteration < self.lines and not earlier else None

    def lines_about(self, iteration: int, earlier: int = 0) -> list[tuple[int, str]]:
        self.reads.wait(60)
        return [(iteration + 1, f"about iteration {iteration}")]
