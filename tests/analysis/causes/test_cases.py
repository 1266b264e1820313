"""What is known of a slow iteration: what it waited for data, and what was usual."""

from math import nan
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from simulated_runs import watched

from itermon.analysis.causes import cases as cases_module
from itermon.analysis.causes.cases import Cases, Record, waits_at
from itermon.analysis.findings import Cause
from itermon.analysis.record.spans import Note
from itermon.events import (
    CHECKPOINT,
    DATA,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    GAP,
    THROTTLE,
    UNEXPLAINED,
    WARMUP,
    Config,
    Event,
    GpuSample,
    Iteration,
    RunInfo,
    SpanBegin,
    SpanEnd,
    Stack,
    Strength,
)


def data_causes(waits_s: list[float], slow: int, took_s: float) -> list[Cause]:
    """Of an iteration in a run of iterations of 1 s that wait for data as long as this."""
    events: list[Event] = [
        Iteration(i, took_s if i == slow else 1.0, data_wait_s=wait_s) for i, wait_s in enumerate(waits_s)
    ]
    spike = watched([RunInfo(), *events]).spike(slow)
    assert spike is not None
    return [cause for cause in spike.causes if cause.kind == DATA]


@pytest.mark.parametrize(
    ("before", "usual_s", "usually"),
    [
        ([0.1] * 100, 0.1, "100 ms"),
        ([0.1] * 68 + [0.1, 0.2] * 16, 0.1, "100 ms"),
        ([0.1] * 36 + [0.1, 0.2] * 32, 0.2, "200 ms"),  # of 65, of which it is one itself, 33 are longer
        ([0.2] * 37 + [0.1] * 63, 0.1, "100 ms"),
        ([0.2] * 68 + [0.1] * 32, 0.2, "200 ms"),
    ],
)
def test_the_usual_is_the_median_of_the_newest_65_waits(before: list[float], usual_s: float, usually: str) -> None:
    (cause,) = data_causes([*before, 2.1, *[0.1] * 50], 100, 3.5)
    said = f"waited 2.10 s for data, usually {usually}"
    assert cause == Cause(DATA, pytest.approx(2.1 - usual_s), Strength.HOOK, said)


def test_in_the_beginning_what_comes_next_says_what_is_usual() -> None:
    # The first wait, until workers have begun, was measured: it is no warm-up, which is a guess.
    (cause,) = data_causes([4.0, *[0.1] * 99], 0, 5.0)
    assert cause == Cause(DATA, pytest.approx(3.9), Strength.HOOK, "waited 4.00 s for data, usually 100 ms")
    assert data_causes([1.0] * 16 + [0.1] * 84, 0, 2.0) == [] != data_causes([1.0] + [0.1] * 99, 0, 2.0)


@pytest.mark.parametrize(
    ("report", "causes"),
    [
        (SpanEnd(EVALUATION, 1069.0, 50), {EVALUATION: 20.0, GAP: 70.0}),  # its result came after 20 s
        (SpanBegin(EVALUATION, 1069.0, 50), {EVALUATION: 71.0, GAP: 19.0}),  # it was announced then
        (SpanEnd(EVALUATION, None, 50), {EVALUATION: 90.0}),
        (SpanEnd(EVALUATION, 1069.0, 50, 4.0), {EVALUATION: 4.0, GAP: 86.0}),
    ],
)
def test_a_line_without_a_time_tells_of_no_more_than_passed_until_it_came(
    report: SpanEnd | SpanBegin, causes: dict[str, float]
) -> None:
    """An evaluation of 20 s, and then what nobody tells of, for more than a minute."""
    stamps = [1000.0 + i + (90.0 if i >= 50 else 0.0) for i in range(100)]
    events: list[Event] = [Iteration(i, 1.0, at_s=at_s) for i, at_s in enumerate(stamps)]
    run = watched([RunInfo(clock="log"), *events[:50], report, *events[50:]])
    rows = {row.cause: row.seconds for row in run.findings().ledger}
    assert {cause: rows.get(cause) for cause in causes} == {c: pytest.approx(s) for c, s in causes.items()}


def test_the_end_of_an_evaluation_and_the_beginning_of_a_checkpoint_leave_nothing_between_them() -> None:
    """nanoGPT prints the one when it is over and the other when it begins."""
    stamps = [1000.0 + i + (40.0 if i >= 50 else 0.0) for i in range(100)]
    events: list[Event] = [Iteration(i, 1.0, at_s=at_s) for i, at_s in enumerate(stamps)]
    lines = [SpanEnd(EVALUATION, 1065.0, 50), SpanBegin(CHECKPOINT, 1065.5, 50)]
    run = watched([RunInfo(clock="log"), *events[:50], *lines, *events[50:]])
    rows = {row.cause: row.seconds for row in run.findings().ledger}
    assert rows.get(EVALUATION_AND_CHECKPOINT) == pytest.approx(40.0)
    assert GAP not in rows


