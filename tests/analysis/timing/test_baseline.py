"""The level of normal iterations: robust, renewed by their number, moved by lasting changes only."""

from random import Random

import pytest

from itermon.analysis.timing.baseline import Baseline, _level, begin

# The bounds as numbers of its own: from the code, a test would move with them.
ALARM, BLOCKS, CLIP, DRIFT, RENEW, WIDE = 10.0, 16, 4.0, 0.5, 32, 256
WINDOW = 64


def noise(count: int, *, seed: int = 1, spread: float = 0.01) -> list[float]:
    random = Random(seed)
    return [random.gauss(1, spread) for _ in range(count)]


@pytest.mark.parametrize(
    ("normal", "limit"),
    [
        ([1.0] * 11, 1.5),
        ([1.0] * 12, 1.2),
        ([1.0] * 64, 1.2),
        ([1.0, 1.1] * 32, 1 + 8 * 0.1 / 1.05 / 1.349),
        ([1.0, 1.0415] * 32, 1.25),
        ([1.0, 1.041] * 32, 1.2),
        ([1.0, 1.1] * 6, 1 + 8 * 1.4826 * 0.05 / 1.05),
        ([1.0, 1.2] * 5, 1 + 8 * 1.4826 * 0.1 / 1.1),
        ([1.0, 1.04] * 5, 1.5),
    ],
)
def test_the_limit_is_wide_for_few_iterations_and_for_noisy_ones(normal: list[float], limit: float) -> None:
    baseline = Baseline(normal)
    assert baseline.limit / baseline.level == pytest.approx(limit)


def test_level_and_jitter_are_the_median_and_the_spread_of_the_middle_half() -> None:
    baseline = Baseline(noise(WINDOW, spread=0.05))
    assert baseline.level == pytest.approx(1, abs=0.02)
    assert baseline.jitter == pytest.approx(0.05, rel=0.4)
    few = Baseline([1.0, 2.0, 4.0])
    assert (few.level, few.jitter) == (2.0, pytest.approx(1.4826 / 2))


def test_a_very_regular_run_still_has_the_noise_of_its_clock() -> None:
    baseline = Baseline([1.0] * WINDOW)
    assert (baseline.jitter, baseline.spread) == (0.0, 0.005)


def test_it_takes_up_to_the_first_slow_or_unknown_one() -> None:
    for odd in (9.0, float("nan")):
        baseline = Baseline([1.0] * WINDOW)
        assert baseline.take([1.0, 1.0, odd, 1.0]) == 2
        assert baseline.room == RENEW - 2
    assert Baseline([1.0] * WINDOW).take([1.0] * 5) == 5


def test_the_first_look_counts_no_iteration_twice() -> None:
    times = noise(WINDOW)
    baseline = Baseline(times)
    baseline.take(times[:20])
    assert list(baseline.window) == [*times[20:], *times[:20]]
    baseline.take(times[20:52])
    baseline.take(times[52:])
    assert list(baseline.window) == times


def test_the_level_is_measured_again_after_thirty_two() -> None:
    baseline = Baseline([1.0] * WINDOW)
    baseline.take([1.001] * (RENEW - 1))
    assert (baseline.level, len(baseline.block_means), baseline.mean) == (1.0, 0, pytest.approx(1, abs=1e-3))
    baseline.take([1.003])
    assert list(baseline.block_means) == [pytest.approx(1.001 + 0.002 / RENEW)]
    assert baseline.mean == baseline.block_means[0]
    assert (baseline.room, len(baseline.steps)) == (RENEW, 0)
    baseline.take([1.002] * RENEW)
    assert list(baseline.steps) == [pytest.approx(baseline.block_means[1] / baseline.block_means[0] - 1)]
    assert baseline.level == pytest.approx(1.0015, abs=6e-4)
    baseline.take([1.004] * RENEW)
    assert baseline.steps[-1] == pytest.approx(baseline.block_means[2] / baseline.block_means[1] - 1)


def test_means_of_blocks_are_bounded() -> None:
    baseline = Baseline([1.0] * WINDOW)
    for _ in range(BLOCKS + 5):
        baseline.take([1.0] * RENEW)
    assert (len(baseline.block_means), len(baseline.steps)) == (16, 16)


@pytest.mark.parametrize("factor", [1.1, 0.9])
def test_a_level_that_moves_is_an_alarm_soon_and_noise_is_none(factor: float) -> None:
    baseline = Baseline(noise(WINDOW))
    assert baseline.take(noise(30, seed=2)) == 30
    assert not baseline.alarmed
    taken = baseline.take([factor * d for d in noise(30, seed=3)])
    assert baseline.alarmed
    assert taken <= 4
    looked_at = noise(24, seed=4)  # one by one, and none was slow
    baseline.calm(looked_at)
    assert baseline.newest()[-24:] == looked_at
    assert not baseline.alarmed
    assert (baseline.rising, baseline.falling) == (0.0, 0.0)


