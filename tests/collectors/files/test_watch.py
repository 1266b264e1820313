"""Waiting for a file: the first time by a poll alone, then by notices, and by polls where there are none."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from watchdog import observers

from itermon.collectors.files import watch
from itermon.collectors.files.watch import Watch, be_patient


class Notices:
    """Stands in for watchdog: each wait ends with a notice of these."""

    made = 0

    def __init__(self) -> None:
        type(self).made += 1
        self.folders: list[str] = []

    def schedule(self, watch: Watch, folder: str) -> None:
        self.folders.append(folder)
        self.watch = watch

    def start(self) -> None:
        """Nothing runs here."""

    def stop(self) -> None:
        self.folders.clear()


@pytest.fixture(autouse=True)
def observer(monkeypatch: pytest.MonkeyPatch) -> type[Notices]:
    monkeypatch.setattr(observers, "Observer", Notices)
    monkeypatch.setattr(Notices, "made", 0)
    return Notices


def test_the_first_wait_loads_nothing_that_the_first_screen_would_wait_for(
    tmp_path: Path, observer: type[Notices]
) -> None:
    watch = Watch(tmp_path / "train.log")
    made = []
    for _ in range(3):
        watch.wait(0)
        made.append(observer.made)
    assert made == [0, 1, 1]
    watch.close()


def test_a_notice_of_the_file_ends_a_wait_and_one_of_another_does_not(tmp_path: Path) -> None:
    watch = Watch(tmp_path / "train.log")
    watch.wait(0)
    watch.wait(0)
    waited: list[bool] = []
    watch._changed = SimpleNamespace(set=lambda: waited.append(True))
    for name, kind in (("other.log", "modified"), ("train.log", "opened"), ("train.log", "modified")):
        watch.dispatch(SimpleNamespace(event_type=kind, src_path=str(tmp_path / name), dest_path=""))
    assert waited == [True]


def test_without_any_it_polls(tmp_path: Path, observer: type[Notices], monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError("no inotify watches left")

    monkeypatch.setattr(observer, "start", refused)
    watch = Watch(tmp_path / "train.log")
    for _ in range(4):
        watch.wait(0)
    assert observer.made == 1
    watch.close()


def test_where_nobody_looks_no_notices_are_asked_for_and_waits_are_long(
    tmp_path: Path, observer: type[Notices], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_patience_s", 0.0)
    be_patient(2.0)
    waits: list[float] = []
    patient = Watch(tmp_path / "train.log")
    monkeypatch.setattr(patient._changed, "wait", waits.append)
    for seconds in (0.5, 0.5, 5.0):
        patient.wait(seconds)
    patient.close()
    assert waits == [2.0, 2.0, 5.0]
    assert observer.made == 0
