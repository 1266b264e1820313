"""A recording of GPUs in a file: found out by its first lines, read as it grows."""

import gzip
import random
from pathlib import Path

import pytest

from itermon.collectors.gpu_logs.recording import NO_HEADINGS, NotARecordingError, Recording, is_recording
from itermon.events import GpuSample

HEADING = "timestamp, index, utilization.gpu [%], power.draw [W]\n"
ROWS = [f"2026/02/15 06:12:{second:02d}.455, {gpu}, 90 %, 61.20 W\n" for second in range(60) for gpu in range(2)]


def drained(recording: Recording) -> list[GpuSample]:
    return [sample for samples in recording.new() for sample in samples]


def test_what_is_one_and_what_is_not(tmp_path: Path) -> None:
    (tmp_path / "gpu.csv").write_text("some driver complains\n\n" + HEADING + ROWS[0])
    (tmp_path / "train.log").write_text("iter 0: loss 3.5, time 200.00ms, mfu 10.00%\n")
    (tmp_path / "train.csv").write_text("step,loss,gpu_util\n1,2,3\n")
    (tmp_path / "empty").write_text("")
    names = ("gpu.csv", "train.log", "train.csv", "empty", "none", "")
    assert [name for name in names if is_recording(tmp_path / name)] == ["gpu.csv"]


def test_words_of_a_list_are_no_headings_though_some_of_them_name_figures_of_gpus(tmp_path: Path) -> None:
    words = ", ".join(
        f"'{word}'" for word in ("<s>", "temp", "_", "mem", "name", "id", "time", "gpu", *"abcdefghij")
    )
    (tmp_path / "train.log").write_text(f"07/11/2025 20:17:45 - input_tokens: [{words}]\nidx: 0\nlabel: 0\n")
    (tmp_path / "gpu.csv").write_text(HEADING)
    assert [name for name in ("train.log", "gpu.csv") if is_recording(tmp_path / name)] == ["gpu.csv"]


def test_a_compressed_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "gpu.csv.gz"
    path.write_bytes(gzip.compress((HEADING + "".join(ROWS)).encode()))
    assert len(drained(Recording(path))) == 120


def test_it_grows_is_torn_and_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "gpu.csv"
    path.write_text("")
    recording = Recording(path, follow=True)
    assert drained(recording) == []
    path.write_text(HEADING[:20])
    assert drained(recording) == []
    path.write_text(HEADING + ROWS[0] + ROWS[1][:30])
    assert len(drained(recording)) == 1
    path.write_text(HEADING + ROWS[0] + ROWS[1])
    assert [sample.gpu for sample in drained(recording)] == [1]
    path.write_text("unix_s,gpu.0.gpu\n1702385280,7\n")
    assert [sample.utilization for sample in drained(recording)] == [pytest.approx(0.07)]
    recording.close()


def test_the_reason_is_said_where_it_is_none(tmp_path: Path) -> None:
    path = tmp_path / "gpu.csv"
    path.write_text("".join(ROWS))
    with pytest.raises(NotARecordingError, match="noheader"):
        drained(Recording(path))
    path.write_text("hello\n" * 10_000)
    with pytest.raises(NotARecordingError, match="nvidia-smi dmon -o DT"):
        drained(Recording(path))
    assert "noheader" in NO_HEADINGS


def test_bytes_that_were_changed_give_samples_or_a_reason_and_never_anything_else(tmp_path: Path) -> None:
    whole = (HEADING + "".join(ROWS)).encode()
    path = tmp_path / "gpu.csv"
    chance = random.Random(14)
    for _ in range(150):
        data = bytearray(whole[: chance.randrange(len(whole))])
        for _ in range(chance.randrange(20)):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)
        try:
            samples = drained(Recording(path))
        except NotARecordingError:
            continue
        assert all(0 <= s.gpu < 10_000 and 0 <= s.at_s <= 1e11 for s in samples)
        assert all(s.utilization is None or 0 <= s.utilization <= 1 for s in samples)
