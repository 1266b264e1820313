"""Which step of which optimizer ends an iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from itermon.events import BEFORE_STEP, OPTIMIZER, Iteration, Message
from itermon.trainer_hooks.marks import LOOP

from ..conftest import iterations
from .conftest import Optimizer, made, step

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.steps.boundaries import Boundaries
    from itermon.trainer_hooks.automatic.watcher import Watcher

    from ...conftest import Clock, Recorder

# The bounds as numbers of its own: from the code, a test would move with them.
MOST_STEPS = 128


def rates(recorder: Recorder) -> list[float | None]:
    return [event.learning_rate for event in recorder.events if isinstance(event, Iteration)]


def test_one_optimizer_alone_ends_an_iteration_with_each_step(boundaries: Boundaries, recorder: Recorder) -> None:
    (alone,) = made(boundaries, 0.5)
    step(boundaries, alone)
    assert iterations(recorder) == [0]
    step(boundaries, alone, alone)
    assert iterations(recorder) == [0, 1, 2]


def test_a_micro_step_that_the_script_tells_of_ends_with_its_iteration(
    watcher: Watcher, boundaries: Boundaries, recorder: Recorder
) -> None:
    (alone,) = made(boundaries, 0.5)
    step(boundaries, alone)
    watcher.hooks.micro_step(3, 4)
    step(boundaries, alone)
    assert [type(event) for event in recorder.events] == [Iteration, Iteration]


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
    assert {(OPTIMIZER, 0)} == {(phase, since) for phase, _, since in watcher.stamps.waiting if phase == OPTIMIZER}
    assert iterations(recorder) == [0, 1, 2, 3]
    assert set(rates(recorder)) == {0.25}
    assert ended == [2, 3, 4], "the first was over when it was known"


def test_what_happened_while_nobody_knew_lies_in_its_iteration(
    boundaries: Boundaries, recorder: Recorder, clock: Clock
) -> None:
    critic, generator = made(boundaries, 0.5, 0.25)
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
    for count in (1, 2, 3):
        boundaries.begins(wrapper, (), {})
        step(boundaries, inner)
        assert iterations(recorder) == list(range(count)), "at once"
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


def test_where_a_resumed_run_goes_on_is_not_guessed(boundaries: Boundaries, recorder: Recorder) -> None:
    """Plain SGD: no state of its has a count."""
    (alone,) = made(boundaries, 0.5)
    boundaries.counts.loaded(alone)
    step(boundaries, alone, alone)
    assert iterations(recorder) == [0, 1]
    (message,) = [event for event in recorder.events if isinstance(event, Message)]
    assert "counted from 0 again" in message.text
    assert message.iteration == 0


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


def test_a_step_is_stamped_when_it_begins(watcher: Watcher, boundaries: Boundaries, clock: Clock) -> None:
    clock.passes(1)
    step(boundaries, *made(boundaries, 0.5))
    assert watcher.stamps.waiting[0] == (BEFORE_STEP, clock.now_ns, 0)


@pytest.mark.parametrize("earlier", [False, True])
def test_one_that_takes_turns_no_more_has_had_its_day_after_256_steps_of_another(
    earlier: bool, boundaries: Boundaries, recorder: Recorder
) -> None:
    before = made(boundaries, 0.5, 0.25) if earlier else []
    step(boundaries, *before * 2)
    before.clear()
    critic, generator = made(boundaries, 0.125, 0.0625)
    step(boundaries, critic, generator, critic)
    count = len(iterations(recorder))
    assert rates(recorder)[-1] == 0.0625
    step(boundaries, *[critic] * 255)
    assert len(iterations(recorder)) == count
    step(boundaries, critic)
    assert rates(recorder)[count:] == [0.125]


def test_when_those_who_took_turns_are_gone_others_may_take_turns(
    boundaries: Boundaries, recorder: Recorder
) -> None:
    both = made(boundaries, 0.5, 0.25)
    step(boundaries, *both, *both)
    both.clear()
    step(boundaries, *made(boundaries, 0.125, 0.0625) * 3)
    assert rates(recorder) == [0.25] * 2 + [0.0625] * 3


def test_one_that_took_no_turns_is_followed_though_those_who_did_are_still_there(
    boundaries: Boundaries, recorder: Recorder
) -> None:
    critic, generator = made(boundaries, 0.5, 0.25)
    step(boundaries, *[critic, generator] * 4)
    step(boundaries, *[Optimizer(0.125)] * MOST_STEPS)
    assert rates(recorder) == [0.25] * 4 + [0.125] * MOST_STEPS


def test_after_a_first_phase_two_may_take_turns(boundaries: Boundaries, recorder: Recorder) -> None:
    step(boundaries, *[Optimizer(0.5)] * 20)
    critic, generator = Optimizer(0.25), Optimizer(0.125)
    step(boundaries, *[critic, generator] * 4)
    assert rates(recorder) == [0.5] * 20 + [0.25] + [0.25] * 3


@pytest.mark.parametrize(("before", "found"), [(16, []), (17, [0.25])])
def test_more_than_sixteen_steps_before_anothers_are_a_phase(
    before: int, found: list[float], boundaries: Boundaries, recorder: Recorder
) -> None:
    critic, generator = Optimizer(0.5), Optimizer(0.25)
    step(boundaries, *[critic] * before, generator)
    assert rates(recorder) == [0.5] * before + found


def test_an_idle_optimizer_is_waited_for_half_a_minute(
    boundaries: Boundaries, recorder: Recorder, clock: Clock
) -> None:
    clock.passes(1_000)
    first, _idle = made(boundaries, 0.5, 0.25)
    for _ in range(30):
        step(boundaries, first)
        clock.passes(1)
    assert recorder.events == []
    step(boundaries, first)
    assert iterations(recorder) == list(range(31))


def test_one_that_was_idle_may_take_turns_yet(boundaries: Boundaries, recorder: Recorder) -> None:
    first, idle = made(boundaries, 0.5, 0.25)
    step(boundaries, *[first] * MOST_STEPS)
    step(boundaries, *[idle, first] * 3)
    assert rates(recorder) == [0.5] * (MOST_STEPS + 3)


def test_a_second_phase_goes_on_counting_whatever_its_optimizer_has_made_before(
    boundaries: Boundaries, recorder: Recorder
) -> None:
    step(boundaries, *[Optimizer()] * 20)
    step(boundaries, *[Optimizer(steps=501)] * 2)
    assert iterations(recorder) == list(range(22))


def test_resumed_phases_go_on_where_the_newest_of_them_does(boundaries: Boundaries, recorder: Recorder) -> None:
    policy, value = made(boundaries, 0.5, 0.25)
    step(boundaries, *[policy] * 80)
    value.state = {"parameter": {"step": 1_000 + MOST_STEPS - 80}}
    step(boundaries, *[value] * (MOST_STEPS - 80))
    assert iterations(recorder) == list(range(1_000, 1_000 + MOST_STEPS))


def begins(recorder: Recorder) -> int:
    return [mark[0] for mark in recorder.take(100)[0]].count(LOOP)


def test_a_loop_begins_once_on_the_thread_that_trains_before_its_first_iteration(
    watcher: Watcher, boundaries: Boundaries, recorder: Recorder
) -> None:
    assert begins(recorder) == 1, "a fixture has begun it"
    boundaries.loop_begins()
    assert begins(recorder) == 0
    recorder.begun = False
    own_thread, watcher.trainer_thread = watcher.trainer_thread, -1
    boundaries.loop_begins()
    assert begins(recorder) == 0
    watcher.trainer_thread, watcher.iteration = own_thread, 1
    boundaries.loop_begins()
    assert begins(recorder) == 0
    watcher.iteration = 0
    boundaries.loop_begins()
    assert begins(recorder) == 1
