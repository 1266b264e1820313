"""A replay shows each event at its time, and goes where it is asked to."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from itermon.analysis.run import Run
from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.logs.merged import MergedSource
from itermon.collectors.runs import replay
from itermon.collectors.runs.recording import RecordingSource
from itermon.collectors.runs.replay import ReplaySource
from itermon.collectors.settings import ConfiguredSource
from itermon.collectors.source import Source
from itermon.events import (
    Batch,
    Config,
    End,
    Iteration,
    Message,
    Output,
    RunInfo,
    SourceState,
    encode,
    encode_all,
)


def log(count: int) -> str:
    return "".join(
        (f"step {i}: train loss 2.0, val loss 2.0\n" if i % 10 == 0 else "")
        + f"iter {i}: loss 2.5000, time 2000.00ms, mfu 40.00%\n"
        for i in range(count)
    )


class Playing:
    """A replay whose clock runs by hand."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch, speed: float = 1.0) -> None:
        monkeypatch.setattr(replay, "TICK_S", 0)
        self.wall_s = 0.0
        self.source = ReplaySource(
            lambda: self.opened(path), speed=speed, clock=lambda: self.wall_s, now=lambda: 5000.0
        )
        self._batches: Iterator[Batch] = self.source.batches(threading.Event())
        self.batches: list[Batch] = []

    def opened(self, path: Path) -> Source:
        return LogSource(path, follow=False)

    def after(self, wall_s: float) -> Batch:
        """The next batch, so much later."""
        self.wall_s += wall_s
        batch = next(self._batches)
        self.batches.append(batch)
        return batch

    @property
    def iterations(self) -> list[Iteration]:
        return [event for batch in self.batches for event in batch.events if isinstance(event, Iteration)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "train.log"
    path.write_text(log(1000))
    return path


def test_a_log_without_a_clock_plays_by_the_sum_of_its_iteration_times(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    playing = Playing(path, monkeypatch, speed=2)
    first = playing.after(0)
    assert (first.state, first.now_s) == (SourceState.LIVE, 5000.0)
    assert next(e for e in first.events if isinstance(e, RunInfo)).clock == "sum"
    assert playing.iterations == []
    playing.after(1)
    assert [(i.index, i.at_s) for i in playing.iterations] == [(0, 5002.0)]
    assert playing.after(2.5).now_s == 5007.0
    assert [i.index for i in playing.iterations] == [0, 1, 2]


def test_a_recording_plays_by_its_own_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.jsonl"
    events = [RunInfo(clock="hook"), *(Iteration(i, 0.5, at_s=100.0 + 3 * i) for i in range(5))]
    path.write_bytes(b"".join(map(encode, events)))
    playing = Playing(path, monkeypatch)
    assert playing.after(0).now_s == 100.0
    playing.after(3)
    assert [(i.index, i.at_s) for i in playing.iterations] == [(0, 100.0), (1, 103.0)]
    assert [e.clock for b in playing.batches for e in b.events if isinstance(e, RunInfo)][-1] == "hook"


def test_pause_holds_the_clock_and_step_takes_one_iteration(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    playing = Playing(path, monkeypatch)
    playing.after(0)
    playing.after(20)
    assert len(playing.iterations) == 10
    playing.source.toggle_pause()
    paused = playing.after(0)
    assert playing.after(1000).now_s == paused.now_s
    assert paused.state == SourceState.PAUSED
    playing.source.step()
    playing.after(0)
    assert [i.index for i in playing.iterations][-1] == 10
    assert len(playing.iterations) == 11
    playing.source.toggle_pause()
    playing.after(0)
    playing.after(2)
    assert len(playing.iterations) == 12


def test_five_thousand_events_are_shown_at_a_time_whatever_has_passed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text(log(6_000))
    playing = Playing(path, monkeypatch)
    playing.after(0)
    assert len(playing.after(1e6).events) == 5_000
    assert len(playing.after(0).events) == 0, "the clock waits for what is shown"
    assert len(playing.after(2.0).events) == 1


def test_speed_has_its_limits(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    playing = Playing(path, monkeypatch, speed=50)
    playing.source.faster()
    assert playing.source.speed == 100
    for _ in range(100):
        playing.source.faster()
    assert playing.source.speed == replay.FASTEST
    for _ in range(100):
        playing.source.slower()
    assert playing.source.speed == replay.SLOWEST


def test_a_jump_goes_on_at_once_and_a_jump_back_begins_anew(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    playing = Playing(path, monkeypatch)
    playing.after(0)
    playing.source.jump(0.9)
    while playing.after(0).state is None:
        pass
    assert not any(batch.restart for batch in playing.batches)
    assert 890 <= playing.iterations[-1].index <= 925
    assert [i.index for i in playing.iterations] == list(range(len(playing.iterations)))
    playing.batches.clear()
    playing.source.jump(0.5)
    while playing.after(0).state is None:
        pass
    assert playing.batches[0].restart
    assert [i.index for i in playing.iterations] == list(range(len(playing.iterations)))
    assert 490 <= playing.iterations[-1].index <= 525


def test_jumps_by_tenths_add_up_from_where_it_stands(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    playing = Playing(path, monkeypatch)
    playing.after(0)
    playing.source.jump(0.3)
    while playing.after(0).state is None:
        pass
    for _ in range(4):
        playing.source.jump_by(0.1)
    playing.source.jump_by(-0.1)
    while playing.after(0).state is None:
        pass
    assert 590 <= playing.iterations[-1].index <= 635


def test_the_end_is_said_and_a_jump_back_from_it_plays_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    playing = Playing(path, monkeypatch)
    playing.after(0)
    playing.after(2 * 1000)
    assert playing.after(0).state == SourceState.ENDED
    assert len(playing.iterations) == 1000
    assert playing.after(50).now_s == 5000 + 2 * 1000
    playing.source.jump(0)
    assert playing.after(0).restart
    assert playing.after(0).state == SourceState.LIVE


def test_a_replay_finds_what_a_report_finds(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    playing = Playing(path, monkeypatch, speed=1000)
    while playing.after(0.37).state != SourceState.ENDED:
        pass
    played, reported = Run(), Run()
    for batch in playing.batches:
        played.apply(batch.events)
    for batch in LogSource(path, follow=False).batches(threading.Event()):
        reported.apply(batch.events)
    assert list(played.columns.duration_s) == list(reported.columns.duration_s)
    assert played.findings().level == reported.findings().level


class PlayingTwo(Playing):
    """A log, the file of its errors, and a setting."""

    def opened(self, path: Path) -> Source:
        errors = LogSource(path.with_suffix(".err"), follow=False, secondary=True)
        return ConfiguredSource(MergedSource(super().opened(path), [errors]), [Config(max_iterations=50)])


def test_several_files_of_a_run_play_together(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"2024-05-01 12:00:{i:02d} iter {i}: loss 2.5, time 1000.00ms, mfu 40.00%\n" for i in range(50)]
    path.write_text("".join(lines))
    path.with_suffix(".err").write_text("2024-05-01 12:00:30 NCCL WARN slow\n")
    playing = PlayingTwo(path, monkeypatch)
    begin = playing.after(0)
    assert Config(max_iterations=50) in begin.events
    playing.after(29.5)
    assert [i.index for i in playing.iterations] == list(range(30))
    assert not any(isinstance(e, Message) for b in playing.batches for e in b.events)
    assert any(isinstance(e, Message) for e in playing.after(1).events)
    playing.source.jump(0)
    assert playing.after(0).restart
    playing.after(0)
    playing.batches.clear()
    playing.source.jump(0.5)
    while playing.after(0).state is None:
        pass
    assert 23 <= len(playing.iterations) <= 28


def test_what_cannot_be_replayed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, what in (("none.log", "no such file"), ("notes.txt", "no line of a known log format")):
        (tmp_path / "notes.txt").write_text("hello\n")
        batch = Playing(tmp_path / name, monkeypatch).after(0)
        assert batch.state == SourceState.FAILED
        assert what in batch.note


class PlayingRecording(Playing):
    def opened(self, path: Path) -> Source:
        return RecordingSource(path)


def test_a_line_that_is_no_event_is_told_and_ends_no_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.jsonl"
    events = [encode(RunInfo()), *(encode(Iteration(i, 1.0, at_s=100.0 + i)) for i in range(3))]
    path.write_bytes(b"".join([*events, b'{"type":"hologram"}\n', encode(Iteration(3, 1.0, at_s=103.0))]))
    playing = PlayingRecording(path, monkeypatch)
    playing.after(0.0)
    last = playing.after(60.0)
    assert (last.state, last.note) == (SourceState.ENDED, "1 event of a newer itermon left out")
    playing.source.jump(0.0)
    assert playing.after(0.0).restart


def test_the_speed_that_is_asked_for_is_limited_by_the_machine_only(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    playing = Playing(path, monkeypatch, speed=1e9)
    assert playing.source.speed == 1e9
    playing.after(0)
    playing.after(0.001)
    assert len(playing.iterations) == 1000
    playing.source.faster()
    assert playing.source.speed == 1e9
    playing.source.slower()
    assert playing.source.speed == 5e8
    assert Playing(path, monkeypatch, speed=float("nan")).source.speed == replay.SLOWEST


def test_the_text_is_that_of_what_plays_after_a_jump_back_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "copy.jsonl"
    steps = [[Iteration(n, 1.0, at_s=100.0 + n), Output((f"line {n}",))] for n in range(30)]
    path.write_bytes(encode_all([RunInfo(), *(event for step in steps for event in step), End()]))
    monkeypatch.setattr(Playing, "opened", lambda _, path: ConfiguredSource(LogSource(path, follow=False), ()))
    playing = Playing(path, monkeypatch, speed=1e9)
    while playing.after(1.0).state != SourceState.ENDED:
        pass
    before = playing.source.text
    assert before is not None
    assert [line.text for line in before.lines_from(29, 9)] == ["line 28", "line 29"]
    assert before.line_of(12) == 13
    playing.source.jump(0.0)
    while playing.after(1.0).state != SourceState.ENDED:
        pass
    assert playing.source.text is not None
    assert playing.source.text is not before
    assert playing.source.text.line_of(12) == 13


@pytest.mark.parametrize(
    ("asked", "speed"), [(1e11, 1e11), (1e12, 1e12), (2e12, 1e12), (float("nan"), 1 / 8), (0.1, 1 / 8)]
)
def test_an_option_asks_for_a_speed_within_bounds(tmp_path: Path, asked: float, speed: float) -> None:
    path = tmp_path / "train.log"
    path.write_text(log(3))
    assert ReplaySource(lambda: LogSource(path, follow=False), speed=asked).speed == speed


def test_the_keys_set_a_speed_between_an_eighth_and_sixty_five_thousand(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(log(3))
    source = ReplaySource(lambda: LogSource(path, follow=False))
    speeds = []
    for key in (source.slower, source.faster):
        for _ in range(21):
            key()
        speeds.append(source.speed)
    assert speeds == [1 / 8, 65_536]
    fast = ReplaySource(lambda: LogSource(path, follow=False), speed=1e9)
    fast.faster()
    assert fast.speed == 1e9, "what was asked for is no slower by it"
