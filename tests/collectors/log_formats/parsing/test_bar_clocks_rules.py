"""Frames that are drawn anew below a line, with the rate of the update before."""

import pytest

from itermon.collectors.log_formats.parsing.bar_clocks import BarClock
from itermon.collectors.log_formats.parsing.bars import Bar


def test_steps_of_a_frame_drawn_anew_are_in_the_next_update() -> None:
    """The third step came less than a tenth of a second behind the second."""
    sums = [(1, 0.12), (2, 0.7 * 0.12 + 0.13), (4, 0.7 * (0.7 * 0.12 + 0.13) + 0.19)]
    steps = [1.0, 1.7, 0.7 * 1.7 + 2]
    first, second, fourth = (Bar("", n, 100, 0.0, s / of, "") for (n, s), of in zip(sums, steps, strict=True))
    clock = BarClock()
    assert [clock.since_last_frame(one)[1] for one in (first, second)] == [1, 1]
    assert clock.since_last_frame(second._replace(n=3), written=True) == (None, 0)
    assert clock.since_last_frame(fourth) == (pytest.approx(0.095), 2)


def test_steps_that_take_longer_than_tqdm_waits_are_no_frame_drawn_anew() -> None:
    clock = BarClock()
    found = [clock.since_last_frame(Bar("", n, 9, 2.0 * n, 2.0, "")) for n in (1, 2)]
    assert found == [(pytest.approx(2.0), 1)] * 2