def test_an_alarm_is_more_than_ten_spreads() -> None:
    baseline = Baseline([1.0] * WINDOW)
    baseline.slow()
    assert (baseline.rising, baseline.falling) == (CLIP - DRIFT, 0.0)
    for rising, falling, alarmed in ((10.0, 10.0, False), (10.1, 0.0, True), (0.0, 10.1, True)):
        baseline.rising, baseline.falling = rising, falling
        assert baseline.alarmed == alarmed
    baseline.rising, baseline.falling = 0.0, 6.0
    baseline.slow()
    assert baseline.falling == 6.0 - CLIP - DRIFT


def test_three_slow_ones_near_each_other_are_an_alarm() -> None:
    baseline = Baseline([1.0] * WINDOW)
    for _ in range(2):
        baseline.slow()
    assert not baseline.alarmed
    baseline.slow()
    assert baseline.alarmed
    assert baseline.rising == pytest.approx(3 * 3.5)


@pytest.mark.parametrize(("before", "count"), [(20, 12), (0, 30), (50, 10)])
def test_a_lasting_change_is_found_where_it_began(before: int, count: int) -> None:
    baseline = Baseline(noise(WINDOW))
    recent = [*noise(before, seed=5), *(1.3 * d for d in noise(count, seed=6))]
    found = baseline.shifted(recent)
    assert found is not None
    assert found[0] - count in {0, 1}
    assert found[1] == pytest.approx(1.3, rel=0.01)


@pytest.mark.parametrize(
    "recent",
    [
        noise(40, seed=8),
        [*noise(30, seed=8), *[1.3] * 9],  # too few
        [1.04 * d for d in noise(40, seed=8)],  # too little
        [*noise(28, seed=8), *[1.3] * 7, *noise(5, seed=9)],  # it came back
        noise(40, seed=8, spread=0.1),  # more noise is no change
    ],
    ids=["noise", "few", "little", "back", "noisier"],
)
def test_what_does_not_last_is_no_change(recent: list[float]) -> None:
    assert Baseline(noise(WINDOW)).shifted(recent) is None


def test_after_a_change_it_begins_anew_with_the_iterations_since() -> None:
    baseline = Baseline([1.0] * WINDOW)
    baseline.take([1.0] * RENEW)
    baseline.rebase([2.0] * 10)
    assert (baseline.level, list(baseline.window), len(baseline.block_means)) == (2.0, [2.0] * 10, 0)
    assert baseline.room == RENEW // 2
    baseline.take([2.0] * 4)
    assert len(baseline.window) == 14


def test_the_first_look_leaves_warm_up_and_slow_ones_out() -> None:
    baseline = begin([9.0, 5.0, 1.0, 1.0, 1.2, 1.21, 4.0, 1.0, 1.0], 2)
    assert sorted(baseline.window) == [1.0, 1.0, 1.0, 1.0, 1.2]
    assert begin([3.0], 1).level == 3.0


def test_the_quartiles_are_those_of_the_window() -> None:
    assert Baseline([100.0 + i for i in range(WINDOW)]).jitter == pytest.approx(32 / 1.349 / 131.5)


def test_the_spread_follows_slowly() -> None:
    baseline = Baseline([1.0, 1.02] * 32)
    first, second = 0.02 / 1.01 / 1.349, 0.02 / 1.349
    assert baseline.spread == pytest.approx(first)
    baseline.take([1.0] * RENEW)
    assert baseline.spread == pytest.approx(0.875 * first + 0.125 * second)


def test_a_single_one_counts_for_four_spreads_at_most() -> None:
    for duration, rising, falling in ((1.19, 3.5, 0.0), (0.5, 0.0, 3.5), (1.01, 1.5, 0.0), (0.99, 0.0, 1.5)):
        baseline = Baseline([1.0] * WINDOW)
        assert baseline.take([duration]) == 1
        assert (baseline.rising, baseline.falling) == (pytest.approx(rising), pytest.approx(falling))


@pytest.mark.parametrize("moved", [1.01, 0.99])
def test_it_stops_at_the_one_that_makes_the_alarm(moved: float) -> None:
    baseline = Baseline([1.0] * WINDOW)
    assert baseline.take([moved] * 30) == 7  # of 1.5 spreads each
    assert baseline.alarmed
    assert list(baseline.window)[-8:] == [1.0, *[moved] * 7]


