"""The examples that the log formats carry, and ways to read a log in a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from itermon.collectors.log_formats.base import held_back
from itermon.collectors.log_formats.registry import all_formats
from itermon.events import Iteration

if TYPE_CHECKING:
    from collections.abc import Iterable

    from itermon.collectors.log_formats.base import LogFormat
    from itermon.events import Event

Kind = TypeVar("Kind", bound="Event")

EXAMPLES = [(one, example) for one in all_formats() for example in one.examples]
IDS = [f"{one.name}, {example.variant}".rstrip(", ") for one, example in EXAMPLES]
TEXTLESS = (
    *("tracker", "bare counts", "drawn table", "epoch and batch"),
    *("epoch times", "history of epochs", "ordinals", "other spellings", "rows of cores", "short names"),
)
"""Formats without an example: one is no text, of one all rows are in a line, and the others are tried where nothing else has a row."""
FILES = (
    "Hugging Face trainer_state.json",
    "Lightning metrics.csv",
    "Ultralytics results.csv",
    "CSV",
    "JSON objects",
    "recording",
)
"""Formats of files that nobody prints: no stamp stands in front of their lines."""


def format_named(name: str) -> LogFormat:
    """The format of this name."""
    (found,) = (one for one in all_formats() if one.name == name)
    return found


def example(name: str) -> str:
    """The log of the format's first example."""
    return format_named(name).examples[0].log


def read(name: str, text: str) -> list[Event]:
    """The events of all lines of `text`, as this format reads them."""
    parser = format_named(name).parser()
    return [event for line in text.strip("\n").split("\n") for event in parser.line(line, None)]


def read_to_end(name: str, text: str) -> list[Event]:
    """The same, and what the format held back until the log was over."""
    parser = format_named(name).parser()
    events = [event for line in text.strip("\n").split("\n") for event in parser.line(line, None)]
    return events + held_back(parser)


def iterations(events: Iterable[Event]) -> list[Iteration]:
    """The iterations among the events."""
    return of(Iteration, events)


def of(kind: type[Kind], events: Iterable[Event]) -> list[Kind]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]
