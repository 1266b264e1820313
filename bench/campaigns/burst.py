"""Megabytes appended at once to a log that is being watched: the app takes them in as from disk, none lost or twice.

With a time to spend, 50 MB are appended, and what takes more than three times the CPU of the same read from disk is
a hang, and so are two minutes without one more iteration: seconds on the wall tell how busy the machine is. In a fixed
number of rounds it is 2 MB, and only the counts are looked at.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.source import Feed
from itermon.tui.app import Monitor
from itermon.tui.drawing.theme import theme_for
from itermon.tui.watched import Watched

from .tally import Tally, rounds, table

if TYPE_CHECKING:
    from collections.abc import Callable

LONG_BYTES, SHORT_BYTES = 50 << 20, 2 << 20
MOST_TIMES_SLOWER = 3.0
MOST_SECONDS = 120.0  # without anything new
BEFORE = 200  # iterations that are there before the burst
FORMATS: dict[str, Callable[[int], str]] = {
    "nanoGPT": lambda i: f"iter {i}: loss 2.5000, time {20 + i % 7}.00ms, mfu 40.00%\n",
    "llm.c": lambda i: (
        f"step {i + 1:4d}/99999999 | loss 7.367857 (+nanz)| norm 2.0{i % 7} (+nanz)| lr 6.00e-04 | 80.0{i % 7} ms "
        "| 73.3% bf16 MFU | 2031130 tok/s\n"
    ),
}


def run(seconds: float | None, seed: int, *, most: int | None = None) -> Tally:
    """Bursts until `seconds` have passed, or `most` of them."""
    tally = Tally("burst")
    size = LONG_BYTES if most is None else SHORT_BYTES
    with tempfile.TemporaryDirectory() as folder:
        for number in rounds(seconds, most):
            rng = Random(f"{seed} {number}")
            name = tuple(FORMATS)[number % len(FORMATS)]
            path = Path(folder) / f"{number}.log"
            text = _text(name, size)
            disk_s = asyncio.run(_watched(path, "", text, tally, rng))
            burst_s = asyncio.run(_watched(path, _text(name, 0), text[len(_text(name, 0)) :], tally, rng))
            if most is None:
                tally.note(
                    f"{name}: {len(text) >> 20} MiB from disk in {disk_s:.1f} s of CPU, appended at once in {burst_s:.1f} s"
                )
                tally.hangs += burst_s > MOST_TIMES_SLOWER * disk_s
            path.unlink()
    return tally


def _text(name: str, size: int) -> str:
    line = FORMATS[name]
    return "".join(map(line, range(BEFORE + size // len(line(1_000_000)))))


async def _watched(path: Path, before: str, text: str, tally: Tally, rng: Random) -> float:
    """CPU seconds until the app has taken in `text`, appended to `before` in up to three writes."""
    path.write_text(before or text)
    feed, watched = Feed(), Watched("burst")
    app = Monitor(watched, feed.drain, theme_for(1 << 24))
    begin_s = time.process_time()
    thread = feed.add(LogSource(path))
    async with app.run_test(size=(100, 30)):
        if before:
            await _until(BEFORE, watched)
            begin_s = time.process_time()
            cuts = sorted(rng.randrange(len(text)) for _ in range(rng.randrange(3)))
            with path.open("a") as file:
                for first, last in zip((0, *cuts), (*cuts, len(text)), strict=True):
                    file.write(text[first:last])
        expected = (before + text).count("\n")
        in_time = await _until(expected, watched)
        took_s = time.process_time() - begin_s
        index = watched.session.run.columns.index
        _count(tally, [*index], expected)
        if not in_time:
            tally.hangs += 1
            tally.note(f"{len(index):,} of {expected:,} iterations, and no more in {MOST_SECONDS:.0f} s")
    feed.stop()
    thread.join(10)
    return took_s


def _count(tally: Tally, read: list[int], expected: int) -> None:
    tally.operations += expected
    tally.lost += expected - len(set(read))
    tally.doubled += len(read) - len(set(read))


async def _until(expected: int, watched: Watched) -> bool:
    """Wait until so many iterations are read; no, if nothing new comes for too long."""
    seen, until_s = (False, 0), time.monotonic() + MOST_SECONDS
    while seen < (True, expected):
        now = (not watched.session.is_preview, len(watched.session.run.columns))
        if now != seen:
            seen, until_s = now, time.monotonic() + MOST_SECONDS
        elif time.monotonic() > until_s:
            return False
        await asyncio.sleep(0.01)
    return True


if __name__ == "__main__":
    print(table([run(20, 1)]))
