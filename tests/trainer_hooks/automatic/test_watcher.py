"""Who trains, and whose hooks are reported to."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from waiting import WITHIN_S

from itermon.events import (
    CHECKPOINT,
    COMPILE,
    EVALUATION,
    Config,
    Event,
    Iteration,
    Message,
    RunInfo,
    SpanEnd,
    decode,
)
from itermon.trainer_hooks import Hooks, automatic, one_run
from itermon.trainer_hooks.automatic import (
    install,
)
from itermon.trainer_hooks.automatic import watcher as watcher_module
from itermon.trainer_hooks.automatic.imports import _finder
from itermon.trainer_hooks.automatic.steps.boundaries import Boundaries
from itermon.trainer_hooks.automatic.steps.calls import Calls
from itermon.trainer_hooks.automatic.watcher import Watcher

from ..conftest import Recorder

if TYPE_CHECKING:
    from ..conftest import Clock


def test_a_fault_of_a_hook_is_reported_and_goes_no_further(watcher: Watcher, recorder: Recorder) -> None:
    def broken(optimizer: object) -> None:
        raise RuntimeError("bug")

    watcher.guard(broken)(object())
    (message,) = recorder.events
    assert isinstance(message, Message)
    assert "RuntimeError: bug" in message.text


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
    monkeypatch.setattr(one_run, "_automatic", None)
    installed: list[Watcher] = []
    monkeypatch.setattr(automatic, "install", installed.append)
    automatic.watch_when_it_trains()
    assert [watcher.started for watcher in installed] == [False]
    assert not (tmp_path / "runs").exists()
    with automatic.watch("named", read_output=False, block_size=8) as hooks:
        sys.stdout.write("nobody asked for this\n")
        assert automatic.watch("another", vocabulary=65) is hooks
        automatic.watch_when_it_trains()
    assert set(installed) == {installed[0]}
    (path,) = (tmp_path / "runs").iterdir()
    assert path.name.partition(".")[0] == "named"
    assert b'"vocabulary":65' in path.read_bytes(), "a second call tells its settings"
    assert b"nobody asked" not in path.read_bytes()


def test_a_loaders_worker_is_no_trainer(run_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = SimpleNamespace(_worker_info=SimpleNamespace(id=0))
    monkeypatch.setitem(sys.modules, "torch.utils.data._utils.worker", worker)  # type: ignore[misc]
    assert not Watcher().hooks.alive
    assert not (run_folders / "runs").exists()


def test_a_rank_that_the_script_spawned_itself_knows_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True)
    torch.get_rank, torch.get_world_size = lambda: 3, lambda: 4
    monkeypatch.setitem(sys.modules, "torch.distributed", torch)  # type: ignore[misc]
    assert not Watcher().hooks.alive, "only rank 0 is asked"
    torch.is_initialized = lambda: False
    hooks = Watcher().hooks
    assert hooks.alive
    hooks.close()


def test_who_comes_while_the_hooks_are_made_does_not_wait_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal's handler that saves, on the same thread; a child that is forked by another one at that moment."""
    made: list[Hooks] = []

    def make(**settings: Any) -> Hooks:
        if settings["record"]:
            made.append(watcher.made())
        return Hooks("run", **settings)

    monkeypatch.setattr(watcher_module, "Hooks", make)
    watcher = Watcher()
    begins = threading.Thread(target=lambda: made.append(watcher.made()), daemon=True)
    begins.start()
    begins.join(WITHIN_S)
    assert not begins.is_alive()
    meanwhile, hooks = made
    assert (meanwhile.alive, hooks.alive) == (False, True)
    assert watcher.hooks is hooks
    hooks.close()


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watcher]:
    """The automatic mode of a process of which nobody knows yet whether it trains (`itermon run --hooks`)."""
    monkeypatch.setattr(one_run, "_automatic", None)
    monkeypatch.setattr(one_run, "_newest", None)
    watcher = Watcher()
    one_run.watch(watcher.take)
    yield watcher
    watcher.hooks.close()


def recorded(folder: Path) -> list[Event]:
    """All that this process has recorded: of one run."""
    (path,) = (folder / "runs").iterdir()
    return [decode(line) for line in path.read_bytes().splitlines()]


def a_step(watcher: Watcher) -> None:
    """What the parts report in one step."""
    watcher.loop.iteration(7, learning_rate=0.5)
    watcher.hooks.begin_span(COMPILE)
    watcher.hooks.end_span(COMPILE)


@pytest.mark.parametrize("begun", [False, True])
def test_where_the_script_has_hooks_of_its_own_one_run_holds_all_and_the_loop_is_theirs(
    begun: bool, watched: Watcher, run_folders: Path
) -> None:
    if begun:
        with watched.hooks.checkpoint("before"):
            pass
    with Hooks("own", block_size=8) as hooks:
        a_step(watched)
        hooks.iteration(1)
    events = recorded(run_folders)
    assert [event.index for event in events if isinstance(event, Iteration)] == [1]
    assert [event.name for event in events if isinstance(event, RunInfo)][-1] == "own"
    assert [event.block_size for event in events if isinstance(event, Config)][-1] == 8
    kinds = [event.kind for event in events if isinstance(event, SpanEnd)]
    assert kinds == ([CHECKPOINT] if begun else []) + [COMPILE]


