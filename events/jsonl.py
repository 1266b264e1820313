"""Events as lines of JSON, and back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Union

import msgspec

from .collectives import Collective, RankState
from .event import Event
from .iterations import Alive, Iteration, Phases, PrintedLoss, Progress
from .runs import Config, Counted, Dropped, End, EndOfFile, Launch, Message, OtherRows, Output, RunInfo
from .samples import GpuSample, HostSample
from .spans import SpanBegin, SpanEnd
from .stacks import Stack
from .witnesses import Total

AnyEvent = Union[  # noqa: UP007 - msgspec resolves it at run time, on 3.10 too
    RunInfo,
    Launch,
    Counted,
    Config,
    Iteration,
    SpanBegin,
    SpanEnd,
    Progress,
    Alive,
    Phases,
    PrintedLoss,
    Stack,
    GpuSample,
    HostSample,
    Message,
    Collective,
    RankState,
    OtherRows,
    Output,
    Dropped,
    Total,
    EndOfFile,
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


_SURROGATE = re.compile("[\ud800-\udfff]")
_encoder = msgspec.json.Encoder()
_decoders = _Decoders()
_tag_decoder = msgspec.json.Decoder(_Tag)
_TAGS = frozenset(kind.__struct_config__.tag for kind in AnyEvent.__args__)  # type: ignore[attr-defined]


def as_json(value: Any) -> bytes:
    """What msgspec can encode, as JSON, whatever its text: what no UTF-8 can hold becomes U+FFFD.

    Python keeps a byte that is no UTF-8 (of a file name, an argument, a host) as half of a surrogate pair, which
    JSON cannot write. A float that it cannot hold (nan, inf) becomes null.
    """
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(_without_surrogates(msgspec.to_builtins(value)))


def encode(event: Event) -> bytes:
    """One event as one line of JSON, with its newline."""
    return as_json(event) + b"\n"


def encode_all(events: Iterable[Event]) -> bytes:
    """Several events as lines of JSON, at half the cost of one after the other."""
    events = [*events]
    try:
        return _encoder.encode_lines(events)
    except UnicodeEncodeError:
        return b"".join(map(encode, events))


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_without_surrogates(name): _without_surrogates(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(part) for part in value]
    return value


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


def decode_lines(lines: bytes) -> list[Any]:
    """Many lines of JSON at once, where all are events. Raises what msgspec raises where one is not."""
    return _decoders.events.decode_lines(lines)


def _explain(line: bytes, error: Exception) -> BadEventError:
    try:
        tag = _tag_decoder.decode(line).type
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return BadEventError(f"not JSON: {error}")
    if tag and tag not in _TAGS:
        return UnknownEventError(tag[:40])
    return BadEventError(f"not an event: {error}")
