"""Recordings of GPUs, cut, changed, with cells that are none: nothing raises but the word that it is none of ours.

Asked of each too: every sample is one that a GPU can give, and the findings of all of them can be made.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from itermon.analysis.run import Run
from itermon.collectors.gpu_logs.clocks import find_offset
from itermon.collectors.gpu_logs.recording import NotARecordingError, Recording
from itermon.collectors.gpu_logs.survey import survey

from .judged import counted
from .tally import Tally, rounds

EACH = 20  # files of one round
ODD = (
    b"9" * 400,
    bytes(100),
    b"nan",
    b"1e308",
    b"-1",
    b"\r",
    b'"',
    b"[N/A]",
    b"0x" + b"f" * 30,
    b"\x1b[2J",
    b"\n#",
)
WRITTEN = (
    b"timestamp, index, name, utilization.gpu [%], power.draw [W], clocks_event_reasons.active\n"
    + b"".join(b"2026/02/15 06:12:%02d.455, %d, A100, 9%d %%, 61.20 W, 0x04\n" % (s, g, g) for s in range(60) for g in (0, 1)),
    b"#Date Time gpu pwr gtemp sm pclk\n#YYYYMMDD HH:MM:SS Idx W C % MHz\n" + b" 20260215 06:12:48 0 45 30 99 1410\n" * 60,
    b"#Entity GPUTL SMACT POWER\nID\n" + b"GPU 0 0 0.005 51.3\nGPU 1 99 N/A 351.3\n" * 40,
    b"unix_s,gpu.0.gpu,gpu.0.powerPercent,gpu.0.powerWatts,gpu.3.smClock\n" + b"1702385280,80.7,76.1,266.5,1980\n" * 60,
    b'{\n"query_time": "2026-01-01T12:00:00",\n"gpus": [{"index": 0, "utilization.gpu": 3, "name": "A"}]\n}\n' * 40,
)  # fmt: skip


def run(seconds: float | None, seed: int, *, most: int | None = None) -> Tally:
    """Rounds of files until `seconds` have passed, or `most` rounds."""
    tally = Tally("gpu recordings")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gpu.csv"
        for number in rounds(seconds, most):
            rng = Random(f"{seed} {number}")
            for _ in range(EACH):
                with counted(tally, f"round {number}"):
                    tally.operations += 1
                    path.write_bytes(_changed(rng))
                    _read(path)
    return tally


def _changed(rng: Random) -> bytes:
    data = bytearray(rng.choice(WRITTEN))
    del data[rng.randrange(len(data) // 2, 2 * len(data)) :]
    for _ in range(rng.choice((0, 1, 3, 20))):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(3):
            case 0:
                data[at : at + 1] = rng.randbytes(1)
            case 1:
                del data[at : at + rng.randrange(200)]
            case _:
                data[at:at] = rng.choice(ODD)
    return bytes(data)


def _read(path: Path) -> None:
    whole = Run()
    try:
        found = survey(Recording(path))
        for samples in Recording(path).new():
            whole.apply(samples)
            for sample in samples:
                assert sample.utilization is None or 0 <= sample.utilization <= 1
                assert (sample.name + sample.uuid).isprintable()
    except NotARecordingError:
        return
    whole.findings()
    if found is not None:
        find_offset("gpu.csv", found, 1.7e9, 1.7e9 + 3_600)
