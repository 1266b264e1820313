"""What the steps between two frames of a bar took."""

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.parsing.bar_clocks import BarClock, Redrawn, WindowClock, _checked
from itermon.collectors.log_formats.parsing.bars import Bar
from itermon.events import Witness


def frames(each: list[tuple[int, float]], began: tuple[int, float] = (0, 0.0)) -> list[Bar]:
    """The frames that tqdm draws: each some steps and some seconds after the one before."""
    (n, elapsed_s), drawn = began, []
    smooth_steps = smooth_s = 0.0
    for steps, seconds in each:
        n, elapsed_s = n + steps, elapsed_s + seconds
        smooth_steps, smooth_s = 0.3 * steps + 0.7 * smooth_steps, 0.3 * seconds + 0.7 * smooth_s
        drawn.append(Bar("", n, 100, float(int(elapsed_s)), smooth_s / smooth_steps, ""))
    return drawn


def test_the_steps_own_times_are_got_back_from_the_smoothed_rate() -> None:
    drawn = [(1, 2.5), (1, 2.25), (2, 5.0), (1, 30.5), (3, 6.75), (1, 2.25)]  # with a checkpoint in the fourth
    clock = BarClock()
    assert [clock.since_last_frame(bar) for bar in frames(drawn)] == [
        (pytest.approx(seconds / steps), steps) for steps, seconds in drawn
    ]


def test_frames_that_were_not_written_leave_the_whole_seconds() -> None:
    bars = frames([(1, 2.0)] * 4 + [(1, 20.0)] * 4 + [(1, 2.0)])
    clock = BarClock()
    assert [clock.since_last_frame(bar) for bar in (bars[0], bars[8])] == [(2.0, 1), (88.0 / 8, 8)]
    quick = BarClock()
    assert quick.since_last_frame(Bar("", 1, 9, 0.0, 0.5, "")) == (0.5, 1)
    assert quick.since_last_frame(Bar("", 3, 9, 0.0, 0.001, "")) == (0.001, 2)  # less than nothing since then


@pytest.mark.parametrize(
    ("n", "elapsed_s", "each_s", "found"),
    [
        (50, 100.0, 2.0, (2.0, 50)),
        (50, 100.0, 2.41, (2.0, 50)),  # within a fifth and a second
        (50, 100.0, 2.43, (None, 1)),  # it began long before
        (50, 100.0, 1.57, (None, 1)),
        (50, 100.0, 1.59, (2.0, 50)),
        (2, 1.0, 0.5, (0.5, 2)),
        (2, 0.0, 0.4, (0.4, 2)),  # no whole second yet
        (2, 0.0, 0.6, (None, 1)),
        (2, 5.0, None, (None, 1)),
        (1, 5.0, 2.0, (5.0, 1)),  # the first step: its rate and the clock differ
        (0, 5.0, 2.0, (None, 1)),
    ],
)
def test_a_bar_seen_first_in_its_middle_had_one_rate_if_its_clock_says_so(
    n: int, elapsed_s: float, each_s: float | None, found: tuple[float | None, int]
) -> None:
    assert BarClock().since_last_frame(Bar("", n, 100, elapsed_s, each_s, "")) == found


def test_after_a_bar_seen_in_its_middle_its_rate_counts_as_one_step() -> None:
    clock = BarClock()
    clock.since_last_frame(Bar("", 50, 100, 100.0, 2.0, ""))
    assert clock.since_last_frame(Bar("", 51, 100, 104.0, 2.6, "")) == (pytest.approx((2.6 - 0.7 * 2.0) / 0.3), 1)


def test_a_bar_that_steps_back_begins_anew() -> None:
    clock, anew = BarClock(), BarClock()
    for bar in frames([(1, 2.5), (5, 30.0)]):
        clock.since_last_frame(bar)
    for each in (clock, anew):
        assert each.since_last_frame(Bar("", 0, 100, 0.0, 3.0, "")) == (None, 1)
    for bar in frames([(1, 1.5), (2, 7.0)]):
        assert clock.since_last_frame(bar) == anew.since_last_frame(bar)


