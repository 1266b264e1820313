"""What the records of a `.wandb` file say. Old and new SDKs write them a little differently; both are read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from .items import Names, items
from .protobuf import BadMessageError, fields, integer, text, varint

if TYPE_CHECKING:
    from collections.abc import Callable

_HISTORY, _OUTPUT, _CONFIG, _STATS, _OUTPUT_RAW, _RUN, _EXIT, _ENVIRONMENT = 2, 4, 5, 7, 13, 17, 18, 26
_LONGEST_NUMBER = 40
_COUNT_TAG = 1 << 3  # of a record
_LONG = 0x80  # an integer from here on takes more than one byte
_PRINTED = re.compile(
    rb"\x08[\x80-\xff]{0,8}[\x00-\x7f]"  # the record's number
    rb"[\x22\x6a]([\x80-\xff]?[\x00-\x7f])"  # what was printed: its length,
    rb"(?:\x08([\x00-\x7f]))?"  # where to,
    rb"\x12([\x08-\x0c])\x08([\x80-\xff]{4}[\x00-\x7f])\x10([\x80-\xff]{0,4}[\x00-\x7f])"  # when,
    rb"\x1a([\x80-\xff]?[\x00-\x7f])"  # and the length of its text
)
"""A record of what was printed, up to its text, as nearly all are written."""
_SECONDS_BYTES = 7  # of a time, with both tags: five of them fill its seconds from 1978 to 2514
_WORDS = {b'"NaN"': "nan", b'"Infinity"': "inf", b'"-Infinity"': "-inf"}


class Printed(NamedTuple):
    """A portion of what the script printed: lines may be cut anywhere."""

    text: str
    at_s: float | None
    is_error: bool


class Row(NamedTuple):
    """What `wandb.log` was given at once, with W&B's own `_step`, `_timestamp`, `_runtime`: the numbers."""

    values: dict[str, float]


class Measured(NamedTuple):
    """What W&B measured of the machine at one time, as far as its names are known."""

    at_s: float
    values: dict[str, float]


class Settings(NamedTuple):
    """The run's config, by the names that its script gave."""

    values: dict[str, Any]


class Begun(NamedTuple):
    """The run: its name, machine and beginning."""

    name: str
    host: str
    at_s: float | None
    is_resumed: bool
    settings: dict[str, Any]


class Machine(NamedTuple):
    """Of the newer SDKs: what the machine has. Each GPU's name and, where it says so, its memory in bytes."""

    gpus: tuple[tuple[str, int], ...]


class Exited(NamedTuple):
    """The script has ended."""

    code: int
    runtime_s: float


Said = Printed | Row | Measured | Settings | Begun | Machine | Exited


class Records:
    """Reads records. `measured` says what each name of a measurement is read as; `None`: nobody asks for it."""

    def __init__(self, measured: Callable[[str], str | None]) -> None:
        self.unread = 0
        """Records that are damaged in spite of their checksum."""

        self._measured = Names(measured)
        self._logged = Names(str)
        self._set = Names(lambda name: None if name.startswith("_wandb") else name)
        self._readers: dict[int, Callable[[bytes], Said | None]] = {
            _HISTORY: self._row,
            _OUTPUT: _printed,
            _OUTPUT_RAW: _printed,
            _STATS: self._stats,
            _CONFIG: self._settings,
            _RUN: self._begun,
            _EXIT: _exited,
            _ENVIRONMENT: _machine,
        }

    def read(self, record: bytes) -> Said | None:
        """What a record says that anybody wants to know: one thing, before fields of its way to the disk."""
        if (printed := _plain_printed(record)) is not None:
            return printed
        try:
            if (found := _first_message(record)) is not None and (
                reader := self._readers.get(found[0])
            ) is not None:
                return reader(found[1])
            for number, value in fields(record):
                reader = self._readers.get(number)
                if reader is not None and isinstance(value, bytes):
                    return reader(value)
        except BadMessageError:
            self.unread += 1
        return None

    def _row(self, message: bytes) -> Row | None:
        values: dict[str, float] = {}
        for name, written in items(message, 1, self._logged):
            number = _number(written)
            if number is not None:
                values[name] = number
            elif written[:1] == b"{":
                for inner, one in _json(written, {}).items():
                    if type(one) in (int, float) and not inner.startswith("_"):
                        values[f"{name}.{inner}"] = float(one)
        return Row(values) if values else None

    def _stats(self, message: bytes) -> Measured | None:
        values = {
            name: number
            for name, written in items(message, 3, self._measured)
            if (number := _number(written.strip(b'"'))) is not None
        }
        at_s = _time(next((value for number, value in fields(message) if number == 2), None)) if values else None
        return Measured(at_s, values) if at_s is not None else None

    def _settings(self, message: bytes) -> Settings:
        return Settings({name: _json(written, None) for name, written in items(message, 1, self._set)})

    def _begun(self, message: bytes) -> Begun:
        found = dict(fields(message))
        config = found.get(4)
        values = self._settings(config).values if isinstance(config, bytes) else {}
        resumed = bool(integer(found.get(18)))
        return Begun(text(found.get(8)), text(found.get(13)), _time(found.get(17)), resumed, values)


