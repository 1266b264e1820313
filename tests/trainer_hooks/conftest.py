"""Places of their own for every test, ways to be a viewer, and hooks without a thread."""

from __future__ import annotations

import importlib.util
import select
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from waiting import WITHIN_S

from itermon import run_files
from itermon.events import End, EndReason, Event, Iteration, RunInfo, decode
from itermon.trainer_hooks import Hooks
from itermon.trainer_hooks.hooks import as_config
from itermon.trainer_hooks.mark_queue import MarkQueue
from itermon.trainer_hooks.spans import Wait
from itermon.trainer_hooks.timeline import Timeline


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


class Recorder(MarkQueue):
    """Hooks without a thread: `events` are what a run would hold by now."""

    def __init__(self) -> None:
        super().__init__()
        self._timeline = Timeline()
        self._events: list[Event] = []
        self.wait = Wait(self)

    def data(self) -> Wait:
        return self.wait

    def config(self, **settings: Any) -> None:
        self.emit(as_config(settings))

    def close(self, reason: EndReason = EndReason.FINISHED) -> None:
        self.emit(End(reason))

    @property
    def events(self) -> list[Event]:
        for mark in self.take(1 << 16)[0]:
            self._timeline.add(mark)
        self._events += self._timeline.take()
        return self._events


class Clock:
    """The marks' clock, which goes on when the test says so."""

    def __init__(self) -> None:
        self.now_ns = 10**9

    def passes(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "perf_counter_ns", lambda: clock.now_ns)
    return clock


class Made(list[Recorder]):
    """Stands in for `Hooks`: keeps what it made, each with what it was asked for in `config`."""

    def __call__(self, name: str, *, framework: str, **settings: Any) -> Recorder:
        self.append(Recorder())
        self[-1].emit(RunInfo(name=name, framework=framework))
        self[-1].config(**settings)
        return self[-1]


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Load an adapter beside stand-ins for its framework's modules; its `Hooks` are recorders, in `Hooks`."""

    def load(adapter: str, modules: dict[str, dict[str, type]]) -> Any:
        for name, contents in modules.items():
            monkeypatch.setitem(sys.modules, name, module := ModuleType(name))
            vars(module).update(contents)
        spec = importlib.util.find_spec(f"itermon.trainer_hooks.{adapter}")
        assert spec is not None
        assert spec.loader is not None
        loaded: Any = importlib.util.module_from_spec(spec)  # beside the one that may be loaded already
        spec.loader.exec_module(loaded)
        loaded.Hooks = Made()
        return loaded

    return load
