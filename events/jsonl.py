"""Events as lines of JSON, and back."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Union

import msgspec

from .event import Event
from .iterations import Iteration, Phases, PrintedLoss, Progress
from .runs import Config, Dropped, End, Message, RunInfo
from .samples import GpuSample, HostSample
from .spans import SpanBegin, SpanEnd

AnyEvent = Union[  # noqa: UP007 - msgspec resolves it at run time, on 3.10 too
    RunInfo,
    Config,
    Iteration,
    SpanBegin,
    SpanEnd,
    Progress,
    Phases,
    PrintedLoss,
    GpuSample,
    HostSample,
    Message,
    Dropped,
    End,
]

MAX_LINE_BYTES = 1 << 20
"""A line of JSON longer than this is no event of ours."""


class BadEventError(ValueError):
    """A line that is no event; the message says why."""


class UnknownEventError(BadEventError):
    """A well-formed event of a type that this version does not know: count it and go on."""


class _Tag(msgspec.Struct):
    type: str = ""


class _Decoders:
    """Made when something is decoded: hooks never do, and it takes milliseconds of their import."""

    @cached_property
    def events(self) -> msgspec.json.Decoder[Any]:
        return msgspec.json.Decoder(AnyEvent)


_encoder = msgspec.json.Encoder()
_decoders = _Decoders()
_tag_decoder = msgspec.json.Decoder(_Tag)
_TAGS = frozenset(kind.__struct_config__.tag for kind in AnyEvent.__args__)  # type: ignore[attr-defined]


def encode(event: Event) -> bytes:
    """One event as one line of JSON, with its newline. A float that JSON cannot hold (nan, inf) becomes null."""
    return _encoder.encode(event) + b"\n"


def encode_all(events: Iterable[Event]) -> bytes:
    """Several events as lines of JSON, at half the cost of one after the other."""
    return _encoder.encode_lines(events)


def decode(line: bytes) -> AnyEvent:
    """One line of JSON as an event.

    Raises `UnknownEventError` for a type of a newer version and `BadEventError` for anything that is no event.
    """
    if len(line) > MAX_LINE_BYTES:
        raise BadEventError(f"a line of {len(line):,} bytes; at most {MAX_LINE_BYTES:,} are read")
    try:
        return _decoders.events.decode(line)  # type: ignore[no-any-return]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _explain(line, error) from None


def _explain(line: bytes, error: Exception) -> BadEventError:
    try:
        tag = _tag_decoder.decode(line).type
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return BadEventError(f"not JSON: {error}")
    if tag and tag not in _TAGS:
        return UnknownEventError(tag[:40])
    return BadEventError(f"not an event: {error}")
