"""When the trainer's processes are looked for, and what there is to say where there are none."""

import os
import sys
from collections.abc import Callable

import pytest

from itermon.collectors.host import trainer as trainer_module
from itermon.collectors.host.trainer import Trainer

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")

Ask = Callable[[float], int]


@pytest.fixture
def asked_for(monkeypatch: pytest.MonkeyPatch) -> tuple[Trainer, Ask, list[int]]:
    """A trainer by its log, a way to ask for it at a time, and who writes the log now."""
    writers: list[int] = []
    asked: list[str] = []
    now_s = [0.0]

    def writer_of(log: str) -> int | None:
        asked.append(log)
        return writers[0] if writers else None

    monkeypatch.setattr(trainer_module, "writer_of", writer_of)
    trainer = Trainer(log="/train.log", clock=lambda: now_s[0])

    def ask(at_s: float) -> int:
        now_s[0] = at_s
        trainer.roles()
        return len(asked)

    return trainer, ask, writers


def test_it_is_looked_for_ever_more_rarely_until_it_is_there(asked_for: tuple[Trainer, Ask, list[int]]) -> None:
    trainer, ask, writers = asked_for
    times_s = (0, 0.9, 1, 2.9, 3, 6.9, 7, 14.9, 15, 24.9, 25, 34.9, 35)
    assert [ask(at_s) for at_s in times_s] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7]
    assert trainer.missing().startswith("no process of yours")
    writers.append(os.getpid())
    assert trainer.pids() == frozenset()
    ask(45)
    assert trainer.pid == os.getpid()
    assert os.getpid() in trainer.pids()
    assert trainer.missing() == ""


def test_the_processes_of_one_that_is_there_are_looked_through_every_five_seconds(
    asked_for: tuple[Trainer, Ask, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer, ask, writers = asked_for
    writers.append(os.getpid())
    ask(0)
    monkeypatch.setattr(trainer_module, "_tree", lambda _pid: [])
    ask(4.9)
    assert trainer.pids()
    ask(5)
    assert not trainer.pids()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({}, "the trainer's process is not known; --pid PID"),
        ({"pid": 2**22 + 1}, f"there is no process {2**22 + 1}"),
        ({"log": "/nobody/writes/this"}, "no process of yours writes this log here"),
    ],
)
def test_why_there_is_none_is_said(options: dict[str, object], why: str) -> None:
    trainer = Trainer(**options)  # type: ignore[arg-type]
    assert trainer.missing().startswith(why)
    assert trainer.directory() is None


def test_one_that_ended_is_said_to_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [0.0]
    trainer = Trainer(os.getpid(), clock=lambda: now_s[0])
    assert trainer.missing() == ""
    monkeypatch.setattr(trainer_module, "_tree", lambda _pid: [])
    now_s[0] = 5.0
    assert trainer.missing() == f"process {os.getpid()} has ended"


def test_its_environment_is_asked_first_and_ours_where_it_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_TEST_NAME", "ours")
    mine = Trainer(os.getpid())
    assert mine.variable("PATH") == os.environ["PATH"]
    assert mine.variable("ITERMON_TEST_NAME") is None  # as it was started with
    assert Trainer().variable("ITERMON_TEST_NAME") == "ours"
    assert mine.directory() is not None
