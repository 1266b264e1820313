"""The way to one channel: tried again after growing pauses, bounded, and never in anybody's way."""

import threading

import pytest

from itermon.notices.channel import NotDeliveredError
from itermon.notices.message import Message, Phase
from itermon.notices.outbox import FIRST_PAUSE_S, LONGEST_PAUSE_S, MOST_WAITING, Outbox


def message(number: int = 1) -> Message:
    return Message(id=str(number), run="a", phase=Phase.BEGAN, kind="failed")


class Line:
    """A channel that fails in the ways it is told to, then works."""

    name = "line"

    def __init__(self, *faults: Exception) -> None:
        self.faults = [*faults]
        self.got: list[str] = []

    def takes(self, message: Message) -> bool:
        return message.kind != "other"

    def deliver(self, message: Message) -> None:
        if self.faults:
            raise self.faults.pop(0)
        self.got.append(message.id)


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_messages_arrive_in_their_order_and_are_settled() -> None:
    line, settled = Line(), []
    outbox = Outbox(line, lambda channel, one: settled.append((channel.name, one.id)), Clock())
    outbox.put(message(1))
    outbox.put(message(2))
    outbox.put(Message(id="3", run="a", phase=Phase.BEGAN, kind="other"))
    assert [outbox.attempt() for _ in range(3)] == [0.0, 0.0, None]
    assert line.got == ["1", "2"]
    assert settled == [("line", "1"), ("line", "2")]
    assert outbox.trouble == ""


def test_a_channel_that_fails_is_tried_again_after_pauses_that_grow() -> None:
    line, clock = Line(*[NotDeliveredError("away")] * 12), Clock()
    outbox = Outbox(line, clock=clock)
    outbox.put(message())
    pauses = []
    while (pause_s := outbox.attempt()) is not None:
        if pause_s:
            pauses.append(pause_s)
            assert outbox.trouble == "line: away, 1 message waiting"
            assert outbox.attempt() == pause_s, "not before"
            clock.now_s += pause_s
    assert pauses[:3] == [FIRST_PAUSE_S, 2 * FIRST_PAUSE_S, 4 * FIRST_PAUSE_S]
    assert pauses[-1] == LONGEST_PAUSE_S
    assert (line.got, outbox.trouble) == (["1"], "")


def test_who_asks_to_wait_is_waited_for() -> None:
    outbox = Outbox(Line(NotDeliveredError("busy", wait_s=120.0)), clock=Clock())
    outbox.put(message())
    assert outbox.attempt() == 120.0


@pytest.mark.parametrize("fault", [NotDeliveredError("no such topic", again=False), RuntimeError("secret")])
def test_what_will_never_arrive_is_let_go_and_said(fault: Exception) -> None:
    line = Line(fault)
    outbox = Outbox(line, clock=Clock())
    outbox.put(message(1))
    assert outbox.attempt() == 0.0
    assert outbox.trouble in ("line: no such topic, 1 message lost", "line: RuntimeError, 1 message lost")
    outbox.put(message(2))
    outbox.attempt()
    assert line.got == ["2"]


def test_of_too_many_the_oldest_go() -> None:
    settled = []
    outbox = Outbox(Line(), lambda _, one: settled.append(one.id), Clock())
    for number in range(MOST_WAITING + 2):
        outbox.put(message(number))
    assert outbox.waiting == MOST_WAITING
    assert settled == ["0", "1"]
    assert outbox.trouble == "line: too many messages, 2 messages lost"


def test_one_that_hangs_holds_up_nobody_and_is_told_of() -> None:
    hangs, began, clock = threading.Event(), threading.Event(), Clock()

    class Hangs(Line):
        def deliver(self, message: Message) -> None:
            began.set()
            hangs.wait(60.0)
            super().deliver(message)

    line = Hangs()
    outbox = Outbox(line, clock=clock)
    outbox.start()
    outbox.put(message())
    assert began.wait(60.0)
    clock.now_s = 40.0
    assert outbox.trouble == "line: no answer for 40 s, 1 message waiting"
    assert not outbox.stop(0.0), "and it is not waited for"
    hangs.set()
    assert outbox.stop(60.0)
    assert line.got == ["1"]


def test_what_waits_is_delivered_at_the_end() -> None:
    line = Line()
    outbox = Outbox(line)
    outbox.start()
    for number in range(20):
        outbox.put(message(number))
    assert outbox.stop(60.0)
    assert line.got == [str(number) for number in range(20)]
