import pytest

from itermon.collectors.trackers.wandb import growing
from itermon.collectors.trackers.wandb.growing import GrowingFile


def test_each_byte_once(tmp_path, monkeypatch):
    monkeypatch.setattr(growing, "CHUNK_BYTES", 4)
    path = tmp_path / "x"
    path.write_bytes(b"abcdef")
    file = GrowingFile(path, patient=False)
    assert (file.read(), file.caught_up) == (b"abcd", False)
    assert (file.read(), file.caught_up, file.read()) == (b"ef", True, b"")
    with path.open("ab") as more:
        more.write(b"gh")
    assert file.read() == b"gh"
    file.close()


def test_a_file_that_became_shorter_begins_anew(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"abcdef")
    file = GrowingFile(path, patient=True)
    file.read()
    path.write_bytes(b"new")
    assert (file.read(), file.restarts) == (b"new", 1)
    file.begin_anew()
    assert file.read() == b"new"
    file.close()


def test_the_patient_wait_for_a_file_and_the_others_are_told(tmp_path):
    path = tmp_path / "x"
    with pytest.raises(FileNotFoundError):
        GrowingFile(path, patient=False).read()
    file = GrowingFile(path, patient=True)
    assert (file.read(), file.trouble, file.caught_up) == (b"", "No such file or directory", True)
    path.write_bytes(b"abc")
    assert (file.read(), file.trouble) == (b"abc", "")
    file.close()
