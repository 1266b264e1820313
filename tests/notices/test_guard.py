"""The guard, with a clock and feeds made by hand: what it tells in a week, and what it costs."""

import errno
import math
import os
import time
from pathlib import Path

import pytest

from itermon.analysis.run import Run
from itermon.events import Batch, ClockKind, End, EndReason, Event, Iteration, RunInfo, SourceState
from itermon.notices import told
from itermon.notices.guard import FIND_S, LINGER_S, LOOK_S, REST_S, SETTLE_S, Guard, Guarded
from itermon.notices.notifier import Notifier
from itermon.notices.settings import quiet_hours
from itermon.notices.telling import About
from itermon.notices.told import Store

HOUR_S = 3_600.0
WEEK_S = 7 * 24 * HOUR_S
BEGIN_S = 1_772_600_000.0


class World:
    """The clocks: `awake` passes only while the machine is."""

    def __init__(self) -> None:
        self.wall_s, self.awake_s = BEGIN_S, 0.0

    def passes(self, seconds: float, *, asleep: bool = False) -> None:
        self.wall_s += seconds
        self.awake_s += 0.0 if asleep else seconds


class Feed:
    def __init__(self) -> None:
        self.waiting: list[Batch] = []
        self.stopped = False

    def put(self, *events: Event, state: SourceState | None = SourceState.LIVE, note: str = "") -> None:
        self.waiting.append(Batch(events, state=state, note=note))

    def drain(self, most: int = 1_000) -> list[Batch]:
        taken, self.waiting = self.waiting[:most], self.waiting[most:]
        return taken

    def stop(self) -> None:
        self.stopped = True


class Scene:
    """A guard of some runs."""

    def __init__(self, runs: int = 1, *, quiet: str = "", store: Store | None = None, stays: bool = False) -> None:
        self.world, self.feeds = World(), [Feed() for _ in range(runs)]
        self.store = store or Store(None, BEGIN_S)
        hours = quiet_hours(quiet) if quiet else None
        notifier = Notifier([], self.store, hours, lambda: self.world.wall_s)
        self.told: list[tuple[str, str, str]] = []
        found = [Guarded(About(f"run-{n}", f"run-{n}"), feed) for n, feed in enumerate(self.feeds)]
        self.guard = Guard(
            notifier,
            lambda known: [one for one in found if one.about.key not in known],
            stays=stays,
            clock=lambda: self.world.wall_s,
            monotonic=lambda: self.world.awake_s,
        )
        self.steps = 0
        for feed in self.feeds:
            feed.put(RunInfo(name="gpt", clock=ClockKind.HOOK), state=None)  # hooks announce their stops

    def step(self) -> float | None:
        self.steps += 1
        pause_s = self.guard.step()
        for line in self.guard.said:
            name, phase, state = line.split(": ", 2)
            if phase != "seen":
                self.told.append((name, phase, state))
        self.guard.said.clear()
        return pause_s

    def lives(self, seconds: float) -> None:
        """Let time pass, looking as often as the guard wants."""
        until_s = self.world.awake_s + seconds
        while self.world.awake_s < until_s and (pause_s := self.step()) is not None:
            self.world.passes(min(pause_s, until_s - self.world.awake_s) or 1e-3)

    def trains(self, first: int, count: int, each_s: float = 1.0, run: int = 0) -> None:
        """The run prints `count` lines, one after the other."""
        for index in range(first, first + count):
            self.world.passes(each_s)
            self.feeds[run].put(iteration(index, self.world.wall_s, each_s))
            if index % 5 == 0:
                self.step()

    def phases(self) -> list[str]:
        return [phase for _, phase, _ in self.told]


def iteration(index: int, at_s: float, duration_s: float = 1.0) -> Iteration:
    return Iteration(index=index, duration_s=duration_s, loss=3.0, at_s=at_s)


def test_a_run_that_goes_on_is_never_told_of() -> None:
    scene = Scene()
    scene.trains(0, 300)
    scene.lives(15.0)
    assert scene.told == []


def test_a_stall_is_told_once_soon_after_it_counts_as_one_and_once_when_it_is_over() -> None:
    scene = Scene()
    scene.trains(0, 100)
    began_s = scene.world.awake_s
    while not scene.told:
        scene.lives(1.0)
    assert scene.world.awake_s - began_s <= 30.0 + LOOK_S + 2.0
    scene.lives(HOUR_S)
    assert scene.phases() == ["began"]
    scene.trains(100, 10)
    scene.lives(15.0)
    assert scene.phases() == ["began", "ended"]


