"""Compressed files made to hurt, and good ones cut and damaged at random, each read under a limit of memory.

Asked of each: it ends in time, nothing raises, and what was read is the beginning of the truth. After a damage that
no checksum has shown yet, wrong text may come (gzip has one checksum, at the end): then a warning has to.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import resource
import struct
import sys
import tempfile
import zlib
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from itermon.collectors.files.tail import Tail

from .tally import Tally, rounds, table

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_MEMORY_BYTES = 1 << 30  # of addresses
MOST_GROWTH_MB = 220  # of resident memory: a window of 128 MiB, and some pieces
MOST_SECONDS = 20
NAMED_BY_BYTES = 10  # at the beginning of a file: who damages these has a file that is not compressed
TEXT = b"".join(
    b"iter %d: loss %.4f, time %.2fms, mfu 8.44%%\n" % (i, 9 / (i + 1), 84 + i % 7) for i in range(4_000)
)


def run(seconds: float | None, seed: int, *, most: int | None = None) -> Tally:
    """Bombs first, one a round, then damaged logs until `seconds` have passed or `most` rounds are done."""
    tally = Tally("bombs")
    kinds = [(name, bomb) for name in PACK for bomb in BOMBS]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.log"
        for number in rounds(seconds, most):
            rng = Random(f"{seed} {number}")
            if number < 2 * len(kinds) and number % 2 == 0:
                name, bomb = kinds[number // 2]
                path.write_bytes(bomb(PACK[name]))
                _in_child(path, tally, f"{bomb.__name__} {name}", lambda _text, _problem: (0, 0))
                continue
            name = rng.choice(tuple(PACK))
            whole, truth = _members(PACK[name], rng)
            damaged, intact = _damaged(whole, rng)
            path.write_bytes(damaged)
            _in_child(path, tally, f"round {number}, {name}", _judge(name, truth, damaged, intact, whole))
    return tally


def _members(pack: Callable[[bytes], bytes], rng: Random) -> tuple[bytes, bytes]:
    ends = sorted(rng.randrange(len(TEXT)) for _ in range(rng.choice((1, 2, 4))))
    ends[-1] = TEXT.find(b"\n", ends[-1]) + 1
    texts = [TEXT[begin:end] for begin, end in zip((0, *ends), ends, strict=False)]
    return b"".join(map(pack, texts)), TEXT[: ends[-1]]


def _damaged(whole: bytes, rng: Random) -> tuple[bytes, int]:
    """The file after an accident, and how much of its beginning is as it was."""
    at = rng.randrange(NAMED_BY_BYTES, len(whole))
    match rng.randrange(5):
        case 0:
            return whole[:at], at
        case 1:
            return whole[:at] + bytes((whole[at] ^ 1 << rng.randrange(8),)) + whole[at + 1 :], at
        case 2:
            return whole[:at] + rng.randbytes(40) + whole[at + 40 :], at
        case 3:
            return whole + bytes(rng.choice((1, 511, 10_240))), len(whole)
    return whole + b"# end" * rng.randrange(1, 9), len(whole)


def _judge(
    name: str, truth: bytes, damaged: bytes, intact: int, whole: bytes
) -> Callable[[bytes, str], tuple[int, int]]:
    """Counts lines that were lost (before the damage) and invented (without a warning)."""
    readable = truth if intact == len(whole) else _oracle(name, damaged[:intact])

    def judge(text: bytes, problem: str) -> tuple[int, int]:
        common = next(
            (at for at, (a, b) in enumerate(zip(text, truth, strict=False)) if a != b), min(len(text), len(truth))
        )
        lost = readable.count(b"\n") - text[:common].count(b"\n")
        invented = 0 if problem else text[common:].count(b"\n")
        silent = damaged != whole and damaged.rstrip(b"\0") != whole and text != truth and not problem
        return max(lost, 0) + silent, invented

    return judge


def _oracle(name: str, data: bytes) -> bytes:
    """All that can be unpacked of the beginning of a file: by the library itself, byte after byte."""
    text, member = b"", None
    for at in range(len(data)):
        member = UNPACK[name]() if member is None or member.eof else member
        text += member.decompress(data[at : at + 1])
    return text


def _in_child(path: Path, tally: Tally, what: str, judge: Callable[[bytes, str], tuple[int, int]]) -> None:
    """Read `path` in a process of its own, with little memory and time."""
    tally.operations += 1
    begin, end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(begin)
        os._exit(_read_and_judge(path, end, judge))
    os.close(end)
    with os.fdopen(begin, "rb") as answer:
        said = answer.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        tally.hangs += 1
        tally.note(f"{what}: not done after {MOST_SECONDS} s of CPU (signal {os.WTERMSIG(status)})")
    elif len(said) != 12:
        tally.exceptions += 1
        tally.note(f"{what}: {said.decode(errors='replace')[:300]}")
    else:
        lost, invented, grown_mb = struct.unpack("iii", said)
        tally.lost += lost
        tally.doubled += invented
        if lost or invented:
            tally.note(f"{what}: {lost} lines lost, {invented} invented")
        if grown_mb > MOST_GROWTH_MB:
            tally.exceptions += 1
            tally.note(f"{what}: took {grown_mb} MB")


def _read_and_judge(path: Path, end: int, judge: Callable[[bytes, str], tuple[int, int]]) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        tail, kept = Tail(path), []
        while (data := tail.read()) or not tail.caught_up:
            if len(kept) < 100:
                kept.append(data)
        kept.append(tail.rest())
        counts = judge(b"".join(kept), tail.problem_at_end)
    except BaseException as error:  # noqa: BLE001 - counted by the parent
        os.write(end, f"{type(error).__name__}: {error}".encode())
        return 1
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    os.write(end, struct.pack("iii", *counts, grown))
    return 0


def zeros(pack: Callable[[bytes], bytes]) -> bytes:
    """Of nothing but zeros: 1,000 times smaller with gzip, 1,000,000 times with bzip2."""
    return pack(bytes(68 << 20))


def equal_lines(pack: Callable[[bytes], bytes]) -> bytes:
    """Of one line, millions of times."""
    return pack(b"iter 1: loss 2.5, time 84.00ms\n" * 2_000) * 1_250


def empty_lines(pack: Callable[[bytes], bytes]) -> bytes:
    """Of newlines."""
    return pack(b"\n" * (70 << 20))


def empty_members(pack: Callable[[bytes], bytes]) -> bytes:
    """Thousands of members with nothing in them."""
    return pack(b"") * 10_000


def members_of_zeros(pack: Callable[[bytes], bytes]) -> bytes:
    """Small bombs after each other."""
    return pack(bytes(10 << 20)) * 60


def in_itself(pack: Callable[[bytes], bytes]) -> bytes:
    """Packed, and packed once more."""
    return pack(pack(bytes(40 << 20)))


def _zstd(data: bytes) -> bytes:
    import zstandard

    return bytes(zstandard.ZstdCompressor(write_checksum=True).compress(data))


def _zstd_unpacker() -> object:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


BOMBS = (zeros, equal_lines, empty_lines, empty_members, members_of_zeros, in_itself)
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=1),
}
UNPACK: dict[str, Callable[[], object]] = {
    "gzip": lambda: zlib.decompressobj(wbits=31),
    "bzip2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
}
if find_spec("zstandard"):
    PACK["zstd"], UNPACK["zstd"] = _zstd, _zstd_unpacker


if __name__ == "__main__":
    print(table([run(float(sys.argv[1]) if sys.argv[1:] else 60, 1)]))
