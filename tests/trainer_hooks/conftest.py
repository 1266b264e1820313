"""Places of their own for every test, and ways to be a viewer."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from waiting import WITHIN_S

from itermon import run_files
from itermon.events import Event, Iteration, decode
from itermon.trainer_hooks import Hooks


@pytest.fixture(autouse=True)
def run_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    for variable in ("ITERMON_NAME", "ITERMON_RANKS", "RANK", "WORLD_SIZE", "SLURM_PROCID"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


class Viewer:
    """A plain client: what it got, as bytes and as events."""

    def __init__(self, path: Path) -> None:
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with run_files.address(path) as address:
            self.connection.connect(address)
        self.got = b""
        self.ended = False

    def read(self, until: Callable[[Viewer], bool], at_once: int = 1 << 20) -> Viewer:
        """Read until `until` says so, or fail after the deadline."""
        deadline_s = time.monotonic() + WITHIN_S
        while not until(self):
            left_s = deadline_s - time.monotonic()
            assert left_s > 0, f"after {WITHIN_S} s there is only: {self.got[-300:]!r}"
            if select.select([self.connection], [], [], left_s)[0]:
                data = self.connection.recv(at_once)
                self.got += data
                self.ended = not data
                if self.ended:
                    assert until(self), f"the trainer hung up after {self.got[-300:]!r}"
        return self

    @property
    def events(self) -> list[Event]:
        return [decode(line) for line in self.got.splitlines() if line]


@pytest.fixture
def attach() -> Iterator[Callable[[Path | None], Viewer]]:
    viewers: list[Viewer] = []

    def attach(path: Path | None) -> Viewer:
        assert path is not None
        viewers.append(Viewer(path))
        return viewers[-1]

    yield attach
    for viewer in viewers:
        viewer.connection.close()


Attach = Callable[[Path | None], Viewer]


@pytest.fixture
def hooks() -> Iterator[Hooks]:
    hooks = Hooks("test", micro_batch_size=4, colour="blue")
    yield hooks
    hooks.close()


def indices(viewer: Viewer) -> list[int]:
    return [event.index for event in viewer.events if isinstance(event, Iteration)]


def has(count: int) -> Callable[[Viewer], bool]:
    return lambda viewer: viewer.got.count(b'"iteration","index"') >= count and viewer.got.endswith(b"\n")


def ended(viewer: Viewer) -> bool:
    return viewer.ended


def recorded(hooks: Hooks) -> bytes:
    assert hooks.recording is not None
    return hooks.recording.read_bytes()
