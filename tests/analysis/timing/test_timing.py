"""Slow iterations, warm-up and lasting changes of level, from times alone."""

from itertools import accumulate
from random import Random

import pytest
from simulated_runs import NANOGPT, plain, times, watched

from itermon.analysis.timing.slow import Slow
from itermon.analysis.timing.warmup import warmup_length
from itermon.events import ClockKind, Event, Iteration, RunInfo, SpanEnd, Witness


def test_every_stall_of_one_and_a_half_times_is_found_and_nothing_else() -> None:
    durations = times(3_000, noise=0.02)
    stalled = sorted(Random(2).sample(range(100, 3_000), 15))
    for n, i in enumerate(stalled):
        durations[i] = 0.2 * (1.5 + n / 4)
    assert [s.index for s in watched(plain(durations)).findings(spikes=None).spikes] == stalled


@pytest.mark.parametrize("factor", [1.1, 0.9, 1.6])
@pytest.mark.parametrize("noise", [0.005, 0.03])
def test_a_lasting_change_is_found_within_15_iterations_dated_and_no_spike(factor: float, noise: float) -> None:
    durations = times(800, noise=noise)
    durations[500:] = [d * factor for d in durations[500:]]
    early = watched(plain(durations[:515])).findings(spikes=None)
    assert len(early.level.shifts) == 1
    assert early.level.shifts[0].index == pytest.approx(500, abs=5)
    assert early.level.clean_s == pytest.approx(0.2 * factor, rel=0.03)
    late = watched(plain(durations)).findings(spikes=None)
    assert len(late.level.shifts) == 1
    assert late.spikes == ()


@pytest.mark.parametrize("factor", [1.1, 0.9])
def test_a_change_of_two_standard_deviations_is_found_within_15_iterations(factor: float) -> None:
    for seed in range(20):
        durations = times(515, noise=0.05, seed=seed)
        durations[500:] = [d * factor for d in durations[500:]]
        (shift,) = watched(plain(durations)).intake.timing.shifts
        assert shift.index == pytest.approx(500, abs=10)


def test_no_change_is_invented_in_noise() -> None:
    for seed in range(3):
        assert watched(plain(times(8_000, noise=0.05, seed=seed))).intake.timing.shifts == []


def test_more_noise_than_before_is_no_change() -> None:
    for seed in range(12):
        durations = [*times(500, noise=0.02, seed=seed), *times(500, noise=0.05, seed=seed + 100)]
        assert watched(plain(durations)).intake.timing.shifts == []


def test_a_level_that_moves_on_at_once_is_one_change() -> None:
    durations = [*times(300), *times(6, base_s=0.3), *times(300, base_s=0.24)]
    (shift,) = watched(plain(durations)).intake.timing.shifts
    assert (shift.before_s, shift.after_s) == (pytest.approx(0.2, rel=0.02), pytest.approx(0.24, rel=0.02))


def test_a_level_that_creeps_has_no_change() -> None:
    durations = [d * (1 + n / 8_000) for n, d in enumerate(times(3_000))]
    assert watched(plain(durations)).intake.timing.shifts == []


def test_three_stalls_in_a_row_are_stalls_and_no_change() -> None:
    durations = times(400)
    durations[200:203] = [0.6, 0.7, 0.5]
    findings = watched(plain(durations)).findings()
    assert [s.index for s in findings.spikes] == [200, 201, 202]
    assert findings.level.shifts == ()
    six = [1.0] * 100 + [1.2] * 6 + [1.0] * 60  # 1.2 times the usual is the limit
    assert [*watched(plain(six)).intake.timing.slow.position] == []


def test_a_change_carries_its_moment_where_there_is_a_clock() -> None:
    at_s, events = 1000.0, [RunInfo(clock="hook")]
    for i in range(300):
        duration = 1.0 if i < 200 else 1.2
        at_s += duration
        events.append(Iteration(i, duration, at_s=at_s))  # type: ignore[arg-type]
    (shift,) = watched(list(events)).findings().level.shifts
    assert (shift.index, shift.at_s) == (200, pytest.approx(1201.2))


@pytest.mark.parametrize("slow", [0, 1, 7, 38])
def test_warmup_ends_where_the_level_settles(slow: int) -> None:
    decaying = [0.2 * (1 + 4 * 0.93**i) + 0.05 for i in range(slow)]
    durations = [*decaying, *times(200)]
    assert warmup_length(durations[:64]) == pytest.approx(slow, abs=2)
    assert watched(plain(durations)).findings().level.warmup_iterations == pytest.approx(slow, abs=2)


def test_a_single_slow_iteration_after_the_first_is_no_warmup() -> None:
    durations = times(200)
    durations[3] = 2.0
    findings = watched(plain(durations)).findings()
    assert findings.level.warmup_iterations == 0
    assert [s.index for s in findings.spikes] == [3]


