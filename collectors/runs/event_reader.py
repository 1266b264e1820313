"""JSON Lines to events: what comes through a socket, out of a recording, down a pipe.

The other side may be a newer itermon, a broken one, or somebody who means harm. Bad lines are counted, and
reported once per kind; every string is made clean; no line makes us keep more than `MAX_LINE_BYTES`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ...events import (
    MAX_LINE_BYTES,
    VERSION,
    BadEventError,
    Event,
    Message,
    RunInfo,
    Severity,
    UnknownEventError,
    decode,
    decode_lines,
)
from ...words import plural
from ..clean import clean

_MOST_WARNINGS = 20
_MOST_ENTRIES = 1000  # of a dict or a tuple in an event: a config has a hundred
_LONG_LINE_BYTES = 2000  # longer ones may hold strings that `clean` shortens


class EventReader:
    """Reads one stream of events, in chunks of any size."""

    def __init__(self) -> None:
        self.unknown = 0  # events of types of a newer version
        self.bad = 0  # lines that are no event
        self.lines = 0
        self._partial = b""
        self._skipping = False
        self._reported: set[str] = set()

    @property
    def note(self) -> str:
        """What could not be read so far, in a few words; empty if all could."""
        parts = [f"{plural(self.bad, 'line')} without an event"] if self.bad else []
        parts += [f"{plural(self.unknown, 'event')} of a newer itermon left out"] if self.unknown else []
        return "; ".join(parts)

    def feed(self, data: bytes) -> list[Event]:
        """The events of all lines that end in `data`; the beginning of the next one is kept for the next call."""
        end = data.rfind(b"\n") + 1
        if self._skipping:
            if not end:
                return []
            self._skipping = False
            data = data[data.index(b"\n") + 1 :]
            end = data.rfind(b"\n") + 1
        if not end:
            return self._keep(data)
        lines, self._partial = self._partial + data[:end], data[end:]
        return self._events(lines)

    def _keep(self, data: bytes) -> list[Event]:
        self._partial += data
        if len(self._partial) <= MAX_LINE_BYTES:
            return []
        self._partial, self._skipping = b"", True
        self.lines += 1
        return self._bad_line(f"a line of more than {MAX_LINE_BYTES:,} bytes")

    def _events(self, lines: bytes) -> list[Event]:
        first_line = self.lines + 1
        self.lines += lines.count(b"\n")
        try:
            events = decode_lines(lines)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            events = self._one_by_one(lines, first_line)
        # Control characters (but DEL) stand escaped in JSON: most chunks have none, only ASCII, no long line.
        if (
            not lines.isascii()
            or b"\\" in lines
            or b"\x7f" in lines
            or max(map(len, lines.split(b"\n"))) > _LONG_LINE_BYTES
        ):
            events = [_cleaned(event) for event in events]
        return self._check_versions(events)

    def _one_by_one(self, lines: bytes, first_line: int) -> list[Event]:
        events: list[Event] = []
        for number, line in enumerate(lines.splitlines(), first_line):
            if not line.strip():
                continue
            try:
                events.append(decode(line))
            except UnknownEventError as error:
                self.unknown += 1
                events += self._warn_once(
                    f"an event of a newer itermon, {str(error)!r}, is left out: update itermon"
                )
            except BadEventError as error:
                events += self._bad_line(str(error), number)
        return events

    def _bad_line(self, problem: str, number: int | None = None) -> list[Event]:
        self.bad += 1
        return self._warn_once(problem, f"line {number or self.lines:,}: ")

    def _warn_once(self, problem: str, where: str = "") -> list[Event]:
        """A message for the first of each kind of problem; the rest is only counted."""
        problem = clean(problem)
        if problem in self._reported or len(self._reported) >= _MOST_WARNINGS:
            return []
        self._reported.add(problem)
        return [Message(text=where + problem, level=Severity.WARNING)]

    def _check_versions(self, events: list[Event]) -> list[Event]:
        newer = [event.version for event in events if type(event) is RunInfo and event.version > VERSION]
        if not newer:
            return events
        text = (
            f"written by a newer itermon (vocabulary {newer[0]}; this one knows {VERSION}): "
            "some of it may be misread; update itermon"
        )
        return events + self._warn_once(text)


def _cleaned(event: Event) -> Event:
    changed = {
        name: harmless
        for name in event.__struct_fields__
        if (harmless := _harmless(value := getattr(event, name))) is not value and harmless != value
    }
    return msgspec.structs.replace(event, **changed) if changed else event


def _harmless(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, tuple):
        return tuple(_harmless(part) for part in value[:_MOST_ENTRIES])
    if isinstance(value, dict):
        return {clean(name): _harmless(part) for name, part in list(value.items())[:_MOST_ENTRIES]}
    return value
