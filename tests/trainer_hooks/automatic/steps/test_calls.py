"""The calls of torch and DeepSpeed that tell of optimizers: made, loaded, stepped, or not stepped."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from itermon.trainer_hooks.automatic.steps.boundaries import Boundaries
from itermon.trainer_hooks.automatic.steps.calls import install
from itermon.trainer_hooks.automatic.watcher import Watcher

from ..conftest import iterations
from .conftest import Optimizer, made, step

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.steps.calls import Calls

    from ...conftest import Recorder


def test_the_hooks_are_made_with_the_first_optimizer_and_not_in_the_loop(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("itermon.trainer_hooks.automatic.watcher.Hooks", lambda **_: recorder)
    watcher = Watcher()
    boundaries = Boundaries(watcher, all_seen=True)
    assert not watcher.started
    made(boundaries, 0.5)
    assert watcher.started


class OnGpu:
    """Adam's `step` on a GPU."""

    is_cpu = False
    may_be_read = True

    def __int__(self) -> int:
        assert self.may_be_read, "that would wait for the GPU"
        return 5_000


def test_a_run_that_was_loaded_goes_on_counting_and_the_loop_never_waits_for_the_gpu(
    calls: Calls, boundaries: Boundaries, recorder: Recorder
) -> None:
    class Loaded(Optimizer):
        def load_state_dict(self, state: dict[str, Any]) -> str:
            self.state = state
            return "loaded"

    calls.wrap_loading(Loaded)
    optimizer, steps = Loaded(), OnGpu()
    assert optimizer.load_state_dict({"parameter": {"step": steps}}) == "loaded"
    steps.may_be_read = False
    step(boundaries, optimizer, optimizer)
    assert iterations(recorder) == [5_000, 5_001]


def test_the_state_that_is_loaded_is_what_comes_first(
    calls: Calls, boundaries: Boundaries, recorder: Recorder
) -> None:
    class Loaded(Optimizer):
        def load_state_dict(self, state: dict[str, Any], strict: bool) -> None:
            self.strict = strict

    calls.wrap_loading(Loaded)
    checkpoint = {"optimizer": {"state": {}, "param_groups": []}, "iter_num": 500}
    optimizer, load = Loaded(), calls.wrap_reading(lambda _path: checkpoint)
    optimizer.load_state_dict(load("ckpt.pt")["optimizer"], True)
    step(boundaries, optimizer)
    assert (iterations(recorder), optimizer.strict) == ([500], True)


def test_plain_sgd_goes_on_where_the_checkpoint_says(
    calls: Calls, boundaries: Boundaries, recorder: Recorder
) -> None:
    class Loaded(Optimizer):
        def load_state_dict(self, state_dict: dict[str, Any]) -> None:
            pass

    calls.wrap_loading(Loaded)
    checkpoint = {"optimizer": {"state": {}, "param_groups": []}, "iter_num": 500}
    optimizer, load = Loaded(), calls.wrap_reading(lambda _path: checkpoint)
    optimizer.load_state_dict(state_dict=load("ckpt.pt")["optimizer"])
    step(boundaries, optimizer, optimizer)
    assert iterations(recorder) == [500, 501]


def test_what_has_no_state_to_load_is_left_alone(calls: Calls) -> None:
    class Plain:
        pass

    calls.wrap_loading(Plain)
    assert not hasattr(Plain, "load_state_dict")


def test_a_step_that_the_scaler_skips_is_an_iteration(
    calls: Calls, boundaries: Boundaries, recorder: Recorder
) -> None:
    optimizer = Optimizer()

    class GradScaler:
        overflow = False

        def step(self, optimizer: Optimizer) -> str:
            if not self.overflow:
                step(boundaries, optimizer)
            return "result"

    calls.wrap_scaler(SimpleNamespace(GradScaler=GradScaler))  # type: ignore[arg-type]
    scaler = GradScaler()
    for count, overflow in enumerate((True, False, True), start=1):  # it begins with a scale that is too large
        scaler.overflow = overflow
        assert scaler.step(optimizer) == "result"
        assert iterations(recorder) == list(range(count))


class Engine:
    """DeepSpeed's: `_take_model_step` steps the optimizer that it wraps as often as it has groups or parts."""

    def __init__(self, boundaries: Boundaries, optimizer: Optimizer, *, parts: int = 2, steps: int = 0) -> None:
        self.optimizer = Optimizer(0.5, tensors=optimizer.param_groups[0]["params"])  # ZeRO's, around the other
        self.global_steps = steps
        self.parts, self._boundaries, self._inner = parts, boundaries, optimizer

    def _take_model_step(self, lr_kwargs: object) -> str:
        for _ in range(self.parts):
            step(self._boundaries, self._inner)
        self.global_steps += 1
        return "done"


@pytest.fixture
def engine_class(calls: Calls) -> Any:
    engine_class = type("DeepSpeedEngine", (Engine,), {"_take_model_step": Engine._take_model_step})
    calls.wrap_engine(SimpleNamespace(DeepSpeedEngine=engine_class))  # type: ignore[arg-type]
    return engine_class


@pytest.mark.parametrize("parts", [0, 1, 2, 7], ids=["an overflow", "plain", "two groups", "stage 3"])
def test_a_step_of_deepspeeds_engine_is_one_iteration(
    boundaries: Boundaries, recorder: Recorder, engine_class: Any, parts: int
) -> None:
    engine = engine_class(boundaries, *made(boundaries, 0.5), parts=parts)
    assert [engine._take_model_step(None) for _ in range(4)] == ["done"] * 4
    assert iterations(recorder) == [0, 1, 2, 3]


def test_a_resumed_engine_knows_its_steps(boundaries: Boundaries, recorder: Recorder, engine_class: Any) -> None:
    engine = engine_class(boundaries, *made(boundaries, 0.5), steps=500)
    for _ in range(3):
        engine._take_model_step(None)
    assert iterations(recorder) == [500, 501, 502]


def test_a_step_of_an_engine_that_fails_is_none_and_others_count_again(
    boundaries: Boundaries, recorder: Recorder, engine_class: Any
) -> None:
    (alone,) = made(boundaries, 0.5)
    engine = engine_class(boundaries, alone)
    engine.parts = None
    with pytest.raises(TypeError):
        engine._take_model_step(None)
    step(boundaries, alone)
    assert iterations(recorder) == [0]


def test_an_engines_step_is_one_optimizer_phase(
    boundaries: Boundaries, watcher: Watcher, engine_class: Any
) -> None:
    begun: list[int] = []
    watcher.on_step.append(lambda: begun.append(1))
    engine_class(boundaries, *made(boundaries, 0.5), parts=5)._take_model_step(None)
    assert begun == [1]


@pytest.mark.parametrize("before", [True, False])
def test_where_torch_was_there_before_the_hooks_an_optimizer_may_have_been_made(
    watcher: Watcher, module: Any, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    monkeypatch.delitem(sys.modules, "torch.optim.optimizer", raising=False)
    if before:
        registered = {f"register_optimizer_step_{when}_hook": lambda _: None for when in ("pre", "post")}
        module("torch.optim.optimizer", Optimizer=type("Fresh", (Optimizer,), {}), **registered)
    install(watcher)
    tensor = SimpleNamespace(requires_grad=True, shape=(2, 3))
    model = SimpleNamespace(_modules={"part": 0}, _parameters={}, parameters=lambda: [tensor])
    assert watcher.is_model(model) is before
    assert not watcher.is_copy(model)