def test_the_first_process_warms_up_for_as_long_as_it_takes_and_a_later_one_for_an_iteration() -> None:
    def process(first: int) -> list[Event]:
        return [RunInfo(), *(Iteration(i, 3.0 if i < first + 3 else 1.0) for i in range(first, first + 100))]

    run = watched([*process(0), *process(100)])
    assert run.intake.timing.warmup == 3
    spikes = run.findings(spikes=None).spikes
    warming = [(s.index, s.causes[0].kind == WARMUP) for s in spikes]
    assert warming == [(n, n in (0, 1, 2, 100)) for n in (0, 1, 2, 100, 101, 102)]


def test_what_samples_say_stands_against_a_cadence() -> None:
    """Nobody says what takes 5 s each 20 iterations; at the last one the GPU works on, with its usual power."""
    at_s, timed = 0.0, []
    for index in range(200):
        at_s += 6.0 if index and index % 20 == 0 else 1.0
        timed.append((at_s, Iteration(index, 6.0 if index and index % 20 == 0 else 1.0, at_s=at_s)))
        timed += [(at_s - s, GpuSample(at_s - s, power_w=500.0)) for s in range(6) if 170 <= index <= 180]
    run = watched([RunInfo(clock="hook"), *(event for _, event in sorted(timed, key=lambda pair: pair[0]))])
    spikes = run.findings(spikes=None).spikes
    assert [s.index for s in spikes] == list(range(20, 200, 20))
    kinds = [(s.causes[0].kind, s.causes[0].strength) for s in spikes]
    assert kinds == [(UNEXPLAINED, Strength.PERIOD)] * 8 + [(EVALUATION, Strength.TELEMETRY)]


class FakeColumns:
    """Iterations 0, 10, 20, ... with these times; each the mean of `over`."""

    def __init__(self, took: list[float], at_s: list[float], over: int, waits: list[float]) -> None:
        took = took + [1.0] * (len(waits) - len(took))
        self.index, self.witness = [10 * n for n in range(len(took))], None
        self.duration_s, self.data_wait_s, self._at_s, self._over = took, waits, at_s, over
        self.uncounted, self.launched, self.at_s = dict[int, int](), dict[int, int](), at_s or [0.0]

    def averaged_at(self, _: int) -> int:
        return self._over

    def time_at(self, position: int) -> float:
        return self._at_s[position] if self._at_s else nan


class Seen(NamedTuple):
    """A slow iteration, at place 0, and what is known of it."""

    position: int = 5
    took_s: float = 4.0
    level_s: float = 1.0
    gap_s: float = 0.0
    over: int = 1
    starts: tuple[int, ...] = (0,)
    warmup: int = 0
    notes: tuple[Note, ...] = ()
    at_s: tuple[float, ...] = ()
    waits: tuple[float, ...] = ()
    lead: Any = None
    stacks: tuple[Stack, ...] = ()
    reported: tuple[str, ...] = ()
    by_hooks: bool = False
    samples: tuple[GpuSample, ...] = ()
    behind: bool = False
    before_s: float = 1.0


def cases_of(seen: Seen) -> Cases:
    took = [seen.before_s] * seen.position + [1.0] * 12
    took[seen.position] = seen.took_s
    columns = FakeColumns(took, list(seen.at_s), seen.over, list(seen.waits))
    slow = Places(position=[seen.position], level_s=[seen.level_s], gap_s=[seen.gap_s], among=set())
    spans = SimpleNamespace(
        by_position={seen.position: seen.notes} if seen.notes else {},
        seen={EVALUATION: [], CHECKPOINT: []},  # of an earlier training, perhaps
        reported={*seen.reported},
        by_hooks=seen.by_hooks,
    )
    samples = lambda *between: ASKED.append(between) or (seen.samples, [])  # noqa: E731
    telemetry = SimpleNamespace(behind=lambda _: seen.behind, samples_between=samples)
    record: Any = Record(
        columns=columns,  # type: ignore[arg-type]
        spans=spans,  # type: ignore[arg-type]
        starts=seen.starts,
        trainings=(0,),
        jumps=(),
        telemetry=telemetry,  # type: ignore[arg-type]
        ranks=SimpleNamespace(late_rank_at=lambda _: seen.lead),  # type: ignore[arg-type]
        settings=SimpleNamespace(config=Config()),  # type: ignore[arg-type]
        stacks=SimpleNamespace(of=lambda index: seen.stacks if index == 10 * seen.position else ()),  # type: ignore[arg-type]
    )
    ASKED.clear()
    clock = SimpleNamespace(began_anew=lambda *_: False)
    timing = SimpleNamespace(slow=slow, settled_at=lambda _: seen.warmup, is_usual=lambda _: False, clock=clock)
    return Cases(timing, record)  # type: ignore[arg-type]


