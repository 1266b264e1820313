"""The queue of marks: what the training thread puts in, the daemon thread takes out, whichever comes between."""

from __future__ import annotations

import sys
from collections import deque

import pytest

from itermon.events import CHECKPOINT, EVALUATION, Event, Message, Phases
from itermon.trainer_hooks import mark_queue
from itermon.trainer_hooks.mark_queue import MarkQueue
from itermon.trainer_hooks.marks import BEGIN, END, EVENT, ITERATION, LOOP, PHASES, PROGRESS, SPAN, WAITING, Mark

# The bounds as numbers of its own: from the code, a test would move with them.
MOST_MARKS = 65_536

NOW_NS = 1_000


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mark_queue.time, "perf_counter_ns", lambda: NOW_NS)


def taken(marks: MarkQueue, most: int = 100) -> list[Mark]:
    return marks.take(most)[0]


def test_each_call_leaves_one_mark_of_its_shape() -> None:
    marks, event = MarkQueue(), Message("seen")
    marks.begin()
    marks.iteration(7, loss=2.5, gradient_norm=0.5, learning_rate=1e-3, tokens=64, mfu=0.4)
    marks.past_iteration(500, 8, loss=2.0, gradient_norm=0.25, learning_rate=2e-3)
    marks.begin_span(EVALUATION, "validation")
    marks.end_span(EVALUATION, "validation", {"val_loss": 2.0})
    marks.past_span(CHECKPOINT, 300, "model.pt")
    marks.phases(7, {"forward": 0.5})
    marks.emit(event)
    assert taken(marks) == [
        (LOOP, NOW_NS),
        (ITERATION, NOW_NS, 7, 2.5, 0.5, 1e-3, 64, 0.4),
        (ITERATION, 500, 8, 2.0, 0.25, 2e-3, None, None),
        (BEGIN, NOW_NS, EVALUATION, "validation"),
        (END, NOW_NS, EVALUATION, "validation", {"val_loss": 2.0}),
        (SPAN, NOW_NS, CHECKPOINT, 300, "model.pt"),
        (PHASES, NOW_NS, Phases, (7, {"forward": 0.5})),
        (EVENT, NOW_NS, event),
    ]
    assert taken(marks) == []


def test_the_newest_micro_step_is_taken_once_and_an_iteration_ends_it() -> None:
    marks = MarkQueue()
    marks.micro_step(1, 4)
    marks.micro_step(2, 4)
    assert taken(marks) == [(LOOP, NOW_NS), (PROGRESS, NOW_NS, 2, 4)], "the first micro-step begins the loop"
    assert taken(marks) == []
    marks.micro_step(4, 4)
    marks.iteration()
    assert [mark[0] for mark in taken(marks)] == [ITERATION]
    marks.micro_step(1)
    marks.past_iteration(500, 8)
    assert [mark[0] for mark in taken(marks)] == [ITERATION]


class Racing(deque[Mark]):
    """A queue that the training thread reaches while the daemon thread counts what waits."""

    def __init__(self, marks: MarkQueue) -> None:
        super().__init__()
        self.marks, self.raced = marks, False
        marks._queue, marks._append = self, self.append

    def __len__(self) -> int:
        if not self.raced:
            self.raced = True
            self.marks.iteration(0)
        return super().__len__()


def test_a_micro_step_whose_iteration_ends_while_marks_are_taken_is_not_taken_for_the_next() -> None:
    marks = MarkQueue()
    marks.begun = True
    marks.micro_step(1, 4)
    Racing(marks)
    assert [mark[0] for mark in taken(marks)] == [ITERATION]
    assert taken(marks) == []


def test_a_wait_under_way_is_taken_each_time() -> None:
    marks = MarkQueue()
    marks.waiting_since_ns = 250
    assert taken(marks) == taken(marks) == [(WAITING, NOW_NS, 250)]


def test_how_things_stand_comes_after_all_that_waits() -> None:
    marks = MarkQueue()
    for _ in range(3):
        marks.iteration()
    marks.micro_step(1)
    marks.waiting_since_ns = 250
    first, more = marks.take(2)
    assert (len(first), more) == (2, True)
    rest, more = marks.take(2)
    assert more, "as many as asked for: there may be more"
    assert [mark[0] for mark in rest] == [ITERATION, LOOP]
    last, more = marks.take(2)
    assert ([mark[0] for mark in last], more) == ([WAITING, PROGRESS], False)


def test_what_is_too_much_is_dropped_and_counted_once() -> None:
    marks = MarkQueue()
    for _ in range(MOST_MARKS + 5):
        marks.iteration()
    marks.begin()
    assert marks.take_dropped() == 6
    assert marks.take_dropped() == 0
    assert len(taken(marks, 2 * MOST_MARKS)) == MOST_MARKS
    marks.begin()
    assert marks.take_dropped() == 0


def test_a_queue_that_is_shut_takes_nothing_and_gives_what_it_has() -> None:
    marks = MarkQueue()
    marks.iteration()
    assert marks.alive
    marks.shut()
    marks.iteration()
    marks.begin()
    assert not marks.alive
    assert [mark[0] for mark in taken(marks)] == [ITERATION]
    marks = MarkQueue()
    marks.iteration()
    marks.clear()
    assert taken(marks) == []


class Tensor:
    """A stand-in for a tensor: reading one that is on a GPU would wait for it."""

    def __init__(self, value: float, *, is_cpu: bool) -> None:
        self.value, self.is_cpu = value, is_cpu

    def item(self) -> float:
        assert self.is_cpu, "read: that would wait for the GPU"
        return self.value


def test_a_tensors_loss_is_read_at_once_unless_it_lies_on_a_gpu() -> None:
    marks = MarkQueue()
    loss = Tensor(2.5, is_cpu=True)
    marks.iteration(0, loss=loss)
    loss.value = 0.0  # zeroed in place, as a running sum is
    marks.iteration(1, loss=Tensor(2.5, is_cpu=False))
    marks.iteration(2, loss="much")
    assert [mark[3] for mark in taken(marks) if mark[0] == ITERATION] == [2.5, None, "much"]


def test_an_event_keeps_its_own_class() -> None:
    marks = MarkQueue()
    marks.emit(Event())
    assert taken(marks) == [(EVENT, NOW_NS, Event())]


def test_who_cannot_say_how_long_a_thread_was_at_work_says_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(mark_queue.time, "pthread_getcpuclockid")
    assert mark_queue.Trainer().cpu_ns() == 0


def test_what_waits_at_most_takes_16_mb() -> None:
    marks = MarkQueue()
    marks.iteration(10**6, loss=2.5, gradient_norm=0.5, learning_rate=1e-3, tokens=491_520, mfu=0.4)
    (mark,) = taken(marks)
    of_one = sys.getsizeof(mark) + sum(map(sys.getsizeof, mark[1:]))
    assert of_one * MOST_MARKS < 24 << 20