def test_a_short_first_look_grows_to_a_whole_window() -> None:
    baseline = Baseline([1.0] * 40)
    for _ in range(9):
        baseline.take([1.0] * 30)
    assert (len(baseline.window), len(baseline.newest())) == (WIDE, WINDOW)
    baseline = Baseline([1.0] * 40)
    baseline.take([1.0] * 30)
    assert len(baseline.window) == 40


def test_a_stall_lifts_a_change_only_up_to_the_limit() -> None:
    assert Baseline([1.0] * WINDOW).shifted([*[1.0] * 20, *[1.04] * 10, 9.0, *[1.04] * 9]) is None
    assert Baseline([1.0] * WINDOW).shifted([*[1.0] * 20, *[1.04] * 10, 1.25, *[1.06] * 9]) is not None


@pytest.mark.parametrize(("back", "found"), [(2, True), (3, False)])
def test_the_newest_five_are_at_the_new_level(back: int, found: bool) -> None:
    baseline = Baseline([1.0] * WINDOW)
    assert (baseline.shifted([*[1.0] * 20, *[1.055] * 40, *[1.0] * back]) is not None) == found
    assert (baseline.shifted([*[1.0] * 20, *[1.3] * 20, *[1.0] * back]) is not None) == found


def test_a_mean_that_rose_while_the_median_fell_is_no_change() -> None:
    after = [1.19] * 9 + [0.96] * 11
    Random(1).shuffle(after)
    assert Baseline([1.0] * WINDOW).shifted([*[1.0] * 20, *after, *[0.96] * 5]) is None


def test_the_first_look_is_wide_where_the_times_are() -> None:
    assert sorted(begin([0.5, 0.5, 0.5, 0.6, 0.61], 0).window) == [0.5, 0.5, 0.5, 0.6]
    assert max(begin([1.0, 1.1] * 8 + [1.9, 2.05], 0).window) == 1.9


@pytest.mark.parametrize("unit_s", [0.25, 1.0, 4.0])
def test_what_is_a_change_does_not_depend_on_the_unit(unit_s: float) -> None:
    def recent(*parts: tuple[int, float]) -> list[float]:
        return [unit_s * value for count, value in parts for _ in range(count)]

    def baseline() -> Baseline:
        return Baseline([unit_s] * WINDOW)

    assert baseline().shifted(recent((20, 1.0), (12, 1.3))) == (12, pytest.approx(1.3 * unit_s))
    assert baseline().shifted(recent((20, 1.0), (12, 0.9))) == (12, pytest.approx(0.9 * unit_s))
    assert baseline().shifted(recent((20, 1.0), (12, 1.04))) is None
    assert baseline().take(recent((30, 1.01))) == 7
    falling = baseline()
    assert [falling.take(recent((count, 0.99))) for count in (3, 10)] == [3, 4]


@pytest.mark.parametrize(("low", "high", "found"), [(1.04, 1.16, False), (1.2, 1.4, True)])
def test_a_new_level_stands_out_of_its_own_noise(low: float, high: float, found: bool) -> None:
    recent = [*[1.0] * 15, *[low, high] * 8]
    assert (Baseline([1.0] * WINDOW).shifted(recent) is not None) == found