class Places(SimpleNamespace):
    def __len__(self) -> int:
        return len(self.position)


ASKED: list[tuple[float, float]] = []
NOTED = Note(CHECKPOINT, Strength.LOG)


@pytest.mark.parametrize(
    ("seen", "excess_s"),
    [
        (Seen(took_s=3.0, gap_s=2.0), 4.0),
        (Seen(took_s=1.0), None),
        (Seen(took_s=1.5), 0.5),
        (Seen(took_s=0.5, gap_s=0.75), 0.25),
        (Seen(took_s=3.0, over=2), 4.0),
        (Seen(took_s=nan, gap_s=4.0), 3.0),
        (Seen(notes=(NOTED,)), None),
        (Seen(starts=(0, 5)), None),
        (Seen(starts=(0, 4)), 3.0),
        (Seen(position=0), None),
        (Seen(position=1, warmup=2), 3.0),  # behind a usual row
        (Seen(position=1, warmup=2, before_s=1.25), None),
        (Seen(position=2, warmup=2), 3.0),
        (Seen(position=6, starts=(0, 5), warmup=3), 3.0),
    ],
)
def test_what_nothing_explains_is_its_excess(seen: Seen, excess_s: float | None) -> None:
    found = cases_of(seen).unexplained(0)
    assert found == (None if excess_s is None else (10 * seen.position, excess_s))


def test_a_case_is_of_all_iterations_that_it_is_the_mean_of() -> None:
    lead = SimpleNamespace(rank=1)
    case = cases_of(Seen(took_s=4.0, level_s=1.5, gap_s=0.5, over=3, lead=lead)).case(0, (), is_final=True)
    assert (case.duration_s, case.clean_s, case.gap_s, case.lead) == (12.0, 4.5, 0.5, lead)
    assert (case.warmup, case.restarted, case.another) == (False, False, False)
    first = cases_of(Seen(position=0, took_s=nan)).case(0, (), is_final=True)
    assert (first.duration_s, first.warmup, first.restarted, first.another) == (0.0, True, True, False)


def test_which_rank_was_late_is_remembered() -> None:
    leads = [SimpleNamespace(rank=1), SimpleNamespace(rank=2), None]
    cases = cases_of(Seen())
    cases._record.ranks.late_rank_at = lambda _: leads[0]  # type: ignore[method-assign, assignment, return-value]
    cases.remember(0)
    for lead in leads:
        cases._record.ranks.late_rank_at = lambda _, lead=lead: lead  # type: ignore[method-assign, misc]
        assert cases.case(0, (), is_final=True).lead is leads[0]


LOOK = Stack(1e9, 50, 1.0, ("torch/utils/data/dataloader.py:701 __next__",))


@pytest.mark.parametrize(
    ("starts", "kinds"), [((0,), [DATA]), ((0, 5), [DATA]), ((0, 6), []), ((0, 3, 6), []), ((0, 3), [DATA])]
)
def test_looks_of_the_newest_process_say_that_it_waited(starts: tuple[int, ...], kinds: list[str]) -> None:
    cases = cases_of(Seen(stacks=(LOOK,), starts=starts))
    assert [(c.kind, share) for c, share in cases._suspicions(0, (), is_final=True)] == [(k, 1.0) for k in kinds]
    cases.remember(0)
    cases._record.stacks.of = lambda _: ()  # type: ignore[method-assign]
    assert [c.kind for c, _ in cases._suspicions(0, (), is_final=True)] == kinds


AT_S = tuple(1_000.0 + 10.0 * n for n in range(12))


def limited(*ages_s: float) -> tuple[GpuSample, ...]:
    """Samples that were held down so long before 1,050 s; before, none was."""
    before = [GpuSample(1_000.0 - n, power_w=400.0, sm_clock_hz=2e9, limits=()) for n in range(30)]
    held = [GpuSample(1_050.0 - s, power_w=400.0, sm_clock_hz=1e9, limits=("thermal",)) for s in ages_s]
    return tuple(sorted([*before, *held], key=lambda sample: sample.at_s))


def test_samples_are_asked_for_the_seconds_of_the_iteration_and_its_gap() -> None:
    cases = cases_of(Seen(at_s=AT_S, gap_s=2.0, over=2, samples=limited(1.0)))
    assert [(c.kind, share) for c, share in cases._suspicions(0, (), is_final=False)] == [(THROTTLE, 1.0)]
    assert ASKED == [(1_050.0 - 8.0 - 2.0 - 120.0, 1_050.0)]
    assert cases._suspicions(0, (), is_final=True) == (), "samples that come later change nothing"
    for behind, kept in ((True, 0), (False, 1)):
        other = cases_of(Seen(at_s=AT_S, samples=limited(1.0), behind=behind))
        other.remember_samples(0)
        assert len(other._windows) == kept
        assert len(other._suspicions(0, (), is_final=True)) == kept
        other.remember_samples(0)
        assert len(ASKED) == kept
        assert len(other._suspicions(0, (), is_final=False)) == len(ASKED) == 1, "what is kept is not asked for"
    untimed = Seen(at_s=AT_S, took_s=nan, samples=limited(1.0))
    for unknown in (Seen(samples=limited(1.0)), untimed, Seen(at_s=AT_S)):
        assert (cases_of(unknown)._suspicions(0, (), is_final=False), len(ASKED)) == ((), not unknown.samples)


