"""The MFU that a log prints: what stands behind it, and whose peak it is of."""

from math import inf, nan

import pytest

from itermon.analysis.audit.logged_mfu import _usable, explain, mfu_seconds

# The bounds as numbers of its own: from the code, a test would move with them.
KEPT, LEAST = 0.9, 1e-09


def averaged(own: list[float]) -> list[float]:
    """As nanoGPT prints them: 0.9 × the last one + 0.1 × this one."""
    printed = [own[0]]
    for mfu in own[1:]:
        printed.append(KEPT * printed[-1] + (1 - KEPT) * mfu)
    return printed


def test_mfu_times_seconds_is_constant_whatever_an_iteration_takes() -> None:
    durations_s = [1.0, 2.0, 1.25, 1.0, 4.0]
    assert mfu_seconds([0.5 / d for d in durations_s], durations_s) == pytest.approx(0.5)


def test_a_running_average_is_undone() -> None:
    durations_s = [1.0, 2.0, 1.25, 1.0, 4.0, 1.0, 3.0]
    assert mfu_seconds(averaged([0.5 / d for d in durations_s]), durations_s) == pytest.approx(0.5)


def test_an_average_of_few_percent_has_too_few_digits_to_be_undone() -> None:
    """0.02 of 1: the own reading is taken, though the other would be steadier."""
    durations_s = [1.0, 2.0, 1.25, 1.0, 4.0, 1.0, 3.0]
    averages = averaged([0.01 / d for d in durations_s])
    own = sorted(m * d for m, d in zip(averages, durations_s, strict=True))
    assert mfu_seconds(averages, durations_s) == pytest.approx(own[3])


def test_a_line_before_the_first_measured_one_is_no_average() -> None:
    """nanoGPT prints -100 % at first; a line of 0 or less undoes nothing."""
    own = [0.5, 0.25, 0.4, 0.5]
    assert mfu_seconds([0.0, *own], [1.0] * 5) == mfu_seconds(own, [1.0] * 4)
    assert mfu_seconds([-0.5, *own], [1.0] * 5) == mfu_seconds(own, [1.0] * 4)
    with pytest.raises(ValueError, match="zip"):
        mfu_seconds([0.5] * 4, [1.0] * 3)


def test_two_percent_are_too_few_and_a_little_more_are_enough() -> None:
    assert mfu_seconds([0.01, 0.02] * 4, [1.0] * 8) == pytest.approx(0.015)
    assert mfu_seconds([0.01, 0.0201] * 4, [1.0] * 8) == pytest.approx((0.0201 - KEPT * 0.01) / (1 - KEPT))


@pytest.mark.parametrize(
    ("logged", "durations_s"),
    [
        ([], []),
        ([0.5, 0.5], [1.0, 1.0]),
        ([nan] * 5, [1.0] * 5),
        ([0.5] * 5, [nan] * 5),
        ([-1.0] * 5, [1.0] * 5),
        ([0.5] * 5, [0.0] * 5),
    ],
)
def test_without_three_usable_lines_nothing_is_said(logged: list[float], durations_s: list[float]) -> None:
    assert mfu_seconds(logged, durations_s) is None


def test_three_lines_are_enough_and_unusable_ones_are_left_out() -> None:
    assert mfu_seconds([0.5] * 3, [1.0] * 3) == pytest.approx(0.5)
    assert mfu_seconds([nan, 0.5, 0.5, 0.0, 0.5], [1.0, 1.0, 1.0, 1.0, 1.0]) == pytest.approx(0.5)
    assert mfu_seconds([0.0, 0.5, 0.0, 0.5, 0.0, 0.5, 0.0], [1.0] * 7) == pytest.approx(0.5)
    assert mfu_seconds([0.5] * 3 + [0.6] * 4, [1.0] * 3 + [-1.0] * 4) == pytest.approx(0.5)


def test_a_share_too_small_to_be_printed_tells_nothing() -> None:
    assert mfu_seconds([5e-324] * 3, [1.0] * 3) is None
    assert mfu_seconds([1e-12] * 3, [1e-4] * 3) is None
    assert mfu_seconds([LEAST] * 3, [1.0] * 3) == LEAST


@pytest.mark.parametrize(
    ("mfu", "assumed", "peak", "gpu", "text"),
    [
        (1.644, 312e12, 989.4e12, "H200",
         "the log's 164.4 % MFU is wrong: it assumes an A100 (312 TFLOP/s); this H200 has 989 TFLOP/s"),
        (0.5, 312e12, 312e12, "A100", "the log's 50.0 % MFU is of the A100's peak (312 TFLOP/s)"),
        (0.5, 312e12, 310e12, None, "the log's 50.0 % MFU is of the A100's peak (312 TFLOP/s)"),
        (0.5, 312e12, 250e12, None,
         "the log's 50.0 % MFU assumes an A100 (312 TFLOP/s); this GPU has 250 TFLOP/s"),
        (1.2, 312e12, None, None,
         "the log's 120.0 % MFU is wrong: it assumes an A100 (312 TFLOP/s); this GPU is faster"),
        (1.0, 312e12, None, None, "the log's 100.0 % MFU assumes an A100 (312 TFLOP/s)"),
        (0.9, 100e12, None, None, "the log's 90.0 % MFU assumes 100 TFLOP/s"),
    ],
)  # fmt: skip
def test_the_note_says_whose_peak_it_is(
    mfu: float, assumed: float, peak: float | None, gpu: str | None, text: str
) -> None:
    assert explain(mfu, assumed, peak, gpu) == text


def test_what_follows_a_line_of_nothing_is_no_running_average() -> None:
    """The average is undone of three lines, whose middle is 0.51; of four it would lie higher."""
    durations_s = [1.0, 2.0, 4.0, 1.0]
    own = [flops / d for flops, d in zip((0.5, 0.5, 0.51, 0.52), durations_s, strict=True)]
    assert mfu_seconds([0.0, *averaged(own)], [1.0, *durations_s]) == pytest.approx(0.51)


@pytest.mark.parametrize(
    ("mfu", "duration_s", "usable"),
    [
        (0.5, 1.0, True),
        (0.0, 1.0, False),
        (-0.5, 1.0, False),
        (0.5, 0.0, False),
        (0.5, -0.5, False),
        (nan, 1.0, False),
        (0.5, nan, False),
        (inf, 1.0, False),
        (0.5, inf, False),
    ],
)
def test_what_is_no_share_or_no_time_is_not_used(mfu: float, duration_s: float, usable: bool) -> None:
    assert _usable(mfu, duration_s) is usable


@pytest.mark.parametrize(("peak", "is_its_own"), [(1.0e12, True), (1.0095e12, True), (0.985e12, False)])
def test_a_peak_within_a_hundredth_is_the_same(peak: float, is_its_own: bool) -> None:
    assert ("assumes" not in explain(0.5, 1e12, peak, "GPU")) is is_its_own
