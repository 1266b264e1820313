"""Everything together: what is due is written down, and then sent by each channel that takes it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..analysis.incidents.kinds import ENDS
from .outbox import Outbox
from .settings import is_quiet
from .telling import messages, went_on
from .told import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ..analysis.findings import Findings
    from .channel import Channel
    from .message import Message
    from .telling import About
    from .told import Store


class Notifier:
    """Tells of runs by `channels`; what was told is in `store`. In quiet hours nothing is: afterwards all of it.

    Args:
        channels: Each with a name of its own.
        store: What was told before.
        quiet: Begin and end, in minutes since midnight, local time.
        clock: Unix time.
        monotonic: Time between two attempts to deliver.
    """

    def __init__(
        self,
        channels: Sequence[Channel],
        store: Store,
        quiet: tuple[int, int] | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._outboxes = [Outbox(channel, self._settled, monotonic) for channel in channels]
        self._store, self._quiet, self._clock = store, quiet, clock

    def start(self) -> None:
        """Begin to deliver, in a thread for each channel: first what an earlier process did not."""
        self.take_up()
        for outbox in self._outboxes:
            outbox.start()

    def take_up(self) -> None:
        """What an earlier process did not deliver is due."""
        self._store.save()  # from now on nothing is history, even if this process is killed at once
        for outbox in self._outboxes:
            for one in self._store.waiting():
                if one.channel == outbox.channel.name:
                    outbox.put(one.message)

    def deliver(self) -> None:
        """All that can be delivered now, in the thread that asks: for who does not `start`."""
        for outbox in self._outboxes:
            while outbox.attempt() == 0.0:
                pass

    def look(self, about: About, found: Findings, asleep: Collection[str] = ()) -> list[Message]:
        """Send what is to be said of this run now; never blocks for longer than a write to the disk.

        `asleep` are the keys of incidents that are none, see `messages`.
        """
        is_new = not self._store.is_known(about.key)
        told = self._store.of(about.key)
        due = [] if self.is_quiet else messages(about, found, told, self._clock(), asleep)
        if asleep or is_new:
            self._store.save()
        self._send(due)
        return due

    def is_told_over(self, key: str) -> bool:
        """Was it told of this run that it is over, and has it not gone on since?"""
        return self._store.is_told(key, ENDS)

    def went_on(self, earlier: About, later: About, found: Findings) -> list[Message]:
        """Send that `earlier`, of which it was told that it is over, goes on as the attempt `later`."""
        due = [] if self.is_quiet else went_on(earlier, later, found, self._store.of(earlier.key), self._clock())
        self._send(due)
        return due

    def _send(self, due: Sequence[Message]) -> None:
        if not due:
            return
        self._store.send([
            Waiting(outbox.channel.name, one)
            for one in due
            for outbox in self._outboxes
            if outbox.channel.takes(one)
        ])  # fmt: skip
        for outbox in self._outboxes:
            for one in due:
                outbox.put(one)

    def keep(self) -> None:
        """Write down what was told, where that was not possible before: a disk was full."""
        if self._store.problem:
            self._store.save()

    @property
    def is_quiet(self) -> bool:
        """Are these quiet hours?"""
        local = time.localtime(self._clock())
        return is_quiet(self._quiet, 60 * local.tm_hour + local.tm_min)

    @property
    def troubles(self) -> list[str]:
        """What is wrong with the channels and the file, a line each."""
        found = [outbox.trouble for outbox in self._outboxes if outbox.trouble]
        return [*found, self._store.problem] if self._store.problem else found

    def stop(self, patience_s: float) -> bool:
        """Deliver what waits, for at most so long: did all of it arrive?"""
        until_s = time.monotonic() + patience_s
        left = [outbox for outbox in self._outboxes if not outbox.stop(max(0.0, until_s - time.monotonic()))]
        return not left

    def _settled(self, channel: Channel, message: Message) -> None:
        self._store.settled(channel.name, message)
