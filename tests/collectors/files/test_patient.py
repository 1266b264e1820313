"""A tail whose troubles pass."""

import os
from pathlib import Path

import pytest

from itermon.collectors.files.patient import PatientTail


def test_it_goes_on_where_it_was_once_the_file_can_be_read_again(tmp_path: Path, monkeypatch) -> None:
    """What a network drive does: the handle is stale, and the file is there again under its name."""
    path = tmp_path / "log"
    path.write_bytes(b"one\n")
    tail = PatientTail(path, patient=True)
    assert tail.read() == b"one\n"
    path.write_bytes(b"one\ntwo\n")
    with monkeypatch.context() as away:
        away.setattr("os.pread", stale)
        assert tail.read() == b""
        assert tail.trouble == "Stale file handle"
    assert tail.read() == b"two\n"
    assert not tail.trouble
    assert tail.restarts == 0


def test_a_folder_in_the_place_of_an_open_file_is_not_gone_to(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\n")
    tail = PatientTail(path, patient=True)
    assert tail.read() == b"one\n"
    path.rename(tmp_path / "log.1")
    path.mkdir()
    assert (tail.read(), tail.trouble) == (b"", "")
    path.rmdir()
    path.write_bytes(b"two\n")
    assert tail.read() == b"two\n"


def test_without_patience_the_error_is_raised(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="a directory, not a file"):
        PatientTail(tmp_path, patient=False).read()


def stale(*_: object) -> bytes:
    raise OSError(116, "Stale file handle")


def test_a_file_is_open_whatever_its_descriptor_where_standard_input_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\n")
    kept = os.dup(0)
    os.close(0)
    try:
        tail = PatientTail(path, patient=False)
        assert not tail.is_open
        assert tail.read() == b"one\n"
        assert tail.is_open
        tail.close()
    finally:
        os.dup2(kept, 0)
        os.close(kept)
