"""One frame of a bar: what it counts, how fast, of what, and what stands behind it."""

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.parsing.bars import (
    Bar,
    BarClock,
    Redrawn,
    WindowClock,
    find_bar,
    postfix_scalars,
    postfix_value,
)


@pytest.mark.parametrize(
    ("text", "bar"),
    [
        ("Train:  10%|█ | 1/10 [00:02<00:18,  2.00s/it]", Bar("Train", 1, 10, 2.0, 2.0, "", remaining_s=18.0)),
        (
            "  5%|█ | 1.5k/30k [01:00:02<2:00, 4.00it/s, loss=2.5]",
            Bar("", 1500, 30_000, 3602.0, 0.25, "loss=2.5", remaining_s=120.0),
        ),
        (
            " 5%|█ | 2K/3M [1 day, 0:00:05<2 days, 1:00:00, 2.0kit/s]",
            Bar("", 2000, 3_000_000, 86_405.0, 5e-4, "", remaining_s=176_400.0),
        ),
        ("7it [00:07, 1.00s/it]", None),
        ("Epoch 3| | 7/? [00:07<?, 1.00s/batch]", Bar("Epoch", 7, None, 7.0, 1.0, "")),
        (
            "0: Epoch 3:  50%|█ | 5/10 [00:05<00:05, 2.0Mit/s]",
            Bar("Epoch 3", 5, 10, 5.0, 5e-7, "", remaining_s=5.0),
        ),
        ("model.safetensors:   2%|▏ | 2.56M/160M [00:01<01:06, 2.36MB/s]", None),  # a download
        ("model.safetensors:   2%|▏ | 2.56M/160M [00:01<01:06, 2.36MiB/s]", None),
        ("no bar", None),
    ],
)
def test_a_frame_is_read(text: str, bar: Bar | None) -> None:
    assert find_bar(text) == bar


@pytest.mark.parametrize(
    ("title", "evaluates", "prepares"),
    [
        ("Train", False, False),
        ("Validation", True, False),
        ("Evaluating", True, False),
        ("Sanity Checking", True, False),
        ("Loading shards", False, True),
        ("Map (num_proc=4)", False, True),
        ("Steps", False, False),
    ],
)
def test_the_title_says_what_it_is_of(title: str, evaluates: bool, prepares: bool) -> None:
    bar = Bar(title, 1, 10, 1.0, 1.0, "")
    assert (bar.evaluates, bar.prepares) == (evaluates, prepares)


def test_the_first_name_with_a_number_counts() -> None:
    postfix = "loss=1.110, lr=8e-7, note=a=b, bad=x"
    assert postfix_value(postfix, "bad", "lr", "loss") == 8e-7
    assert postfix_value(postfix, "note", "none") is None
    assert postfix_value("", "loss") is None
    assert postfix_value("loss 0.5, lr: 8e-7", "loss") == 0.5
    assert postfix_value("loss 0.5, lr: 8e-7", "lr") == 8e-7


@pytest.mark.parametrize(
    ("n", "total", "full", "nearly_full"),
    [
        (10, 10, True, True),
        (11, 10, True, True),
        (99, 100, False, True),
        (98, 100, False, True),
        (97, 100, False, False),
        (7, None, False, False),
    ],
)
def test_a_bar_is_nearly_full_from_98_percent_on(n: int, total: int | None, full: bool, nearly_full: bool) -> None:
    bar = Bar("", n, total, 1.0, 1.0, "")
    assert (bar.full, bar.nearly_full) == (full, nearly_full)


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
        (2, 0.0, 0.4, (None, 1)),  # no whole second yet
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
    assert BarClock._checked(newest_s, whole_s, 1.0) == found_s


