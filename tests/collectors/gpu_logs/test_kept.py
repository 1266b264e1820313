from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import pytest

from itermon.collectors.gpu_logs import kept, tables
from itermon.collectors.gpu_logs.kept import SurveyedRecording
from itermon.collectors.gpu_logs.recording import NotARecordingError, Recording
from itermon.collectors.gpu_logs.survey import survey

if TYPE_CHECKING:
    from pathlib import Path

    from itermon.events import GpuSample

HEAD = (
    "timestamp, index, name, uuid, utilization.gpu [%], power.draw [W], memory.used [MiB],"
    " clocks_event_reasons.active, ecc.errors.uncorrected.volatile.total\n"
)
ROW = "2025/11/03 10:{:02d}:{:02d}.250, {}, NVIDIA H100, GPU-{}, {} %, {}.5 W, 7{} MiB, 0x000000000000000{}, 0\n"


def write(path: Path, first: int, stop: int) -> None:
    with path.open("a") as file:
        file.write("" if first else HEAD)
        for n in range(first, stop):
            reasons = (4, 0, 1)[n % 3]
            file.write(ROW.format(n // 60, n % 60, 0, "a", n % 100, n, n, reasons))
            file.write(ROW.format(n // 60, n % 60, 1, "b", "[N/A]", n, n, reasons))


class Counted:
    """zlib, which writes down how long everything that it has packed is."""

    decompress = staticmethod(zlib.decompress)

    def __init__(self, sizes: list[int]) -> None:
        self._sizes = sizes

    def compress(self, data: bytes, level: int) -> bytes:
        packed = zlib.compress(data, level)
        self._sizes.append(len(packed))
        return packed


def drained(recording: Recording | SurveyedRecording) -> list[GpuSample]:
    return [sample for samples in recording.new() for sample in samples]


@pytest.mark.parametrize("most_bytes", [1 << 26, 100])
def test_the_samples_are_those_that_were_surveyed_whether_they_were_kept_or_not(tmp_path, monkeypatch, most_bytes):
    monkeypatch.setattr(kept, "MOST_BYTES", most_bytes)
    path = tmp_path / "gpu.csv"
    write(path, 0, 600)
    recording = SurveyedRecording(path, follow=False)
    assert recording.survey() == survey(Recording(path))
    found = drained(recording)
    assert found == drained(Recording(path))
    assert {sample.limits for sample in found} == {("power cap",), (), ("idle",)}
    assert drained(recording) == []


def test_no_row_is_parsed_twice(tmp_path, monkeypatch):
    """A day of eight GPUs took 14 s to parse, half of it for the second time."""
    path, rows, row = tmp_path / "gpu.csv", [], tables.TableReader._row
    write(path, 0, 600)
    monkeypatch.setattr(tables.TableReader, "_row", lambda *given: rows.append(given[1]) or row(*given))
    head_rows = len(rows)
    recording = SurveyedRecording(path, follow=False)
    recording.survey()
    surveyed = len(rows)
    drained(recording)
    assert (head_rows, surveyed > 1_200, len(rows)) == (0, True, surveyed)


def test_one_that_grows_gives_each_sample_once(tmp_path):
    path = tmp_path / "gpu.csv"
    write(path, 0, 10)
    recording = SurveyedRecording(path, follow=True)
    recording.survey()
    write(path, 10, 20)
    assert len(drained(recording)) == 40
    write(path, 20, 23)
    assert len(drained(recording)) == 6


def test_what_is_none_is_said_by_the_survey(tmp_path):
    path = tmp_path / "gpu.csv"
    path.write_text("nothing of the kind\n" * 50)
    with pytest.raises(NotARecordingError):
        SurveyedRecording(path, follow=False).survey()


@pytest.mark.parametrize(("spare", "parsed"), [(0, 1), (-1, 2)])
def test_what_is_just_as_much_as_may_be_kept_is_kept(tmp_path, monkeypatch, spare, parsed):
    path, sizes, rows, row = tmp_path / "gpu.csv", [], [], tables.TableReader._row
    write(path, 0, 2_000)
    monkeypatch.setattr(kept, "zlib", Counted(sizes))
    SurveyedRecording(path, follow=False).survey()
    assert len(sizes) > 1
    assert sum(sizes) < path.stat().st_size / 10
    monkeypatch.setattr(kept, "MOST_BYTES", sum(sizes) + spare)
    recording = SurveyedRecording(path, follow=False)
    monkeypatch.setattr(tables.TableReader, "_row", lambda *given: rows.append(given[1]) or row(*given))
    recording.survey()
    once = len(rows)
    assert drained(recording) == drained(Recording(path))
    assert len(rows) == (parsed + 1) * once


def test_a_first_piece_that_is_just_as_much_as_may_be_kept_is_not_lost(tmp_path, monkeypatch):
    path, sizes = tmp_path / "gpu.csv", []
    write(path, 0, 2_000)
    monkeypatch.setattr(kept, "zlib", Counted(sizes))
    SurveyedRecording(path, follow=False).survey()
    monkeypatch.setattr(kept, "MOST_BYTES", sizes[0])
    recording = SurveyedRecording(path, follow=False)
    recording.survey()
    assert drained(recording) == drained(Recording(path))


def test_one_of_a_single_sample_and_one_without_any(tmp_path):
    path = tmp_path / "gpu.csv"
    path.write_text(HEAD)
    recording = SurveyedRecording(path, follow=True)
    assert recording.survey() is None
    assert drained(recording) == []
    path.write_text(HEAD + ROW.format(0, 0, 0, "a", 5, 5, 5, 0))
    recording = SurveyedRecording(path, follow=False)
    recording.survey()
    assert drained(recording) == drained(Recording(path))
