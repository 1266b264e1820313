"""The daemon thread: what the training thread left comes out as events, at its own pace."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from viewers import recorded
from waiting import eventually

from itermon.events import (
    Dropped,
    End,
    Event,
    Iteration,
    Message,
    Progress,
    SpanBegin,
    SpanEnd,
    decode,
)
from itermon.trainer_hooks import Hooks, emitter, mark_queue
from itermon.trainer_hooks.delivery import delivery
from itermon.trainer_hooks.marks import ITERATION
from itermon.trainer_hooks.stacks.lookout import Lookout


@pytest.fixture
def go_on(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The hooks' thread stands still until this is set: meanwhile `_deliver` is the test's."""
    busy, go_on = threading.Event(), threading.Event()

    def hang(until_s: float) -> None:
        busy.set()
        go_on.wait()

    monkeypatch.setattr(hooks._emitter.delivery.server, "wait", hang)
    busy.wait()
    yield go_on
    go_on.set()


def test_what_is_too_much_is_dropped_and_counted(hooks: Hooks, go_on: threading.Event) -> None:
    for index in range(mark_queue.MOST_MARKS + 500):
        hooks.iteration(index)
    go_on.set()
    eventually(lambda: recorded(hooks).count(b'"index"') == mark_queue.MOST_MARKS)
    eventually(lambda: b'"type":"dropped","count":500' in recorded(hooks))


def test_an_evaluation_that_nobody_ended_ends_with_the_run(hooks: Hooks) -> None:
    hooks.begin()
    hooks.begin_span("evaluation")
    hooks.close()
    *_, span, end = [decode(line) for line in recorded(hooks).splitlines()]
    assert isinstance(span, SpanEnd)
    assert span.duration_s is not None
    assert isinstance(end, End)


def delivered(hooks: Hooks) -> list[Event]:
    """What one tick adds to the recording."""
    before = len(recorded(hooks))
    hooks._emitter._deliver()
    return [decode(line) for line in recorded(hooks)[before:].splitlines()]


@pytest.mark.usefixtures("go_on")
def test_of_the_micro_steps_since_the_last_tick_the_newest_is_reported(hooks: Hooks) -> None:
    for index in range(2):
        hooks.micro_step(1, 4)
        hooks.micro_step(2, 4)
        *_, progress = delivered(hooks)
        assert isinstance(progress, Progress)
        assert (progress.iteration, progress.micro_step, progress.micro_steps) == (index, 2, 4)
        assert delivered(hooks) == [], "reported before"
        hooks.micro_step(4, 4)
        hooks.iteration(index)
        (iteration,) = delivered(hooks)
        assert isinstance(iteration, Iteration), "the micro-step is over with it"
        assert iteration.duration_s is not None, "the first micro-step started the clock"


@pytest.mark.usefixtures("go_on")
def test_a_long_wait_for_data_is_reported_while_it_lasts_and_when_it_is_over(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns = 10**9
    monkeypatch.setattr(time, "perf_counter_ns", lambda: now_ns)
    with hooks.data():
        assert delivered(hooks) == []
        now_ns += 10**9
        (begin,) = delivered(hooks)
        assert isinstance(begin, SpanBegin)
        assert delivered(hooks) == []
    hooks.iteration(0)
    end, iteration = delivered(hooks)
    assert isinstance(end, SpanEnd)
    assert isinstance(iteration, Iteration)
    assert (end.duration_s, iteration.data_wait_s, iteration.duration_s) == (1.0, 1.0, 1.0)
    hooks.wait.end()
    assert delivered(hooks) == [], "nobody waited"


@pytest.mark.usefixtures("go_on")
def test_every_odd_micro_step_costs_a_message_and_not_the_hooks(hooks: Hooks) -> None:
    for _ in range(30):
        hooks.micro_step("x")  # type: ignore[arg-type]
        (message,) = delivered(hooks)
        assert isinstance(message, Message)
        assert message.text == "a mark of kind 'progress' was no use: ValueError: micro-step x"
    assert hooks.alive


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emitter, "TICK_S", 0.001)