@pytest.mark.parametrize(("newest_s", "found_s"), [(0.75, 0.75), (1.0, 0.25), (1.5, 0.25), (0.0, 0.25)])
def test_where_the_clock_went_back_a_time_below_a_second_is_believed_and_else_the_rate(
    newest_s: float, found_s: float
) -> None:
    assert BarClock._checked(newest_s, -1.0, 0.25) == found_s


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
    ("postfix", "found"),
    [
        ("loss=2.5, acc=0.75, v_num=3, best=1e-3", {"acc": 0.75, "best": 0.001}),
        ("loss=2.5", None),
        ("", None),
        ("no pairs", None),
    ],
)
def test_what_else_stands_behind_a_bar_are_scalars(postfix: str, found: dict[str, float] | None) -> None:
    assert postfix_scalars(postfix, ("loss",)) == found


def test_within_a_second_no_step_takes_longer() -> None:
    """Two batches of 22 s end together: the rate that is drawn with the second one is none of its own."""
    clock = BarClock()
    found = [
        clock.since_last_frame(Bar("", n, 14, elapsed_s, each_s, ""))
        for n, elapsed_s, each_s in ((1, 23.0, 23.44), (2, 45.0, 23.44), (3, 45.0, 14.13))
    ]
    assert found[1] == (pytest.approx(23.44), 1)
    assert 0 < (found[2][0] or 0) <= 1.0


@pytest.mark.parametrize(
    ("title", "postfix", "each_s", "outer", "trains", "too_fast"),
    [
        ("Epochs", "", 60.0, True, False, False),
        ("Training epoch", "", 60.0, True, True, False),
        ("Epochs", "loss=2.5", 0.0001, False, True, False),
        ("Epoch 3", "", 0.0001, False, True, False),
        ("Reading", "", 0.00099, False, False, True),
        ("Reading", "", 0.001, False, False, False),
        ("Reading", "", None, False, False, False),
        ("", "val_loss: 3", 0.0001, False, True, False),
        ("", "lossless", 0.0001, False, False, True),
    ],
)
def test_a_bar_is_of_epochs_or_trains_or_counts_too_fast_to_do_so(
    title: str, postfix: str, each_s: float | None, outer: bool, trains: bool, too_fast: bool
) -> None:
    bar = Bar(title, 1, 10, 1.0, each_s, postfix)
    assert (bar.outer, bar.trains, bar.too_fast) == (outer, trains, too_fast)


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
    ("title", "postfix", "trains"),
    [
        ("Ep 45:", "", True),
        ("SFT", "", True),
        ("Fine-tuning", "", True),
        ("Pretraining", "", True),
        ("X", "loss 0.5", True),
        ("X", "lossless", False),
    ],
)
def test_a_bar_trains_by_its_title_or_by_a_loss(title: str, postfix: str, trains: bool) -> None:
    assert Bar(title, 3, 9, 1.0, 0.5, postfix).trains is trains


@pytest.mark.parametrize(
    ("elapsed_s", "each_s", "found_s"),
    [
        (2.0, 0.5, 0.5),  # the clock was cut
        (2.0, 0.7, 0.7),
        (2.0, 0.45, 0.5),  # no clock runs ahead
        (2.0, 0.75, 0.5),
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


@pytest.mark.parametrize(
    "title", ["Epoch={} | Batch_id={} | Loss=0.75", "Epoch={} Batch_id={} Loss=0.75 Accuracy=12.5"]
)
def test_a_title_may_hold_strokes_and_its_values(title: str) -> None:
    frames = [
        f"{title.format(e, n)}: {n * 25:3}%|##| {n}/4 [00:0{n}<00:0{4 - n},  1.00it/s]"
        for e in (0, 1)
        for n in (1, 4)
    ]
    found = iterations(read("tqdm", "\n".join(frames)))
    assert [(one.index, one.loss) for one in found] == [(1, 0.75), (4, 0.75), (5, 0.75), (8, 0.75)]
    assert {tuple((one.scalars or {}).items()) for one in found} <= {(), (("Accuracy", 12.5),)}
