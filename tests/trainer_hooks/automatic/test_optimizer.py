"""Which step of which optimizer ends an iteration."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import Iteration
from itermon.trainer_hooks.automatic import optimizer as under_test
from itermon.trainer_hooks.automatic.optimizer import Boundaries
from itermon.trainer_hooks.automatic.watcher import Watcher
from itermon.trainer_hooks.turns import MOST_STEPS

from .conftest import iterations

if TYPE_CHECKING:
    from ..conftest import Clock, Recorder


class Optimizer:
    def __init__(self, rate: float = 0.1, steps: int | None = None, tensors: list[Any] | None = None) -> None:
        self.param_groups = [{"lr": rate, "params": tensors or [object()]}, {"lr": rate / 2, "params": [object()]}]
        self.state: dict[str, dict[str, object]] = {} if steps is None else {"parameter": {"step": steps}}


@pytest.fixture
def boundaries(watcher: Watcher) -> Boundaries:
    return Boundaries(watcher, all_seen=True)


def step(boundaries: Boundaries, *optimizers: Optimizer) -> None:
    for optimizer in optimizers:
        boundaries.begins(optimizer, (), {})
        boundaries.stepped(optimizer, (), {})


def made(boundaries: Boundaries, *rates: float) -> list[Optimizer]:
    """Optimizers that were seen to be made."""

    class Fresh(Optimizer):
        pass

    boundaries.wrap_making(Fresh)
    return [Fresh(rate) for rate in rates]


def rates(recorder: Recorder) -> list[float | None]:
    return [event.learning_rate for event in recorder.events if isinstance(event, Iteration)]


def test_the_hooks_are_made_with_the_first_optimizer_and_not_in_the_loop(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("itermon.trainer_hooks.automatic.watcher.Hooks", lambda **_: recorder)
    watcher = Watcher()
    boundaries = Boundaries(watcher, all_seen=True)
    assert not watcher.started
    made(boundaries, 0.5)
    assert watcher.started


def test_one_optimizer_alone_ends_an_iteration_with_each_step(boundaries: Boundaries, recorder: Recorder) -> None:
    (alone,) = made(boundaries, 0.5)
    step(boundaries, alone)
    assert iterations(recorder) == [0]
    step(boundaries, alone, alone)
    assert iterations(recorder) == [0, 1, 2]


def test_two_optimizers_in_one_iteration_are_one_iteration(boundaries: Boundaries, recorder: Recorder) -> None:
    muon, adamw = made(boundaries, 0.5, 0.25)
    step(boundaries, muon, adamw)
    assert recorder.events == [], "nobody knows yet"
    step(boundaries, muon)
    assert iterations(recorder) == [0]
    step(boundaries, adamw, muon, adamw)
    assert iterations(recorder) == [0, 1, 2]
    assert set(rates(recorder)) == {0.25}


def test_five_steps_of_the_critic_are_no_iterations(
    watcher: Watcher, boundaries: Boundaries, recorder: Recorder
) -> None:
    ended: list[int] = []
    watcher.on_iteration.append(lambda: ended.append(watcher.iteration))
    critic, generator = made(boundaries, 0.5, 0.25)
    for _ in range(4):
        step(boundaries, *[critic] * 5, generator)
    assert iterations(recorder) == [0, 1, 2, 3]
    assert set(rates(recorder)) == {0.25}
    assert ended == [2, 3, 4], "the first was over when it was known"


def test_what_happened_while_nobody_knew_lies_in_its_iteration(
    boundaries: Boundaries, recorder: Recorder, clock: Clock
) -> None:
    critic, generator = made(boundaries, 0.5, 0.25)
    recorder.wait.forget()
    for wait_s in (0.25, 0.5):
        with recorder.data():
            clock.passes(wait_s)
        clock.passes(1)
        step(boundaries, critic, generator)
    step(boundaries, critic)
    found = [event for event in recorder.events if isinstance(event, Iteration)]
    assert [event.data_wait_s for event in found] == [0.25, 0.5]
    assert found[1].duration_s == 1.5


def test_an_optimizer_that_never_steps_is_waited_for_but_not_for_long(
    boundaries: Boundaries, recorder: Recorder, clock: Clock
) -> None:
    first, _idle = made(boundaries, 0.5, 0.25)
    step(boundaries, *[first] * (MOST_STEPS - 1))
    assert recorder.events == []
    step(boundaries, first)
    assert iterations(recorder) == list(range(MOST_STEPS))
    step(boundaries, first)
    assert iterations(recorder)[-1] == MOST_STEPS


def test_slow_steps_are_not_withheld_for_an_idle_optimizer(
    boundaries: Boundaries, recorder: Recorder, clock: Clock
) -> None:
    first, _idle = made(boundaries, 0.5, 0.25)
    for _ in range(8):
        assert recorder.events == []
        step(boundaries, first)
        clock.passes(5)
    assert iterations(recorder) == list(range(8))


def test_one_that_wraps_another_is_not_waited_for_and_counts_once(
    boundaries: Boundaries, recorder: Recorder
) -> None:
    inner, wrapper = made(boundaries, 0.5, 0.25)
    wrapper.param_groups = inner.param_groups
    for _ in range(3):
        boundaries.begins(wrapper, (), {})
        step(boundaries, inner)
        boundaries.stepped(wrapper, (), {})
    assert iterations(recorder) == [0, 1, 2]


def test_optimizers_that_were_made_unseen_are_known_when_they_step(
    boundaries: Boundaries, recorder: Recorder
) -> None:
    critic, generator = Optimizer(0.5), Optimizer(0.25)
    for _ in range(5):
        step(boundaries, critic, critic, generator)
    assert rates(recorder) == [0.5, 0.5, *[0.25] * 5], "two before the other was seen"


def test_a_second_phase_with_another_optimizer_is_followed(boundaries: Boundaries, recorder: Recorder) -> None:
    first, second = Optimizer(), Optimizer()
    step(boundaries, *[first] * 20)
    step(boundaries, *[second] * 20)
    assert iterations(recorder) == list(range(40))
    del first
    step(boundaries, Optimizer())  # gone at once
    step(boundaries, second)
    recorder._timeline.finish(0)
    assert iterations(recorder) == list(range(42))


def test_turns_that_are_long_are_phases_however_often(boundaries: Boundaries, recorder: Recorder) -> None:
    policy, value = made(boundaries, 0.5, 0.25)
    for _ in range(3):
        step(boundaries, *[policy] * 80, *[value] * 80)
    assert iterations(recorder) == list(range(480))
    assert rates(recorder) == ([0.5] * 80 + [0.25] * 80) * 3


def test_after_turns_another_phase_begins(boundaries: Boundaries, recorder: Recorder) -> None:
    critic, generator = made(boundaries, 0.5, 0.25)
    step(boundaries, *[critic, generator] * 4)
    assert iterations(recorder) == [0, 1, 2, 3]
    step(boundaries, *[critic] * 300)  # the generator has had its day
    assert len(iterations(recorder)) == 4 + 300 - 255
    del critic, generator
    step(boundaries, *[Optimizer(0.125)] * 3)
    assert rates(recorder)[-3:] == [0.125] * 3
    assert iterations(recorder) == list(range(len(iterations(recorder))))


def test_when_those_who_took_turns_are_gone_another_is_followed_at_once(
    boundaries: Boundaries, recorder: Recorder
) -> None:
    both = made(boundaries, 0.5, 0.25)
    step(boundaries, *both, *both)
    both.clear()
    step(boundaries, *made(boundaries, 0.125) * 2)
    assert rates(recorder) == [0.25, 0.25, 0.125, 0.125]


def test_a_resumed_run_goes_on_counting(boundaries: Boundaries, recorder: Recorder) -> None:
    optimizer = Optimizer(steps=5001)
    step(boundaries, optimizer, optimizer)
    assert iterations(recorder) == [5000, 5001]


def test_resumed_turns_go_on_counting_the_iterations(boundaries: Boundaries, recorder: Recorder) -> None:
    critic, generator = made(boundaries, 0.5, 0.25)
    step(boundaries, *[critic] * 5, generator)
    generator.state = {"parameter": {"step": 101}}
    step(boundaries, *[critic] * 5, generator)
    assert iterations(recorder) == [100, 101]


class OnGpu:
    is_cpu = False

    def __int__(self) -> int:
        raise AssertionError("read: that would wait for the GPU")


@pytest.mark.parametrize("state", [{"step": OnGpu()}, {"momentum_buffer": 1.0}, {"step": 0}, {"step": 1}])
def test_a_run_whose_steps_are_not_known_counts_from_0(
    state: dict[str, object], boundaries: Boundaries, recorder: Recorder
) -> None:
    optimizer = Optimizer()
    optimizer.state = {"parameter": state}
    step(boundaries, optimizer)
    assert iterations(recorder) == [0]


def test_a_step_that_the_scaler_skips_is_an_iteration(boundaries: Boundaries, recorder: Recorder) -> None:
    optimizer = Optimizer()

    class GradScaler:
        overflow = False

        def step(self, optimizer: Optimizer) -> str:
            if not self.overflow:
                step(boundaries, optimizer)
            return "result"

    boundaries.wrap_scaler(SimpleNamespace(GradScaler=GradScaler))  # type: ignore[arg-type]
    scaler = GradScaler()
    for count, overflow in enumerate((True, False, True), start=1):  # it begins with a scale that is too large
        scaler.overflow = overflow
        assert scaler.step(optimizer) == "result"
        assert iterations(recorder) == list(range(count))


class Module:
    def __init__(self, tensors: list[Any], parts: int = 1) -> None:
        self._modules = dict.fromkeys(map(str, range(parts)))
        self._parameters = dict(enumerate(tensors))

    def parameters(self) -> list[Any]:
        return list(self._parameters.values())


def tensors(count: int, *, trains: bool = True) -> list[Any]:
    return [SimpleNamespace(requires_grad=trains) for _ in range(count)]


def test_the_model_holds_half_of_the_tensors_of_every_optimizer(boundaries: Boundaries) -> None:
    generator, critic = tensors(8), tensors(6)
    ones = [Optimizer(tensors=generator), Optimizer(tensors=critic)]
    step(boundaries, ones[0])
    assert boundaries.is_model(Module(generator))
    assert boundaries.is_model(Module(generator[:5]))
    assert not boundaries.is_model(Module(generator[:4])), "4 of 9: a part of it"
    assert not boundaries.is_model(Module(generator[:4], parts=0)), "a layer"
    assert not boundaries.is_model(Module(tensors(9))), "another model: a teacher"
    step(boundaries, *ones[::-1], *ones[::-1])
    assert not boundaries.is_model(Module(generator)), "one part of two that play a game"
    assert boundaries.is_model(Module(generator + critic))


def test_before_any_optimizer_is_known_nothing_is_trained(watcher: Watcher) -> None:
    model = Module(tensors(3))
    assert not Boundaries(watcher, all_seen=True).is_model(model)
    assert Boundaries(watcher).is_model(model), "one may have been made before we looked"
    assert not Boundaries(watcher).is_model(Module(tensors(3, trains=False)))


def test_copies_in_another_precision_tell_nothing(watcher: Watcher, module: Any) -> None:
    class Parameter:
        requires_grad = True

    module("torch.nn.parameter", Parameter=Parameter)
    boundaries, model = Boundaries(watcher), Module([Parameter(), Parameter()])
    step(boundaries, optimizer := Optimizer(tensors=tensors(2)))
    assert boundaries.is_model(model), "DeepSpeed's optimizer has copies of what the model holds"
    assert under_test._first_tensor(optimizer)


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
def engine_class(boundaries: Boundaries) -> Any:
    engine_class = type("DeepSpeedEngine", (Engine,), {"_take_model_step": Engine._take_model_step})
    boundaries.wrap_engine(SimpleNamespace(DeepSpeedEngine=engine_class))  # type: ignore[arg-type]
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
    watcher.optimizer_step_begins = lambda: begun.append(1)
    engine_class(boundaries, *made(boundaries, 0.5), parts=5)._take_model_step(None)
    assert begun == [1]
