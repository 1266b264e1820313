"""The runs of a host, followed: what they are called, when they come and when they vanish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metric_recordings import BEGAN_S, Recorder, head, trained

from itermon.analysis.run import Run
from itermon.events import EndReason
from itermon.metrics.exporter import LINGER_S, Exporter
from itermon.metrics.names import ITERATIONS, TOKENS
from itermon.metrics.rank import Rank

if TYPE_CHECKING:
    import pytest

    from itermon.metrics.series import Series


class Clock:
    def __init__(self) -> None:
        self.now_s = BEGAN_S + 100

    def __call__(self) -> float:
        return self.now_s


def exporter(*wanted: str, clock: Clock | None = None) -> Exporter:
    return Exporter(wanted, gpus=False, clock=clock or Clock())


def told(exporter: Exporter) -> dict[tuple[str, ...], float]:
    """Iterations by run and rank, after all that is there was read."""
    while not exporter.refresh():
        pass
    series: list[Series] = exporter.series()
    return {each.labels: each.value for each in series if each.metric is ITERATIONS}


def begin(
    recorder: Recorder, name: str, pid: int, count: int, rank: int = 0, after_s: float = 0.0, first: int = 0
):
    at_s = BEGAN_S + after_s
    called = f"{name}-rank{rank}" if rank else name
    return recorder.begin(called, pid, *head(name, rank, at_s), *trained(first, count, at_s), at_s=at_s)


def test_all_ranks_of_all_living_runs_are_told_of(recorder: Recorder) -> None:
    begin(recorder, "a", 10, 5)
    begin(recorder, "a", 11, 6, rank=1)
    begin(recorder, "b", 12, 7)
    assert told(exporter()) == {("a", "0"): 5, ("a", "1"): 6, ("b", "0"): 7}


def test_those_that_were_named_alone(recorder: Recorder) -> None:
    begin(recorder, "a", 10, 5)
    begin(recorder, "b-c", 12, 7)
    assert told(exporter("b c")) == {("b-c", "0"): 7}
    assert told(exporter("10")) == {("a", "0"): 5}
    assert told(exporter("nobody")) == {}


def test_a_run_that_ended_is_told_of_until_its_last_counts_were_scraped(recorder: Recorder) -> None:
    path, clock = begin(recorder, "a", 10, 5), Clock()
    follows = exporter(clock=clock)
    told(follows)
    recorder.write(path, *trained(5, 3, BEGAN_S + 50))
    recorder.end(path, EndReason.FINISHED)
    assert told(follows) == {("a", "0"): 8}
    clock.now_s += LINGER_S - 1
    assert told(follows) == {("a", "0"): 8}
    clock.now_s += 1
    assert told(follows) == {}
    assert follows.runs == []


def test_a_run_that_was_over_before_is_not_told_of(recorder: Recorder) -> None:
    recorder.end(begin(recorder, "a", 10, 5))
    assert told(exporter()) == {}


def test_a_restarted_run_keeps_its_name_and_goes_on_counting(recorder: Recorder) -> None:
    first, clock = begin(recorder, "a", 10, 5), Clock()
    follows = exporter(clock=clock)
    told(follows)
    recorder.end(first, EndReason.KILLED)
    second = begin(recorder, "a", 11, 0, after_s=600)
    assert told(follows) == {("a", "0"): 5}
    recorder.write(second, *trained(4, 3, BEGAN_S + 620))
    assert told(follows) == told(exporter()) == {("a", "0"): 8}
    clock.now_s += 10 * LINGER_S
    assert told(follows) == {("a", "0"): 8}


def test_another_training_of_the_name_begins_to_count_anew(recorder: Recorder) -> None:
    first, follows = begin(recorder, "a", 10, 5), exporter()
    told(follows)
    recorder.end(first, EndReason.FINISHED)
    begin(recorder, "a", 11, 2, after_s=600)
    assert told(follows) == told(exporter()) == {("a", "0"): 2}


def test_two_living_runs_of_one_name_are_told_apart_whole(recorder: Recorder) -> None:
    """The ranks of each stay together, by when they began; the older one keeps the name."""
    begin(recorder, "a", 10, 5)
    begin(recorder, "a", 20, 7, after_s=700)
    begin(recorder, "a", 21, 8, rank=1, after_s=701)
    expected = {("a", "0"): 5, ("a.20", "0"): 7, ("a.20", "1"): 8}
    assert told(exporter()) == expected


def test_only_rank_0_says_what_is_of_all_ranks_together(recorder: Recorder) -> None:
    begin(recorder, "a", 10, 5)
    begin(recorder, "a", 11, 6, rank=1)
    follows = exporter()
    told(follows)
    tokens = {each.labels: each.value for each in follows.series() if each.metric is TOKENS}
    assert tokens == {("a", "0"): 5 * 2 * 4 * 256}


def test_a_folder_that_cannot_be_looked_into_is_said(recorder: Recorder) -> None:
    recorder.folder.symlink_to(recorder.folder)
    follows = exporter()
    assert follows.refresh()
    assert str(recorder.folder) in follows.trouble


def test_a_recording_that_breaks_is_named_and_the_others_live_on(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(recorder, "a", 10, 5)
    begin(recorder, "b", 12, 7)
    read = Rank.read

    def breaks(rank: Rank) -> bool:
        if rank.recording.name == "a":
            raise ValueError("odd")
        return read(rank)

    monkeypatch.setattr(Rank, "read", breaks)
    follows = exporter()
    assert told(follows) == {("b", "0"): 7}
    assert follows.trouble.startswith("a.")
    assert follows.trouble.endswith("is left out: ValueError: odd")
    assert told(follows) == {("b", "0"): 7}


def test_a_rank_of_which_nothing_can_be_said_is_named_too(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(recorder, "a", 10, 5)
    begin(recorder, "b", 12, 7, rank=1)
    monkeypatch.setattr(Run, "findings", lambda *_, **__: 1 // 0)  # asked of rank 0 alone
    follows = exporter()
    assert told(follows) == {("b", "1"): 7}
    follows.refresh()
    assert "ZeroDivisionError" in follows.trouble
