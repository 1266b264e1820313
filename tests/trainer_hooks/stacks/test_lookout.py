"""When the training thread is looked at, and what is told of it."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING

import pytest

from itermon.events import EVALUATION, GC, Event, Stack
from itermon.trainer_hooks.mark_queue import MarkQueue
from itermon.trainer_hooks.stacks.lookout import Lookout
from itermon.trainer_hooks.timeline.timeline import Timeline

if TYPE_CHECKING:
    from itermon.trainer_hooks.stacks.looking import Steps
    from itermon.trainer_hooks.stacks.witness import Seen

# The bounds as numbers of its own: from the code, a test would move with them.
MOST_LOOKS = 10

TICK_S = 0.1


def code(name: str) -> CodeType:
    return compile(f"def {name}(): pass", "/w/data.py", "exec").co_consts[0]  # type: ignore[no-any-return]


class Training:
    """A loop, its hooks and its daemon thread, one after the other, on a clock that goes on when it says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_ns, self.cpu_ns = 10**12, 0
        monkeypatch.setattr(time, "perf_counter_ns", lambda: self.now_ns)
        self.marks, self.timeline = MarkQueue(), Timeline()
        self.at: Steps = []
        self.looks = 0
        self.marks_while_looked_at = False
        self.lookout = Lookout(self.timeline, self.looked_at)
        self.told: list[Event] = []
        self.marks.begin()
        monkeypatch.setattr(self.marks.trainer, "cpu_ns", lambda: self.cpu_ns)

    def looked_at(self, thread: int) -> Steps:
        assert thread == self.marks.trainer.thread
        self.looks += 1
        if self.marks_while_looked_at:
            self.marks.iteration()
        return self.at

    def tick(self, late_s: float = 0.0, busy_s: float = 0.0) -> None:
        self.lookout.begin_tick(self.marks)
        self.now_ns += round((TICK_S + late_s) * 1e9)
        self.cpu_ns += round(busy_s * 1e9)
        for mark in self.marks.take(1 << 16)[0]:
            self.timeline.add(mark)
        self.lookout.see(self.marks, round(late_s * 1e9))
        self.told += self.timeline.take()

    def is_in(self, name: str, seconds: float) -> None:
        self.at = [(code(name), 48)]
        for _ in range(round(seconds / TICK_S)):
            self.tick()

    def iterations(self, count: int, seconds: float = 0.2) -> None:
        for _ in range(count):
            self.is_in("train", seconds)
            self.marks.iteration()
        self.tick()

    @property
    def stacks(self) -> list[Stack]:
        return [event for event in self.told if isinstance(event, Stack)]

    @property
    def counts(self) -> list[tuple[str, int]]:
        return [(stack.user_place.split()[-1], stack.count) for stack in self.stacks]


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> Training:
    return Training(monkeypatch)


def test_a_normal_iteration_is_never_looked_at(training: Training) -> None:
    training.iterations(100)
    training.iterations(5, 0.4)  # slow, but not so slow
    assert training.looks == 0


def test_a_late_one_is_from_three_times_its_usual_time_on(training: Training) -> None:
    training.iterations(10, 0.4)
    training.is_in("read_shard", 1.0)
    assert training.looks == 0, "1.1 s of 0.4"
    training.is_in("read_shard", 0.2)
    (stack,) = training.stacks
    assert (stack.iteration, stack.count, stack.native) == (10, 1, False)
    assert stack.waited_s == pytest.approx(1.25, abs=0.1)
    assert stack.user_place == "data.py:48 read_shard"


def test_a_short_one_is_not_before_half_a_second(training: Training) -> None:
    training.iterations(20, 0.1)
    training.is_in("read_shard", 0.3)
    assert training.looks == 0
    training.is_in("read_shard", 0.2)
    assert training.looks == 1


def test_ten_looks_further_and_further_apart_are_told_as_two(training: Training) -> None:
    training.iterations(10)
    training.is_in("read_shard", 200)
    assert training.looks == MOST_LOOKS
    assert training.counts == [("read_shard", 1), ("read_shard", 9)]
    first, last = training.stacks
    assert first.waited_s == pytest.approx(0.6, abs=0.15)
    assert last.waited_s == pytest.approx(0.6 * 1.7**9, rel=0.05)


def test_what_differs_is_told_apart_and_equal_ones_are_counted(training: Training) -> None:
    training.iterations(10)
    training.is_in("read_shard", 4)
    training.is_in("decode", 10)
    training.marks.iteration()
    training.tick()
    training.iterations(3)
    assert training.counts == [("read_shard", 1), ("read_shard", 3), ("decode", 1), ("decode", 1)]
    assert {stack.iteration for stack in training.stacks} == {10}


def test_the_first_iteration_is_only_after_half_a_minute(training: Training) -> None:
    training.is_in("prepare", 29.8)
    assert training.looks == 0
    training.is_in("prepare", 0.4)
    assert training.counts == [("prepare", 1)]
    assert training.stacks[0].iteration is None


