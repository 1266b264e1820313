"""The parts of the automatic mode that need no torch: with stand-ins for what they hold on to."""

from __future__ import annotations

import gc
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from itermon.events import (
    GC,
    Event,
    Iteration,
    Message,
    Phases,
    SpanEnd,
)
from itermon.trainer_hooks import automatic
from itermon.trainer_hooks.automatic import gc_pauses, install
from itermon.trainer_hooks.automatic.gpu_phases import (
    BACKWARD,
    FORWARD,
    OPTIMIZER,
    GpuPhases,
)
from itermon.trainer_hooks.automatic.imports import _finder, when_imported
from itermon.trainer_hooks.automatic.optimizer import Boundaries
from itermon.trainer_hooks.automatic.watcher import Watcher
from itermon.trainer_hooks.mark_queue import MarkQueue
from itermon.trainer_hooks.timeline import Timeline


class Recorder(MarkQueue):
    """Hooks without a thread: `events` are what a run would hold by now."""

    def __init__(self) -> None:
        super().__init__()
        self._timeline = Timeline()
        self._events: list[Event] = []
        self.begin()

    @property
    def events(self) -> list[Event]:
        for mark in self.take(1 << 16)[0]:
            self._timeline.add(mark)
        self._events += self._timeline.take()
        return self._events


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def watcher(recorder: Recorder) -> Watcher:
    return Watcher(recorder)  # type: ignore[arg-type]


class Optimizer:
    def __init__(self, rate: float = 0.1, steps: int | None = None) -> None:
        self.param_groups = [{"lr": rate}]
        self.state = {} if steps is None else {"parameter": {"step": steps}}


def iterations(recorder: Recorder) -> list[int]:
    return [event.index for event in recorder.events if isinstance(event, Iteration)]


def test_two_optimizers_in_one_iteration_are_one_iteration(watcher: Watcher, recorder: Recorder) -> None:
    boundaries, first, second = Boundaries(watcher), Optimizer(0.5), Optimizer()
    for _ in range(3):
        boundaries.stepped(first, (), {})
        boundaries.stepped(second, (), {})
    assert iterations(recorder) == [0, 1, 2]
    assert {event.learning_rate for event in recorder.events if isinstance(event, Iteration)} == {0.5}


def test_a_second_phase_with_another_optimizer_is_followed(watcher: Watcher, recorder: Recorder) -> None:
    boundaries, first, second = Boundaries(watcher), Optimizer(), Optimizer()
    boundaries.stepped(first, (), {})
    for _ in range(60):
        boundaries.stepped(second, (), {})
    assert len(iterations(recorder)) == 1 + 60 - 50
    del first
    third = Boundaries(watcher)
    third.stepped(Optimizer(), (), {})  # gone at once
    third.stepped(second, (), {})
    assert len(iterations(recorder)) == 13


def test_a_resumed_run_goes_on_counting(watcher: Watcher, recorder: Recorder) -> None:
    boundaries, optimizer = Boundaries(watcher), Optimizer(steps=5001)
    boundaries.stepped(optimizer, (), {})
    boundaries.stepped(optimizer, (), {})
    assert iterations(recorder) == [5000, 5001]


def test_a_step_that_the_scaler_skips_is_an_iteration(watcher: Watcher, recorder: Recorder) -> None:
    boundaries, optimizer = Boundaries(watcher), Optimizer()

    class GradScaler:
        overflow = False

        def step(self, optimizer: Optimizer) -> str:
            if not self.overflow:
                boundaries.stepped(optimizer, (), {})
            return "result"

    boundaries.wrap_scaler(SimpleNamespace(GradScaler=GradScaler))  # type: ignore[arg-type]
    scaler = GradScaler()
    assert scaler.step(optimizer) == "result"
    scaler.overflow = True
    assert scaler.step(optimizer) == "result"
    assert iterations(recorder) == [0, 1]


def test_a_fault_of_a_hook_is_told_and_goes_no_further(watcher: Watcher, recorder: Recorder) -> None:
    def broken(optimizer: Optimizer) -> None:
        raise RuntimeError("bug")

    watcher.guard(broken)(Optimizer())
    (message,) = recorder.events
    assert isinstance(message, Message)
    assert "RuntimeError: bug" in message.text


class GpuEvent:
    """A stand-in for `torch.cuda.Event`: the GPU comes to it when the test says so."""

    now_ms = 0.0
    made = 0

    def __init__(self) -> None:
        GpuEvent.made += 1
        self.at_ms: float | None = None

    def record(self) -> None:
        GpuEvent.now_ms += 10
        self.at_ms = GpuEvent.now_ms

    def query(self) -> bool:
        return self.at_ms is not None and self.at_ms <= self.reached_ms

    def elapsed_time(self, later: GpuEvent) -> float:
        assert self.at_ms is not None
        assert later.at_ms is not None
        return later.at_ms - self.at_ms

    reached_ms = 0.0


def train_one(phases: GpuPhases, micro_steps: int = 2) -> None:
    for _ in range(micro_steps):
        phases.stamp(FORWARD)
        phases.stamp(BACKWARD)
    phases.stamp("")
    phases.stamp(OPTIMIZER)


def test_gpu_phases_are_read_when_the_gpu_has_passed_them_and_never_waited_for() -> None:
    GpuEvent.now_ms, GpuEvent.reached_ms = 0.0, 0.0
    phases = GpuPhases(GpuEvent, lambda: False)
    for iteration in range(3):
        train_one(phases)
        assert phases.turn(iteration) == []
    GpuEvent.reached_ms = 120.0  # the end of iteration 1
    train_one(phases)
    # Between the last backward and the step lies what belongs to no phase.
    assert phases.turn(3) == [(1, {FORWARD: 0.02, BACKWARD: 0.02, OPTIMIZER: 0.01})]
    GpuEvent.reached_ms = 1e9
    train_one(phases)
    assert [iteration for iteration, _ in phases.turn(4)] == [2, 3, 4]