def test_a_frame_without_a_rate_moves_on_and_says_nothing() -> None:
    clock = BarClock()
    clock.since_last_frame(Bar("", 1, 9, 2.0, 2.0, ""))
    assert clock.since_last_frame(Bar("", 3, 9, 6.0, None, "")) == (None, 1)
    assert clock.since_last_frame(Bar("", 4, 9, 8.0, 2.0, ""))[1] == 1


@pytest.mark.parametrize(
    ("newest_s", "whole_s", "found_s"),
    [(3.0, 2.0, 3.0), (3.2, 2.0, 2.0), (1.0, 2.0, 1.0), (0.8, 2.0, 2.0), (0.05, 1.0, 1.0), (-1.0, 0.0, 1.0), (5.0, 1.0, 1.0), (0.04, 0.0, 0.04)],
)  # fmt: skip
def test_a_time_within_a_second_of_the_clock_is_believed(newest_s: float, whole_s: float, found_s: float) -> None:
    """Where the rate was one second a step: 1.05 s of slack, and a twentieth of what the rate would have."""
    assert _checked(newest_s, whole_s, 1.0, 0.0)[0] == found_s


@pytest.mark.parametrize(("newest_s", "found_s"), [(0.75, 0.75), (1.0, 0.25), (1.5, 0.25), (0.0, 0.25)])
def test_where_the_clock_went_back_a_time_below_a_second_is_believed_and_else_the_rate(
    newest_s: float, found_s: float
) -> None:
    assert _checked(newest_s, -1.0, 0.25, 0.0)[0] == found_s


@pytest.mark.parametrize(
    ("n", "elapsed_s", "each_s", "told"),
    [
        (17, 20.0, 1.0, (20 / 17, 17)),  # three seconds are a second and a tenth of the time
        (16, 20.0, 1.0, (None, 1)),
        (23, 20.0, 1.0, (20 / 23, 23)),
        (24, 20.0, 1.0, (None, 1)),
        (160, 90.0, 0.5, (90 / 160, 160)),
        (159, 90.0, 0.5, (None, 1)),
    ],
)
def test_a_window_begins_at_nothing_where_the_rate_agrees_with_the_clock(
    n: int, elapsed_s: float, each_s: float, told: tuple[float | None, int]
) -> None:
    """Otherwise the run was resumed in the middle of an epoch, and the first frame begins the window."""
    clock = WindowClock()
    assert clock.since_last_frame(Bar("", n, 900, elapsed_s, each_s, "")) == told
    assert clock.since_last_frame(Bar("", n + 5, 900, elapsed_s + 10.0, each_s, "")) == (2.0, 5)


def test_a_window_goes_on_until_the_bar_steps_back() -> None:
    clock = WindowClock()
    drawn = ((20, 100.0, (5.0, 20)), (20, 130.0, (None, 1)), (60, 140.0, (1.0, 40)), (10, 40.0, (4.0, 10)))
    for n, elapsed_s, told in drawn:
        assert clock.since_last_frame(Bar("", n, 900, elapsed_s, 5.0 if n == 20 else 4.0, "")) == told


def test_a_window_of_a_bar_without_a_rate_begins_at_nothing() -> None:
    assert WindowClock().since_last_frame(Bar("", 5, 100, 20.0, None, "")) == (4.0, 5)


@pytest.mark.parametrize(
    ("n", "elapsed_s", "each_s", "told"),
    [
        (5, 2.0, 0.4785, (0.4785, 5)),
        (5, 2.0, 0.9, None),  # smoothed
        (1, 0.0, 0.5, None),
        (30, 12.0, 0.4, None),  # a window has ended before
    ],
)
def test_a_bar_that_broke_off_in_its_first_window_shows_its_mean(
    n: int, elapsed_s: float, each_s: float, told: tuple[float, int] | None
) -> None:
    clock = WindowClock()
    bar = Bar("", n, 900, elapsed_s, each_s, "")
    clock.since_last_frame(Bar("", 0, 900, 0.0, None, ""))
    clock.since_last_frame(bar)
    assert clock.until(bar) == told


