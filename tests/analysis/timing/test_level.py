"""What is told of the level: its warm-up, its noise, and how it moved."""

from itertools import accumulate
from math import exp
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from simulated_runs import NANOGPT, times, watched

from itermon.analysis.findings import Level, Shift
from itermon.analysis.record.columns import Columns
from itermon.analysis.timing import alike, level
from itermon.analysis.timing.timing import Timing
from itermon.analysis.timing.trainings import Within
from itermon.events import EVALUATION, ClockKind, Event, Iteration, RunInfo, SpanEnd


@pytest.mark.parametrize(
    ("indices", "averaged", "entries", "count"),
    [
        ([3, 4, 5, 6], 1, 0, 0),
        ([3, 4, 5, 6], 1, 3, 3),
        ([10, 20, 30, 45], 10, 1, 10),
        ([10, 20, 30, 45], 10, 3, 30),
        ([10, 20, 30, 45], 1, 3, 21),
        ([3, 3, 3, 3], 1, 3, 3),
    ],
)
def test_warm_up_is_counted_in_iterations_and_not_in_lines(
    indices: list[int], averaged: int, entries: int, count: int
) -> None:
    for begun in (0, 3):
        over = {begun: averaged}
        columns: Any = SimpleNamespace(index=[*range(begun), *indices], averaged_at=over.get, uncounted={})
        columns.duration_s = [2.0] * (begun + entries) + [1.0] * 9
        slow = SimpleNamespace(itself=[])
        timing: Any = SimpleNamespace(
            begun=begun, warmup=begun + entries, drifts=False, first_level=1.0, slow=slow
        )
        assert level._warmup_iterations(timing, columns) == count


def test_nothing_warmed_up_where_no_iteration_was_slow() -> None:
    """The median of the first eight lies four percent above what follows, by noise alone."""
    columns: Any = SimpleNamespace(index=[1, 2, 3, 4], averaged_at=lambda _: 1, duration_s=[1.1, 1.04, 1.0, 1.0])
    slow = SimpleNamespace(itself=[])
    timing: Any = SimpleNamespace(begun=0, warmup=2, drifts=False, first_level=1.0, slow=slow)
    columns.uncounted = {}
    assert level._warmup_iterations(timing, columns) == 0


@pytest.mark.parametrize(("count", "at"), [(12, 11), (19, 18), (20, 19), (21, 19), (40, 38), (41, 38)])
def test_the_level_gives_the_ninety_fifth_of_a_hundred_of_its_window(count: int, at: int) -> None:
    timing: Any = SimpleNamespace(
        baseline=SimpleNamespace(level=5.0, jitter=0.5, newest=lambda: [float(i) for i in range(count)]),
        warmup=0,
        begun=0,
        first_level=5.0,
        change=None,
        starts=[0],
        slow=SimpleNamespace(itself=[]),
        lengths=alike.Lengths(Columns()),
        shifts=[],
        within=Within(),
        over=[],
        stands_apart=lambda _, told: False,
    )
    found = level.level_of(timing, watched([Iteration(0)]).intake.columns)
    assert (found.p95_s, found.clean_s, found.jitter, found.iterations) == (float(at), 5.0, 0.5, count)
    assert found.warmup_iterations == 0


def columns(durations: list[float]) -> Columns:
    made = Columns()
    made.extend([Iteration(n, d) for n, d in enumerate(durations)])
    return made


def found(durations: list[float]) -> Level:
    return watched([NANOGPT, *(Iteration(n, d) for n, d in enumerate(durations))]).findings().level


def test_a_level_that_creeps_is_another_one_than_it_was_though_no_change_of_it_is_told() -> None:
    creeping = [d * (1 + 0.3 * n / 3_000) for n, d in enumerate(times(3_000, base_s=1.0))]
    assert found(creeping).crept
    assert not found(times(3_000, base_s=1.0)).crept
    assert found(times(500, base_s=1.0) + times(500, base_s=1.5)).crept


