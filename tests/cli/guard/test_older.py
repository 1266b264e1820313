"""What is old of a guarded run lies in a file without a name, as long as there is room."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from itermon.cli.guard import older
from itermon.cli.guard.older import OlderFile

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    return tmp_path / "runs"


def test_what_was_put_is_found_and_no_name_is_left(folder: Path) -> None:
    file = OlderFile()
    places = [file.put(part) for part in (b"abcd", b"efgh", b"ij")]
    assert places == [0, 4, 8]
    assert [file.get(place, 4) for place in (0, 4)] == [b"abcd", b"efgh"]
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("folder")
def test_beyond_its_share_of_the_disk_it_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(older, "MOST_BYTES", 6)
    file = OlderFile()
    assert [file.put(part) for part in (b"abcd", b"efg", b"hi", b"j")] == [0, None, 4, None]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("written", [2, OSError(errno.ENOSPC, "full")])
def test_a_full_disk_takes_nothing_and_keeps_what_it_has(
    monkeypatch: pytest.MonkeyPatch, written: int | OSError
) -> None:
    file = OlderFile()
    assert file.put(b"abcd") == 0

    def full(*_: object) -> int:
        if isinstance(written, OSError):
            raise written
        return written

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        assert file.put(b"efgh") is None
    assert file.put(b"ijkl") == 4
    assert file.get(0, 8) == b"abcdijkl"


def test_a_folder_that_cannot_be_had_takes_nothing(folder: Path) -> None:
    folder.write_text("a file")
    assert OlderFile().put(b"abcd") is None