@pytest.mark.usefixtures("quick")
def test_after_twenty_faults_of_ours_the_hooks_are_off_and_say_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    faults: list[None] = []

    def faulty(self: object, until_s: float) -> None:
        faults.append(None)
        raise RuntimeError("ours")

    monkeypatch.setattr(delivery.Delivery, "wait", faulty)
    hooks = Hooks("faulty")
    hooks._emitter.thread.join()
    hooks.iteration(0)
    assert (hooks.alive, len(faults)) == (False, 20)
    assert capsys.readouterr().err == "itermon: hooks are off after 20 faults: RuntimeError: ours\n"


def test_where_no_thread_can_start_there_are_no_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none)
    hooks = Hooks("threadless")
    hooks.iteration(0)
    assert not hooks.alive
    hooks.close()


def test_old_recordings_that_made_room_are_reported(monkeypatch: pytest.MonkeyPatch, run_folders: Path) -> None:
    monkeypatch.setattr(emitter, "prune", lambda folder, now_s: [folder / "a", folder / "b"])
    hooks = Hooks("full")
    eventually(lambda: b"to make room, 2 old recordings in" in recorded(hooks))
    hooks.close()


@pytest.mark.usefixtures("go_on")
@pytest.mark.parametrize(("moved_ns", "follows"), [(50_000_001, True), (-50_000_001, True), (50_000_000, False)])
def test_a_wall_clock_that_is_set_is_followed_and_jitter_is_not(
    moved_ns: int, follows: bool, hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = hooks._emitter
    before_ns = ours._timeline.course.unix_minus_ns
    monkeypatch.setattr(emitter, "_unix_minus_perf_counter_ns", lambda: before_ns + moved_ns)
    ours._check()
    assert ours._timeline.course.unix_minus_ns == before_ns, "it is not time yet"
    ours._checked_s -= 5.0
    ours._check()
    assert ours._timeline.course.unix_minus_ns == before_ns + (moved_ns if follows else 0)


@pytest.mark.usefixtures("go_on")
def test_what_was_dropped_is_reported_with_its_time(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emitter.time, "time", lambda: 1e9 + 0.12345678)
    hooks._dropped = 3
    assert delivered(hooks) == [Dropped(count=3, what="marks of the trainer", at_s=1e9 + 0.123457)]
    assert delivered(hooks) == []


class Still(threading.Thread):
    """A thread that never runs: what it would do is the test's. `joined` is how long each join would last."""

    joined: list[float | None]
    while_joined: Callable[[], None] = staticmethod(lambda: None)

    def start(self) -> None:
        self.joined = []

    def join(self, timeout: float | None = None) -> None:
        self.joined.append(timeout)
        self.while_joined()


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch, run_folders: Path) -> Iterator[emitter.Emitter]:
    """An emitter whose thread stands still."""
    monkeypatch.setattr(emitter.threading, "Thread", Still)
    still = emitter.Emitter(mark_queue.MarkQueue(), [], record=run_folders / "run.jsonl")
    yield still
    still.abandon()


def written(still: emitter.Emitter) -> list[Event]:
    path = still.delivery.recording.path
    assert path is not None
    return [decode(line) for line in path.read_bytes().splitlines()]


def test_the_end_is_waited_for_a_second_and_the_first_reason_holds(still: emitter.Emitter) -> None:
    assert isinstance(still.thread, Still)
    still.thread.while_joined = lambda: still.close("finished")  # a signal's handler, meanwhile
    still.close("failed")
    still.close("finished")
    assert still.thread.joined == [1.0]
    still._finish()
    assert [event.reason for event in written(still) if isinstance(event, End)] == ["failed"]


