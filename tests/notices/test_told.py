"""What was told is kept: whole or not at all, for nobody else, and not without an end."""

import os
import stat
from pathlib import Path

import pytest

from itermon.notices import told
from itermon.notices.message import Message, Phase
from itermon.notices.told import MOST_INCIDENTS, MOST_RUNS, Entry, Store, Told, Waiting, lock


def message(number: int = 1) -> Message:
    return Message(id=str(number), run="a", phase=Phase.BEGAN, kind="failed", evidence=("why",))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "guard.json"


def test_what_was_told_is_known_to_the_next_process(path: Path) -> None:
    store = Store(path, 5.0)
    store.of("run").put("failed:0:7", Entry("failed", 6.0))
    store.send([Waiting("ntfy", message(1)), Waiting("slack", message(1)), Waiting("ntfy", message(2))])
    store.settled("ntfy", message(1))
    again = Store(path, 99.0)
    assert again.since_s == 5.0
    assert again.of("run").incidents == {"failed:0:7": Entry("failed", 6.0)}
    assert [(one.channel, one.message.id) for one in again.waiting()] == [("slack", "1"), ("ntfy", "2")]
    assert again.waiting()[0].message == message(1)
    assert again.is_told("run", ["failed"])
    assert not again.is_told("run", ["finished"])
    assert not again.is_told("other", ["failed"])


def test_nobody_else_can_read_it(path: Path) -> None:
    Store(path, 5.0).send([Waiting("ntfy", message())])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [*path.parent.iterdir()] == [path]


def test_a_full_disk_is_said_and_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(path, 5.0)
    write = os.write

    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(told.os, "write", full)
    store.send([Waiting("ntfy", message(1))])
    assert store.problem == f"{path}: No space left on device: what was told is not kept"
    assert [*path.parent.iterdir()] == [], "no half of it is left"
    monkeypatch.setattr(told.os, "write", write)
    store.save()
    assert store.problem == ""
    assert len(Store(path, 9.0).waiting()) == 1


def test_a_write_that_was_cut_short_goes_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(told.os, "write", lambda descriptor, data: write(descriptor, bytes(data[:7])))
    Store(path, 5.0).send([Waiting("ntfy", message(1))])
    assert len(Store(path, 9.0).waiting()) == 1


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"since_s": "x"}', b"\xff"])
def test_a_file_that_cannot_be_read_is_said_and_written_anew(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700)
    path.write_bytes(content)
    store = Store(path, 5.0)
    assert "what was told before is not known" in store.problem
    store.send([Waiting("ntfy", message(1))])
    assert store.problem == ""
    assert len(Store(path, 9.0).waiting()) == 1


def test_a_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    path.symlink_to(tmp_path / "theirs")
    assert "symbolic link" in Store(path, 5.0).problem


def test_without_a_file_it_is_remembered_for_now() -> None:
    store = Store(None, 5.0)
    store.send([Waiting("ntfy", message(1))])
    assert len(store.waiting()) == 1
    assert store.problem == ""


def test_it_does_not_grow_without_an_end(path: Path) -> None:
    one = Told(0.0)
    for number in range(MOST_INCIDENTS + 5):
        one.put(str(number), Entry("silent", float(number)))
    assert [*one.incidents] == [str(number) for number in range(5, MOST_INCIDENTS + 5)]
    store = Store(path, 0.0)
    for number in range(MOST_RUNS + 5):
        store.of(str(number)).put("a", Entry("failed", 0.0))
        store.of("0")
    assert store.is_told("0", ["failed"]), "the one that was asked for last stays"
    assert not store.is_told("1", ["failed"])


def test_two_guards_of_the_same_runs_are_one_too_many(path: Path) -> None:
    first = lock(path)
    assert first is not None
    assert lock(path) is None
    os.close(first)
    second = lock(path)
    assert second is not None
    os.close(second)
