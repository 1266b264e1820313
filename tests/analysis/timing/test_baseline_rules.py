"""What is slow behind a change of level, while few times of the new one are known."""

from __future__ import annotations

import pytest
from simulated_runs import plain, times, watched


@pytest.mark.parametrize("tenth", [12, 9, 4])
def test_what_is_slow_behind_a_change_is_told_from_its_first_iteration_on(tenth: int) -> None:
    durations = times(200, base_s=0.4, noise=0.001)
    durations[100:] = [d * 0.85 for d in durations[100:]]
    slow = [*range(100 + tenth, 200, 10)]
    for position in slow:
        durations[position] *= 1.3
    found = watched(plain(durations)).findings(spikes=None)
    assert [shift.index for shift in found.level.shifts] == [pytest.approx(100, abs=2)]
    assert [spike.index for spike in found.spikes] == slow


def test_more_noise_behind_a_change_is_not_slow() -> None:
    calm, wild = times(100, base_s=0.4, noise=0.001), times(100, base_s=0.2, noise=0.06, seed=3)
    assert watched(plain(calm + wild)).findings(spikes=None).spikes == ()


def test_one_unit_of_the_last_digit_is_no_change_where_both_came_by_turns() -> None:
    by_turns = [float(13 if n % 9 == 4 else 14) for n in range(200)]
    assert watched(plain([*by_turns, *[13.0] * 40])).findings().level.shifts == ()
    for later in (12.0, 9.0):
        assert watched(plain([*by_turns, *[later] * 40])).findings().level.shifts, "two are one"
    assert watched(plain([*[14.0] * 200, *[13.0] * 40])).findings().level.shifts, "they never came by turns"
