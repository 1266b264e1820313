"""The messages of a run: each text once, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..findings import RunMessage

if TYPE_CHECKING:
    from ...events import Message

MOST = 200
"""Texts that are kept: the newest."""


class Messages:
    """The newest messages by text, in the order in which each came last."""

    def __init__(self) -> None:
        self._by_text: dict[str, RunMessage] = {}
        self.ending = ""
        """How the run has ended if nothing follows, by the newest message that says so."""

    def add(self, event: Message) -> None:
        """Take in a message of the run itself."""
        self.ending = event.ending or self.ending
        before = self._by_text.pop(event.text, None)
        count = before.count + 1 if before else 1
        self._by_text[event.text] = RunMessage(event.text, event.level, count, event.at_s, event.line)
        if len(self._by_text) > MOST:
            del self._by_text[next(iter(self._by_text))]

    def newest(self) -> tuple[RunMessage, ...]:
        """What is kept, oldest first."""
        return tuple(self._by_text.values())
