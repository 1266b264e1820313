"""The fields of a protobuf message, by their numbers: as much of the encoding as a `.wandb` file uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
_LONG = 0x80  # an integer from here on takes more than one byte
_MOST_BYTES = 10  # of one of 64 bits


class BadMessageError(ValueError):
    """The bytes are no message."""


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(number, value) of each field, in their order: an integer, or bytes (a text, a message, a number of 4 or 8).

    Raises:
        BadMessageError: where the bytes end within a field, or are no field.
    """
    at, end = 0, len(message)
    while at < end:
        key = message[at]
        at += 1
        if key >= _LONG:
            key, at = varint(message, at - 1)
        kind = key & 7
        if kind == _BYTES and at < end:
            size = message[at]
            at += 1
            if size >= _LONG:
                size, at = varint(message, at - 1)
        elif kind == _VARINT and at < end and message[at] < _LONG:
            yield key >> 3, message[at]
            at += 1
            continue
        elif kind == _VARINT:
            number, at = varint(message, at)
            yield key >> 3, number
            continue
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            size = 8 if kind == _EIGHT_BYTES else 4
        else:
            raise BadMessageError(f"no field of kind {kind}")
        if at + size > end:
            raise BadMessageError("it ends within a field")
        yield key >> 3, message[at : at + size]
        at += size


def varint(message: bytes, at: int) -> tuple[int, int]:
    """The integer at `at`, and where it ends.

    Raises:
        BadMessageError: it has no end.
    """
    value = bits = 0
    for byte in message[at : at + _MOST_BYTES]:
        at += 1
        if byte < _LONG:
            return value | byte << bits, at
        value |= (byte & 0x7F) << bits
        bits += 7
    raise BadMessageError("an integer without an end")


def text(value: int | bytes | None) -> str:
    """A field's text; empty where it is absent, or no text."""
    return value.decode(errors="replace") if isinstance(value, bytes) else ""


def integer(value: int | bytes | None) -> int:
    """A field's signed integer; 0 where it is absent, as the encoding has it."""
    if not isinstance(value, int):
        return 0
    return value - (1 << 64) if value >= 1 << 63 else value
