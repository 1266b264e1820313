"""The phases of an iteration by the wall clock, with a made-up one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from itermon.events import BACKWARD, BEFORE_FORWARD, BEFORE_STEP, DATA, FORWARD, OPTIMIZER, SYNC, Phases
from itermon.trainer_hooks.automatic.host_phases import HostPhases

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


def test_the_phases_are_the_whole_iteration_and_the_first_one_is_left_out(clock: Clock) -> None:
    phases = HostPhases()
    train_one(phases, clock)
    assert phases.turn(0, ranks=True) is None, "its beginning was not seen"
    train_one(phases, clock)
    assert phases.turn(1, ranks=True) == Phases(
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
    phases.turn(0, ranks=False)
    for _ in range(2):
        clock.passes(0.25)
        with phases.data:
            clock.passes(1.0)
    clock.passes(0.5)
    phases.stamp(FORWARD)
    found = phases.turn(1, ranks=False)
    assert found is not None
    assert found.phases == {DATA: 2.0, FORWARD: 1.0}


def test_a_wait_inside_a_wait_counts_once_and_one_that_fails_counts_too(clock: Clock) -> None:
    phases = HostPhases()
    phases.turn(0, ranks=False)

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
    found = phases.turn(1, ranks=False)
    assert found is not None
    assert sum(found.phases.values()) == pytest.approx(7.0)
    assert found.phases[SYNC] == 2.0


def test_with_other_ranks_the_sync_is_there_even_when_nobody_waited(clock: Clock) -> None:
    phases = HostPhases()
    for ranks in (True, False):
        phases.turn(0, ranks=ranks)
        clock.passes(1.0)
        phases.stamp(FORWARD)
        found = phases.turn(1, ranks=ranks)
        assert found is not None
        assert (SYNC in found.phases) == ranks
