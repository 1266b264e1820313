"""What the records of a `.wandb` file say. Old and new SDKs write them a little differently; both are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from .items import Names, items
from .protobuf import BadMessageError, fields, integer, text, varint

if TYPE_CHECKING:
    from collections.abc import Callable

_HISTORY, _OUTPUT, _CONFIG, _STATS, _OUTPUT_RAW, _RUN, _EXIT, _ENVIRONMENT = 2, 4, 5, 7, 13, 17, 18, 26
_LONGEST_NUMBER = 40
_COUNT_TAG = 1 << 3  # of a record
_KIND_TAG, _TIME_TAG, _LINE_TAG = b"\x08", 2 << 3 | 2, 3 << 3 | 2  # of what was printed
_SECONDS_TAG, _FRACTION_TAG, _FRACTION, _LONG = 1 << 3, 2 << 3, 7, 0x80  # of a `Timestamp`, as it nearly always is
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
    if key >= _LONG or key & 7 != 2 or begin > len(record):
        return None
    size = record[begin - 1]
    if size >= _LONG:
        size, begin = varint(record, begin - 1)
    return (key >> 3, record[begin : begin + size]) if begin + size <= len(record) else None


def _printed(message: bytes) -> Printed:
    at = 2 * (message[:1] == _KIND_TAG)
    time_end = at + 2 + message[at + 1] if len(message) > at + 1 and message[at] == _TIME_TAG else len(message)
    if time_end + 1 < len(message) and message[time_end] == _LINE_TAG and message[1] < _LONG:
        size, begin = message[time_end + 1], time_end + 2
        if size >= _LONG:
            size, begin = varint(message, time_end + 1)
        if begin + size == len(message):  # nothing else, as nearly always
            is_error = at == 0 or message[1] == 0
            return Printed(message[begin:].decode(errors="replace"), _time(message[at + 2 : time_end]), is_error)
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
    """Unix time of a `Timestamp`: its seconds fill five bytes from 1978 to 2514."""
    if not isinstance(value, bytes):
        return None
    if len(value) > _FRACTION and value[0] == _SECONDS_TAG and value[6] == _FRACTION_TAG and value[5] < _LONG:
        a, b, c, d, e = value[1:6]
        if a & b & c & d & _LONG:
            seconds = (a & 127) | (b & 127) << 7 | (c & 127) << 14 | (d & 127) << 21 | e << 28
            parts, end = varint(value, _FRACTION)
            if end == len(value):
                return seconds + parts * 1e-9
    seconds, parts = 0, 0
    for number, part in fields(value):
        if number == 1:
            seconds = integer(part)
        elif number == 2:
            parts = integer(part)
    return seconds + parts * 1e-9 if seconds > 0 else None
