"""itermon's own events, one JSON object a line: a recording, or what `itermon stream` prints.

    {"type":"iteration","index":7,"duration_s":1.5,"loss":2.31,"at_s":1732147200.5}

Times are what the trainer measured, and events carry their own clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....events import (
    BadEventError,
    Iteration,
    UnknownEventError,
    decode,
)
from ...patterns import lazy_pattern
from ...runs.event_reader import EventReader
from ..base import Example, LogFormat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event


class Recording:
    """Reads events as if they were lines of a log, so that a file or a pipe can hold either."""

    plain = lazy_pattern(rb'(?:\n\{"[^\n]*){1,1000}')

    def __init__(self) -> None:
        self._reader = EventReader()

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:  # noqa: ARG002 - it has a clock of its own
        """The event of one line."""
        return self._reader.feed(text.encode(errors="replace") + b"\n")

    def block(self, data: bytes) -> Sequence[Event]:
        """Many lines at once."""
        return self._reader.feed(data)


def _matches(text: str) -> bool:
    try:
        return text.startswith('{"') and decode(text.encode(errors="replace")) is not None
    except UnknownEventError:
        return True  # of a newer version
    except BadEventError:
        return False


def is_iteration(text: str) -> bool:
    """Is this the event of an iteration?"""
    try:
        return '"iteration"' in text and isinstance(decode(text.encode(errors="replace")), Iteration)
    except BadEventError:
        return False


FORMAT = LogFormat(
    name="recording",
    about="events as the trainer's hooks measured them; spans, GPU and host samples included; Unix time",
    matches=_matches,
    is_iteration=is_iteration,
    parser=Recording,
    examples=(
        Example(
            """
{"type":"run","framework":"mine","clock":"hook"}
{"type":"iteration","index":7,"duration_s":1.5,"loss":2.5,"at_s":1732147200.5}
{"type":"end_span","kind":"evaluation","iteration":8,"duration_s":12.5,"values":{"val_loss":2.25}}
{"type":"begin","kind":"checkpoint","iteration":8}
{"type":"iteration","index":8,"duration_s":1.25,"bad_loss":"nan"}
""",
            iterations=((7, 1.5, 1, 2.5), (8, 1.25, 1, None)),
            evaluations=((8, {"val_loss": 2.25}),),
            checkpoints=(8,),
        ),
    ),
)