def test_hooks_that_were_there_before_the_automatic_mode_are_those_it_reports_to(
    monkeypatch: pytest.MonkeyPatch, run_folders: Path
) -> None:
    with Hooks("own") as hooks:
        monkeypatch.setattr(one_run, "_automatic", None)
        watcher = Watcher()
        one_run.watch(watcher.take)
        a_step(watcher)
        hooks.iteration(1)
    events = recorded(run_folders)
    assert [event.index for event in events if isinstance(event, Iteration)] == [1]
    assert [event.kind for event in events if isinstance(event, SpanEnd)] == [COMPILE]


def test_hooks_after_a_training_that_was_watched_are_another_run(watched: Watcher, run_folders: Path) -> None:
    a_step(watched)
    watched.iteration = 1
    with Hooks("own") as hooks:
        hooks.iteration(1)
    assert len(list((run_folders / "runs").iterdir())) == 2
    with Hooks("a third"):
        pass
    assert len(list((run_folders / "runs").iterdir())) == 3, "two of the script's own are two runs"


def test_an_evaluation_that_seemed_to_last_is_over_when_somebody_else_tells_of_the_loop(
    watched: Watcher, run_folders: Path
) -> None:
    watched.hooks.begin_span(EVALUATION)
    watched.on_backward.append(lambda: watched.loop.end_span(EVALUATION))
    with Hooks("own"):
        pass
    kinds = [event.kind for event in recorded(run_folders) if isinstance(event, SpanEnd)]
    assert kinds == [EVALUATION]


def test_who_waits_for_a_backward_is_told_once_and_only_of_a_run_that_has_begun(watched: Watcher) -> None:
    told: list[str] = []
    watched.on_backward.append(lambda: told.append("told"))
    with Hooks("first"):
        assert told == [], "there was no run yet"
    begun = Watcher()
    begun.on_backward.append(lambda: told.append("told"))
    begun.made()
    for _ in range(2):
        begun.take(Hooks(record=False, serve=False))
        assert told == ["told"]


def test_two_hooks_of_the_scripts_own_at_one_time_are_two_runs(watched: Watcher, run_folders: Path) -> None:
    watched.iteration = 1
    with Hooks("first") as first:
        with Hooks("second") as second:
            second.iteration(2)
        assert first.alive
        first.iteration(1)
    runs = [[decode(line) for line in path.read_bytes().splitlines()] for path in (run_folders / "runs").iterdir()]
    found = {
        run.name: [event.index for event in events if isinstance(event, Iteration)]
        for events in runs
        for run in events
        if isinstance(run, RunInfo)
    }
    assert found == {"first": [1], "second": [2]}


def test_hooks_after_a_run_that_was_closed_are_a_run_of_their_own(watched: Watcher, run_folders: Path) -> None:
    watched.made().close()
    with Hooks("own") as hooks:
        hooks.iteration(1)
    assert len(list((run_folders / "runs").iterdir())) == 2


def test_of_a_loop_that_is_told_the_gpus_phases_need_its_own_numbers(watched: Watcher) -> None:
    assert watched.is_numbered
    with Hooks("own"):
        assert not watched.is_numbered
        watched.trainer_thread = -1
        watched.number_from(5)
        assert (watched.iteration, watched.is_numbered, watched.is_trainer) == (5, True, True)


class Optimizer:
    def __init__(self, *shapes: tuple[int, ...]) -> None:
        self.param_groups = [{"params": [SimpleNamespace(shape=shape)]} for shape in shapes]
        self.state: dict[str, Any] = {}

    def zero_grad(self, set_to_none: bool = True) -> str:
        return f"zeroed {set_to_none}"


def step(boundaries: Boundaries, optimizer: Optimizer) -> None:
    boundaries.begins(optimizer, (), {})
    boundaries.stepped(optimizer, (), {})


def test_a_copy_of_the_model_has_tensors_of_its_shapes(watcher: Watcher) -> None:
    def module(*shapes: tuple[int, ...]) -> Any:
        return SimpleNamespace(parameters=lambda: [SimpleNamespace(shape=shape) for shape in shapes])

    boundaries = Boundaries(watcher, all_seen=True)
    assert not boundaries.is_copy(module((2, 3))), "nothing is trained yet"
    optimizer = Optimizer((2, 3), (2, 3), (4,), (5,))
    step(boundaries, optimizer)
    assert boundaries.is_copy(module((2, 3), (4,)))
    assert not boundaries.is_copy(module((2, 3), (3, 2))), "a quarter of them"


def test_a_loop_without_a_loader_begins_with_its_first_zero_grad(clock: Clock) -> None:
    hooks = Recorder()
    watcher = Watcher(hooks)  # type: ignore[arg-type]
    boundaries = Boundaries(watcher, all_seen=True)
    own = Optimizer.zero_grad
    Calls(watcher, boundaries).wrap_first_zeroing(Optimizer)
    optimizer = Optimizer((2, 3))
    clock.passes(5)
    assert optimizer.zero_grad(set_to_none=False) == "zeroed False"
    assert Optimizer.zero_grad is own, "the others cost nothing"
    clock.passes(2)
    step(boundaries, optimizer)
    assert [event.duration_s for event in hooks.events if isinstance(event, Iteration)] == [2]


def test_before_anything_is_known_any_module_may_be_the_model_and_none_is_a_copy() -> None:
    watcher = Watcher()
    assert (watcher.is_model(object()), watcher.is_copy(object()), watcher.optimizers()) == (True, False, [])
    assert (watcher.iteration, watcher.saved_ns, watcher.is_numbered) == (0, 0, True)
    assert (watcher.evaluates, watcher.is_in_eval, watcher.compiles) == (False, False, False)
    assert (watcher.loop.begun, watcher.started) == (False, False)