def test_a_machine_that_slept_was_not_silent() -> None:
    scene = Scene()
    scene.trains(0, 100)
    scene.world.passes(8 * HOUR_S, asleep=True)
    scene.lives(SETTLE_S + 5.0)
    assert scene.told == []
    scene.trains(100, 20)
    scene.lives(15.0)
    assert scene.told == []
    scene.lives(60.0)
    assert scene.phases() == ["began"], "and a stall after it is one"


@pytest.mark.parametrize("jump_s", [-HOUR_S, HOUR_S])
def test_a_clock_that_is_set_is_no_silence(jump_s: float) -> None:
    scene = Scene()
    scene.trains(0, 100)
    scene.world.wall_s += jump_s
    scene.lives(15.0)
    assert scene.told == []


def test_a_guard_that_was_held_up_lets_its_sources_read_first() -> None:
    scene = Scene()
    scene.trains(0, 100)
    scene.world.passes(600.0)
    scene.step()
    assert scene.told == [], "what came meanwhile is still being read"
    for index in range(100, 700):
        scene.feeds[0].put(iteration(index, scene.world.wall_s - 700 + index))
    scene.lives(SETTLE_S + 2.0)
    assert scene.told == []


def test_nothing_is_said_of_a_history_that_is_being_read() -> None:
    scene = Scene()
    for index in range(100):
        scene.feeds[0].put(iteration(index, BEGIN_S - 9_999.0 + index), state=SourceState.READING)
    scene.lives(60.0)
    assert scene.told == []
    scene.feeds[0].put(state=SourceState.LIVE)
    scene.lives(20.0)
    assert scene.phases() == ["began"]


def test_the_guard_ends_some_time_after_the_last_run() -> None:
    scene = Scene(2)
    for run in range(2):
        scene.trains(0, 50, run=run)
    for feed in scene.feeds:
        feed.put(state=SourceState.ENDED)
    began_s = scene.world.awake_s
    scene.lives(2 * LINGER_S)
    assert scene.step() is None
    assert LINGER_S <= scene.world.awake_s - began_s <= LINGER_S + 60.0
    assert all(feed.stopped for feed in scene.feeds)


def test_one_that_stays_waits_for_others() -> None:
    scene = Scene(stays=True)
    scene.feeds[0].put(state=SourceState.ENDED)
    scene.lives(2 * LINGER_S)
    assert scene.step() is not None
    assert scene.feeds[0].stopped, "and lets go of what is over"


def test_a_run_that_ends_in_quiet_hours_is_told_in_the_morning() -> None:
    local = time.localtime(BEGIN_S)
    begin = 60 * local.tm_hour + local.tm_min
    end = (begin + 120) % 1_440
    scene = Scene(quiet=f"{begin // 60}:{begin % 60:02}-{end // 60}:{end % 60:02}")
    scene.trains(0, 100)
    scene.lives(HOUR_S)
    assert scene.told == []
    scene.lives(HOUR_S + 60.0)
    assert scene.phases() == ["began"]


def test_what_cannot_be_read_is_a_problem_that_is_shown() -> None:
    scene = Scene()
    scene.feeds[0].put(state=SourceState.FAILED, note="train.log: no permission")
    scene.step()
    assert scene.guard.problems == ["train.log: no permission"]


def test_started_again_it_repeats_nothing_and_misses_nothing() -> None:
    scene = Scene()
    events: list[Event] = [iteration(index, BEGIN_S + index) for index in range(100)]
    scene.world.passes(100.0)
    scene.feeds[0].put(*events)
    scene.lives(100.0)
    assert scene.phases() == ["began"]
    again = Scene(store=scene.store)
    again.world.passes(400.0)
    again.feeds[0].put(*events)
    again.lives(60.0)
    assert again.told == [], "nothing is repeated"
    later = Scene(store=scene.store)
    later.world.passes(600.0)
    later.feeds[0].put(*events, *(iteration(index, BEGIN_S + 400 + index) for index in range(100, 200)))
    later.lives(SETTLE_S + 5.0)
    assert later.phases() == ["ended"], "nor missed"


def test_twenty_runs_are_a_few_looks_a_minute_and_no_message() -> None:
    """What a week of them costs is in `bench/guard.py`."""
    scene = Scene(20)
    for feed in scene.feeds:
        feed.put(*(iteration(index, BEGIN_S - 200.0 + 2.0 * index, 2.0) for index in range(100)))
    day_s, index = 300.0, 100
    while scene.world.awake_s < day_s:
        for feed in scene.feeds:
            feed.put(iteration(index, scene.world.wall_s, 10.0))
        index += 1
        scene.lives(10.0)
    assert scene.told == []
    assert scene.steps <= day_s / 2.0 + 2