def test_gpu_events_are_used_again_and_bounded_while_the_gpu_lags() -> None:
    GpuEvent.now_ms, GpuEvent.reached_ms, GpuEvent.made = 0.0, 1e9, 0
    phases = GpuPhases(GpuEvent, lambda: False)
    for iteration in range(100):
        train_one(phases)
        phases.turn(iteration)
    assert GpuEvent.made <= 14
    GpuEvent.reached_ms = 0.0
    for iteration in range(100):
        train_one(phases, 100)
        phases.turn(iteration)
    assert GpuEvent.made < 2000


def test_nothing_is_asked_of_the_gpu_while_a_graph_is_captured() -> None:
    GpuEvent.now_ms, GpuEvent.reached_ms, GpuEvent.made = 0.0, 1e9, 0
    capturing = True
    phases = GpuPhases(GpuEvent, lambda: capturing)
    train_one(phases)
    assert phases.turn(0) == []
    assert GpuEvent.made == 0
    capturing = False
    train_one(phases)
    assert phases.turn(1) == [], "its beginning was not seen"
    train_one(phases)
    assert [iteration for iteration, _ in phases.turn(2)] == [2]


def test_phases_come_as_an_event_of_their_iteration(recorder: Recorder) -> None:
    recorder.phases(7, {FORWARD: 0.5})
    assert recorder.events == [Phases(iteration=7, phases={FORWARD: 0.5})]


@pytest.fixture
def module_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "late_module.py"
    sys.modules.pop("late_module", None)
    _finder.waiting.clear()
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def test_a_module_is_met_when_it_is_imported_and_not_before(module_path: Path) -> None:
    module_path.write_text("value = 1\n")
    met: list[Any] = []
    when_imported("late_module", met.append)
    assert met == []
    module = importlib.import_module("late_module")
    assert met == [module]
    assert module.__spec__.loader.name == "late_module", "its own loader, not ours"  # type: ignore[union-attr]
    when_imported("late_module", met.append)
    assert met == [module, module]


def test_a_module_that_was_only_asked_for_is_met_when_it_is_imported(module_path: Path) -> None:
    module_path.write_text("value = 1\n")
    met: list[Any] = []
    when_imported("late_module", met.append)
    assert importlib.util.find_spec("late_module") is not None
    assert met == []
    module = importlib.import_module("late_module")
    assert met == [module]


def test_a_module_that_fails_or_is_missing_fails_as_ever(module_path: Path) -> None:
    met: list[Any] = []
    when_imported("late_module", met.append)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("late_module")
    module_path.write_text("raise ValueError('its own')\n")
    when_imported("late_module", met.append)
    with pytest.raises(ValueError, match="its own"):
        importlib.import_module("late_module")
    assert met == []


def test_long_collections_of_garbage_are_told(
    watcher: Watcher, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    callbacks: list[Any] = []
    monkeypatch.setattr(gc, "callbacks", callbacks)
    now_ns = 0
    monkeypatch.setattr(gc_pauses.time, "perf_counter_ns", lambda: now_ns)
    gc_pauses.install(watcher)
    (collected,) = callbacks
    for generation, duration_ns in [(2, 5_000_000), (0, 5_000_000), (1, 1_000_000), (1, 999_999)]:
        collected("start", {"generation": generation})
        now_ns += duration_ns
        collected("stop", {"generation": generation, "collected": 9000})
    ends = [event for event in recorder.events if isinstance(event, SpanEnd)]
    assert [(end.kind, end.duration_s, end.detail) for end in ends] == [
        (GC, 0.005, "generation 2, 9,000 objects freed"),
        (GC, 0.001, "generation 1, 9,000 objects freed"),
    ]


def test_a_process_without_torch_is_left_as_it_is(
    watcher: Watcher, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc, "callbacks", [])
    before = set(sys.modules)
    if "torch" in before:
        pytest.skip("torch is loaded in this process")
    install(watcher)
    assert not any(name.startswith("torch") for name in set(sys.modules) - before)
    sys.meta_path.remove(_finder)
    _finder.waiting.clear()
    assert recorder.events == []


def test_a_script_that_calls_watch_under_run_hooks_gets_the_hooks_it_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    monkeypatch.setattr(automatic, "_watcher", None)
    monkeypatch.setattr(automatic, "install", lambda watcher: None)
    automatic.watch_when_it_trains()
    assert not (tmp_path / "runs").exists()
    with automatic.watch("named", block_size=8) as hooks:
        assert automatic.watch("another", vocabulary=65) is hooks
        automatic.watch_when_it_trains()
    (path,) = (tmp_path / "runs").iterdir()
    assert path.name.partition(".")[0] == "named"
    assert b'"vocabulary":65' in path.read_bytes(), "a second call tells its settings"


def test_a_loaders_worker_is_no_trainer(run_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = SimpleNamespace(_worker_info=SimpleNamespace(id=0))
    monkeypatch.setitem(sys.modules, "torch.utils.data._utils.worker", worker)  # type: ignore[misc]
    assert not Watcher().hooks.alive
    assert not (run_folders / "runs").exists()


def test_a_rank_that_the_script_spawned_itself_knows_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True, get_rank=lambda: 3)
    monkeypatch.setitem(sys.modules, "torch.distributed", torch)  # type: ignore[misc]
    assert not Watcher().hooks.alive, "only rank 0 is asked"
    torch.is_initialized = lambda: False
    hooks = Watcher().hooks
    assert hooks.alive
    hooks.close()
