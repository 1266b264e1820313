"""What any stretch looks like: the same as from the iterations themselves, the slow ones apart."""

from array import array
from random import Random
from statistics import fmean

import pytest

from itermon.analysis.record.columns import Columns
from itermon.analysis.record.pyramid import SIZES, Pyramid, Stretch, known, size_for
from itermon.events import Iteration

# The bounds as numbers of its own: from the code, a test would move with them.
OUTLIERS = 20

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


def pyramid(
    durations: list[float | None], losses: list[float | None], slow: tuple[int, ...] = ()
) -> tuple[Columns, Pyramid]:
    columns = Columns()
    columns.extend([Iteration(i, d, x) for i, (d, x) in enumerate(zip(durations, losses, strict=True))])
    made = Pyramid(columns)
    made.follow(array("q", slow), 0)
    return columns, made


@pytest.mark.parametrize(("first", "last"), STRETCHES)
def test_low_and_high_leave_out_a_twentieth_at_most_and_the_slowest_is_never_lost(first: int, last: int) -> None:
    found = pyramid([*DURATIONS], [*LOSSES])[1].stretch(first, last)
    part = sorted(DURATIONS[first : last + 1])
    assert {found.low_s, found.median_s, found.high_s} <= {*part}
    out = len(part) // OUTLIERS if last - first > 127 else 0
    assert found.low_s is not None
    assert found.high_s is not None
    assert part[0] <= found.low_s <= part[out]
    assert part[-1 - out] <= found.high_s <= part[-1]
    assert found.slowest_s == part[-1]
    assert found.median_s == pytest.approx(part[len(part) // 2], abs=0.05 if last - first > 63 else 0.51)
    assert found.loss == pytest.approx(fmean(LOSSES[first : last + 1]), abs=0.05)


@pytest.mark.parametrize("spike_at", [0, 63, 64, 2047, 2048, 4095, COUNT - 1])
def test_a_spike_is_in_every_stretch_that_holds_it_and_moves_no_band(spike_at: int) -> None:
    durations: list[float | None] = [1.0] * COUNT
    durations[spike_at] = 50.0
    made = pyramid(durations, [None] * COUNT, (spike_at,))[1]
    for first, last in STRETCHES:
        within = first <= spike_at <= last
        clean = None if within and first == last else 1.0
        assert made.stretch(first, last) == Stretch(clean, clean, clean, 50.0 if within else 1.0, None)


def test_a_short_stretch_is_exact_and_its_median_one_of_its_times() -> None:
    made = pyramid([1.0, 3.0, 2.0, 9.0, 4.0], [None] * 5)[1]
    assert made.stretch(0, 4) == Stretch(1.0, 9.0, 3.0, 9.0)
    assert made.stretch(0, 3).median_s == 2.0
    assert made.stretch(2, 3).median_s == 2.0


def test_all_is_exact_up_to_two_blocks_wherever_they_lie() -> None:
    durations = [5.0 if SIZES[0] <= i < 2 * SIZES[0] else 1.0 for i in range(300)]
    durations[11] = 0.5
    made = pyramid([*durations], [*durations])[1]
    assert made.stretch(10, 137)[:4] == (0.5, 5.0, 1.0, 5.0)
    assert made.stretch(10, 138)[:4] == (1.0, 5.0, 1.0, 5.0)  # of its three parts


def test_labels_that_change_make_their_blocks_anew() -> None:
    durations = [10.0 if i % 8 == 5 else 1.0 for i in range(COUNT)]
    every = tuple(range(5, COUNT, 8))
    columns, made = pyramid([*durations], [None] * COUNT)
    slow = array("q")
    for changes, now in enumerate((every, every[:40], (*every[:40], 4_000), every[3:], (), every), 1):
        slow[:] = array("q", now)
        made.follow(slow, changes)
        anew = Pyramid(columns)
        anew.follow(array("q", now), 0)
        assert [made.stretch(*s) for s in STRETCHES] == [anew.stretch(*s) for s in STRETCHES]
    other = array("q", every[:7])  # those of a level that was fixed later
    made.follow(other, changes)
    assert made.stretch(0, 2047) == Stretch(1.0, 10.0, 1.0, 10.0)
    other.extend(every[7:])  # in blocks that are there already: nothing was put in before the end
    made.follow(other, changes)
    assert made.stretch(0, 2047) == Stretch(1.0, 1.0, 1.0, 10.0)


@pytest.mark.parametrize("first", [5, 1_029])
def test_blocks_are_made_anew_from_the_first_that_changed(first: int) -> None:
    """Those that were slow are not, and others are, behind them or before them."""
    durations = [10.0 if i % 8 == 5 else 1.0 for i in range(COUNT)]
    before, then = (tuple(range(start, start + 512, 8)) for start in (first, 1_034 - first))
    columns, made = pyramid([*durations], [None] * COUNT, before)
    made.follow(array("q", then), 1)
    anew = Pyramid(columns)
    anew.follow(array("q", then), 0)
    parts = [(0, 511), (512, 1_023), (1_024, 1_535), (0, 2_047)]
    assert [made.stretch(*one) for one in parts] == [anew.stretch(*one) for one in parts]


def test_each_block_has_a_loss_of_its_own() -> None:
    columns, made = pyramid([1.0] * COUNT, [float(i // SIZES[0]) for i in range(COUNT)])
    assert made.stretch(3 * SIZES[0], 6 * SIZES[0] - 1).loss == 4.0
    assert made.stretch(0, SIZES[1] - 1).loss == 15.5
    assert made.stretch(SIZES[1], 2 * SIZES[1] - 1).loss == 47.5
    for position in range(SIZES[0]):
        columns.loss[position] = 32.0
        made.relearn(position)
    assert made.stretch(0, 3 * SIZES[0] - 1).loss == (32 + 1 + 2) / 3
    assert made.stretch(0, SIZES[1] - 1).loss == 16.5
    assert made.stretch(SIZES[1], 2 * SIZES[1] - 1).loss == 47.5


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
    none = array("q")
    for i, (d, x) in enumerate(zip(DURATIONS, LOSSES, strict=True)):
        columns.extend([Iteration(i, d, x)])
        if i % 50 == 0:
            grown.follow(none, 0)
    grown.follow(none, 0)
    assert [grown.stretch(*s) for s in STRETCHES] == [whole.stretch(*s) for s in STRETCHES]


def test_a_stretch_without_times_still_has_its_loss() -> None:
    assert pyramid([None] * 70, [2.0] * 70)[1].stretch(0, 69) == Stretch(loss=2.0)
    assert pyramid([None] * 70, [None] * 70)[1].stretch(0, 69) == Stretch()
    assert pyramid([None] * 64 + [3.0], [None] * 65)[1].stretch(0, 64) == Stretch(3.0, 3.0, 3.0, 3.0)
    assert pyramid([None] * 300, [None] * 300)[1].stretch(0, 299) == Stretch()
    assert pyramid([None] * 290 + [3.0] * 10, [None] * 300)[1].stretch(0, 299) == Stretch(3.0, 3.0, 3.0, 3.0)


def test_a_loss_that_comes_later_is_in_the_blocks_made_before() -> None:
    columns, made = pyramid([1.0] * COUNT, [None] * COUNT)
    assert made.stretch(0, COUNT - 1).loss is None
    for position in range(2048):
        columns.loss[position] = 4.0
        made.relearn(position)
    assert made.stretch(0, 63).loss == 4.0
    assert made.stretch(0, 2047).loss == 4.0
    assert made.stretch(2048, 4095).loss is None
    assert made.stretch(0, 4095).loss == 4.0


@pytest.mark.parametrize(
    ("step", "size"), [(1, 1), (2047, 1), (2048, 64), (65_535, 64), (65_536, 2048), (2_097_152, 65_536)]
)
def test_a_column_is_of_whole_blocks_where_it_holds_many(step: int, size: int) -> None:
    assert size_for(step) == size


def test_known_numbers_are_handed_back_as_they_are() -> None:
    values = [1.0, 2.0]
    assert known(values) is values
    assert known([1.0, float("nan")]) == [1.0]


def test_blocks_are_made_as_soon_as_their_iterations_are_there() -> None:
    made = pyramid([*DURATIONS], [*LOSSES])[1]
    assert [len(level.low) for level in made._levels] == [COUNT // SIZES[0], 2, 0]
    two = pyramid([1.0] * 129, [None] * 129)[1]
    assert len(two._levels[0].low) == 2
    exactly = pyramid([1.0] * 192, [None] * 192)[1]
    assert len(exactly._levels[0].low) == 3


def test_of_the_slow_ones_those_are_kept_in_mind_that_lie_in_whole_blocks() -> None:
    slow = array("q", (3, 40, 63, 64, 70))
    columns, made = pyramid([1.0] * 100, [None] * 100)
    made.follow(slow, 0)
    assert list(made._made_with) == [3, 40, 63]
    columns.extend([Iteration(i, 1.0) for i in range(100, 128)])
    made.follow(slow, 0)
    assert list(made._made_with) == [3, 40, 63, 64, 70]