def test_a_child_that_was_forked_behind_pythons_back_ends_nothing(
    still: emitter.Emitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    still.close("finished")
    assert isinstance(still.thread, Still)
    assert still.thread.joined == []


def test_the_thread_does_not_wait_for_itself(still: emitter.Emitter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emitter.threading, "current_thread", lambda: still.thread)
    still.close("finished")
    assert isinstance(still.thread, Still)
    assert (still.thread.joined, still._marks.alive) == ([], False)


def test_a_tick_lasts_a_tenth_of_a_second_and_delivers_all_that_waits(
    still: emitter.Emitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(emitter, "_AT_ONCE", 2)
    monkeypatch.setattr(still.delivery, "wait", waits.append)
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    for index in range(5):
        still._marks.put((ITERATION, index, index, None, None, None, None, None))
    still._tick()
    assert waits == [100.1]
    assert still.thread.daemon, "a process waits for the others before it ends"
    assert [event.index for event in written(still) if isinstance(event, Iteration)] == [0, 1, 2, 3, 4]


def test_a_tick_that_is_told_to_stop_leaves_the_rest_to_the_end(
    still: emitter.Emitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitter, "_AT_ONCE", 2)
    monkeypatch.setattr(still.delivery, "wait", lambda until_s: None)
    for index in range(5):
        still._marks.put((ITERATION, index, index, None, None, None, None, None))
    still._stopping = True
    still._tick()
    assert [event.index for event in written(still) if isinstance(event, Iteration)] == [0, 1]
    still._finish()
    assert [event.index for event in written(still) if isinstance(event, Iteration)] == [0, 1, 2, 3, 4]


def test_every_five_seconds_what_is_wrong_is_reported_in_the_run(
    still: emitter.Emitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    began_s = still._checked_s
    trouble = Message(text="No space left on device")
    monkeypatch.setattr(still.delivery, "heal", lambda: trouble)
    for after_s in (4.75, 5.0, 9.75, 10.0):
        monkeypatch.setattr(time, "monotonic", lambda after_s=after_s: began_s + after_s)
        still._check()
    marks, _ = still._marks.take(9)
    assert [mark[2] for mark in marks] == [trouble, trouble]


def test_a_run_without_a_recording_makes_no_room(monkeypatch: pytest.MonkeyPatch, run_folders: Path) -> None:
    monkeypatch.setattr(emitter.threading, "Thread", Still)
    monkeypatch.setattr(emitter, "prune", lambda folder, now_s: [folder])
    still = emitter.Emitter(mark_queue.MarkQueue(), [], serve=run_folders / "run.sock")
    still._make_room()
    assert still._marks.take(9) == ([], False)
    still.abandon()


def test_nothing_to_make_room_for_is_nothing_to_report(
    still: emitter.Emitter, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(emitter, "prune", lambda folder, now_s: [])
    still._make_room()
    assert still._marks.take(9) == ([], False)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("error", "reason"), [(None, "finished"), (KeyboardInterrupt(), "interrupted"), (ValueError(), "failed")]
)
def test_at_exit_all_runs_end_as_the_program_did(
    error: BaseException | None, reason: str, still: emitter.Emitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitter, "_emitters", {still})
    monkeypatch.setattr(emitter.sys, "last_value", error, raising=False)
    emitter._close_all()
    still._finish()
    assert [event.reason for event in written(still) if isinstance(event, End)] == [reason]


def test_the_thread_takes_no_signal_but_for_its_own_faults() -> None:
    blocked: set[int] = set()

    def look() -> None:
        emitter._leave_signals_alone()
        blocked.update(signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert {signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGCHLD} <= blocked
    assert not {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT} & blocked


def test_the_marks_clock_and_its_distance_make_unix_time(
    still: emitter.Emitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 10**18)
    monkeypatch.setattr(time, "perf_counter_ns", lambda: 5 * 10**9)
    still._checked_s -= 5.0
    still._check()
    still._marks.begin_span("evaluation")
    still._deliver()
    assert [event.at_s for event in written(still) if isinstance(event, SpanBegin)] == [1e9]


@pytest.mark.usefixtures("quick")
def test_the_training_is_looked_after_at_each_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[object, bool]] = []
    monkeypatch.setattr(Lookout, "see", lambda _, marks, late_ns: seen.append((marks, late_ns >= -1_000_000)))
    hooks = Hooks("test")
    eventually(lambda: len(seen) > 2)
    hooks.close()
    assert set(seen) == {(hooks, True)}
