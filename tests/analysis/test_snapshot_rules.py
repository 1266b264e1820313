"""Each rule of `snapshot.py` at both sides of its bound: what the rooms say is given."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from simulated_runs import plain, times, watched

from itermon.analysis import snapshot
from itermon.analysis.findings import Activity, Eta, Level, Now, PrintedEta, Spike
from itermon.analysis.run import Run
from itermon.analysis.state import overrun
from itermon.analysis.wall.agreement import of_level
from itermon.events import (
    EVALUATION,
    ClockKind,
    Config,
    Counted,
    End,
    EndReason,
    Iteration,
    OtherRows,
    RunInfo,
    SpanEnd,
    Witness,
)


def fake(indices: list[int] | range, **given: Any) -> Any:
    """A run of these iterations, and what else is given."""
    return SimpleNamespace(
        **{
            "columns": watched([Iteration(i, 1.0) for i in indices]).columns,
            "evaluations": SimpleNamespace(reached=-1, losses=(), best=None),
            "settings": SimpleNamespace(config=Config(), origins={}),
            "info": RunInfo(),
            "launches": SimpleNamespace(counted=Counted(), other=OtherRows()),
            "starts": [0],
            "process_start": 0,
            **given,
        }
    )


def config(last: int | None) -> Any:
    return SimpleNamespace(config=Config(max_iterations=last), origins={}, is_never_reached=False)


@pytest.mark.parametrize(
    ("indices", "last", "words"),
    [
        ([], 5, ""),
        ([3, 6], None, ""),
        ([3, 5], 5, ""),
        ([5, 6], 5, "it is past the 5 iterations of its settings (its source): give the right --max-iters"),
        ([9, 4], 5, ""),
    ],
)
def test_settings_that_the_newest_iteration_has_passed_are_wrong(
    indices: list[int], last: int | None, words: str
) -> None:
    run = fake([], columns=Sized(indices), settings=config(last))
    assert overrun(run) == words
    assert snapshot._config(run).max_iterations == (None if words else last)


class Sized:
    """Columns of which only the numbers of the iterations are known."""

    def __init__(self, index: list[int]) -> None:
        self.index = index

    def __len__(self) -> int:
        return len(self.index)


def eta_of(
    monkeypatch: pytest.MonkeyPatch, newest: int, last: int | None, now: Now, ended: str = "", **given: Any
) -> tuple[Any, Any]:
    """The left seconds by which predictions are judged, and the ETA of a run of which 77 s are left."""
    monkeypatch.setattr(snapshot.etas, "scored", lambda _, __, left_s: left_s)
    monkeypatch.setattr(snapshot.etas, "eta", lambda _, at_s, *more: (at_s, *more))
    run = fake([], settings=config(last), predictions=SimpleNamespace(made=()), **{"last_at_s": 50.0, **given})
    run.columns = Sized([1, 1, newest])
    state: Any = SimpleNamespace(run=run, times=SimpleNamespace(wall_s=1.0), schedules=())
    left: Any = SimpleNamespace(seconds=77.0)
    found, why = snapshot._eta(state, left, now, 90.0, ended)
    assert why == ""
    if ended:
        return found.scores, found.frozen
    at_s, _, scores, frozen = found  # type: ignore[misc]
    assert scores == 77.0
    return at_s, frozen


@pytest.mark.parametrize(
    ("newest", "last", "left_s"), [(97, 99, 77.0), (98, 99, 0.0), (99, 99, 0.0), (0, None, 0.0)]
)
def test_of_a_run_that_ended_at_its_last_iteration_nothing_was_left(
    monkeypatch: pytest.MonkeyPatch, newest: int, last: int | None, left_s: float
) -> None:
    for reason, words in ((EndReason.FAILED, " (failed)"), (EndReason.UNKNOWN, "")):
        found = eta_of(monkeypatch, newest, last, Now(activity=Activity.ENDED), reason)
        assert found == (left_s, f"the run has ended{words}")


@pytest.mark.parametrize(
    ("activity", "elapsed_s", "usual_s", "heard_s", "at_s", "words"),
    [
        (Activity.TRAINING, 40.0, 2.0, 50.0, 50.0, ""),
        (Activity.SILENT, None, 2.0, 50.0, 50.0, ""),
        (Activity.SILENT, 40.0, 2.0, 50.0, 90.0, "no line for 40.0 s, usually 2.00 s"),
        (Activity.SILENT, 40.0, None, 50.0, 90.0, "no line for 40.0 s, usually 0 s"),
        (Activity.TRAINING, 40.0, 2.0, None, 90.0, ""),
    ],
)
def test_an_eta_stands_still_while_the_run_is_silent(
    monkeypatch: pytest.MonkeyPatch,
    activity: str,
    elapsed_s: float | None,
    usual_s: float | None,
    heard_s: float | None,
    at_s: float,
    words: str,
) -> None:
    now = Now(activity=activity, elapsed_s=elapsed_s, usual_s=usual_s)
    assert eta_of(monkeypatch, 5, 99, now, last_at_s=heard_s) == (at_s, words)


def said(
    monkeypatch: pytest.MonkeyPatch, eta: Eta, ended: str = "", *, lines: int = 8, last: int | None = None
) -> tuple[Eta, str]:
    """With what the log says of the newest iterations: 60 s are left."""
    monkeypatch.setattr(snapshot.printed, "said", lambda newest: 60.0 if newest else None)
    monkeypatch.setattr(snapshot.printed, "witness", lambda *given: given[:1] + given[2:])
    newest = SimpleNamespace(last=lambda count: [1] * count if 0 < count <= 5 else [])
    run = fake(range(lines), newest=newest, settings=config(last))
    times_of: Any = SimpleNamespace(wall_s=90.0, iterations=20, unseen=10)
    state: Any = SimpleNamespace(run=run, of_training=SimpleNamespace(times=times_of), last=last)
    return snapshot._witnessed(state, eta, "why", ended)


def test_what_the_log_says_is_left_stands_beside_the_eta(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = Eta(remaining_s=50.0)
    found, why = said(monkeypatch, measured, lines=8, last=17)
    assert (found.printed, why) == ((60.0, 17 - 7, 3.0), "why")
    assert said(monkeypatch, measured, lines=8)[0].printed == (60.0, -7, 3.0)
    assert said(monkeypatch, measured, "failed") == (measured, "why")
    assert said(monkeypatch, Eta(frozen="silent")) == (Eta(frozen="silent"), "why")


@pytest.mark.parametrize(("lines", "last", "alone"), [(4, None, False), (5, None, True), (9, 99, False)])
def test_it_stands_alone_where_nothing_else_will_be_known(
    monkeypatch: pytest.MonkeyPatch, lines: int, last: int | None, alone: bool
) -> None:
    monkeypatch.setattr(snapshot, "FEW", 5)
    found, why = said(monkeypatch, Eta(), lines=lines, last=last)
    if not alone:
        assert (found, why) == (Eta(), "why")
        return
    assert (found.remaining_s, why) == (60.0, "")
    assert isinstance(found.printed, PrintedEta)
    assert found.note == found.printed.why


def test_a_division_by_no_iterations_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot.printed, "said", lambda _: 60.0)
    monkeypatch.setattr(snapshot.printed, "witness", lambda *given: given[-1])
    for iterations, mean_s in ((0, 90.0), (1, 90.0), (2, 45.0)):
        run = fake([4], newest=SimpleNamespace(last=lambda _: [1]))
        passed: Any = SimpleNamespace(wall_s=90.0, iterations=iterations, unseen=0)
        state: Any = SimpleNamespace(run=run, of_training=SimpleNamespace(times=passed), last=9)
        assert snapshot._witnessed(state, Eta(remaining_s=1.0), "", "")[0].printed == mean_s


@pytest.mark.parametrize(
    ("took", "usual_s"), [([1.0] * 11 + [9.0] * 6 + [3.0] * 6, 6.0), ([4.0, None, 2.0, None], 3.0), ([], None)]
)
def test_without_a_level_the_newest_dozen_tells_what_is_usual(
    monkeypatch: pytest.MonkeyPatch, took: list[float | None], usual_s: float | None
) -> None:
    monkeypatch.setattr(snapshot, "current_activity", lambda seen, expected, _: (seen, expected))
    run = watched([Iteration(i, d) for i, d in enumerate(took)]).intake
    unnamed = SimpleNamespace(mean_s=None, deviation_s=0.0)
    state: Any = SimpleNamespace(
        run=run,
        labels=SimpleNamespace(timing=SimpleNamespace(baseline=None), periods=()),
        tally=SimpleNamespace(of=lambda _: unnamed),
        schedules=(),
        last=None,
    )
    seen, expected = snapshot.now_of(state, None)  # type: ignore[misc]
    assert (seen.iteration, expected[0], expected.stop_s) == (len(took) - 1 if took else None, usual_s, 0.0)
    unnamed.mean_s, unnamed.deviation_s = 5.0, 1.5
    assert snapshot.now_of(state, None)[1].stop_s == 8.0  # type: ignore[index]


def test_a_snapshot_is_of_a_run_a_version_and_a_number_of_spikes() -> None:
    run = watched(plain(times(50)))
    run.findings(spikes=3)
    of = run._snapshot
    assert of is not None
    assert of.is_of(run.intake, 3) is True
    assert of.is_of(run.intake, 4) is False
    assert of.is_of(watched(plain(times(50))).intake, 3) is False
    run.apply([Iteration(50, 0.2)])
    assert of.is_of(run.intake, 3) is False


def test_where_the_ranks_do_not_say_where_they_are_the_first_is_at_the_newest_iteration() -> None:
    ranks = SimpleNamespace(newest=dict)
    run = fake([3, 4, 9], ranks=ranks, last_at_s=7.0)
    assert snapshot.heard(run)[1:] == ({0: 9}, 7.0)
    run.ranks = SimpleNamespace(newest=lambda: {2: 8})
    assert snapshot.heard(run)[1] == {2: 8}
    assert snapshot.heard(fake([], ranks=ranks, last_at_s=None))[1] == {}


@pytest.mark.parametrize(
    ("clock", "own", "spoken", "found"),
    [
        (None, None, [], ["printed"]),
        (ClockKind.HOOK, None, [], ["hooks"]),
        (ClockKind.HOOK, Witness.RATE, [], ["rate"]),
        (None, None, [(Witness.STAMPS, True), (Witness.TOTAL, False)], ["printed", "stamps"]),
        (None, None, [(Witness.PRINTED, True)], ["printed"]),
        (None, None, [(Witness.STAMPS, True), (Witness.TOTAL, True)], ["printed", "stamps", "total"]),
    ],
)
def test_times_rest_on_their_own_witness_and_on_those_that_agree(
    clock: ClockKind | None, own: Witness | None, spoken: list[tuple[Witness, bool]], found: list[str]
) -> None:
    run: Any = SimpleNamespace(
        info=RunInfo(clock=clock),
        columns=SimpleNamespace(witness=own, at_s=()),
        labels=SimpleNamespace(timing=SimpleNamespace(baseline=SimpleNamespace(level=1.0), begun=0)),
    )
    others: Any = [SimpleNamespace(name=name, agrees=agrees) for name, agrees in spoken]
    assert of_level(run, others, Level()).witnesses == tuple(found)
    run.labels.timing.baseline = None
    assert of_level(run, others, Level()).witnesses == ()


def test_rows_that_come_more_rarely_than_the_level_says_do_not_confirm_it() -> None:
    run: Any = SimpleNamespace(
        info=RunInfo(),
        columns=watched([Iteration(n, 1.0, at_s=2.0 * n) for n in range(64)]).columns,
        labels=SimpleNamespace(timing=SimpleNamespace(baseline=SimpleNamespace(level=1.0), begun=0)),
    )
    spoken: Any = [SimpleNamespace(name=name, agrees=True) for name in (Witness.STAMPS, Witness.TOTAL)]
    assert of_level(run, spoken, Level()).witnesses == ("printed", "total")


@pytest.mark.parametrize(
    ("position", "starts", "of_this"), [(4, [0, 5], False), (5, [0, 5], True), (5, [], False)]
)
def test_only_spikes_of_the_newest_process_have_its_stacks(
    monkeypatch: pytest.MonkeyPatch, position: int, starts: list[int], of_this: bool
) -> None:
    monkeypatch.setattr(snapshot, "placed", lambda spike, _: spike)
    run: Any = SimpleNamespace(
        starts=starts,
        process_start=starts[-1] if starts else 0,
        gpu_phases=SimpleNamespace(of=lambda index: {"forward": float(index)}),
        stacks=SimpleNamespace(of=lambda _: ()),
        telemetry=SimpleNamespace(with_telemetry=lambda spike: spike),
    )
    found = snapshot.with_telemetry(
        run, Spike(position=position, index=40, duration_s=1.0, clean_s=1.0, causes=())
    )
    assert bool(found.gpu_phases) is of_this


def test_a_silence_or_an_end_is_looked_at_and_nothing_else() -> None:
    events = [RunInfo(clock=ClockKind.LOG), *(Iteration(i, 1.0, at_s=1_000.0 + i) for i in range(200))]
    going, ended = watched([*events]), watched([*events, End(EndReason.FAILED, 1_200.0, "boom", 1)])
    assert snapshot.standing_at(going.intake, going.past, 1_201.0) == (False, ())
    silent, incidents = snapshot.standing_at(going.intake, going.past, 9_000.0)
    assert silent
    assert incidents
    silent, incidents = snapshot.standing_at(ended.intake, ended.past, 1_201.0)
    assert not silent
    assert incidents
    assert snapshot.facts_of(going.intake, going.past).findings.progress.iteration == 199


@pytest.mark.parametrize(("at", "at_least", "told"), [(200, True, None), (301, True, None), (200, False, 200)])
def test_an_evaluation_has_no_place_where_the_count_is_a_lower_bound(
    at: int, at_least: bool, told: int | None
) -> None:
    run = watched([Iteration(index, loss=1.0) for index in (0, 100, 200, 201, 301, 401)]).intake
    run.evaluations.add(at, 2.0)
    run.launches.note(Counted(at_least=at_least))
    found = snapshot._losses(run, sure=True)
    assert (found.validation, found.validation_at) == (2.0, told)


def test_an_evaluation_before_the_first_row_of_all_is_of_no_earlier_process() -> None:
    run = Run()
    begin = SpanEnd(EVALUATION, iteration=0, values={"val_loss": 0.5})
    later = SpanEnd(EVALUATION, iteration=20, values={"val_loss": 0.75})
    run.apply([RunInfo(), begin, Iteration(0, 1.0, 1.0), Iteration(20, 1.0, 1.0), later])
    found = run.findings().losses
    assert (found.best_validation, found.best_is_earlier) == (0.5, False)
