"""A run as a whole: what it finds depends on the events only, adds up, and survives what is odd."""

from array import array
from itertools import groupby, pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from seed_runs import sample
from simulated_runs import nanogpt, times, watched

from itermon.analysis.run import Run
from itermon.events import (
    Config,
    Dropped,
    End,
    Event,
    HostSample,
    Iteration,
    Iterations,
    Message,
    Progress,
    RunInfo,
    SpanBegin,
    SpanEnd,
    Stack,
    expand,
)

_kinds = st.sampled_from(["evaluation", "checkpoint", "gc", "data", "compile", "sampling", "hologram"])
_seconds = st.floats(0, 100) | st.none()
_at = st.floats(0, 1e5) | st.none()
_events = st.one_of(
    st.builds(
        Iteration,
        st.integers(0, 300),
        _seconds,
        loss=_seconds,
        at_s=_at,
        data_wait_s=_seconds,
        averaged_over=st.integers(1, 20),
        rank=st.sampled_from([None, None, 0, 1]),
        bad_loss=st.sampled_from(["", "nan"]),
    ),
    st.builds(
        SpanBegin,
        _kinds,
        at_s=_at,
        iteration=st.integers(0, 300) | st.none(),
        strength=st.sampled_from(["log", "hook"]),
    ),
    st.builds(SpanEnd, _kinds, at_s=_at, iteration=st.integers(0, 300) | st.none(), duration_s=_seconds),
    st.builds(
        RunInfo, clock=st.sampled_from([None, "hook", "log", "sum"]), time_includes=st.just(("evaluation", "gc"))
    ),
    st.builds(Config, max_iterations=st.integers(0, 400), evaluation_interval=st.integers(0, 50)),
    st.builds(Progress, st.integers(0, 300), st.integers(0, 9)),
    st.builds(HostSample, st.floats(0, 1e5), write_bytes=st.integers(0, 10**10), interval_s=st.just(1.0)),
    st.builds(sample, st.floats(0, 1e5), st.just("x"), st.floats(0, 700)),
    st.builds(Message, st.text(max_size=3)),
    st.builds(Dropped, st.integers(0, 9)),
    st.builds(End, st.just("finished")),
)


def block(rows: list[tuple[int, float, float, float]]) -> Iterations:
    """(index, seconds, loss, MFU) of each, their indices made ascending."""
    index, *columns = zip(*rows, strict=True)
    return Iterations(array("q", sorted(index)), *(array("d", column) for column in columns))


_numbers = st.floats(0, 1e6)
_blocks = st.lists(st.tuples(st.integers(0, 300), _numbers, _numbers, _numbers), min_size=1, max_size=80).map(
    block
)


@settings(max_examples=60)
@given(st.lists(_events | _blocks, max_size=20))
@example(
    [SpanEnd("data", duration_s=1.0), block([(0, 6e5, 9e4, 1.0), (2, 1.0, 4.0, 1.0)])]
)  # no row prints a wait
@example(
    [Iteration(0, at_s=0.0, averaged_over=2, bad_loss="nan"), block([(210, 0.0, 7e5, 1.0)])]
)  # no stamp behind
def test_blocks_of_iterations_tell_the_same_as_each_of_them(events: list[Event]) -> None:
    whole, each = watched(events), watched([*expand(events)])
    assert repr(whole.findings(2e5)) == repr(each.findings(2e5))  # nan is not itself


@settings(max_examples=60)
@given(st.lists(_events, max_size=60))
def test_no_events_whatever_their_order_raise_or_break_the_sums(events: list[Event]) -> None:
    run = watched(events)
    findings = run.findings(now_s=2e5)
    if findings.ledger:
        assert sum(row.share for row in findings.ledger) == pytest.approx(1)
        assert all(row.seconds >= 0 for row in findings.ledger)
    for spike in findings.spikes:
        assert spike.clean_s + sum(c.seconds for c in spike.causes) == pytest.approx(spike.duration_s)
    columns = run.chart(0, len(run.columns) - 1, 7)
    assert len(columns) <= 7
    assert sum(c.last - c.first + 1 for c in columns) == len(run.columns)


def _long_run() -> list[Event]:
    durations = times(900, noise=0.02)
    durations[600:] = [d * 1.15 for d in durations[600:]]
    for stall in (77, 150, 333, 334, 801):
        durations[stall] *= 3
    events = nanogpt(durations, every=50, save_every=200)
    restarted = [RunInfo(time_includes=("evaluation", "checkpoint")), *events[700:]]
    return [*events, *restarted]


