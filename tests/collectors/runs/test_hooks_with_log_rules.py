"""What is still printed when the hooks have ended: how long it is waited for."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from itermon.collectors.logs.text import LogText
from itermon.collectors.runs.hooks_with_log import HooksWithLogSource
from itermon.events import Batch, Message, SourceState

LINE = Message("ValueError: boom", level="error")


class Output:
    """A log that says nothing for so many waits, then a line."""

    def __init__(self, silent: int, state: SourceState | None) -> None:
        self._said = [*[[]] * silent, [Batch([LINE], state=state)]]

    def wait(self, _: float) -> list[Batch]:
        return self._said.pop(0) if self._said else []

    def drain(self) -> list[Batch]:
        return []


@pytest.mark.parametrize(
    ("silent", "lives", "read", "heard"),
    [
        (0, True, True, True),
        (9, True, True, True),  # twice as late as a line can be seen
        (12, True, True, False),
        (12, True, False, True),  # of a log that is still read to its end, however long that takes
        (12, False, False, False),
        (0, False, True, False),
    ],
)
def test_a_last_line_is_waited_for_while_it_can_come(silent: int, lives: bool, read: bool, heard: bool) -> None:
    source = HooksWithLogSource(SimpleNamespace(title=""), SimpleNamespace(text=LogText()))  # type: ignore[arg-type]
    output: Any = Output(silent, SourceState.LIVE)
    reading: Any = SimpleNamespace(is_alive=lambda: lives)
    found = source._last_words(output, reading, threading.Event(), read=read)
    assert [event for batch in found for event in batch.events] == [LINE] * heard