@pytest.mark.parametrize(
    ("by_hooks", "reported", "asked"),
    [(False, (), []), (False, (EVALUATION,), [EVALUATION]), (True, (), [EVALUATION, CHECKPOINT])],
)
def test_a_cadence_is_none_of_what_is_reported(
    monkeypatch: pytest.MonkeyPatch, by_hooks: bool, reported: tuple[str, ...], asked: list[str]
) -> None:
    given: list[Any] = []
    cause = Cause(EVALUATION, 0.0, Strength.PERIOD)
    monkeypatch.setattr(cases_module, "suspicion", lambda *each: given.append(each) or cause)
    cases = cases_of(Seen(by_hooks=by_hooks, reported=reported))
    assert cases._suspicions(0, ["a period"], is_final=True) == ((cause, 1.0),)  # type: ignore[list-item]
    assert (given[0][1], given[0][3]) == ((50, 1), asked)
    assert cases._suspicions(0, (), is_final=True) == ()


def ended(*at_s: float | None, begun: bool = False) -> tuple[Note, ...]:
    return tuple(Note(EVALUATION, Strength.LOG, at_s=at, begun=begun) for at in at_s)


@pytest.mark.parametrize(
    ("notes", "at_s", "told_s"),
    [
        (ended(1_043.0), AT_S, 3.0),
        (ended(1_043.0, 1_046.0), AT_S, 6.0),
        (ended(1_043.0, None), AT_S, None),
        (ended(None), AT_S, None),
        ((), AT_S, None),
        (ended(1_043.0), (), None),
        (ended(1_043.0), (*AT_S[:4], nan, *AT_S[5:]), None),
        (ended(1_043.0), (*AT_S[:5], nan, *AT_S[6:]), None),
        (ended(1_044.0, 1_047.0, begun=True), AT_S, 6.0),
        ((*ended(1_042.0), *ended(1_047.0, begun=True)), AT_S, 5.0),
        (ended(1_020.0), AT_S, 0.0),
        (ended(1_043.0), (*AT_S[:5], 1_039.5, *AT_S[6:]), 0.0),
        (ended(1_043.0), (*AT_S[:5], 1_040.5, *AT_S[6:]), 0.5),
        ((*ended(1_043.0), Note(EVALUATION, Strength.LOG, duration_s=1.0)), AT_S, 3.0),
    ],
)
def test_a_report_without_a_time_took_what_passed_until_its_line(
    notes: tuple[Note, ...], at_s: tuple[float, ...], told_s: float | None
) -> None:
    assert cases_of(Seen(notes=notes, at_s=at_s))._told_s(5, notes, 100.0) == told_s


def test_a_stop_whose_lines_tell_begin_and_end_took_what_lies_between_where_that_is_most_of_it() -> None:
    notes = (*ended(1_049.0), *ended(1_041.0, begun=True))
    cases = cases_of(Seen(notes=notes, at_s=AT_S))
    assert [cases._told_s(5, notes, excess_s) for excess_s in (10.0, 16.0, 16.1, 0.0)] == [8.0, 8.0, 10.0, 10.0]


@pytest.mark.parametrize(
    ("waits", "position", "waited"),
    [
        ((), 5, (None, 0.0)),
        ((nan,) * 12, 5, (None, 0.0)),
        ((*[1.0] * 9, *[3.0] * 9), 0, (2.0, 2.0)),  # the first seventeen
        ((9.0, *[1.0] * 8, *[3.0] * 8, 9.0, 9.0), 17, (18.0, 6.0)),
        ((9.0, *[2.0] * 32, *[4.0] * 33), 65, (8.0, 8.0)),  # the newest sixty-five
        ((9.0, *[2.0] * 33, *[4.0] * 31), 64, (8.0, 4.0)),
        ((0.25, 0.75, 0.75, 0.25, 0.25, 3.0), 5, (6.0, 1.0, 1.5)),  # and what the others took beside them
    ],
)
def test_the_usual_wait_is_that_of_the_newest_iterations(waits: Any, position: int, waited: Any) -> None:
    assert waits_at(cases_of(Seen(waits=waits, over=2))._record.columns, position)[: len(waited)] == waited