def test_a_level_that_drifts_has_not_settled() -> None:
    rows = [d * (1 + 0.2 * (1 - exp(-n / 120))) for n, d in enumerate(times(600, base_s=1.0))]
    drifting, steady = found([3.0, *rows]), found([3.0, *times(600, base_s=1.0)])
    assert (drifting.warmup_iterations, drifting.drifted) == (0, pytest.approx((1.045, 1.197), rel=0.01))
    assert (steady.warmup_iterations, steady.drifted) == (1, None)


def test_of_a_level_that_never_moved_all_rows_tell_how_many_stray() -> None:
    assert found([0.5] + [1.0] * 39).strays == pytest.approx(1 / 40)
    assert found([1.0] * 40).strays == 0.0
    assert found([1.18] * 5 + [1.0] * 97).strays == pytest.approx(3 / 100), "two are of its warm-up"


def test_of_a_level_that_moved_the_rows_since_its_last_change_tell_how_many_stray() -> None:
    twice = found([1.0] * 300 + [1.5] * 600 + [2.0] * 300)
    assert ([one.position for one in twice.shifts], twice.strays) == ([300, 900], 0.0)


@pytest.mark.parametrize(
    ("newest", "left"), [([1.0] * 9, False), ([1.2] * 5, True), ([1.2] * 4, False), ([0.8] * 9, True)]
)
def test_a_level_that_the_newest_times_do_not_show_is_left(newest: list[float], left: bool) -> None:
    assert found([*[1.0] * 200, *newest]).left is left
    rows = columns([*[1.0] * 200, *newest])
    timing: Any = SimpleNamespace(begun=0, lengths=alike.Lengths(rows))
    assert level._is_left(timing, rows, 1.0) is left


def test_of_a_level_that_the_newest_have_left_the_range_is_told() -> None:
    ranged = found([*[1.0] * 200, *[1.2] * 9])
    assert (ranged.between, ranged.half) == ((1.0, 1.2, 64), (1.0, 1.0))
    assert found([1.0] * 200).between is None


@pytest.mark.parametrize(("before", "several"), [([1.0] * 300, False), ([0.5] * 40 + [1.0] * 20, True)])
def test_what_was_many_levels_before_a_change_is_no_one_level(before: list[float], several: bool) -> None:
    change = Shift(index=len(before), before_s=1.0, after_s=2.0, position=len(before))
    (told,) = level._with_their_rows([change], columns([*before, *[2.0] * 200]), 0)
    assert (told.several_before, told.held) == (several, 200)


@pytest.mark.parametrize(
    ("between", "several"),
    [
        ([2.0] * 60, False),  # what it took before the change before it is no matter
        ([2.0] * 20 + [3.0] * 40, True),
        ([3.0] * 2_000 + [2.0] * 768 + [3.0] * 256, False),  # nor what it took a thousand rows ago
        ([3.0] * 2_000 + [2.0] * 767 + [3.0] * 257, True),
    ],
)
def test_a_change_is_judged_by_the_rows_since_the_one_before_it(between: list[float], several: bool) -> None:
    at = 1_000, 1_000 + len(between)
    steps = ((1.0, 2.0), (2.0, 4.0))
    changes = [Shift(n, *step, position=n) for n, step in zip(at, steps, strict=True)]
    told = level._with_their_rows(changes, columns([1.0] * 1_000 + between + [4.0] * 50), 0)
    assert [one.several_before for one in told] == [False, several]
    assert [one.held for one in told] == [50 + len(between), 50]


@pytest.mark.parametrize(
    ("after_s", "told", "doubtful"),
    [
        ((1.2,), (False,), True),
        ((1.2,), (True,), False),
        ((1.1,), (False,), False),  # a tenth is too little
        ((0.8,), (False,), True),
        ((1.2, 1.5), (False, True), False),  # the newest is told
        ((1.2, 1.5), (True, False), True),
        ((), (), False),
    ],
)
def test_a_level_is_doubtful_whose_newest_change_is_not_told(
    after_s: tuple[float, ...], told: tuple[bool, ...], doubtful: bool
) -> None:
    changes = [Shift(n, 1.0, one, position=n) for n, one in enumerate(after_s)]
    kept = [change for change, so in zip(changes, told, strict=True) if so]
    assert level._is_doubtful(changes, kept) is doubtful
    steps = [Shift(0, 1.0, 1.2, position=0), Shift(1, 1.2, 1.25, position=1)]
    assert not level._is_doubtful(steps, []), "the newest is a small one"


