"""The way of messages to one channel: a thread and a bounded queue, so that no channel ever holds up the watching.

A channel that fails is tried again, after pauses that grow; meanwhile `trouble` says what is wrong. Where too many
wait, the oldest are let go, and that is said.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING

from ..words import plural, rounded_duration
from .channel import NotDeliveredError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .channel import Channel
    from .message import Message

FIRST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 600.0
"""A network that is away for a night costs a hundred attempts."""

MOST_WAITING = 100
_SLOW_S = 30.0  # an attempt that takes longer is told of


class Outbox:
    """Of one channel. `settled` is called, in its thread, with each message that arrived or was given up."""

    def __init__(
        self,
        channel: Channel,
        settled: Callable[[Channel, Message], None] = lambda _channel, _message: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.channel = channel
        self._settled, self._clock = settled, clock
        self._waiting: deque[Message] = deque()
        self._changed = threading.Condition()
        self._pause_s = FIRST_PAUSE_S
        self._not_before_s = 0.0
        self._trying_since_s: float | None = None
        self._why = ""
        self._lost = 0
        self._stopped = False
        self._thread: threading.Thread | None = None

    def put(self, message: Message) -> None:
        """Take a message that is for this channel; never blocks."""
        if not self.channel.takes(message):
            return
        with self._changed:
            while len(self._waiting) >= MOST_WAITING:
                self._lost += 1
                self._done(self._waiting[0])
            self._waiting.append(message)
            self._changed.notify_all()

    @property
    def waiting(self) -> int:
        """How many messages have not arrived."""
        return len(self._waiting)

    @property
    def trouble(self) -> str:
        """What is wrong with the channel, in one line; "" if nothing is known to be."""
        trying_s = self._trying_since_s
        slow_s = 0.0 if trying_s is None else self._clock() - trying_s
        why = f"no answer for {rounded_duration(slow_s)}" if slow_s > _SLOW_S else self._why
        waits = f", {plural(self.waiting, 'message')} waiting" if why and self._waiting else ""
        lost = f", {plural(self._lost, 'message')} lost" if self._lost else ""
        return f"{self.channel.name}: {why or 'too many messages'}{waits}{lost}" if why or lost else ""

    def attempt(self) -> float | None:
        """Try to deliver the oldest message, if it is time. Returns how long to wait; `None`: there is none."""
        if not self._waiting:
            return None
        if (left_s := self._not_before_s - self._clock()) > 0:
            return left_s
        message = self._waiting[0]
        self._trying_since_s = self._clock()
        try:
            self.channel.deliver(message)
        except NotDeliveredError as error:
            return self._failed(message, error)
        except Exception as error:  # noqa: BLE001 - a fault of ours in one channel is shown, and the others live on
            return self._failed(message, NotDeliveredError(type(error).__name__, again=False))
        finally:
            self._trying_since_s = None
        self._why, self._pause_s = "", FIRST_PAUSE_S
        self._done(message)
        return 0.0

    def start(self) -> None:
        """Deliver in a thread of its own, a daemon: nobody waits for a channel that hangs."""
        self._thread = threading.Thread(target=self._work, name=f"itermon {self.channel.name}", daemon=True)
        self._thread.start()

    def stop(self, patience_s: float) -> bool:
        """Deliver what waits, for at most `patience_s`: is nothing left?"""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(patience_s)
        return not self._waiting

    def _failed(self, message: Message, error: NotDeliveredError) -> float:
        self._why = str(error)
        if not error.again:
            self._lost += 1
            self._done(message)
            return 0.0
        pause_s = max(self._pause_s, error.wait_s or 0.0)
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        self._not_before_s = self._clock() + pause_s
        return pause_s

    def _done(self, message: Message) -> None:
        with self._changed:
            if self._waiting and self._waiting[0] is message:
                self._waiting.popleft()
        self._settled(self.channel, message)

    def _work(self) -> None:
        while True:
            pause_s = self.attempt()
            with self._changed:
                if self._stopped and (pause_s is None or pause_s > 0):
                    return
                if pause_s is None:
                    self._changed.wait_for(lambda: self._waiting or self._stopped)
                elif pause_s > 0:
                    self._changed.wait_for(lambda: self._stopped, pause_s)