def test_the_border_of_a_level_lies_where_the_values_jump() -> None:
    """Those before it are a little off the level, as the last of a slow fall are; those since are far off."""
    baseline = Baseline([1.0, 1.01, 0.99, 1.0] * (WINDOW // 4))
    assert baseline.shifted([*[1.0] * 20, 0.93, 0.94, 0.93, *[0.6] * 12]) == (12, pytest.approx(0.6))
    assert baseline.shifted([*[1.0] * 20, 0.93, 0.94, 0.93, *[0.6] * 9]) is None  # too few of its own


def test_one_that_lies_exactly_at_the_clip_is_cut_to_it() -> None:
    baseline = Baseline([1.0] * WINDOW)
    baseline.take([1.0 - CLIP * baseline.spread])
    assert (baseline.rising, baseline.falling) == (0.0, pytest.approx(CLIP - DRIFT))


@pytest.mark.parametrize(
    ("sure", "least", "found"), [(16.0, 0.0625, True), (16.1, 0.0625, False), (16.0, 0.063, False)]
)
def test_a_change_that_is_just_sure_and_just_large_enough_is_one(
    sure: float, least: float, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixteen iterations that are longer by a sixteenth: each counts for four spreads, of 1 / 128."""
    baseline = Baseline([1.0] * WINDOW)
    baseline.spread = 2**-7
    monkeypatch.setattr("itermon.analysis.timing.baseline.SURE", sure)
    monkeypatch.setattr("itermon.analysis.timing.baseline.LEAST_CHANGE", least)
    assert baseline.shifted([1.0625] * 16) == ((16, 1.0625) if found else None)


@pytest.mark.parametrize("each_s", [0.0312, 0.035, 0.0375])
def test_times_of_one_digit_have_their_mean(each_s: float) -> None:
    """35 ms are printed as 0.03 and 0.04 in turn: neither is what is usual."""
    random = Random(5)
    took = [random.gauss(each_s, 0.003) for _ in range(64)]
    baseline = Baseline([round(one, 2) for one in took])
    assert baseline.level == pytest.approx(sum(took) / 64, rel=0.04)
    assert baseline.limit > 0.045


def test_a_stall_among_times_of_one_digit_is_none_of_the_mean() -> None:
    assert Baseline([0.03, 0.04] * 25 + [0.4, 0.5]).level == pytest.approx(0.035)


def test_of_few_times_and_of_fine_ones_the_median_is_usual() -> None:
    assert Baseline([0.03] * 6 + [0.04] * 5).level == 0.03
    assert Baseline([1.03] * 20 + [1.04] * 12).level == 1.03
    assert Baseline([0.03] * 40).level == 0.03
    assert Baseline([1.0] * 30 + [1.1] * 2).level == 1.0


@pytest.mark.parametrize(
    ("times", "level", "digit"),
    [
        ([1.0] * 57 + [1.25] * 7, 1.0, 0.0),  # hardly one has another digit
        ([1.0] * 56 + [1.25] * 8, 1.03125, 0.25),
        ([1.0] * 40 + [1.375] * 12 + [0.375] * 6 + [0.625] * 6, 1.0, 0.0),  # they lie one and a half digits away
        ([1 + n / 4 for n in range(16)] * 4, 2.875, 0.25),  # a quarter of them differ
        ([1 + n / 4 for n in range(17)] * 3 + [2.75] * 6 + [3.25] * 7, 3.0, 0.0),  # more than a quarter
        ([5.0] * 40 + [5.25] * 24, 5.09375, 0.25),  # a digit is a twentieth of the level
        ([5.25] * 40 + [5.5] * 24, 5.25, 0.0),
        ([1.0] * 6 + [1.25] * 6, 1.125, 0.25),
        ([1.0] * 64, 1.0, 0.0),
    ],
)
def test_what_the_last_digit_is_worth(times: list[float], level: float, digit: float) -> None:
    assert _level(sorted(times)) == (level, digit)


@pytest.mark.parametrize("side", [1, -1])
def test_ten_spreads_are_no_alarm_yet(side: int) -> None:
    baseline = Baseline([1.0] * WINDOW)
    edge = baseline.level + side * DRIFT * (baseline.spread * baseline.level)
    baseline.rising, baseline.falling = (ALARM, 0.0) if side > 0 else (0.0, ALARM)
    assert baseline.take([edge] * 3) == 3


@pytest.mark.parametrize(
    ("newest", "rests_on", "level_s"),
    [
        ([6.0, 7.0, 8.0, 9.0] * 16, WIDE, 9.0),  # games of 5 to 15 s: the last ones were short by chance
        ([7.4, 7.5, 7.6, 7.7] * 16, WINDOW, 7.55),
    ],
)
def test_where_times_vary_widely_the_level_rests_on_four_times_as_many(
    newest: list[float], rests_on: int, level_s: float
) -> None:
    baseline = Baseline([5.0, 7.0, 9.0, 11.0, 13.0, 15.0] * 32 + newest)
    assert len(baseline.newest()) == rests_on
    assert baseline.level == pytest.approx(level_s)
    assert baseline.mean == pytest.approx(sum(baseline.newest()) / rests_on)


def test_the_first_look_takes_both_digits_of_whole_seconds_for_usual() -> None:
    """Of 3 and 4 s by turns 4 is no slow one; of rows that all take 3 s it is."""
    assert sorted(set(begin([3.0, 4.0, 3.0, 3.0, 4.0, 3.0, 3.0], 0).window)) == [3.0, 4.0]
    assert sorted(set(begin([3.0, 3.0, 3.0, 3.0, 4.0, 3.0, 3.0], 0).window)) == [3.0]


def test_of_times_that_vary_more_rows_are_looked_at_once_there_are_more() -> None:
    assert [begin([1.0, 2.0] * half, 0).reach for half in (32, 33)] == [64, 256]