def test_at_the_first_row_no_level_changes() -> None:
    rows = columns([0.9, 1.1] * 40)
    timing = Timing(rows, SimpleNamespace(positions=[], by_position={}), (0,))  # type: ignore[arg-type]
    timing.advance(ClockKind.HOOK)
    timing.shifts = [Shift(0, 0.8, 1.0, position=0)]
    assert level.level_of(timing, rows).shifts == ()


@pytest.mark.parametrize(("most_s", "usual"), [(1.8, True), (3.0, False)])
def test_times_that_differ_by_half_of_their_median_have_no_usual_one(most_s: float, usual: bool) -> None:
    random = Random(1)
    games = found([random.uniform(0.5, most_s) for _ in range(400)])
    assert (games.between is None) is usual


def test_a_median_of_two_groups_is_no_level() -> None:
    """Two in three take 41 s, the others 30 s: the middle half hides these."""
    in_turns = [(41.0, 41.2, 41.4, 30.0, 41.1, 30.1)[n % 6] for n in range(60)]
    assert found(in_turns).between == (30.0, 41.4, 60)


@pytest.mark.parametrize(
    ("far", "jitter", "several"), [(16, 0.079, False), (17, 0.079, True), (17, 0.08, False), (64, 0.079, True)]
)
def test_more_than_a_quarter_of_the_newest_rows_are_no_noise_of_a_level_that_has_little(
    far: int, jitter: float, several: bool
) -> None:
    now: Any = SimpleNamespace(level=1.0, jitter=jitter)
    took = columns([*[1.5] * 40, *[1.0] * (64 - far), *[1.5] * far])  # the first are none of the newest
    assert level._are_several(took, 0, now, [], was=False) is several


@pytest.mark.parametrize(("tens", "averaged"), [(128, 10), (127, 1)])
def test_of_how_many_iterations_a_time_is_the_mean_the_newest_rows_tell(tens: int, averaged: int) -> None:
    over = [10] * 99 + [1] * 100 + [10] * (tens - 1) + [1] * (256 - tens) + [10]
    rows = [Iteration(n, 1.0, averaged_over=each) for n, each in zip(accumulate(over), over, strict=True)]
    assert watched([NANOGPT, *rows]).findings().level.averaged_over == averaged


def test_of_a_level_that_moved_the_rows_since_tell() -> None:
    """Fast iterations share a row of five; each slow one has its own."""
    rows = [Iteration(5 * n, t, averaged_over=5) for n, t in enumerate(times(200, base_s=1.7), 1)]
    rows += [Iteration(1_000 + n, t) for n, t in enumerate(times(60, base_s=35.0), 1)]
    level = watched([NANOGPT, *rows]).findings().level
    assert len(level.shifts) == 1
    assert level.rests_on().endswith(" iterations")
    assert level.averaged_over == 1


@pytest.mark.parametrize(("slow", "jitter", "told"), [(15, 0.02, False), (16, 0.02, True), (16, 0.25, False)])
def test_a_level_of_the_quick_rows_is_none_where_more_than_a_quarter_take_far_longer(
    slow: int, jitter: float, told: bool
) -> None:
    now: Any = SimpleNamespace(level=1.0, jitter=jitter)
    stops: Any = SimpleNamespace(speaks=lambda n: n != 63)
    took = columns([*[1.0] * (63 - slow), *[1.3] * slow, 9.0])  # the last one has an evaluation in it
    assert level._are_many_slow(stops, took, 0, now) is told


def test_a_change_is_told_by_the_median_of_all_rows_on_its_sides() -> None:
    run = columns([1.0] * 100 + [3.0] * 8 + [2.0] * 60)
    (shift,) = level._with_their_rows([Shift(index=100, before_s=1.1, after_s=3.0, position=100)], run, 0)
    assert (shift.before_s, shift.after_s, shift.held) == (1.0, 2.0, 68)
    (shift,) = level._with_their_rows([Shift(index=0, before_s=1.1, after_s=3.0, position=0)], run, 0)
    assert shift.before_s == 1.1, "no row lies before it"


