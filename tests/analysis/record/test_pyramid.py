"""Least, greatest and median of any stretch: the same as from the iterations themselves."""

from random import Random
from statistics import fmean

import pytest

from itermon.analysis.record.columns import Columns
from itermon.analysis.record.pyramid import SIZES, Pyramid, known, rounded
from itermon.events import Iteration

COUNT = 2 * SIZES[1] + 3 * SIZES[0] + 7
RANDOM = Random(5)
DURATIONS = [1 + RANDOM.random() for _ in range(COUNT)]
LOSSES = [RANDOM.random() for _ in range(COUNT)]
STRETCHES = [
    (0, COUNT - 1),
    (0, 0),
    (0, 63),
    (1, 63),
    (63, 64),
    (64, 127),
    (100, 400),
    (0, 2047),
    (2048, 4095),
    (2000, 4200),
    (4096, 4290),
]


def pyramid(durations: list[float | None], losses: list[float | None]) -> tuple[Columns, Pyramid]:
    columns = Columns()
    columns.extend([Iteration(i, d, x) for i, (d, x) in enumerate(zip(durations, losses, strict=True))])
    return columns, Pyramid(columns)


@pytest.mark.parametrize(("first", "last"), STRETCHES)
def test_no_extreme_of_a_stretch_is_lost(first: int, last: int) -> None:
    low, high, middle, loss = pyramid([*DURATIONS], [*LOSSES])[1].stretch(first, last)
    part = DURATIONS[first : last + 1]
    assert (low, high) == (min(part), max(part))
    assert middle == pytest.approx(sorted(part)[len(part) // 2], abs=0.05 if last - first > 63 else 0.51)
    assert loss == pytest.approx(fmean(LOSSES[first : last + 1]), abs=0.05)


@pytest.mark.parametrize("spike_at", [0, 63, 64, 2047, 2048, 4095, COUNT - 1])
def test_a_single_spike_is_in_every_stretch_that_holds_it_and_in_no_other(spike_at: int) -> None:
    durations: list[float | None] = [1.0] * COUNT
    durations[spike_at] = 50.0
    made = pyramid(durations, [None] * COUNT)[1]
    for first, last in STRETCHES:
        assert made.stretch(first, last)[1] == (50.0 if first <= spike_at <= last else 1.0)


def test_a_median_of_a_short_stretch_is_exact() -> None:
    made = pyramid([1.0, 3.0, 2.0, 9.0, 4.0], [None] * 5)[1]
    assert made.stretch(0, 4) == (1.0, 9.0, 3.0, None)
    assert made.stretch(0, 3)[2] == 2.5


def test_a_median_and_a_mean_are_exact_up_to_two_blocks_wherever_they_lie() -> None:
    durations = [5.0 if SIZES[0] <= i < 2 * SIZES[0] else 1.0 for i in range(300)]
    made = pyramid([*durations], [*durations])[1]
    assert made.stretch(10, 137) == (1.0, 5.0, 3.0, 3.0)
    assert made.stretch(10, 138) == (1.0, 5.0, 1.0, pytest.approx((1 + 5 + 1) / 3))  # of its three parts


def test_each_block_has_a_loss_of_its_own() -> None:
    columns, made = pyramid([1.0] * COUNT, [float(i // SIZES[0]) for i in range(COUNT)])
    assert made.stretch(3 * SIZES[0], 6 * SIZES[0] - 1)[3] == 4.0
    assert made.stretch(0, SIZES[1] - 1)[3] == 15.5
    assert made.stretch(SIZES[1], 2 * SIZES[1] - 1)[3] == 47.5
    for position in range(SIZES[0]):
        columns.loss[position] = 32.0
        made.relearn(position)
    assert made.stretch(0, 3 * SIZES[0] - 1)[3] == (32 + 1 + 2) / 3
    assert made.stretch(0, SIZES[1] - 1)[3] == 16.5
    assert made.stretch(SIZES[1], 2 * SIZES[1] - 1)[3] == 47.5


@pytest.mark.parametrize(
    ("start", "stop", "pieces"),
    [
        (0, 200_000, [(2, 0, 3), (1, 96, 97), (0, 3104, 3125)]),
        (
            1,
            135_000,
            [(-1, 1, 64), (0, 1, 32), (1, 1, 32), (2, 1, 2), (1, 64, 65), (0, 2080, 2109), (-1, 134_976, 135_000)],
        ),
        (
            60_000,
            70_000,
            [(-1, 60_000, 60_032), (0, 938, 960), (1, 30, 34), (0, 1088, 1093), (-1, 69_952, 70_000)],
        ),
        (64, 192, [(0, 1, 3)]),
        (70, 120, [(-1, 70, 120)]),
    ],
)
def test_a_stretch_is_made_of_the_largest_blocks_in_it(
    start: int, stop: int, pieces: list[tuple[int, int, int]]
) -> None:
    assert [*Pyramid(Columns())._pieces(start, stop, 2)] == pieces


def test_growing_by_one_gives_the_same_as_all_at_once() -> None:
    whole = pyramid([*DURATIONS], [*LOSSES])[1]
    columns, grown = pyramid([], [])
    for i, (d, x) in enumerate(zip(DURATIONS, LOSSES, strict=True)):
        columns.extend([Iteration(i, d, x)])
        if i % 50 == 0:
            grown.stretch(0, i)
    assert [grown.stretch(*s) for s in STRETCHES] == [whole.stretch(*s) for s in STRETCHES]


def test_a_stretch_without_times_still_has_its_loss() -> None:
    assert pyramid([None] * 70, [2.0] * 70)[1].stretch(0, 69) == (None, None, None, 2.0)
    assert pyramid([None] * 70, [None] * 70)[1].stretch(0, 69) == (None, None, None, None)
    assert pyramid([None] * 64 + [3.0], [None] * 65)[1].stretch(0, 64) == (3.0, 3.0, 3.0, None)


def test_a_loss_that_comes_later_is_in_the_blocks_made_before() -> None:
    columns, made = pyramid([1.0] * COUNT, [None] * COUNT)
    assert made.stretch(0, COUNT - 1)[3] is None
    for position in range(2048):
        columns.loss[position] = 4.0
        made.relearn(position)
    assert made.stretch(0, 63)[3] == 4.0
    assert made.stretch(0, 2047)[3] == 4.0
    assert made.stretch(2048, 4095)[3] is None
    assert made.stretch(0, 4095)[3] == 4.0


@pytest.mark.parametrize(
    ("step", "expected"),
    [(1, 1), (2047, 2047), (2048, 2048), (2049, 2112), (65_536, 65_536), (65_537, 67_584), (2_097_153, 2_162_688)],
)
def test_a_step_is_rounded_to_whole_blocks_where_that_is_little(step: int, expected: int) -> None:
    assert rounded(step) == expected


def test_known_numbers_are_handed_back_as_they_are() -> None:
    values = [1.0, 2.0]
    assert known(values) is values
    assert known([1.0, float("nan")]) == [1.0]


def test_blocks_are_made_as_soon_as_their_iterations_are_there() -> None:
    made = pyramid([*DURATIONS], [*LOSSES])[1]
    made.stretch(0, COUNT - 1)
    assert [len(level.low) for level in made._levels] == [COUNT // SIZES[0], 2, 0]
    two = pyramid([1.0] * 129, [None] * 129)[1]
    two.stretch(0, 128)
    assert len(two._levels[0].low) == 2
    exactly = pyramid([1.0] * 192, [None] * 192)[1]
    exactly.stretch(0, 191)
    assert len(exactly._levels[0].low) == 3
