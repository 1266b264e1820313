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


def frames(each: list[tuple[int, float]], began: tuple[int, float] = (0, 0.0)) -> list[Bar]:
    """The frames that tqdm draws: each some steps and some seconds after the one before."""
    (n, elapsed_s), drawn = began, []
    smooth_steps = smooth_s = 0.0
    for steps, seconds in each:
        n, elapsed_s = n + steps, elapsed_s + seconds
        smooth_steps, smooth_s = 0.3 * steps + 0.7 * smooth_steps, 0.3 * seconds + 0.7 * smooth_s
        drawn.append(Bar("", n, 100, float(int(elapsed_s)), smooth_s / smooth_steps, ""))
    return drawn


def test_a_frame_that_nobody_had_to_draw_is_an_update_though_its_rate_has_the_same_digits() -> None:
    steady = [(1, 0.045), (2, 0.09), (2, 0.09), (2, 0.09), (3, 9.0), (2, 0.09)]
    bars = [Bar("", bar.n, 100, bar.elapsed_s, round(bar.seconds_each or 0.0, 6), "") for bar in frames(steady)]
    clock = BarClock()
    found = [clock.since_last_frame(bar) for bar in bars]
    assert [steps for _, steps in found] == [steps for steps, _ in steady]
    assert found[4][0] == pytest.approx(3.0, rel=1e-3)
    drawn_anew = [Bar("", n, 100, 0.0, 0.03125, "loss=2.5") for n in (1, 3)]  # by `set_postfix`
    clock = BarClock()
    assert [clock.since_last_frame(bar)[1] for bar in drawn_anew] == [1, 0]


def test_short_steps_behind_a_long_stop_are_usual_ones_where_the_digits_tell_no_other() -> None:
    exact = frames([(1, 0.125)] * 12 + [(1, 60.0)] + [(1, 0.125)] * 6 + [(1, 1.0)])
    bars = [Bar("", bar.n, 100, bar.elapsed_s, round(bar.seconds_each or 0.0, 2), "") for bar in exact]
    bars[:12] = exact[:12]  # below a second a rate is told with more digits
    clock = BarClock()
    found = [clock.since_last_frame(bar)[0] for bar in bars]
    assert found[12] == pytest.approx(60.0, abs=0.1)
    assert found[13:19] == [pytest.approx(0.125, rel=0.02)] * 6
    assert found[19] == pytest.approx(1.0, abs=0.1), "what is longer than the digits hide stays"
