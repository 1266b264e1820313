"""The messages of a run: each text once, counted; and its last words."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import EndReason, Severity
from ..findings import RunMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...events import Iteration, Message

MOST = 200
"""Texts that are kept: the newest."""

MOST_PROCESSES = 64
"""Processes that failed one after the other, whose words are kept: the first, and the newest."""

QUEUE = "CANCELLED AT"
"""A queue's word that it takes the job back: nothing of the job goes on but what is on its way already."""

GRACE_S = 60.0
"""For so long at most: SLURM waits 30 s between asking and killing (`KillWait`)."""

REFUTED = 2
"""After so many times that the same process goes on behind them, words are no end: "Early stopping triggered!"."""

FRAMES = 300
"""... and so many lines at most: ten frames of a bar a second."""


_CONSEQUENCES = (
    "ChildFailedError",
    "ProcessRaisedException",
    "CalledProcessError",
    "srun: error",
    "NCCL",
    "DistBackendError",
    "nccl",
    "BrokenPipeError",
    "ConnectionResetError",
    "onnection closed by peer",
    "onnection reset by peer",
    "handle is closed",  # of a pipe between processes, that dies with one of them
    "exit code",
    "exitcode",
)
"""Words of a launcher, or of the other ranks, when one process has died. The reason is that process's own."""


class Messages:
    """The newest messages by text, in the order in which each came last."""

    def __init__(self) -> None:
        self._by_text: dict[str, RunMessage] = {}
        self._refuted_before: Counter[str] = Counter()  # how often a text came that is not kept: it was no end
        self._words: list[list[RunMessage]] = [[]]
        """What was said of an end since the newest iteration, oldest first, by process.

        The first is the one that had the iterations.
        """

        self.before: tuple[RunMessage, ...] = ()
        """The last words of the process before the newest launch, which has no iteration."""

        self._launched = False
        self.ending = ""
        """How the run has ended if nothing follows, by the newest message that says so."""

        self._refuted: Counter[str] = Counter()  # ends after which the same process went on, without their numbers
        self._after = 0, 0.0  # a queue's word: iterations, and their seconds

    def add(self, event: Message) -> None:
        """Take in a message of the run itself."""
        if event.ending == EndReason.FINISHED and self._refuted[_without_numbers(event.text)] >= REFUTED:
            event = replace(event, ending=None)
        self.ending = event.ending or self.ending
        before = self._by_text.pop(event.text, None)
        count = (before.count if before else self._refuted_before.pop(event.text, 0)) + 1
        message = RunMessage(event.text, event.level, count, event.at_s, event.line, event.ending)
        self._by_text[event.text] = message
        if event.ending is not None and QUEUE in event.text:
            self._after = 0, 0.0
        if event.anew and not is_consequence(event.text):
            self._words = [self._words[0], *self._words[1:][-MOST_PROCESSES:], []]
        if event.ending is not None or event.level == Severity.ERROR:
            self._words[-1] = [*self._words[-1][: MOST - 1], message]  # the first say why, the newest that
        if len(self._by_text) > MOST:
            del self._by_text[next(iter(self._by_text))]

    @property
    def taken_back(self) -> bool:
        """Has a queue taken the job back?"""
        return any(QUEUE in message.text for message in self._words[-1])

    def begin_launch(self, line: int | None, hear: Callable[[], None]) -> None:
        """A process has begun with `line` of the log: what was said before that is no word of its.

        `hear` looks at how the one before it ended, if that had iterations.
        """
        own = [one for one in self._words[-1] if line and one.line and one.line >= line]
        if not self._launched:
            words = [one for process in self._words for one in process]
            self._words[-1] = [one for one in words if line is None or one.line is None or one.line < line]
            hear()
            self.before = tuple(self._words[-1])
        self._words = [own]
        self._launched = True

    def go_on(self, iterations: Iterable[Iteration] | None = None) -> None:
        """`iterations` came, or another process: what was said before was no end, but a queue's word."""
        if iterations is not None and self.taken_back and self._on_its_way(iterations):
            self._words[-1] = [message for message in self._words[-1] if QUEUE in message.text]
            return
        for message in self._words[-1]:
            if message.ending == EndReason.FINISHED:
                dropped = self._by_text.pop(message.text, None)
                if dropped is not None and len(self._refuted_before) < MOST:
                    self._refuted_before[message.text] = dropped.count
                if iterations is not None and len(self._refuted) < MOST:
                    self._refuted[_without_numbers(message.text)] += 1
        self._words, self._after = [[]], (0, 0.0)
        self.before, self._launched = (), False
        self.ending = ""

    def _on_its_way(self, iterations: Iterable[Iteration]) -> bool:
        """Was all that came since the queue's word written by a process that is about to be killed?"""
        count, spent_s = self._after
        for one in iterations:
            count, spent_s = count + 1, spent_s + (one.duration_s or 0.0) * one.averaged_over
            if count > FRAMES:
                break
        self._after = count, spent_s
        return count <= FRAMES and spent_s <= GRACE_S

    @property
    def last_words(self) -> tuple[RunMessage, ...]:
        """What was said of an end since the newest iteration, oldest first, by the newest process to say any."""
        return tuple(self._words[-1]) or self.before

    @property
    def own_words(self) -> tuple[RunMessage, ...]:
        """The same of the process that had iterations: not what one says that began since, and had none."""
        if self._launched:
            return self.before
        return self.last_words if len(self._words) == 1 else tuple(self._words[0])

    def newest(self) -> tuple[RunMessage, ...]:
        """What is kept, oldest first."""
        return tuple(self._by_text.values())


def is_consequence(text: str) -> bool:
    """Is it what a launcher or other ranks say once one process has died, or did not come?"""
    return any(word in text for word in _CONSEQUENCES)


def _without_numbers(text: str) -> str:
    return re.sub(r"[\d.,]+", "0", text)
