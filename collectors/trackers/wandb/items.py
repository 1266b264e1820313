"""Names and values as the records of history, statistics and settings hold them: each value a piece of JSON.

Four hours of eight GPUs are 130,000 of them, most of one core of the CPU each, which nobody asks for. So a value
is cut out only if its name is wanted, and nearly all lie in one form: one byte of length each.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from .protobuf import BadMessageError, fields, text, varint

if TYPE_CHECKING:
    from collections.abc import Callable

_KEY, _NESTED_KEY, _INTEGER, _NUMBER, _VALUE = 1, 2, 5, 6, 16
_KEY_TAGS = (_KEY << 3 | 2, _NESTED_KEY << 3 | 2)
_VALUE_TAG = b"\x82\x01"  # of field 16
_MOST_NAMES = 10_000
_LONGEST_NAME = 1_000
_LONG = 0x80  # a length from here on takes more than one byte


class Names(dict[bytes, "str | None"]):
    """What each name in a file is read as; `None`: it is not wanted. `wanted` decides at its first sight."""

    def __init__(self, wanted: Callable[[str], str | None]) -> None:
        super().__init__()
        self._wanted = wanted

    def __missing__(self, key: bytes) -> str | None:
        """Asked for the first time. Names beyond any reason are all unwanted."""
        if len(key) > _LONGEST_NAME or len(self) >= _MOST_NAMES:
            return None
        name = self[key] = self._wanted(key.decode(errors="replace"))
        return name


def items(message: bytes, field: int, names: Names) -> list[tuple[str, bytes]]:
    """The wanted of the items that stand in `field`: what each is read as, and its JSON.

    Raises:
        BadMessageError: the bytes are no such message.
    """
    tag = field << 3 | 2
    found: list[tuple[str, bytes]] = []
    at, end = 0, len(message)
    while at < end - 1:
        size = message[at + 1]
        if message[at] != tag or size >= _LONG:
            at = _other(message, at, field, names, found)
            continue
        start = at + 2
        at = start + size
        if at > end:
            raise BadMessageError("it ends within an item")
        key_end = start + 2 + message[start + 1] if size > 1 else end
        value = key_end + 3
        if value > at or message[start] not in _KEY_TAGS or message[key_end : value - 1] != _VALUE_TAG:
            _read(message[start:at], names, found)
        elif (name := names[message[start + 2 : key_end]]) is not None:
            if value + message[value - 1] == at:
                found.append((name, message[value:at]))
            else:
                _read(message[start:at], names, found)
    if at < end:
        raise BadMessageError("it ends within a field")
    return found


def _other(message: bytes, at: int, field: int, names: Names, found: list[tuple[str, bytes]]) -> int:
    """A long item, or another field: where it ends."""
    key, begin = varint(message, at)
    if key & 7 == 2:
        size, begin = varint(message, begin)
        stop = begin + size
        if stop > len(message):
            raise BadMessageError("it ends within a field")
        if key >> 3 == field:
            _read(message[begin:stop], names, found)
        return stop
    widths = {1: 8, 5: 4}
    if key & 7 == 0:
        return varint(message, begin)[1]
    if key & 7 not in widths or begin + widths[key & 7] > len(message):
        raise BadMessageError("no field")
    return begin + widths[key & 7]


def _read(item: bytes, names: Names, found: list[tuple[str, bytes]]) -> None:
    """One item in whatever form; W&B's own description of the file foresees values that are no JSON."""
    key, nested, value = b"", [], b""
    for number, content in fields(item):
        if isinstance(content, int):
            if number == _INTEGER:
                value = b"%d" % (content >> 1 ^ -(content & 1))
        elif number == _KEY:
            key = content
        elif number == _NESTED_KEY:
            nested.append(text(content))
        elif number == _VALUE:
            value = content
        elif number == _NUMBER and len(content) == 8:
            value = repr(struct.unpack("<d", content)[0]).encode()
    name = names[key or ".".join(nested).encode(errors="replace")]
    if name is not None:
        found.append((name, value))