def test_a_stall_is_told_of_when_it_becomes_one() -> None:
    scene = Scene()
    scene.trains(0, 100, each_s=20.0)
    scene.lives(15.0)
    began_s = 100 * 20.0
    while not scene.told:
        scene.lives(0.5)
    assert scene.world.awake_s - began_s == pytest.approx(60.0, abs=1.0), "3 x 20 s, not at the next round"


def test_all_figures_are_asked_for_only_where_there_may_be_something_to_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float | None] = []
    calm: list[float] = []
    real, really = Run.findings, Run.calm
    monkeypatch.setattr(Run, "findings", lambda run, now_s=None: (asked.append(now_s), real(run, now_s))[1])
    monkeypatch.setattr(Run, "calm", lambda run, now_s: (calm.append(now_s), really(run, now_s))[1])
    scene = Scene()
    scene.trains(0, 100, each_s=30.0)
    scene.lives(1.0)
    asked.clear()
    calm.clear()
    for index in range(100, 160):
        scene.feeds[0].put(iteration(index, scene.world.wall_s, 30.0))
        scene.lives(30.0)
    assert asked == [], "half an hour, sixty lines"
    assert len(calm) == 60
    scene.lives(HOUR_S)
    assert scene.phases() == ["began"]
    assert len(asked) <= HOUR_S / REST_S + 1


def test_that_a_run_is_looked_after_is_written_down_at_once(tmp_path: Path) -> None:
    path = tmp_path / "guard.json"
    scene = Scene(store=Store(path, BEGIN_S))
    scene.trains(0, 50)
    scene.lives(15.0)
    assert Store(path, BEGIN_S).is_known("run-0")


def test_what_a_full_disk_refused_is_written_down_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "guard.json"
    scene = Scene(store=Store(path, BEGIN_S))
    scene.trains(0, 50)
    really = told._write
    monkeypatch.setattr(told, "_write", full)
    scene.lives(100.0)
    assert scene.phases() == ["began"]
    assert "No space left on device" in scene.guard.problems[0]
    monkeypatch.setattr(told, "_write", really)
    scene.lives(FIND_S + 1.0)
    assert scene.guard.problems == []
    assert Store(path, BEGIN_S).is_told("run-0", ["silent"])


def full(_path: Path, _data: bytes) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_one_of_several_that_is_started_again_after_a_while_is_still_looked_after() -> None:
    scene = Scene(2)
    for run in (1, 0):
        scene.trains(0, 50, run=run)
    scene.feeds[0].put(End(EndReason.FAILED, at_s=scene.world.wall_s))
    for index in range(50, 250):  # the other goes on
        scene.feeds[1].put(iteration(index, scene.world.wall_s, 10.0))
        scene.lives(10.0)
    assert scene.world.awake_s > LINGER_S
    scene.feeds[0].put(iteration(50, scene.world.wall_s))
    scene.lives(15.0)
    assert [phase for name, phase, _ in scene.told if name == "run-0"] == ["began", "ended"]


def test_one_that_is_over_and_goes_on_after_all_is_found_again() -> None:
    scene = Scene(stays=True)
    known: list[dict[str, float]] = []
    find = scene.guard._find
    scene.guard._find = lambda until_s: (known.append(dict(until_s)), find(until_s))[1]
    scene.trains(0, 50)
    scene.feeds[0].put(state=SourceState.ENDED)
    scene.lives(2 * LINGER_S)
    assert known[1] == {"run-0": math.inf}
    assert BEGIN_S < known[-1]["run-0"] < scene.world.wall_s


def test_somebody_is_reminded_rarely_of_a_loss_that_stays_no_number() -> None:
    scene = Scene()
    scene.trains(0, 50, each_s=300.0)
    for index in range(50, 50 + 7 * 12):  # for seven hours
        scene.feeds[0].put(Iteration(index=index, duration_s=300.0, bad_loss=True, at_s=scene.world.wall_s))
        scene.lives(300.0)
    assert scene.phases() == ["began", "still"]


@pytest.mark.parametrize(("may_be_none", "phases"), [(True, ["failed"]), (False, ["interrupted", "failed"])])
def test_of_what_may_be_no_training_only_an_error_is_told(may_be_none: bool, phases: list[str]) -> None:
    kinds: list[str] = []
    for reason in (EndReason.INTERRUPTED, EndReason.FAILED):
        scene = Scene()
        one = Guarded(About("run-0", "run-0"), scene.feeds[0], may_be_none=may_be_none)
        scene.guard._find = lambda known, one=one: [] if known else [one]
        scene.feeds[0].put(End(reason, at_s=BEGIN_S + 1.0))
        scene.lives(60.0)
        kinds += [str(reason) for _ in scene.told]
    assert kinds == phases