def test_a_training_without_a_time_holds_no_evaluation() -> None:
    """Its rows have no stamps, and no line tells of one: the times of the next training are of training alone."""
    untimed = [Iteration(n, loss=2.5) for n in range(80)]
    timed = [Iteration(n, 1.0, 2.5) for n in range(80)]
    found = watched([RunInfo(), *untimed, RunInfo(), *timed]).findings(spikes=None).level
    assert (found.evaluates, found.evaluated, found.iterations > 0) == (False, False, True)


def test_where_two_of_three_rows_hold_an_evaluation_the_level_is_that_of_the_third() -> None:
    """An evaluation each 150 iterations, a row each 100: no level lies between rows with one and without."""
    events: list[Event] = []
    for n in range(1, 130):
        evaluates = n % 3 != 0
        events += [SpanEnd(EVALUATION, iteration=100 * n - 50, duration_s=14.0)] * evaluates
        events.append(Iteration(100 * n, 1.0 + 0.14 * evaluates + n % 7 / 1000, averaged_over=100))
    level = watched([NANOGPT, *events]).findings().level
    assert level.clean_s == pytest.approx(1.003, abs=0.003)
    assert level.p95_s == pytest.approx(1.006, abs=0.004)
    assert level.jitter == pytest.approx(0.003, abs=0.003)
    assert level.p95_without in range(42, 129), "two of three of the rows among them"


def test_a_level_lies_between_two_ticks_of_its_clock() -> None:
    """Rows of 20 iterations, 31.4 s each, by stamps of whole seconds: 31 and 32 by turns."""
    rows = [Iteration(20 * n, at_s=float(int(1e6 + 31.4 * n))) for n in range(1, 200)]
    found = watched([RunInfo(framework="f", clock=ClockKind.LOG), *rows]).findings().level
    assert found.clean_s == pytest.approx(1.57, rel=0.003)


def test_single_iterations_do_not_weigh_like_the_means_of_hundreds() -> None:
    """Rows 1 to 8 are one iteration each, and those from 400 on means of nearly 400: they hold the training."""
    single = [Iteration(n, 0.082 + n / 1_000) for n in range(1, 9)]
    for several in (11, 90):
        long_s = times(several, base_s=0.1, noise=0.02)
        rows = [Iteration(400 * n, d, averaged_over=400 - 8 * (n == 1)) for n, d in enumerate(long_s, 1)]
        told = watched([NANOGPT, *single, *rows]).findings().level
        assert told.clean_s == pytest.approx(0.1, rel=0.02)
        assert told.iterations <= several
        assert told.averaged_over == 400
        assert told.jitter is None or told.jitter < 0.04


def test_one_long_mean_between_rows_of_one_iteration_makes_none_of_them_short() -> None:
    rows = [Iteration(n, 0.1) for n in range(1, 20)]
    rows += [Iteration(2_000, 0.4, averaged_over=1_981), *(Iteration(n, 0.1) for n in range(2_001, 2_020))]
    assert watched([NANOGPT, *rows]).findings().level.clean_s == pytest.approx(0.1)


def test_rows_of_two_levels_are_of_several_however_far_they_differ() -> None:
    early, late = [20.3, 20.7, 21.6, 24.0, 30.4, 23.6, 22.7], [17.1, 16.6, 16.5, 16.6, 16.4, 16.5, 16.4]
    noisy: Any = SimpleNamespace(level=18.7, jitter=0.17)
    assert level._are_several(columns([*early, *late]), 0, noisy, [], was=False)
    noisy.level = 22.0
    assert not level._are_several(columns([*early, *early]), 0, noisy, [], was=False)


def test_no_range_is_told_that_ends_below_what_is_usual_by_the_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = Random(1)
    rows = [random.gauss(1.0, 0.02) for _ in range(80)]
    assert found(rows).p95_s is not None
    monkeypatch.setattr(level, "_between_ticks", lambda *_: 1.3)
    none = found(rows)
    assert (none.clean_s, none.p95_s, none.jitter) == (1.3, None, None)
