"""An iteration's time by phase, with made-up nanoseconds."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import pytest

from itermon.events import (
    BACKWARD,
    BEFORE_STEP,
    CHECKPOINT,
    COMPILE,
    DATA,
    EVALUATION,
    FORWARD,
    LOGGING,
    OPTIMIZER,
    Event,
    Iteration,
    Phases,
    Progress,
)
from itermon.trainer_hooks.marks import BEGIN, END, ITERATION, LOOP, PARTS, PASSED, WAITED
from itermon.trainer_hooks.timeline.spent import Spent, seconds_of
from itermon.trainer_hooks.timeline.timeline import Timeline

if TYPE_CHECKING:
    from itermon.trainer_hooks.marks import Mark, Stamp

STAMPS: list[Stamp] = [(FORWARD, 500, 0), (BACKWARD, 700, 0), (BEFORE_STEP, 750, 0)]


def spent(*apart: Stamp, stamps: list[Stamp] | None = None) -> Spent:
    found = Spent(100)
    found.add(deque(STAMPS if stamps is None else stamps), 800, list(apart))
    return found


@pytest.mark.parametrize(
    ("apart", "expected"),
    [
        ([], {}),
        ([(LOGGING, 130, 110), (LOGGING, 160, 150)], {LOGGING: 30}),
        ([(LOGGING, 140, 120), (LOGGING, 160, 110)], {LOGGING: 50}),  # a handler that prints
        ([(EVALUATION, 400, 150)], {EVALUATION: 250}),
        ([(COMPILE, 300, 200), (EVALUATION, 400, 150)], {COMPILE: 100, EVALUATION: 150}),
        ([(EVALUATION, 200, 150), (CHECKPOINT, 300, 210)], {EVALUATION: 50, CHECKPOINT: 90}),
        ([(LOGGING, 300, 200), (EVALUATION, 400, 150)], {EVALUATION: 250}),  # of the evaluation
        ([(LOGGING, 300, 150), (EVALUATION, 400, 150)], {EVALUATION: 250}),  # it began with it
        ([(LOGGING, 390, 200), (COMPILE, 380, 300), (EVALUATION, 400, 150)], {COMPILE: 80, EVALUATION: 170}),
        ([(EVALUATION, 300, 150), (LOGGING, 350, 140)], {LOGGING: 60, EVALUATION: 150}),  # it evaluates as it logs
        ([(CHECKPOINT, 200, 40)], {CHECKPOINT: 100}),  # it began in the iteration before
    ],
)
def test_what_is_timed_apart_is_taken_out_of_the_phase_that_it_lies_in(
    apart: list[Stamp], expected: dict[str, int]
) -> None:
    found = spent(*apart)
    assert found.apart_ns == expected
    rest = {FORWARD: 400 - sum(expected.values()), BACKWARD: 200, BEFORE_STEP: 50, OPTIMIZER: 50}
    assert found.ns == expected | rest


def test_a_stamp_amid_a_stop_stays_where_it_was() -> None:
    found = spent((EVALUATION, 600, 400))  # it learns as it evaluates
    assert found.ns == {FORWARD: 400, EVALUATION: 100, BACKWARD: 100, BEFORE_STEP: 50, OPTIMIZER: 50}
    assert found.backwards == 1


def test_batches_outside_a_stop_are_the_trainings_and_those_in_it_are_not() -> None:
    stamps = [(DATA, 120, 110), (DATA, 220, 200), *STAMPS]
    assert spent((EVALUATION, 300, 150), stamps=stamps).apart_ns == {DATA: 10, EVALUATION: 150}


def test_of_stops_that_overlap_each_keeps_what_lies_in_it() -> None:
    found = spent((LOGGING, 150, 110), (EVALUATION, 250, 105), (LOGGING, 290, 260), (COMPILE, 300, 200))
    assert LOGGING not in found.apart_ns


def test_what_comes_after_the_end_waits_for_the_next_iteration() -> None:
    stamps = deque([*STAMPS, (FORWARD, 900, 0)])
    found = Spent(100)
    found.add(stamps, 800, [])
    assert (list(stamps), found.until_ns) == ([(FORWARD, 900, 0)], 800)


def test_seconds_have_microseconds_and_no_more() -> None:
    assert seconds_of({FORWARD: 1_234_567_891}) == {FORWARD: 1.234567}


def test_phases_that_the_script_times_are_told_with_its_waits_and_its_stops() -> None:
    timeline = Timeline()
    marks: list[Mark] = [
        (LOOP, 0),
        (BEGIN, 100_000, EVALUATION, ""),
        (WAITED, 130_000, 110_000),
        (END, 150_000, EVALUATION, "", None),
        (ITERATION, 200_000, None, None, None, None, None, None),
        (WAITED, 230_000, 210_000),
        (PASSED, 260_000, LOGGING, 250_000),
        (PASSED, 270_000, "lunch", 250_000),
        (BEGIN, 300_000, EVALUATION, ""),
        (PASSED, 330_000, LOGGING, 310_000),
        (END, 350_000, EVALUATION, "", None),
        (ITERATION, 400_000, None, None, None, None, None, None),
        (ITERATION, 500_000, None, None, None, None, None, None),
    ]
    for mark in marks:
        timeline.add(mark)
    (phases,) = [event for event in timeline.take() if isinstance(event, Phases)]
    expected = {DATA: 0.00002, LOGGING: 0.00001, EVALUATION: 0.00005}
    assert phases == Phases(1, expected, on_host=True, whole=False)


@pytest.mark.parametrize(("times", "told"), [(16_383, 1), (16_384, 0)])
def test_of_phases_timed_so_often_that_some_may_be_lost_nothing_is_told(times: int, told: int) -> None:
    timeline = Timeline()
    timeline.add((LOOP, 0))
    for n in range(times):
        timeline.add((PASSED, 10 * n + 9, LOGGING, 10 * n))
    timeline.add((ITERATION, 10 * times, None, None, None, None, None, None))
    assert sum(isinstance(event, Phases) for event in timeline.take()) == told


class UnderWay:
    """Parts of which so many micro-steps are done."""

    usual = 4

    def __init__(self) -> None:
        self.done: tuple[int, int] | None = None

    def of(self, iteration: int, until_ns: int, apart: list[Stamp]) -> list[Event]:
        return []

    def under_way(self) -> tuple[int, int] | None:
        return self.done


def test_the_micro_step_that_an_iteration_has_come_to_is_reported_when_it_moves() -> None:
    timeline, parts = Timeline(), UnderWay()
    timeline.add((LOOP, 0))
    timeline.add((PARTS, 0, parts))
    assert timeline.take() == []
    parts.done = (2, 5 * 1_000_000)
    (progress,) = timeline.take()
    assert isinstance(progress, Progress)
    assert (progress.micro_step, progress.micro_steps) == (2, 4)
    assert timeline.take() == []
    parts.done = (3, 6 * 1_000_000)
    assert len(timeline.take()) == 1
    timeline.add((ITERATION, 7 * 1_000_000, None, None, None, None, None, None))
    assert [type(event) for event in timeline.take()] == [Iteration, Progress]


def test_of_several_stops_each_holds_what_lies_in_it() -> None:
    logging = [(LOGGING, 130, 120), (LOGGING, 260, 250), (LOGGING, 320, 310), (LOGGING, 460, 450)]
    stops = [(EVALUATION, 200, 150), (EVALUATION, 300, 240), (CHECKPOINT, 490, 430)]
    assert spent(*logging, *stops).apart_ns == {LOGGING: 20, EVALUATION: 110, CHECKPOINT: 60}


def test_of_stops_within_each_other_the_outer_one_holds_the_stamps() -> None:
    inner, outer = (CHECKPOINT, 300, 260), (EVALUATION, 450, 200)
    found = spent(inner, outer, (LOGGING, 250, 240), (LOGGING, 350, 340), (LOGGING, 190, 180))
    assert found.apart_ns == {LOGGING: 10, CHECKPOINT: 40, EVALUATION: 210}
