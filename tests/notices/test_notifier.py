"""Written down first, sent then: ended anywhere, nothing is lost, and nothing is said twice."""

import time
from pathlib import Path

import pytest
from incidents_by_hand import found, incident

from itermon.notices.channel import NotDeliveredError
from itermon.notices.message import Message
from itermon.notices.notifier import Notifier
from itermon.notices.settings import quiet_hours
from itermon.notices.telling import About
from itermon.notices.told import Store

RUN = About("run-1", "gpt")
FAILED = found(incident("failed", began_at_s=50.0), ended="failed")


class Line:
    """A channel that keeps what it gets; dead, it takes nothing."""

    def __init__(self, name: str = "line", *, dead: bool = False) -> None:
        self.name, self.dead = name, dead
        self.got: list[str] = []

    def takes(self, message: Message) -> bool:
        return True

    def deliver(self, message: Message) -> None:
        if self.dead:
            raise NotDeliveredError("away")
        self.got.append(message.id)


def at_hour(hour: int) -> float:
    return time.mktime((2026, 3, 4, hour, 0, 0, 0, 0, -1))


def test_each_channel_gets_it_once(tmp_path: Path) -> None:
    first, second = Line("a"), Line("b")
    notifier = Notifier([first, second], Store(tmp_path / "told.json", 0.0), clock=lambda: 100.0)
    notifier.start()
    assert [one.kind for one in notifier.look(RUN, FAILED)] == ["failed"]
    assert notifier.look(RUN, FAILED) == []
    assert notifier.stop(60.0)
    assert first.got == second.got == ["run-1/failed:0:7/began"]
    assert notifier.troubles == []


def test_what_was_not_delivered_is_sent_by_the_next_process_and_what_was_is_not(tmp_path: Path) -> None:
    dead, living = Line("a", dead=True), Line("b")
    notifier = Notifier([dead, living], Store(tmp_path / "told.json", 0.0), clock=lambda: 100.0)
    notifier.start()
    notifier.look(RUN, FAILED)
    assert not notifier.stop(60.0), "one message waits"
    assert notifier.troubles == ["a: away, 1 message waiting"]
    again = [Line("a"), Line("b")]
    notifier = Notifier(again, Store(tmp_path / "told.json", 99.0), clock=lambda: 100.0)
    notifier.start()
    assert notifier.look(RUN, FAILED) == []
    assert notifier.stop(60.0)
    assert [line.got for line in again] == [["run-1/failed:0:7/began"], []]
    assert Store(tmp_path / "told.json", 0.0).waiting() == []


def test_killed_before_anything_was_sent_it_is_sent_by_the_next_process(tmp_path: Path) -> None:
    Notifier([Line()], Store(tmp_path / "told.json", 0.0), clock=lambda: 100.0).look(
        RUN, FAILED
    )  # and no thread ever began
    line = Line()
    notifier = Notifier([line], Store(tmp_path / "told.json", 99.0), clock=lambda: 100.0)
    notifier.start()
    assert notifier.stop(60.0)
    assert line.got == ["run-1/failed:0:7/began"]


def test_on_a_full_disk_it_is_told_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "told.json").mkdir()
    line = Line()
    notifier = Notifier([line], Store(tmp_path / "told.json", 0.0), clock=lambda: 100.0)
    notifier.start()
    notifier.look(RUN, FAILED)
    assert notifier.look(RUN, FAILED) == []
    assert notifier.stop(60.0)
    assert len(line.got) == 1
    assert "what was told is not kept" in notifier.troubles[0]


def test_without_threads_it_is_delivered_when_somebody_asks() -> None:
    line, clock = Line(dead=True), [0.0]
    notifier = Notifier([line], Store(None, 0.0), clock=lambda: 100.0, monotonic=lambda: clock[0])
    notifier.take_up()
    notifier.look(RUN, FAILED)
    notifier.deliver()
    assert notifier.troubles == ["line: away, 1 message waiting"]
    line.dead = False
    notifier.deliver()
    assert line.got == [], "not before its pause is over"
    clock[0] += 60.0
    notifier.deliver()
    assert line.got == ["run-1/failed:0:7/began"]


@pytest.mark.parametrize(("hour", "is_quiet"), [(21, False), (23, True), (6, True), (8, False)])
def test_quiet_hours_are_by_the_local_clock(hour: int, is_quiet: bool) -> None:
    notifier = Notifier([], Store(None, 0.0), quiet_hours("22:00-07:00"), lambda: at_hour(hour))
    assert notifier.is_quiet is is_quiet


def test_in_quiet_hours_nothing_is_told_and_afterwards_all_of_it() -> None:
    now = [at_hour(23)]
    notifier = Notifier([], Store(None, 0.0), quiet_hours("22:00-07:00"), lambda: now[0])
    silent = incident("silent")
    assert notifier.look(RUN, found(silent)) == []
    over = incident("silent", over=True, ended_at_s=at_hour(23))
    assert notifier.look(RUN, found(over)) == []
    now[0] = at_hour(32)
    assert [(one.kind, one.phase) for one in notifier.look(RUN, found(over, incident("disk-full")))] == [
        ("silent", "was"),
        ("disk-full", "began"),
    ]
