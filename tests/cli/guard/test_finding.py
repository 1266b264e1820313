"""Which runs a guard looks after: recordings, logs that grow, jobs; each once, and none that is old."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from itermon.cli.guard.finding import All, Named
from itermon.cli.home.found import log_place
from itermon.cli.sources import OpenOptions
from itermon.collectors.host import writer
from itermon.collectors.polled import Polled
from itermon.events import End, EndReason, Iteration, RunInfo, encode_all
from itermon.notices.guard import FIND_S, Guard
from itermon.notices.notifier import Notifier
from itermon.notices.told import Entry, Store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from itermon.cli.home.found import Place

BEGAN_S = 1_000.0
LINES = "".join(f"iter {i}: loss 3.0000, time 200.00ms, mfu 20.00%\n" for i in range(60))


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))


class Here:
    """A guard's eyes, and the logs that there are."""

    def __init__(self, store: Store | None = None) -> None:
        self.store = store or Store(None, BEGAN_S)
        self.places: list[Place] = []
        self._all = All(self.store, lambda _now_s: self.places, OpenOptions(), lambda: BEGAN_S)

    def names(self, known: Mapping[str, float] = {}) -> list[str]:
        found = self._all(known)
        for one in found:
            one.close()
        return [one.about.name for one in found]


def recorded(folder: Path, name: str, *, ended: bool = True) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    events = [RunInfo(name="gpt"), *(Iteration(index=i, duration_s=0.2, at_s=1e9 + i) for i in range(9))]
    end = [End(EndReason.FINISHED, at_s=2e9)] if ended else []
    (folder / f"{name}.jsonl").write_bytes(encode_all([*events, *end]))


def a_log(path: Path, *, alive: bool, written_s: float = BEGAN_S + 5.0, name: str = "") -> Place:
    path.write_text(LINES)
    os.utime(path, (written_s, written_s))
    return log_place(path, 0.0, key=f"./{path.name}", name=name, alive=alive)


def test_all_are_those_that_ended_since_it_began_and_of_which_nobody_was_told(tmp_path: Path) -> None:
    for name in ("new.20260101-000000.1", "told.20260101-000000.2", "old.20260101-000000.3"):
        recorded(tmp_path / "runs", name)
    os.utime(tmp_path / "runs" / "old.20260101-000000.3.jsonl", (5.0, 5.0))
    here = Here()
    here.store.of("told.20260101-000000.2").put("finished:0:8", Entry("finished", 2e9))
    assert here.names() == ["new"]
    assert here.names({"new.20260101-000000.1": math.inf}) == []


def test_a_log_that_grows_and_a_job_of_slurm_are_runs(tmp_path: Path) -> None:
    here = Here()
    here.places = [
        a_log(tmp_path / "train.log", alive=True),
        a_log(tmp_path / "slurm-7.out", alive=True, name="gpt (7)"),
        a_log(tmp_path / "old.log", alive=False),
    ]
    assert here.names() == ["train.log", "gpt (7)"]
    here.places.append(a_log(tmp_path / "later.log", alive=True))
    known = dict.fromkeys((str(tmp_path / "train.log"), str(tmp_path / "slurm-7.out")), math.inf)
    assert here.names(known) == ["later.log"], "and what begins later"


def test_a_log_that_stopped_while_nobody_looked_is_looked_after_again(tmp_path: Path) -> None:
    here = Here()
    here.places = [a_log(tmp_path / "train.log", alive=False)]
    key = str(tmp_path / "train.log")
    assert here.names() == [], "nobody had looked after it"
    told = here.store.of(key)
    assert here.names() == ["train.log"]
    told.put("failed:1:59", Entry("failed", BEGAN_S))
    assert here.names() == [], "and was told"


def test_a_log_that_was_over_and_goes_on_is_looked_after_again(tmp_path: Path) -> None:
    here = Here()
    here.places = [a_log(tmp_path / "train.log", alive=True)]
    key = str(tmp_path / "train.log")
    assert here.names({key: BEGAN_S + 60.0}) == []
    here.places = [a_log(tmp_path / "train.log", alive=True, written_s=BEGAN_S + 90.0)]
    assert here.names({key: BEGAN_S + 60.0}) == ["train.log"]


def test_what_a_trainer_with_hooks_prints_is_no_second_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(tmp_path / "runs", "gpt.20260101-000000.77", ended=False)
    monkeypatch.setattr("itermon.run_files.is_live", lambda _path: True)
    log = tmp_path / "train.log"
    monkeypatch.setattr(writer, "outputs_of", lambda pid: [str(log)] if pid == 77 else [])
    here = Here()
    here.places = [a_log(log, alive=True)]
    assert here.names() == ["gpt"]
    monkeypatch.setattr("itermon.run_files.is_live", lambda _path: False)
    monkeypatch.setattr(writer, "outputs_of", lambda _pid: [])
    assert "train.log" not in here.names(), "nor once it has ended"


def test_no_more_are_looked_after_than_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("itermon.cli.guard.finding.MOST", 2)
    here = Here()
    here.places = [a_log(tmp_path / f"{n}.log", alive=True) for n in range(3)]
    assert here.names() == ["0.log", "1.log"]
    assert here.names({"another": math.inf}) == ["0.log"]


def test_logs_and_recordings_are_read_without_a_thread_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    real = Polled.__init__
    monkeypatch.setattr(Polled, "__init__", lambda self, s, path: (opened.append(path), real(self, s, path))[1])
    recorded(tmp_path / "runs", "gpt.20260101-000000.1")
    (tmp_path / "train.log").write_text(LINES)
    named = Named([str(tmp_path / "train.log"), "gpt"], OpenOptions())
    for one in named({}):
        one.close()
    assert opened == [tmp_path / "train.log", tmp_path / "runs" / "gpt.20260101-000000.1.jsonl"]
    assert named({}) == []


def test_an_attempt_that_goes_on_with_a_training_says_so_of_the_one_before(tmp_path: Path) -> None:
    """A job that is queued again writes another log: who was told of the end of one hears that it goes on."""
    head = "tokens per iteration will be: 491,520\n"
    rows = [f"iter {i}: loss 3.0000, time 200.00ms, mfu 20.00%\n" for i in range(120)]
    first = a_log(tmp_path / "slurm-7.out", alive=False)
    first.files[0].write_text(head + "".join(rows[:60]))
    os.utime(first.files[0], (BEGAN_S, BEGAN_S))
    store = Store(None, BEGAN_S)
    store.of(str(first.files[0])).put("interrupted:1:59", Entry("interrupted", BEGAN_S))
    second = a_log(tmp_path / "slurm-8.out", alive=True)
    find = All(store, lambda _now_s: [first, second], OpenOptions(), lambda: BEGAN_S)
    awake_s = [0.0]
    guard = Guard(Notifier([], store), find, stays=True, earlier=find.earlier, monotonic=lambda: awake_s[-1])
    guard.step()
    assert not any("goes on" in line for line in guard.said), "as far as is known it is another one"
    second.files[0].write_text(head + "Resuming training from out\n" + "".join(rows[50:]))
    for _ in range(3):
        awake_s.append(awake_s[-1] + FIND_S)
        guard.step()
    guard.close()
    told = [line for line in guard.said if "goes on" in line]
    assert told == ["slurm-7.out: ended: it had ended, and its training goes on as slurm-8.out"]
