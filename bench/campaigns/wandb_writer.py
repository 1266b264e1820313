"""`.wandb` files as W&B writes them: for tests, and for campaigns that damage them."""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAGIC = b":W&B\xe1\xbe\x00"
BLOCK_BYTES = 32_768
HISTORY, OUTPUT, CONFIG, STATS, OUTPUT_RAW, RUN, EXIT, ENVIRONMENT = 2, 4, 5, 7, 13, 17, 18, 26


def file_of(records: Iterable[bytes]) -> bytes:
    """A whole file: its records in blocks."""
    data = bytearray(MAGIC)
    for record in records:
        data += pieces(record, len(data))
    return bytes(data)


def pieces(record: bytes, at: int) -> bytes:
    """A record as it is written at offset `at` of the file."""
    data, begun = bytearray(), False
    while True:
        left = BLOCK_BYTES - (at + len(data)) % BLOCK_BYTES
        if left < 7:
            data += bytes(left)
            continue
        piece, record = record[: left - 7], record[left - 7 :]
        kind = (3 if begun else 2) if record else (4 if begun else 1)
        data += struct.pack("<IHB", zlib.crc32(bytes([kind]) + piece), len(piece), kind) + piece
        begun = True
        if not record:
            return bytes(data)


def varint(value: int) -> bytes:
    """An integer as protobuf writes it; a negative one takes ten bytes."""
    value &= (1 << 64) - 1
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*data, value])


def field(number: int, value: int | float | str | bytes) -> bytes:
    """One field of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def record(number: int, message: bytes, count: int = 1) -> bytes:
    """A record whose field `number` is `message`."""
    return field(1, count) + field(number, message) + field(16, field(5, "x"))


def time(at_s: float) -> bytes:
    """A moment, as W&B writes it."""
    return field(1, int(at_s)) + field(2, round(at_s % 1 * 1e9))


def items(number: int, values: Mapping[str, Any], *, nested: bool = False) -> bytes:
    """Names and values as JSON, each an item in the field `number`."""
    found = b""
    for name, value in values.items():
        keys = b"".join(field(2, part) for part in name.split(".")) if nested else field(1, name)
        found += field(number, keys + field(16, json.dumps(value)))
    return found


def row(values: Mapping[str, Any], *, nested: bool = True) -> bytes:
    """What was logged at once; with `nested` as the newer SDKs write it."""
    return record(HISTORY, items(1, values, nested=nested))


def stats(at_s: float, values: Mapping[str, Any]) -> bytes:
    """What was measured at one time."""
    return record(STATS, field(1, 0) + field(2, time(at_s)) + items(3, values))


def printed(text: str, at_s: float, *, error: bool = False, raw: bool = True) -> bytes:
    """A portion of what was printed."""
    kind = b"" if error else field(1, 1)
    return record(OUTPUT_RAW if raw else OUTPUT, kind + field(2, time(at_s)) + field(3, text))


def begun(
    name: str, at_s: float, config: Mapping[str, Any], *, host: str = "gpu-box", resumed: bool = False
) -> bytes:
    """The run, with its settings."""
    rest = field(18, 1) if resumed else b""
    return record(
        RUN, field(4, items(1, config)) + field(8, name) + field(13, host) + field(17, time(at_s)) + rest
    )


def config(values: Mapping[str, Any]) -> bytes:
    """Settings that came later."""
    return record(CONFIG, items(1, values))


def machine(gpus: Iterable[tuple[str, int]]) -> bytes:
    """What the machine has: each GPU's name and memory."""
    return record(ENVIRONMENT, b"".join(field(24, field(1, name) + field(2, size)) for name, size in gpus))


def exited(code: int, runtime_s: int) -> bytes:
    """The script's end."""
    return record(EXIT, field(1, code) + field(2, runtime_s))