LONG = _long_run()
WHOLE = watched(LONG)


@settings(max_examples=25)
@given(st.lists(st.integers(0, len(LONG)), max_size=40), st.booleans())
def test_findings_do_not_depend_on_how_events_were_batched(cuts: list[int], looks: bool) -> None:
    run = Run()
    edges = [0, *sorted(cuts), len(LONG)]
    for start, stop in pairwise(edges):
        run.apply(LONG[start:stop])
        if looks:  # looking changes nothing
            run.findings()
            run.chart(0, 10**9, 5)
    assert run.findings(spikes=None) == WHOLE.findings(spikes=None)


@settings(max_examples=25)
@given(st.lists(st.integers(0, len(LONG)), max_size=40))
def test_a_long_run_in_blocks_is_the_same_run(cuts: list[int]) -> None:
    run, singles = Run(), Run()
    for start, stop in pairwise([0, *sorted(cuts), len(LONG)]):
        for kind, group in groupby(LONG[start:stop], type):
            events = [*group]
            blocks = [block([(e.index, e.duration_s, 3.0, 0.4) for e in events])] if kind is Iteration else events  # type: ignore[attr-defined]
            run.apply(blocks)
            singles.apply([*expand(blocks)])
    assert run.findings(spikes=None) == singles.findings(spikes=None)
    assert run.findings(spikes=None).level == WHOLE.findings(spikes=None).level


def test_one_event_at_a_time_is_the_same_as_all_at_once() -> None:
    run = Run()
    for event in LONG:
        run.apply([event])
    assert run.findings(spikes=None) == WHOLE.findings(spikes=None)


def test_an_iteration_that_was_done_again_is_counted_as_often_as_it_was() -> None:
    indices = [0, 1, 1, 2, 3, 1, 2, 3, 4, 0, 1, 2]
    run = Run()
    run.apply([Iteration(index, 0.1) for index in indices])
    for position, index in enumerate(indices):
        assert run.iteration_at(position) == (index, indices[:position].count(index))


def test_its_version_stands_still_while_nothing_comes() -> None:
    run = Run()
    versions = [run.version]
    for events in ([Iteration(0, 0.1)], [], [Message("a"), Iteration(1, 0.1)]):
        run.apply(events)
        run.findings()
        versions.append(run.version)
    assert versions == [0, 1, 1, 3]


def test_looks_are_those_of_the_newest_process() -> None:
    look = Stack(1.0, 3, 1.0, ("a.py:1 f",))
    run = watched([*(Iteration(n, 0.1) for n in range(10)), *(Iteration(n, 0.1) for n in range(3)), look])
    run.apply([Iteration(n, 0.1) for n in range(3, 10)])
    assert [len(run.stacks_at(position)) for position in (3, 12, 13, 14, 20)] == [0, 0, 1, 0, 0]
    assert Run().stacks_at(0) == ()


def test_whether_any_iteration_of_a_part_has_a_time_is_known() -> None:
    run = Run()
    run.apply([Iteration(n, None if n < 200 else 1.0) for n in range(400)])
    assert [run.has_times(*part) for part in ((0, 199), (0, 200), (200, 399), (5, 5))] == [
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("half", [False, True])
def test_a_screen_names_no_cause_where_its_log_is_half_read(half: bool) -> None:
    """The times stay: they are what the rows print."""
    info = RunInfo(source_format="key: value log", undescribed=half, known_lines=0.9)
    slow = [0.9 if i % 20 == 10 and i > 100 else 0.2 for i in range(300)]
    planned = Config(max_iterations=900, evaluation_interval=100)
    run = watched([info, planned, *(Iteration(i, d, 3.0) for i, d in enumerate(slow))])
    found = run.findings()
    columns = run.chart(0, 299, 300)
    assert columns[290].slowest_s == 0.9
    assert bool(columns[290].causes) is bool(columns[290].spikes) is bool(found.spikes) is not half
    assert bool(run.ledger(0, 299)) is bool(found.ledger) is (run.next_spike(None, -1) is not None) is not half
    spike = run.spike(290)
    assert spike is not None
    assert bool(spike.causes) is not half
    assert bool(found.eta.schedules) is bool(found.now.next_kind) is not half