def test_an_evaluation_is_not_looked_at_nor_is_what_follows_it(training: Training) -> None:
    training.iterations(10)
    training.marks.begin_span(EVALUATION)
    training.is_in("evaluate", 5)
    training.marks.end_span(EVALUATION)
    training.marks.past_span(GC, 400_000_000)
    training.is_in("train", 0.4)
    assert training.looks == 0
    training.is_in("read_shard", 1)
    assert training.looks == 2


def test_what_is_seen_when_the_iteration_has_just_ended_counts_for_nothing(training: Training) -> None:
    training.iterations(10)
    training.marks_while_looked_at = True
    training.is_in("train", 0.8)
    assert (training.looks, training.stacks) == (1, [])


def test_a_thread_that_is_gone_is_nowhere(training: Training) -> None:
    training.iterations(10)
    training.at = []
    for _ in range(20):
        training.tick()
    assert training.stacks == []


def test_while_nobody_knows_where_iterations_end_nobody_looks(training: Training) -> None:
    training.iterations(10)
    training.marks.put(("stepped", training.now_ns, 0, None))
    training.is_in("train", 5)
    assert training.looks == 0


@pytest.mark.parametrize(
    ("late_s", "busy_s", "native"),
    [
        (5.0, 4.8, True),
        (5.0, 0.6, True),
        (5.0, 0.1, False),
        (1.5, 0.19, False),
        (1.5, 0.2, True),
        (0.9, 0.9, False),
    ],
)
def test_who_works_and_lets_nobody_else_run_is_in_native_code(
    training: Training, late_s: float, busy_s: float, native: bool
) -> None:
    training.iterations(10)
    training.at = [(code("call"), 3)]
    training.tick(late_s, busy_s)
    assert [stack.native for stack in training.stacks] == [native]


def test_who_is_blocked_as_usual_is_not_looked_at(training: Training) -> None:
    training.iterations(10, 3)
    training.tick(5.0, 4.8)
    assert training.looks == 0


def test_what_was_blocked_is_looked_at_when_that_is_over(training: Training) -> None:
    training.iterations(10)
    training.is_in("read_shard", 3)
    training.at = [(code("call"), 3)]
    training.tick(1.2, 1.2)
    assert training.counts[-1] == ("call", 1)
    assert training.stacks[-1].native


def test_what_is_held_is_told_at_the_end(training: Training) -> None:
    training.iterations(10)
    training.is_in("read_shard", 3)
    training.lookout.finish()
    training.told += training.timeline.take()
    assert training.counts == [("read_shard", 1), ("read_shard", 3)]


def test_switched_off_it_never_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_STACKS", "0")
    training = Training(monkeypatch)
    training.iterations(10)
    training.is_in("read_shard", 60)
    assert (training.looks, training.stacks) == (0, [])


DRAG = Path(__file__).parents[3] / "bench" / "loop_drag.py"


def test_the_training_thread_executes_nothing_for_it() -> None:
    """By the interpreter's own count of instructions: no clock could show so little."""
    ended = subprocess.run(
        [sys.executable, str(DRAG), "--instructions"], capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr
    looking, iterations, without = map(int, re.findall(r"\d+", ended.stdout)[:3])
    assert looking == without > 10 * iterations


class Watcher:
    """Stands in for `faulthandler`'s timer, which goes off while the daemon thread waits for its turn."""

    def __init__(self, training: Training) -> None:
        self.training = training
        self.armed = 0

    def arm(self) -> None:
        self.armed += 1

    def seen(self, thread: int) -> Seen:
        assert thread == self.training.marks.trainer.thread
        at_s = self.training.timeline.course.at_s(self.training.now_ns) - 2.0
        return at_s, [("/usr/x.py", 3, "wait"), ("/w/data.py", 48, "read_shard")]


def test_what_the_witness_saw_counts_before_what_is_seen_when_all_is_over(
    training: Training, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = Watcher(training)
    monkeypatch.setattr(training.lookout, "_witness", watcher)
    training.tick()
    assert watcher.armed == 0, "nothing has been trained yet"
    training.iterations(10)
    assert watcher.armed > 0
    training.at = [(code("after_it"), 3)]
    training.tick(7.0, 0.0)
    (stack,) = training.stacks
    assert (stack.user_place, stack.native) == ("x.py:3 wait", True)
    assert stack.frames[1].endswith("data.py:48 read_shard")
    assert stack.waited_s == pytest.approx(7.2 - 2.0, abs=0.11)
    assert training.looks == 0


@pytest.mark.parametrize(("count", "looks"), [(4, 0), (5, 1)])
def test_after_five_iterations_it_is_known_what_is_usual(training: Training, count: int, looks: int) -> None:
    training.iterations(count)
    training.is_in("read_shard", 0.9)
    assert training.looks == looks
