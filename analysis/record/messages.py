"""The messages of a run: each text once, counted; and its last words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import EndReason, Severity
from ..findings import RunMessage

if TYPE_CHECKING:
    from ...events import Message

MOST = 200
"""Texts that are kept: the newest."""


class Messages:
    """The newest messages by text, in the order in which each came last."""

    def __init__(self) -> None:
        self._by_text: dict[str, RunMessage] = {}
        self._last_words: list[RunMessage] = []
        self.ending = ""
        """How the run has ended if nothing follows, by the newest message that says so."""

    def add(self, event: Message) -> None:
        """Take in a message of the run itself."""
        self.ending = event.ending or self.ending
        before = self._by_text.pop(event.text, None)
        count = before.count + 1 if before else 1
        message = RunMessage(event.text, event.level, count, event.at_s, event.line, event.ending)
        self._by_text[event.text] = message
        if event.ending is not None or event.level == Severity.ERROR:
            self._last_words = [*self._last_words[: MOST - 1], message]  # the first say why, the newest that
        if len(self._by_text) > MOST:
            del self._by_text[next(iter(self._by_text))]

    def go_on(self) -> None:
        """An iteration came: what was said before it was no end."""
        for message in self._last_words:
            if message.ending == EndReason.FINISHED:
                self._by_text.pop(message.text, None)
        self._last_words = []
        self.ending = ""

    @property
    def last_words(self) -> tuple[RunMessage, ...]:
        """What was said of an end since the newest iteration, oldest first."""
        return tuple(self._last_words)

    def newest(self) -> tuple[RunMessage, ...]:
        """What is kept, oldest first."""
        return tuple(self._by_text.values())
