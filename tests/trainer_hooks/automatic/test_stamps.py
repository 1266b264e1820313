"""What an iteration is made of, with a made-up clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from itermon.events import (
    BACKWARD,
    BEFORE_FORWARD,
    BEFORE_STEP,
    DATA,
    FORWARD,
    LOGGING,
    OPTIMIZER,
    SYNC,
    Config,
    Event,
    Phases,
)
from itermon.trainer_hooks.automatic.stamps import Stamps

if TYPE_CHECKING:
    from ..conftest import Clock

# The bounds as numbers of its own: from the code, a test would move with them.
MOST = 16_384


@pytest.fixture
def stamps() -> Stamps:
    stamps = Stamps()
    stamps.on_host = True
    return stamps


def waits(stamps: Stamps, clock: Clock, kind: str, seconds: float) -> None:
    since_ns = clock.now_ns
    clock.passes(seconds)
    stamps.waited(kind, since_ns)


def train_one(stamps: Stamps, clock: Clock) -> None:
    waits(stamps, clock, DATA, 0.004)
    clock.passes(0.001)
    stamps.stamp(BEFORE_FORWARD)
    waits(stamps, clock, SYNC, 0.002)
    clock.passes(0.008)
    stamps.stamp(FORWARD)
    clock.passes(0.016)
    stamps.stamp(BACKWARD)
    clock.passes(0.05)
    stamps.stamp(SYNC)
    clock.passes(0.03)
    stamps.stamp(BEFORE_STEP)
    clock.passes(0.003)


def phases(events: list[Event]) -> dict[str, float] | None:
    found = [event for event in events if isinstance(event, Phases)]
    return found[0].phases if found else None


def test_the_phases_are_the_whole_iteration_and_the_first_one_is_left_out(stamps: Stamps, clock: Clock) -> None:
    stamps.ranks = True
    train_one(stamps, clock)
    assert stamps.of(0, clock.now_ns, []) == [], "its beginning was not seen"
    train_one(stamps, clock)
    expected = {
        DATA: 0.004,
        BEFORE_FORWARD: 0.001,
        SYNC: 0.052,
        FORWARD: 0.008,
        BACKWARD: 0.016,
        BEFORE_STEP: 0.03,
        OPTIMIZER: 0.003,
    }
    assert phases(stamps.of(1, clock.now_ns, [])) == expected
    stamps.on_host = False
    assert phases(stamps.of(2, clock.now_ns, [])) is None, "a GPU has its own clock"


def test_what_passes_before_and_after_a_wait_is_of_the_phase_that_is_named_next(
    stamps: Stamps, clock: Clock
) -> None:
    stamps.of(0, clock.now_ns, [])
    for _ in range(2):
        clock.passes(0.25)
        waits(stamps, clock, DATA, 1.0)
    clock.passes(0.5)
    stamps.stamp(FORWARD)
    assert phases(stamps.of(1, clock.now_ns, [])) == {DATA: 2.0, FORWARD: 1.0, OPTIMIZER: 0.0}


def test_of_a_wait_inside_a_wait_each_second_counts_once(stamps: Stamps, clock: Clock) -> None:
    stamps.of(0, clock.now_ns, [])
    waits(stamps, clock, SYNC, 8.0)
    since_ns = clock.now_ns
    clock.passes(1.0)
    waits(stamps, clock, SYNC, 2.0)
    waits(stamps, clock, SYNC, 0.5)
    clock.passes(4.0)
    stamps.waited(DATA, since_ns)
    clock.passes(16.0)
    assert phases(stamps.of(1, clock.now_ns, [])) == {SYNC: 10.5, DATA: 5.0, OPTIMIZER: 16.0}


def test_a_wait_that_began_before_the_iteration_counts_in_both_as_far_as_it_was(
    stamps: Stamps, clock: Clock
) -> None:
    since_ns = clock.now_ns
    clock.passes(1.0)
    stamps.of(0, clock.now_ns, [])
    clock.passes(2.0)
    stamps.waited(DATA, since_ns)
    assert phases(stamps.of(1, clock.now_ns, [])) == {DATA: 2.0, OPTIMIZER: 0.0}


@pytest.mark.parametrize("ranks", [True, False])
def test_with_other_ranks_the_sync_is_there_even_when_nobody_waited(
    ranks: bool, stamps: Stamps, clock: Clock
) -> None:
    stamps.of(0, clock.now_ns, [])
    stamps.ranks = ranks
    clock.passes(1.0)
    stamps.stamp(FORWARD)
    found = phases(stamps.of(1, clock.now_ns, []))
    assert found is not None
    assert (SYNC in found) == ranks


def test_an_iteration_of_countless_micro_steps_has_no_phases_and_the_next_one_has(
    stamps: Stamps, clock: Clock
) -> None:
    stamps.of(0, clock.now_ns, [])
    for _ in range(20_000):
        stamps.stamp(FORWARD)
    assert stamps.of(1, clock.now_ns, []) == []
    clock.passes(1.0)
    stamps.stamp(FORWARD)
    assert phases(stamps.of(2, clock.now_ns, [])) == {FORWARD: 1.0, OPTIMIZER: 0.0}


def test_an_iterations_stamps_are_those_until_its_end_however_late_that_is_told(
    stamps: Stamps, clock: Clock
) -> None:
    """As Hugging Face's callback does: it waits for the losses."""
    ends_ns = []
    for _ in range(3):
        clock.passes(1.0)
        stamps.stamp(FORWARD)
        clock.passes(0.5)
        ends_ns.append(clock.now_ns)
    found = [phases(stamps.of(index, end_ns, [])) for index, end_ns in enumerate(ends_ns)]
    assert found == [None, {FORWARD: 1.0, OPTIMIZER: 0.5}, {FORWARD: 1.0, OPTIMIZER: 0.5}]


