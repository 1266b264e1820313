"""Places of their own for every test, ways to be a viewer, and hooks without a thread."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from viewers import Viewer

from itermon.events import EVALUATION, End, EndReason, Event, RunInfo
from itermon.trainer_hooks import Hooks, exits, one_run
from itermon.trainer_hooks.hooks import as_config
from itermon.trainer_hooks.mark_queue import MarkQueue
from itermon.trainer_hooks.spans import Span, Wait
from itermon.trainer_hooks.timeline.timeline import Timeline


@pytest.fixture(autouse=True)
def run_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    for variable in ("ITERMON_NAME", "ITERMON_RANKS", "RANK", "WORLD_SIZE", "SLURM_PROCID", "SLURM_NTASKS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(exits, "_asked", None)  # a command that a test before has run may have asked for an exit
    return tmp_path


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


@pytest.fixture
def hooks() -> Iterator[Hooks]:
    hooks = Hooks("test", micro_batch_size=4, colour="blue")
    yield hooks
    hooks.close()


class Recorder(MarkQueue):
    """Hooks without a thread: `events` are what a run would hold by now."""

    def __init__(self) -> None:
        super().__init__()
        self._timeline = Timeline()
        self._events: list[Event] = []
        self.given: set[str] = set()
        self.wait = Wait(self)

    def data(self) -> Wait:
        return self.wait

    def evaluation(self) -> Span:
        return Span(self, EVALUATION)

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
    """Load an adapter beside stand-ins for its framework's modules; its `Hooks` are recorders, in `Hooks`.

    What it asks the automatic mode for is in `watched_for`: the hooks, and the iteration that comes next.
    """
    monkeypatch.setattr(one_run, "_over", {})

    def load(adapter: str, modules: dict[str, dict[str, type]]) -> Any:
        for name, contents in modules.items():
            monkeypatch.setitem(sys.modules, name, module := ModuleType(name))
            vars(module).update(contents)
        spec = importlib.util.find_spec(f"itermon.trainer_hooks.{adapter}")
        assert spec is not None
        assert spec.loader is not None
        loaded: Any = importlib.util.module_from_spec(spec)  # beside the one that may be loaded already
        spec.loader.exec_module(loaded)
        loaded.Hooks, loaded.watched_for = Made(), []
        loaded.watch_for_callback = lambda hooks, iteration: loaded.watched_for.append((hooks, iteration))
        return loaded

    return load