def test_the_level_of_a_young_run_comes_from_what_there_is() -> None:
    run = watched([NANOGPT, Iteration(0, 30.0), Iteration(1, 1.0), Iteration(2, 1.02), Iteration(3, 0.98)])
    findings = run.findings()
    assert findings.level.clean_s == pytest.approx(1.0)
    assert findings.level.warmup_iterations == 1
    assert [(s.index, s.causes[0].kind) for s in findings.spikes] == [(0, "warmup")]
    assert watched([NANOGPT, Iteration(0, 30.0)]).findings().level.clean_s == 30.0
    assert watched([NANOGPT]).findings().level.clean_s is None


def test_times_that_nobody_printed_come_from_the_moments_of_the_lines() -> None:
    events = [Iteration(10 * i, at_s=1000.0 + 20.0 * i) for i in range(60)]
    findings = watched([RunInfo(clock="log"), *events]).findings()
    assert findings.level.clean_s == pytest.approx(2.0)
    assert findings.progress.wall_s == pytest.approx(59 * 20.0)


def test_impossible_times_are_not_known() -> None:
    odd = [float("nan"), float("inf"), -1.0, 0.0]
    events = [Iteration(i, odd[i // 20 % 4] if i % 20 == 7 else 1.0) for i in range(200)]
    findings = watched([NANOGPT, *events]).findings(spikes=None)
    assert findings.level.clean_s == 1.0
    assert findings.spikes == ()
    assert findings.progress.wall_s == pytest.approx(190.0)


def test_a_change_dated_to_the_very_last_iteration_has_a_level_all_the_same() -> None:
    chance = Random(4)  # microseconds of a loop that does nothing, with a heavy tail
    base = chance.choice([1, 2, 5])
    durations = [
        1e-6
        * round(
            base
            * (
                chance.paretovariate(0.7)
                if chance.random() < chance.choice([0.05, 0.3, 0.5])
                else 1 + chance.random() * 0.1
            ),
            1,
        )
        for _ in range(400)
    ]
    run = watched([Iteration(index=i, duration_s=duration) for i, duration in enumerate(durations)])
    assert run.findings(spikes=0).progress.iterations_seen == 400


@pytest.mark.parametrize("count", [9, 40, 70])
def test_no_iteration_counts_twice_in_the_level(count: int) -> None:
    level = watched(plain(times(count))).findings().level
    assert level.iterations == min(count, 64)


def test_one_normal_iteration_of_twenty_takes_longer_than_the_95th_percentile() -> None:
    durations = [1.0 + i / 1_000 for i in range(64)]
    assert watched(plain(durations)).findings().level.p95_s == 1.06
    assert watched(plain(durations[:12])).findings().level.p95_s == 1.011


@pytest.mark.parametrize(("held", "since"), [(255, 0), (256, 556)])
def test_a_level_of_256_iterations_divides_those_before_it_from_those_after_it(held: int, since: int) -> None:
    run = watched(plain([1.0] * 300 + [2.0] * held + [1.0] * 300))
    assert [s.position for s in run.intake.timing.shifts] == [300, 300 + held]
    assert run.intake.timing.comparable() == since


@pytest.mark.parametrize(("after", "since"), [(1.24, 0), (1.26, 300)])
def test_a_level_a_quarter_higher_is_another(after: float, since: int) -> None:
    for factor in (after, 1 / after):
        run = watched(plain([1.0] * 300 + [factor] * 300))
        assert run.intake.timing.comparable() == since


def test_the_length_of_a_warm_up_is_in_iterations_not_in_lines() -> None:
    """Four slow lines: means over a hundred, or every tenth iteration printed."""
    durations = [4.0, 3.0, 2.4, 1.9, *times(200, base_s=1.0)]
    means = [Iteration(100 * (i + 1), d, averaged_over=100) for i, d in enumerate(durations)]
    tenth = [Iteration(10 * i, d) for i, d in enumerate(durations)]
    assert watched([NANOGPT, *means]).findings().level.warmup_iterations == 400
    assert watched([NANOGPT, *tenth]).findings().level.warmup_iterations == 31


@pytest.mark.parametrize(("each_s", "warmup"), [(1.0, 400), (1.5, 400), (1.51, 100), (5.0, 100)])
def test_what_is_slow_for_more_than_half_an_hour_is_no_warm_up(each_s: float, warmup: int) -> None:
    durations = [4.0, 3.0, 2.5, 2.5, *times(200, base_s=1.0)]
    means = [Iteration(100 * (i + 1), each_s * d, averaged_over=100) for i, d in enumerate(durations)]
    assert watched([NANOGPT, *means]).findings().level.warmup_iterations == warmup


def test_slow_iterations_stand_in_the_order_of_their_positions_and_gaps_join_them() -> None:
    slow = Slow()
    for position, duration_s, gap_s in (
        (3, 1.0, 0.0),
        (9, 2.0, 0.5),
        (5, float("nan"), 0.25),
        (9, 7.0, 1.0),
        (3, 7.0, 2.0),
    ):
        slow.add(position, duration_s, 0.5, gap_s)
    assert list(zip(slow.position, slow.duration_s, slow.gap_s, strict=True)) == [
        (3, 1.0, 2.0),
        (5, 0.0, 0.25),
        (9, 2.0, 1.5),
    ]
    slow.drop(1)
    assert (list(slow.position), len(slow), list(slow.level_s)) == ([3, 9], 2, [0.5, 0.5])


def test_a_run_that_begins_at_its_level_has_no_warm_up() -> None:
    timing = watched(plain([0.2] * 200)).intake.timing
    assert (timing.warmup, len(timing.slow)) == (0, 0)
    assert watched(plain([0.31] + [0.2] * 199)).intake.timing.warmup == 1


def test_lines_with_the_stamp_of_a_gaps_end_make_the_gap_smaller() -> None:
    """Three iterations of 1 s came out together 30 s after the last line: 27 s are nobody's."""
    stamps = [1_000.0 + i for i in range(100)] + [1_129.0] * 3 + [1_129.0 + i for i in range(1, 40)]
    events = [Iteration(i, 1.0, at_s=at_s) for i, at_s in enumerate(stamps)]
    timing = watched([RunInfo(clock="log"), *events]).intake.timing
    assert dict(zip(timing.slow.position, timing.slow.gap_s, strict=True)) == {100: pytest.approx(27.0)}


def test_what_stood_before_an_iteration_does_not_make_it_slow_itself() -> None:
    slow = Slow()
    slow.add(3, 0.5, 0.5, gap_s=9.0)
    slow.add(7, 2.0, 0.5, itself=True)
    slow.add(7, 2.0, 0.5, gap_s=1.0)
    assert (list(slow.position), list(slow.itself), slow.changes) == ([3, 7], [7], 0)
    slow.add(5, 3.0, 0.5, itself=True)
    assert (list(slow.itself), slow.changes) == ([5, 7], 1), "put in before the end"
    slow.note(7, itself=True)
    slow.note(9, itself=False)
    assert (list(slow.itself), slow.changes) == ([5, 7], 1)
    slow.note(7, itself=False)
    slow.drop(1)
    assert (list(slow.position), list(slow.itself), slow.changes) == ([3, 7], [], 3)


def test_a_marked_iteration_is_slow_itself_where_it_took_longer_for_the_level_of_then() -> None:
    durations = [0.2] * 300
    durations[100] = 3.0
    events: list[Event] = []
    for n, duration_s in enumerate(durations):
        if n in (100, 200):
            events.append(SpanEnd("evaluation", iteration=n, duration_s=2.8))
        events.append(Iteration(n, duration_s))
    slow = watched(events).intake.timing.slow
    assert (list(slow.position), list(slow.itself)) == ([100, 200], [100])


@pytest.mark.parametrize("first_s", [1.0, 1.3])
def test_a_clock_without_a_gap_leaves_what_is_slow_as_it_is(first_s: float) -> None:
    """1.3 s is slow and less than half as long again as usual: what was slow by a gap alone would be forgotten."""
    durations = [first_s, *[1.0] * 29, 1.3, *[1.0] * 169]
    stamps = [1_000.0 + s for s in accumulate(durations)]
    found = []
    for clock, at_s in (("hook", stamps), ("hook", [None] * 200)):
        events = [Iteration(i, d, at_s=at) for i, (d, at) in enumerate(zip(durations, at_s, strict=True))]
        slow = watched([RunInfo(clock=clock), *events]).intake.timing.slow
        found.append(list(zip(slow.position, slow.gap_s, strict=True)))
    assert found[0] == found[1] == ([(0, 0.0)] if first_s > 1 else []) + [(30, 0.0)]


@pytest.mark.parametrize(("first_s", "stays"), [(1.0, {}), (1.4, {}), (1.6, {100: 0.0})])
def test_a_gap_that_lines_of_its_end_explain_whole_is_forgotten_and_a_slow_iteration_is_not(
    first_s: float, stays: dict[int, float]
) -> None:
    durations = [1.0] * 100 + [first_s] + [1.0] * 68
    passed = [*range(1, 101), *[100 + first_s + 28] * 29, *(100 + first_s + 28 + i for i in range(1, 41))]
    events = [Iteration(i, d, at_s=1_000.0 + s) for i, (d, s) in enumerate(zip(durations, passed, strict=True))]
    for several in (events[:101], events):
        slow = watched([RunInfo(clock="log"), *several]).intake.timing.slow
        found = dict(zip(slow.position, slow.gap_s, strict=True))
        assert found == ({100: pytest.approx(28.0)} if len(several) == 101 else stays)


@pytest.mark.parametrize("each_has_one", [True, False])
def test_the_level_follows_rows_that_each_have_an_evaluation(each_has_one: bool) -> None:
    """An epoch's row with its validation: the iterations' own time speaks of the level all the same."""
    events: list[Event] = [RunInfo()]
    for n, duration_s in enumerate([0.2] * 80 + [0.5] * 80):
        if each_has_one or n % 2:
            events.append(SpanEnd("evaluation", iteration=n, values={"val_loss": 2.0}))
        events.append(Iteration(n, duration_s))
    findings = watched(events).findings()
    assert findings.level.clean_s == 0.5
    assert [shift.index for shift in findings.level.shifts] == [80]


def test_a_gap_after_the_first_iteration_lies_before_the_second() -> None:
    """Though an evaluation was reported before the first."""
    events: list[Event] = [RunInfo(clock="log"), SpanEnd("evaluation", iteration=-1)]
    events += [Iteration(i, 1.0, at_s=1_000.0 + i + 30.0 * (i > 0)) for i in range(100)]
    slow = watched(events).intake.timing.slow
    assert {p: g for p, g in zip(slow.position, slow.gap_s, strict=True) if g} == {1: pytest.approx(30.0)}


def test_each_second_between_two_processes_is_a_gap() -> None:
    """Within a process so little is noise."""
    gaps = []
    for again in (False, True):
        later: list[Event] = [Iteration(i, 1.0, at_s=1_000.2 + i) for i in range(100, 200)]
        first: list[Event] = [Iteration(i, 1.0, at_s=1_000.0 + i) for i in range(100)]
        run = watched([RunInfo(clock="hook"), *first, *[RunInfo(clock="hook", resumed=True)] * again, *later])
        slow = run.intake.timing.slow
        gaps.append({p: round(g, 3) for p, g in zip(slow.position, slow.gap_s, strict=True) if g})
    assert gaps == [{}, {100: 0.2}]


def with_evaluations(durations: list[float], every: int) -> list[Event]:
    """Epochs whose line is printed after their evaluation: its time contains both."""
    events: list[Event] = [RunInfo(time_includes=("evaluation",), clock="log")]
    at_s = 0.0
    for n, duration_s in enumerate(durations):
        at_s += duration_s
        if n % every == every - 1:
            events.append(SpanEnd("evaluation", at_s, n, values={"val_loss": 0.5}))
        events.append(Iteration(n, duration_s, 0.5, at_s=at_s))
    return events


def test_epochs_that_each_contain_an_evaluation_have_a_usual_time_and_no_evaluation_a_cost() -> None:
    durations = [10.0 + 0.1 * (n % 3) for n in range(40)]
    durations[30] = 25.0
    found = watched(with_evaluations(durations, every=1)).findings(now_s=1e6)
    assert (found.level.clean_s, found.level.evaluates) == (10.1, True)
    assert [(one.index, one.causes[0].kind) for one in found.spikes] == [(30, "unexplained")]
    assert "evaluation" not in {row.cause for row in found.ledger}
    assert any("each iteration's time here contains both" in one for one in found.verdict.unknowable)


def test_epochs_of_which_some_contain_an_evaluation_show_what_one_takes() -> None:
    durations = [10.0 + 0.1 * (n % 3) + 4.0 * (n % 5 == 4) for n in range(60)]
    found = watched(with_evaluations(durations, every=5)).findings(now_s=1e6)
    assert (found.level.clean_s, found.level.evaluates) == (10.1, False)
    assert {row.cause: row.count for row in found.ledger}["evaluation"] == 12
    assert {row.cause: row.seconds for row in found.ledger}["evaluation"] == pytest.approx(48, abs=1.5)


def test_a_clock_of_tenths_of_a_minute_shows_no_gaps_between_rows_of_four_seconds() -> None:
    shown_s = [6.0 * round(3.84 * n / 6) for n in range(600)]
    rows: list[Event] = [RunInfo(1, "run", "log", clock=ClockKind.ARRIVAL)]
    rows += [
        Iteration(n, shown_s[n] - shown_s[n - 1], elapsed_s=shown_s[n], witness=Witness.ELAPSED)
        for n in range(1, 600)
    ]
    found = watched(rows).findings(spikes=None)
    assert found.level.clean_s == pytest.approx(3.84, rel=0.03)
    assert sum(row.share for row in found.ledger if row.cause in ("gap", "unexplained")) < 0.01
