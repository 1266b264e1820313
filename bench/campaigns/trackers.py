"""Files of trackers, cut anywhere, with bits flipped, zeroed, repeated, in any portions; and messages that are none.

Asked of each: nothing raises, nothing takes long, every record that is given was written so, each once and in its
order, and none before the damage is missing.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import NamedTemporaryFile
from threading import Event
from typing import TYPE_CHECKING

from itermon.analysis.run import Run
from itermon.collectors.trackers.wandb.blocks import BLOCK_BYTES, Blocks
from itermon.collectors.trackers.wandb.records import Records
from itermon.collectors.trackers.wandb.source import WandbSource

from . import wandb_writer as w
from .judged import check_findings, counted
from .tally import Tally, rounds

if TYPE_CHECKING:
    from collections.abc import Sequence

EACH = 100  # files of one round
WHOLE = 2  # of these are read to their report
MOST_STEPS = 12


def run(seconds: float | None, seed: int, *, most: int | None = None) -> Tally:
    """Rounds of files until `seconds` have passed, or `most` rounds."""
    tally = Tally("trackers")
    for number in rounds(seconds, most):
        rng = Random(f"{seed} {number}")
        records = _records(rng)
        whole = w.file_of(records)
        for count in range(EACH):
            with counted(tally, f"round {number}"):
                tally.operations += 1
                data = _one_file(rng, tally, records, whole)
                _one_message(rng, rng.choice(records))
                if count < WHOLE:
                    _one_run(tally, f"round {number}", data)
    return tally


def _records(rng: Random) -> list[bytes]:
    """Of a run; each has a number in it, so that no two are alike."""
    records = [w.begun("run", 1.7e9, {"batch_size": 8, "model": {"layers": 4}})]
    long = rng.random() < 0.3  # over several blocks
    for step in range(rng.randrange(3, MOST_STEPS)):
        records += (
            w.printed(f"step {step} loss {rng.random()}\n" * (rng.randrange(2000) if long else 1), 1.7e9 + step),
            w.row({"_step": step, "loss": rng.random(), "nested.a": "NaN"}, nested=rng.random() < 0.5),
            w.stats(1.7e9 + step, {"gpu.0.gpu": step, "cpu.0.cpu_percent": 3.5}),
        )
    return [*records, w.machine([("NVIDIA H100", 80 << 30)]), w.exited(rng.randrange(-9, 9), 60)]


def _one_file(rng: Random, tally: Tally, records: Sequence[bytes], whole: bytes) -> bytes:
    """A file that something has happened to, read in any portions."""
    data, intact = _damaged(rng, whole)
    blocks, found, at = Blocks(), [], 0
    while at < len(data):
        size = rng.choice((1, 7, 100, 5_000, len(data)))
        found += blocks.feed(data[at : at + size])
        at += size
    rest = iter(records)
    if not all(record in rest for record in found):
        tally.doubled += 1
        tally.note("a record that was not written so, or not there")
    written = len(w.MAGIC)
    for count, record in enumerate(records, 1):
        written += len(w.pieces(record, written))
        if written <= intact and (len(found) < count or found[count - 1] != record):
            tally.lost += 1
            tally.note(f"record {count} before the damage")
            break
    reader = Records(str)
    for record in found:
        reader.read(record)
    return data


def _one_run(tally: Tally, what: str, data: bytes) -> None:
    """The file as a run, to its report: its iterations are among those that were written."""
    run = Run()
    with NamedTemporaryFile(suffix=".wandb") as file:
        file.write(data)
        file.flush()
        for batch in WandbSource(Path(file.name), follow=False).batches(Event()):
            run.apply(batch.events)
    check_findings(tally, what, run.findings(spikes=None))
    if not set(run.columns.index) <= set(range(MOST_STEPS)):
        tally.doubled += 1
        tally.note(f"{what}: iterations that nobody wrote")


def _damaged(rng: Random, whole: bytes) -> tuple[bytes, int]:
    """The file after something has happened to it, and how much of it surely still counts."""
    at = rng.randrange(len(whole))
    block = at - at % BLOCK_BYTES
    match rng.randrange(5):
        case 0:
            return whole[:at], at
        case 1:
            flipped = bytearray(whole)
            flipped[at] ^= 1 << rng.randrange(8)
            return bytes(flipped), at
        case 2:
            size = rng.randrange(1, 600)
            return whole[:at] + bytes(size) + whole[at + size :], at
        case 3:
            return whole[:at] + rng.randbytes(rng.randrange(1, 600)) + whole[at:], at
        case _:
            hole = min(BLOCK_BYTES, len(whole) - block)  # a crash of the machine: never written
            return whole[:block] + bytes(hole) + whole[block + hole :], block


def _one_message(rng: Random, record: bytes) -> None:
    """A record whose checksum would be right, and which says nonsense."""
    data = bytearray(record[:3000])
    for _ in range(rng.randrange(1, 6)):
        data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    Records(str).read(bytes(data[: rng.randrange(len(data) + 1)]))