def test_within_a_second_no_step_takes_longer() -> None:
    """Two batches of 22 s end together: the rate that is drawn with the second one is none of its own."""
    clock = BarClock()
    found = [
        clock.since_last_frame(Bar("", n, 14, elapsed_s, each_s, ""))
        for n, elapsed_s, each_s in ((1, 23.0, 23.44), (2, 45.0, 23.44), (3, 45.0, 14.13))
    ]
    assert found[1] == (22.0, 1)  # of so many whole seconds the clock says more
    assert 0 < (found[2][0] or 0) <= 1.0


def test_a_rate_that_stays_while_more_steps_are_made_than_it_allows_in_a_second_is_an_old_one() -> None:
    drawn = [Bar("", 64 * n, 60_000, 1.0, 1 / 40, "") for n in range(1, 9)]
    redrawn = Redrawn()
    assert [redrawn.see(bar) for bar in drawn] == [False, False, *[True] * 6]  # 128 steps would take 3.2 s
    true = [Bar("", n, 60_000, float(n // 40), 1 / 40, "") for n in range(200)]
    assert not any(map(Redrawn().see, true))


def test_bars_with_old_rates_are_timed_by_their_clock_and_add_up_to_it() -> None:
    """`set_postfix` draws each step, with the rate of a tenth of a second ago: the times added up to four hours."""
    lines = [
        f"{n // 600}%|█ | {n}/60000 [00:{n // 1000:02d}<00:30, {rate:.2f}it/s, loss=2.5]"
        for n in range(64, 60_001, 64)
        for rate in (40.0 if n < 2_000 else 900.0 + n // 20_000,)
    ]
    found = iterations(read("tqdm", "\n".join(lines)))
    spent_s = sum((one.duration_s or 0.0) * one.averaged_over for one in found)
    assert spent_s == pytest.approx(60, abs=10)
    assert found[-1].index == 59_968


@pytest.mark.parametrize(
    ("elapsed_s", "each_s", "found_s"),
    [
        (2.0, 0.5, 0.5),  # the clock was cut
        (2.0, 0.7, 0.7),
        (2.0, 0.45, 0.5),  # no clock runs ahead
        (2.0, 0.75, 0.75),  # 3 s, as far as the rate's digits go
        (2.0, 0.76, 0.5),
        (19.0, 4.8, 4.8),
        (20.0, 5.1, 5.0),  # twenty seconds are exact enough
    ],
)
def test_of_a_few_whole_seconds_the_rate_says_more_where_it_says_the_same(
    elapsed_s: float, each_s: float, found_s: float
) -> None:
    assert BarClock().since_last_frame(Bar("", 4, 9, elapsed_s, each_s, "")) == (found_s, 4)


def test_a_bar_that_is_full_within_no_time_says_nothing_where_its_rate_says_otherwise() -> None:
    clock = WindowClock()
    assert clock.since_last_frame(Bar("", 20, 24, 10.0, 0.5, "")) == (0.5, 20)
    assert clock.since_last_frame(Bar("", 24, 24, 10.0, 0.5, "")) == (None, 1)


def printed(bar: Bar) -> Bar:
    """The same frame, with its rate as tqdm prints it."""
    each_s = bar.seconds_each or 0.0
    return bar._replace(seconds_each=round(each_s, 2) if each_s >= 1 else 1 / round(1 / each_s, 2))


def test_short_steps_after_a_very_long_one_are_got_back_as_far_as_the_digits_of_the_rates_tell() -> None:
    """By the clock they would be 1 or 2 s: one of them slow, as it seems."""
    drawn = [(1, 1.3), (1, 240.0), *[(1, 1.3)] * 4]
    clock = BarClock()
    found = [clock.since_last_frame(printed(bar))[0] for bar in frames(drawn)]
    assert found[2:] == [pytest.approx(1.3, abs=0.05)] * 4
    assert clock.witness == Witness.RATE


def test_a_second_of_the_bars_clock_that_ends_within_a_short_step_is_not_its_time() -> None:
    """Behind an evaluation of minutes the rates tell of a step of a quarter of a second to a tenth of it, and no better."""
    drawn = [*[(1, 0.26)] * 40, *([(1, 170.0), *[(1, 0.26)] * 40] * 2)]
    clock = BarClock()
    found = [clock.since_last_frame(printed(bar))[0] or 0.0 for bar in frames(drawn)]
    assert [one for one in found if 0.4 < one < 100.0] == []
    assert sum(one for one in found if one < 100.0) == pytest.approx(120 * 0.26, rel=0.02)


def test_a_time_by_the_bars_whole_seconds_says_that_it_is_one() -> None:
    bars = frames([(1, 2.0)] * 4 + [(1, 20.0)] * 4)
    clock = BarClock()
    for at, told in ((0, Witness.RATE), (7, Witness.ELAPSED)):
        clock.since_last_frame(bars[at])
        assert clock.witness == told
    clock.since_last_frame(Bar("", 50, 100, 100.0, 2.0, ""))
    assert clock.witness == Witness.ELAPSED


def test_of_a_bar_that_is_seen_at_its_end_the_rate_is_the_mean() -> None:
    """23 whole seconds of 23.6 are not what 391 steps took."""
    for clock in (BarClock(), WindowClock()):
        assert clock.since_last_frame(Bar("", 391, 391, 23.0, 1 / 16.55, "")) == (1 / 16.55, 391)
        assert clock.witness == Witness.RATE


def test_of_many_whole_seconds_no_rate_says_otherwise() -> None:
    """The mean that a bar shows at its end is not its newest step's time: 1,800 s by its clock are no 1,760."""
    drawn = frames([(1, 1850.0)] * 4 + [(1, 1800.0)])
    clock = BarClock()
    found = [clock.since_last_frame(bar)[0] for bar in [*drawn[:4], drawn[4]._replace(seconds_each=1823.0)]]
    assert found[4] == 1800.0


def test_a_frame_without_a_rate_in_the_middle_of_a_bar_is_where_a_resumed_training_goes_on() -> None:
    text = "50%|█ | 60/120 [00:00<?, ?it/s]\n51%|█ | 61/120 [00:03<02:57, 3.00s/it, loss=2.5]\n"
    assert [(one.index, one.duration_s) for one in iterations(read("tqdm", text))] == [(61, 3.0)]


def old_frames(seconds: list[float]) -> list[Bar]:
    """The frames of tqdm until 4.56, whose average begins with its first step, with its printed digits."""
    drawn, elapsed_s, smooth_s = [], 0.0, seconds[0]
    for n, each_s in enumerate(seconds, 1):
        elapsed_s, smooth_s = elapsed_s + each_s, 0.3 * each_s + 0.7 * smooth_s
        drawn.append(printed(Bar("", n, 900, float(int(elapsed_s)), smooth_s, "")))
    return drawn


def times(clock: BarClock, drawn: list[Bar]) -> list[float | None]:
    return [clock.since_last_frame(bar)[0] for bar in drawn]


@pytest.mark.parametrize("first_s", [3.5, 12.0])
def test_the_average_of_an_old_tqdm_is_undone_as_it_was_made(first_s: float) -> None:
    """By the new one's rule the second step would have lasted half as long as the first."""
    seconds = [first_s, 0.7, 0.6, *[0.5] * 20]
    clock = BarClock()
    assert times(clock, old_frames(seconds)) == [pytest.approx(one, abs=0.06) for one in seconds]
    assert clock.of_old
    again = clock.anew()
    assert times(again, old_frames(seconds)[:3]) == [pytest.approx(one, abs=0.06) for one in seconds[:3]]


def test_other_bars_of_the_log_tell_how_tqdm_smooths_but_not_where_frames_are_missing() -> None:
    seconds = [3.5, 0.7, 0.6, *[0.5] * 20]
    clock, thin, new = BarClock(), BarClock(), BarClock()
    clock.learn([Bar("", 0, 900, 0.0, None, ""), *old_frames(seconds)])
    thin.learn([*old_frames(seconds)[:2], *old_frames(seconds)[9::7]])
    new.learn(map(printed, frames([(1, one) for one in seconds])))
    assert (clock.of_old, thin.of_old, new.of_old) == (True, False, False)


@pytest.mark.parametrize("clock", [BarClock, WindowClock])
def test_a_bar_that_is_drawn_anew_before_its_first_step_began_at_nothing(clock: type[BarClock]) -> None:
    """`set_postfix` after the step and before it is counted: `0/100 [00:12<?, ?it/s]`, then `1/100 [00:12<...]`."""
    one = clock()
    one.since_last_frame(Bar("", 0, 100, 0.0, None, ""))
    one.since_last_frame(Bar("", 0, 100, 12.0, None, "loss=2.5"))
    assert one.since_last_frame(Bar("", 1, 100, 12.0, 12.4, "loss=2.5")) == (
        pytest.approx(12.4, abs=0.5),
        1,
    )


def test_a_frame_that_counts_no_step_and_the_mean_of_a_full_bar_are_no_old_rates() -> None:
    drawn = [(1, 8.0), (1, 17.0), (2, 17.0), (2, 25.0), (3, 25.0), (4, 34.0), (5, 34.0)]
    redrawn = Redrawn()
    assert not any(redrawn.see(Bar("", n, 5, elapsed_s, 8.5, "")) for n, elapsed_s in drawn)


def test_short_steps_at_the_end_of_a_bar_are_drawn_when_it_is_closed_with_its_mean() -> None:
    """Of 60 steps the first took 8 s: its mean of 0.17 s is not what the last two took, nor is it part of the average."""
    drawn = frames([(1, 8.0), *[(4, 0.125)] * 14])
    clock = BarClock()
    for bar in drawn:
        clock.since_last_frame(bar._replace(total=59))
    assert clock.since_last_frame(Bar("", 59, 59, 9.0, 9.8 / 59, "")) == (pytest.approx(0.125 / 4), 2)
    assert clock.witness == Witness.RATE


@pytest.mark.parametrize("smoothing", [0.01, 0.05, 0.3])
def test_where_a_rate_is_smoothed_for_longer_the_bars_own_clock_tells_of_its_slow_steps(smoothing: float) -> None:
    seconds = [*[2.0] * 60, 90.0, *[2.0] * 200]
    steps, spent_s, elapsed_s, drawn = 0.0, 0.0, 0.0, []
    for n, each_s in enumerate(seconds, 1):
        steps, spent_s = smoothing + (1 - smoothing) * steps, smoothing * each_s + (1 - smoothing) * spent_s
        elapsed_s += each_s
        drawn.append(printed(Bar("", n, 400, float(int(elapsed_s)), spent_s / steps, "")))
    found = times(BarClock(), drawn)
    assert sum(one or 0.0 for one in found) == pytest.approx(sum(seconds), abs=4.0)
    assert found[60] == pytest.approx(90.0, abs=1.0)
    assert sum(abs((one or 0.0) - 2.0) > 0.2 for one in found[70:]) <= 2


@pytest.mark.parametrize(("last_s", "found_s"), [(0.06, 0.06), (0.02, 0.02), (0.25, 0.25), (0.4, 0.4)])
def test_a_short_last_batch_takes_what_the_mean_of_the_closed_bar_leaves_it(last_s: float, found_s: float) -> None:
    """What takes less than tqdm waits between two frames is drawn as the bar is closed, with the mean of all steps."""
    each = [(1, 2.5), *[(1, 0.24), (1, 0.26)] * 14, (1, 0.25), (1, last_s)]
    drawn = frames(each)
    drawn = [
        Bar("", bar.n, len(each), bar.elapsed_s, 1 / round(1 / (bar.seconds_each or 1), 2), "") for bar in drawn
    ]
    if last_s < 0.1:
        mean_s = sum(seconds for _, seconds in each) / len(each)
        drawn[-1] = drawn[-1]._replace(seconds_each=1 / round(1 / mean_s, 2))
    clock = BarClock()
    clock.since_last_frame(Bar("", 0, len(each), 0.0, None, ""))
    times = [clock.since_last_frame(bar)[0] for bar in drawn]
    assert times[-1] == pytest.approx(found_s, abs=0.03)
