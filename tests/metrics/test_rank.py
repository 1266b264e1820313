"""One rank, followed: the counters follow from its recordings alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from metric_recordings import BEGAN_S, Recorder, head, trained

from itermon.analysis.run import Run
from itermon.events import EndReason, Event, Iteration, Message, PrintedLoss, Severity, decode_lines
from itermon.metrics.rank import Rank
from itermon.metrics.recordings import Recordings


def newest(recorder: Recorder) -> Rank:
    """A new exporter's view of the newest living process."""
    recordings = Recordings()
    living = recordings.living()[-1]
    rank = Rank(living, recordings.before(living))
    while not rank.read():
        pass
    return rank


def counts(rank: Rank) -> dict[str, object]:
    lost = {cause: (lost.seconds, lost.count) for cause, lost in rank.run.pulse().counted.items()}
    plain = (rank.iterations, rank.spent_s, rank.tokens, rank.bad_losses, rank.errors, rank.restarts)
    return {"plain": plain, "lost": lost}


def sums(*paths: Path) -> tuple[int, float]:
    """By hand: how many iterations the recordings hold, and their seconds."""
    events = [event for path in paths for event in decode_lines(path.read_bytes())]
    iterations = [event for event in events if isinstance(event, Iteration)]
    return len(iterations), sum(event.duration_s or 0.0 for event in iterations)


def test_counters_equal_the_sums_of_the_recordings_over_ten_restarts_of_trainer_and_exporter(
    recorder: Recorder,
) -> None:
    """One exporter follows it all; after each restart, and in the middle, a new one reads the same of it."""
    paths: list[Path] = []
    old: Rank | None = None
    recordings = Recordings()
    for process in range(11):
        first, at_s = process * 100, BEGAN_S + 60.0 * process
        events = trained(first, 130, at_s + 10, seed=process)  # 30 of them are done again
        paths.append(recorder.begin("gpt2", 10 + process, *head("gpt2", 0, at_s), *events[:40], at_s=at_s))
        living = next(r for r in recordings.living() if r.path == paths[-1])
        if old is None:
            old = Rank(living, ())
        else:
            old.go_on(living)
        old.read()
        for part in (events[40:45], events[45:]):
            recorder.write(paths[-1], *part)
            old.read()
            assert counts(newest(recorder)) == counts(old)
        old.run.findings(at_s)  # that somebody looks changes nothing
        if process < 10:
            recorder.end(paths[-1], EndReason.KILLED if process % 2 else None)
            old.read()
            assert old.is_over
    assert old is not None
    assert (old.iterations, old.spent_s) == sums(*paths)
    assert (old.tokens, old.restarts) == (11 * 130 * 2 * 4 * 256, 10)
    lost = old.run.pulse().counted
    assert lost["checkpoint"].seconds == pytest.approx(sum(1 for p in paths for _ in saves(p)) * 1.0, rel=0.05)
    assert {"unexplained", "checkpoint", "restart"} <= lost.keys()


def saves(path: Path) -> list[Event]:
    return [
        event
        for event in decode_lines(path.read_bytes())
        if isinstance(event, Iteration) and event.index % 50 == 49
    ]


def test_counters_never_go_back(recorder: Recorder) -> None:
    events = trained(0, 1_000, BEGAN_S)
    path = recorder.begin("gpt2", 10, *head("gpt2"))
    recorder.write(path, *events[:1])
    rank, before = newest(recorder), {}
    for start in range(1, len(events), 7):
        recorder.write(path, *events[start : start + 7])
        rank.read()
        now = {cause: lost.seconds for cause, lost in rank.run.pulse().counted.items()}
        assert all(now[cause] >= seconds for cause, seconds in before.items())
        before = now


def test_at_its_end_what_is_not_final_counts_too(recorder: Recorder) -> None:
    path = recorder.begin("gpt2", 10, *head("gpt2"), *trained(0, 450, BEGAN_S))
    rank = newest(recorder)
    before = rank.run.pulse().counted["checkpoint"].count
    recorder.end(path, EndReason.FINISHED)
    rank.read()
    assert (before, rank.run.pulse().counted["checkpoint"].count, rank.is_over) == (7, 9, True)


def test_bad_losses_and_errors_are_counted(recorder: Recorder) -> None:
    bad = [Iteration(0, 0.1, bad_loss="nan"), PrintedLoss(0, bad_loss="inf"), PrintedLoss(0, loss=1.0)]
    said = [Message("out of memory", Severity.ERROR), Message("hm", Severity.WARNING)]
    recorder.begin("gpt2", 10, *head("gpt2"), *bad, *said)
    rank = newest(recorder)
    assert (rank.bad_losses, rank.errors) == (2, 1)


def test_tokens_are_unknown_where_nobody_says_how_many_an_iteration_has(recorder: Recorder) -> None:
    recorder.begin("gpt2", 10, head("gpt2")[0], Iteration(0, 0.1))
    assert newest(recorder).tokens is None


def test_pulse_and_report_agree_on_a_run_that_is_over(recorder: Recorder) -> None:
    events = [*head("gpt2"), *trained(0, 450, BEGAN_S)]
    path = recorder.begin("gpt2", 10, *events)
    rank = newest(recorder)
    recorder.end(path, EndReason.FINISHED)
    rank.read()
    run = Run()
    run.apply(events)
    row = {row.cause: row for row in run.findings().ledger}
    counted = rank.run.pulse().counted
    assert counted["unexplained"].seconds == pytest.approx(row["unexplained"].seconds)
    assert counted["checkpoint"].seconds == pytest.approx(row["checkpoint"].seconds)