def _first_message(record: bytes) -> tuple[int, bytes] | None:
    """What stands behind the record's number, as nearly always: the number of a field, and its message."""
    at, end = 1, len(record) - 2
    if end < 0 or record[0] != _COUNT_TAG:
        return None
    while at < end and record[at] >= _LONG:
        at += 1
    key, begin = record[at + 1] if at < end else 0, at + 3
    if key >= _LONG or key & 7 != 2:
        return None
    size = record[begin - 1]
    if size >= _LONG:
        size, begin = varint(record, begin - 1)
    return (key >> 3, record[begin : begin + size]) if begin + size <= len(record) else None


def _plain_printed(record: bytes) -> Printed | None:
    """What was printed, read at once; `None`: another record, or one that is written in another way."""
    found = _PRINTED.match(record)
    if found is None:
        return None
    size, kind, time_size, seconds, parts, length = found.groups()
    begin = found.end()
    end = begin + _short(length)
    if end > len(record) or found.end(1) + _short(size) != end or time_size[0] != _SECONDS_BYTES + len(parts):
        return None
    at_s = _short(seconds) + _short(parts) * 1e-9
    return Printed(record[begin:end].decode(errors="replace"), at_s, kind is None or kind == b"\0")


def _short(varint: bytes) -> int:
    """An integer of at most five bytes: each holds seven bits."""
    bits = int.from_bytes(varint, "little")
    if bits < _LONG:
        return bits
    return (
        bits & 0x7F | bits >> 1 & 0x3F80 | bits >> 2 & 0x1FC000 | bits >> 3 & 0xFE00000 | bits >> 4 & 0x7F0000000
    )


def _printed(message: bytes) -> Printed:
    words, at_s, is_error = "", None, True
    for number, value in fields(message):
        if number == 3:
            words = text(value)
        elif number == 2:
            at_s = _time(value)
        elif number == 1:
            is_error = value == 0
    return Printed(words, at_s, is_error)


def _exited(message: bytes) -> Exited:
    found = dict(fields(message))
    return Exited(integer(found.get(1)), float(integer(found.get(2))))


def _machine(message: bytes) -> Machine | None:
    gpus: list[tuple[str, int]] = []
    for number, value in fields(message):
        if number == 24 and isinstance(value, bytes):  # one NVIDIA GPU
            gpu = dict(fields(value))
            gpus.append((text(gpu.get(1)), integer(gpu.get(2))))
    return Machine(tuple(gpus)) if gpus else None


def _number(written: bytes) -> float | None:
    """A number as JSON has it, and nan and infinity as W&B writes them."""
    try:
        if written[:1] in b"-0123456789NIni":
            return float(written) if len(written) <= _LONGEST_NUMBER else None
    except ValueError:
        return None
    word = _WORDS.get(written)
    return None if word is None else float(word)


def _json(written: bytes, instead: Any) -> Any:
    try:
        return msgspec.json.decode(written)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return instead


def _time(value: int | bytes | None) -> float | None:
    """Unix time of a `Timestamp`."""
    if not isinstance(value, bytes):
        return None
    seconds, parts = 0, 0
    for number, part in fields(value):
        if number == 1:
            seconds = integer(part)
        elif number == 2:
            parts = integer(part)
    return seconds + parts * 1e-9 if seconds > 0 else None
