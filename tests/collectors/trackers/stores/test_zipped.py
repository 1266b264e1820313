"""ClearML's own zip of a session (its folder's files at the top), and one that somebody made of the folder."""

from __future__ import annotations

import struct
import threading
import zipfile
from pathlib import Path
from random import Random

import pytest

from itermon.collectors.trackers.known import Found, newest_run, source_of
from itermon.collectors.trackers.stores import zipped
from itermon.collectors.trackers.stores.offline import OfflineRun, is_session
from itermon.collectors.trackers.stores.store import StoreError
from itermon.events import SourceState

from .test_offline import clearml, neptune


def pack(session: Path, into: Path, top: str = "", packing: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(into, "a", compression=packing) as archive:
        for file in session.iterdir():
            archive.write(file, top + file.name)
    return into


def events_of(path: Path) -> list[object]:
    source = source_of(path, follow=False, formats=None)
    return [event for batch in source.batches(threading.Event()) for event in batch.events]


@pytest.mark.parametrize("make", [clearml, neptune])
@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("nested", [False, True])
def test_its_events_are_those_of_the_folder(tmp_path, make, packing, nested, monkeypatch):
    monkeypatch.setattr(
        "itermon.collectors.trackers.stores.offline._MOST_BYTES", 3_000
    )  # several pieces, lines cut
    session = make(tmp_path, range(200))
    packed = pack(session, tmp_path / f"{session.name}.zip", f"{session.name}/" if nested else "", packing)
    assert events_of(packed)[:-1] == events_of(session)[:-1]  # the last has the time at which it was read
    assert len(events_of(packed)) > 200


def test_the_folder_beside_its_zip_is_the_same_session(tmp_path):
    session = clearml(tmp_path)
    packed = pack(session, tmp_path / f"{session.name}.zip")
    assert newest_run(tmp_path) == Found("ClearML or Neptune", session)
    (session / "metrics.jsonl").unlink()
    assert newest_run(tmp_path) == Found("ClearML or Neptune", packed)


def test_of_several_in_one_zip_the_newest_is_read_and_their_number_known(tmp_path):
    packed = pack(clearml(tmp_path), tmp_path / "all.zip", "a/")
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr(zipfile.ZipInfo("b/metrics.jsonl", (1990, 1, 1, 0, 0, 0)), '[{"type": 1}]\n')
    run = OfflineRun(packed)
    assert (run.of, run.begun().name, len(run.new())) == (2, "a", 20)


def test_other_zips_and_other_files_are_no_session(tmp_path):
    other = tmp_path / "model.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("a/b/metrics.jsonl", '[{"type": 1}]\n')
        archive.writestr("metrics.jsonl", '{"step": 1, "loss": 2.5}\n')
        archive.writestr("data.pkl", "x")
    assert not is_session(other)
    other.write_bytes(b"PK\x03\x04")
    assert not is_session(other)


def test_one_that_unpacks_to_absurdly_much_is_not_read(tmp_path):
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("metrics.jsonl", b'[{"' + bytes(70 << 20))
    with pytest.raises(StoreError, match="500 times its size"):
        OfflineRun(bomb).new()
    assert [batch.state for batch in source_of(bomb, follow=False, formats=None).batches(threading.Event())][
        -1
    ] == SourceState.FAILED


def test_a_list_of_files_beyond_any_size_is_not_read(tmp_path, monkeypatch):
    packed = pack(clearml(tmp_path), tmp_path / "many.zip")
    with zipfile.ZipFile(packed, "a") as archive:
        for number in range(50):
            archive.writestr(f"plots/{number}.png", "x")
    assert is_session(packed)
    monkeypatch.setattr(zipped, "MOST_LIST_BYTES", 2_000)
    assert not is_session(packed)


def test_what_is_encrypted_or_packed_otherwise_is_refused_in_words(tmp_path):
    other = pack(clearml(tmp_path), tmp_path / "a.zip", packing=zipfile.ZIP_LZMA)
    with pytest.raises(StoreError, match="packed or encrypted"):
        OfflineRun(other).new()
    locked = pack(clearml(tmp_path), tmp_path / "b.zip")
    data = bytearray(locked.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[at + 8 : at + 10] = struct.pack("<H", 1)
    locked.write_bytes(data)
    with pytest.raises(StoreError, match="packed or encrypted"):
        OfflineRun(locked).new()


def test_damage_raises_nothing_else_and_invents_nothing(tmp_path):
    packed = pack(clearml(tmp_path, range(60)), tmp_path / "a.zip")
    whole, truth = packed.read_bytes(), [*OfflineRun(packed).new()]
    for seed in range(300):
        rng, data = Random(seed), bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        packed.write_bytes(data[: rng.randrange(len(data)) if seed % 3 == 0 else len(data)])
        try:
            found = OfflineRun(packed).new() if is_session(packed) else []
        except StoreError:
            continue
        assert found in ([], truth)


@pytest.mark.parametrize(("ratio", "free", "read"), [(100, 0, True), (1, 0, False), (1, 1 << 20, True)])
def test_a_session_may_unpack_to_so_many_times_its_packed_size(tmp_path, monkeypatch, ratio, free, read):
    monkeypatch.setattr(zipped, "FREE_BYTES", free)
    monkeypatch.setattr(zipped, "MOST_RATIO", ratio)
    run = OfflineRun(pack(clearml(tmp_path, range(400)), tmp_path / "a.zip"))
    if read:
        assert run.new()
        return
    with pytest.raises(StoreError, match="1 times its size"):
        run.new()


def test_as_much_as_its_list_may_have_is_read_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(zipped, "MOST_LIST_BYTES", 100_000)
    data = Random(1).randbytes(300_000)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("metrics.jsonl", data)
    file = zipped.ZippedFile(tmp_path / "a.zip", "metrics.jsonl")
    assert file.read_at(0, 100_000) == data[:100_000]
    with pytest.raises(StoreError, match="beyond any size"):
        file.read_at(100_000, 100_001)


def test_a_zip_that_was_replaced_by_one_without_the_file_is_an_error_in_words(tmp_path):
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("notes.txt", "x")
    with pytest.raises(StoreError):
        zipped.ZippedFile(tmp_path / "other.zip", "metrics.jsonl").read_at(0, 10)
