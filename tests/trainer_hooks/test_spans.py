"""The `with` blocks: marks at their beginning and end, whatever happens inside."""

from __future__ import annotations

import pytest

from itermon.events import EVALUATION, LOGGING
from itermon.trainer_hooks import mark_queue, spans
from itermon.trainer_hooks.mark_queue import MarkQueue
from itermon.trainer_hooks.marks import BEGIN, END, LOOP, PASSED, WAITED
from itermon.trainer_hooks.spans import Phase, Span, Wait


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    now_ns = [100]
    for module in (mark_queue, spans):
        monkeypatch.setattr(module.time, "perf_counter_ns", lambda: now_ns[0])
    return now_ns


def test_a_span_begins_and_ends_with_its_values(clock: list[int]) -> None:
    marks = MarkQueue()
    with Span(marks, EVALUATION, "validation") as found:
        assert marks.take(9)[0] == [(BEGIN, 100, EVALUATION, "validation")]
        found["val_loss"] = 2.5
        clock[0] = 300
    assert marks.take(9)[0] == [(END, 300, EVALUATION, "validation", {"val_loss": 2.5})]


def test_a_span_that_fails_ends_and_the_failure_goes_on() -> None:
    marks = MarkQueue()
    with pytest.raises(ValueError, match="odd"), Span(marks, EVALUATION):
        raise ValueError("odd")
    assert [mark[0] for mark in marks.take(9)[0]] == [BEGIN, END]


def test_a_wait_leaves_one_mark_when_it_is_over(clock: list[int]) -> None:
    marks = MarkQueue()
    wait = Wait(marks)
    for since_ns in (100, 500):
        clock[0] = since_ns
        with wait:
            assert marks.waiting_since_ns == since_ns
            clock[0] = since_ns + 50
        assert marks.waiting_since_ns is None
    wait.end()  # nobody waited
    assert marks.take(9)[0] == [(LOOP, 100), (WAITED, 150, 100), (WAITED, 550, 500)], "the first begins the loop"


def test_a_wait_inside_another_is_part_of_that_one(clock: list[int]) -> None:
    marks = MarkQueue()
    wait = Wait(marks)
    with wait:
        clock[0] = 150
        with wait, wait:
            clock[0] = 175
        assert marks.waiting_since_ns == 100, "it lasts"
        clock[0] = 200
    with wait:
        clock[0] = 210
    assert marks.take(9)[0] == [(LOOP, 100), (WAITED, 200, 100), (WAITED, 210, 200)]


def test_a_phase_leaves_one_mark_and_begins_the_loop(clock: list[int]) -> None:
    marks = MarkQueue()
    with Phase(marks, LOGGING):
        clock[0] += 3
    loop, passed = marks.take(10)[0]
    assert (loop[0], passed) == (LOOP, (PASSED, clock[0], LOGGING, clock[0] - 3))