def test_what_follows_the_optimizer_until_the_end_is_told_is_the_next_iterations(
    stamps: Stamps, clock: Clock
) -> None:
    stamps.of(0, clock.now_ns, [])
    for _ in range(2):
        clock.passes(1.0)
        stamps.stamp(OPTIMIZER)
        clock.passes(0.25)  # a scheduler's step
        found = phases(stamps.of(1, clock.now_ns, []))
    assert found == {OPTIMIZER: 1.25}


def iteration(stamps: Stamps, clock: Clock, pattern: str) -> list[Event]:
    """A `b`ackward each, a `s`tep each, in their order."""
    for letter in pattern:
        for phase in (FORWARD, BACKWARD) if letter == "b" else (BEFORE_STEP, OPTIMIZER):
            clock.passes(0.25)
            stamps.stamp(phase)
    return [event for event in stamps.of(0, clock.now_ns, []) if isinstance(event, Config)]


@pytest.mark.parametrize(
    ("iterations", "expected"),
    [
        ("bbbs bbbs bbs bbbs bbs bbs bbs", [3, 2]),
        ("bs bs bs", [1]),
        ("bsbs bsbs bsbs", []),  # a GAN
        ("s s s", []),  # LBFGS has its backwards after this; without any it is nobody's rule
        ("sbb sbb", []),
        ("bbss bbss", [2]),  # Muon and AdamW: both gradients were there before the first step
        ("bbs bbs bsbs bbs bbs", [2, 2]),
    ],
)
def test_twice_as_many_backwards_are_the_micro_steps_of_an_iteration(
    iterations: str, expected: list[int], stamps: Stamps, clock: Clock
) -> None:
    found = [event for pattern in iterations.split() for event in iteration(stamps, clock, pattern)]
    assert [event.gradient_accumulation for event in found if isinstance(event, Config)] == expected


def test_what_somebody_else_counts_is_not_counted(stamps: Stamps, clock: Clock) -> None:
    stamps.counts = False
    assert [iteration(stamps, clock, "bbs") for _ in range(3)] == [[], [], []]
    stamps.stamp(BACKWARD)
    assert stamps.under_way() is None


def test_the_micro_steps_under_way_are_those_before_the_first_step(stamps: Stamps, clock: Clock) -> None:
    assert stamps.under_way() is None
    stamps.stamp(FORWARD)
    assert stamps.under_way() is None, "its backward is not over"
    stamps.stamp(BACKWARD)
    clock.passes(0.25)
    stamps.stamp(BACKWARD)
    newest_ns = clock.now_ns
    clock.passes(0.25)
    for phase in (BEFORE_STEP, FORWARD, BACKWARD):
        stamps.stamp(phase)
    assert stamps.under_way() == (2, newest_ns)


def test_beside_a_gpu_the_hosts_clock_says_what_was_timed_apart(stamps: Stamps, clock: Clock) -> None:
    stamps.on_host = False
    train_one(stamps, clock)
    assert stamps.of(0, clock.now_ns, []) == [], "its waits for data are known already"
    train_one(stamps, clock)
    end_ns = clock.now_ns
    found = stamps.of(1, end_ns, [(LOGGING, end_ns - 1_000_000, end_ns - 3_000_000)])
    assert Phases(1, {DATA: 0.004, LOGGING: 0.002}, on_host=True, whole=False) in found


def test_the_newest_wait_for_data_is_one_after_which_nothing_was_done(stamps: Stamps, clock: Clock) -> None:
    assert stamps.newest_wait_ns() == 0
    since_ns = clock.now_ns
    waits(stamps, clock, DATA, 0.004)
    assert stamps.newest_wait_ns() == since_ns > 0
    waits(stamps, clock, SYNC, 0.002)
    assert stamps.newest_wait_ns() == 0


def test_of_an_iteration_in_which_too_much_was_timed_apart_nothing_is_known(stamps: Stamps, clock: Clock) -> None:
    stamps.of(0, clock.now_ns, [])
    clock.passes(1)
    assert stamps.of(1, clock.now_ns, [(LOGGING, clock.now_ns, clock.now_ns - 1)] * MOST) == []
