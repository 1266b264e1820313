"""The phases of an iteration by the wall clock, with a made-up one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from itermon.events import BACKWARD, BEFORE_FORWARD, BEFORE_STEP, DATA, FORWARD, OPTIMIZER, SYNC, Phases
from itermon.trainer_hooks.automatic.host_phases import HostPhases, phases_of

if TYPE_CHECKING:
    from ..conftest import Clock


def train_one(phases: HostPhases, clock: Clock) -> None:
    with phases.data:
        clock.passes(0.004)
    clock.passes(0.001)
    phases.stamp(BEFORE_FORWARD)
    with phases.sync:
        clock.passes(0.002)
    clock.passes(0.008)
    phases.stamp(FORWARD)
    clock.passes(0.016)
    phases.stamp(BACKWARD)
    clock.passes(0.05)
    phases.stamp(SYNC)
    clock.passes(0.03)
    phases.stamp(BEFORE_STEP)
    clock.passes(0.003)
    phases.stamp(OPTIMIZER)


def found(phases: HostPhases, *, ranks: bool = False) -> Phases:
    stamps = phases.turn()
    assert stamps is not None
    return phases_of(1, stamps, ranks)


def test_the_phases_are_the_whole_iteration_and_the_first_one_is_left_out(clock: Clock) -> None:
    phases = HostPhases()
    train_one(phases, clock)
    assert phases.turn() is None, "its beginning was not seen"
    train_one(phases, clock)
    assert found(phases, ranks=True) == Phases(
        1,
        {
            DATA: 0.004,
            BEFORE_FORWARD: 0.001,
            SYNC: 0.052,
            FORWARD: 0.008,
            BACKWARD: 0.016,
            BEFORE_STEP: 0.03,
            OPTIMIZER: 0.003,
        },
        on_host=True,
    )


def test_what_passes_before_and_after_a_wait_is_of_the_phase_that_is_named_next(clock: Clock) -> None:
    phases = HostPhases()
    phases.turn()
    for _ in range(2):
        clock.passes(0.25)
        with phases.data:
            clock.passes(1.0)
    clock.passes(0.5)
    phases.stamp(FORWARD)
    assert found(phases).phases == {DATA: 2.0, FORWARD: 1.0}


def test_a_wait_inside_a_wait_counts_once_and_one_that_fails_counts_too(clock: Clock) -> None:
    phases = HostPhases()
    phases.turn()

    def fetch() -> None:
        with phases.data:
            clock.passes(1.0)
            with phases.sync:
                clock.passes(2.0)
            clock.passes(4.0)
            raise StopIteration

    with pytest.raises(StopIteration):
        fetch()
    phases.stamp(OPTIMIZER)
    seconds = found(phases).phases
    assert sum(seconds.values()) == pytest.approx(7.0)
    assert seconds[SYNC] == 2.0


def test_with_other_ranks_the_sync_is_there_even_when_nobody_waited(clock: Clock) -> None:
    phases = HostPhases()
    for ranks in (True, False):
        phases.turn()
        clock.passes(1.0)
        phases.stamp(FORWARD)
        assert (SYNC in found(phases, ranks=ranks).phases) == ranks


def test_an_iteration_of_countless_micro_steps_has_no_phases_and_the_next_one_has(clock: Clock) -> None:
    phases = HostPhases()
    phases.turn()
    for _ in range(5000):
        phases.stamp(FORWARD)
    assert phases.turn() is None
    clock.passes(1.0)
    phases.stamp(FORWARD)
    assert found(phases).phases == {FORWARD: 1.0}


def test_the_next_iteration_begins_with_the_last_stamp_of_this_one(clock: Clock) -> None:
    phases = HostPhases()
    phases.stamp(OPTIMIZER)
    clock.passes(0.25)  # of the hooks' own
    phases.turn()
    clock.passes(1.0)
    phases.stamp(FORWARD)
    assert found(phases).phases == {FORWARD: 1.25}
