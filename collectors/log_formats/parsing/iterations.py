"""Fields of a line to an `Iteration`: where its number, its time and the length of the run come from."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, ClassVar

import msgspec

from ....events import ClockKind, Config, Iteration, Message, RunInfo, Severity, Witness
from ..process_ids import ProcessIds
from .grammar import RANK, handler
from .values import (
    Fields,
    LogLine,
    finite,
    loss_fields,
    positive,
    quantity,
    remaining,
    seconds,
    unix_time,
    whole,
)

if TYPE_CHECKING:
    from ....events import Event


SURELY = 16
"""Rows with a loss, none without: one without is of something else."""


class IterationReader:
    """The iterations of one log, as its lines come. Subclasses set the class variables."""

    name: ClassVar[str] = ""
    time_includes: ClassVar[tuple[str, ...]] = ()
    mean: ClassVar[bool] = False  # the printed time is the mean over the iterations since the last line
    from_stamps: ClassVar[bool] = False  # there is no printed time: the time stamps of the lines give it
    synchronised: ClassVar[bool | None] = None  # does the trainer wait for the GPU before it reads its clock?
    tells_the_rest: ClassVar[bool] = False  # its lines say what is left of the whole run, in words of their own
    unit: str = ""  # what an iteration is called in its log, where it is no step
    first_epoch: ClassVar[int | None] = 0  # where iterations are counted within epochs; `None`: the log shows it

    def __init__(self) -> None:
        self.last: int | None = None  # index of the newest iteration
        self.last_at_s: float | None = None  # its time stamp
        self.total: int | None = None
        self.clocked = False  # a line has carried a time of its own
        self._lowest_epoch = inf  # of the log: what is resumed, or a test alone, may come before a first one
        self._reported = False  # that a value was left out
        self._rank: float | None = None  # the one whose lines are read
        self.opened = False  # another process, by its first lines: the next row shows it
        self.said_again = False  # ... or by one or two: the newest place again shows it
        self.surely = False  # ... or by what each process says once: rows that nothing counts begin anew, too
        self.started = False  # another process, by a line that each prints once: the next row is its first
        self._ids = ProcessIds()
        self._learns = 0  # rows with a loss, as long as each has one
        self._applied = False  # the rows are those of a model that learns no more
        self._rows_apart = 0  # iterations between the newest two rows of one process
        self._first_index: int | None = None  # of the log
        self._timed = False  # has a row had a time?
        self.tag = ""  # whose rows alone are read, where several counters run side by side
        self.at_least = False  # is the counter a lower bound: how long its epochs are nobody says?

    def process_begins(self, *, short: bool = False, sure: bool = False) -> None:
        """See `BeginningParser`."""
        self.opened, self.said_again = self.opened or not short, True
        self.surely = self.surely or sure

    def begun(self) -> bool:
        """Has another process surely begun before a row that is held back? It has begun with that one, then."""
        surely, self.surely = self.surely, False
        return surely

    def begins_anew(self, *, said: bool, alike: bool, unnumbered: bool) -> bool:
        """Is the next row another process's, by what was said before it? It stands where another began: are they `alike`?"""
        begins = self.surely if unnumbered else self.opened or (alike and self.said_again)
        self.opened = self.said_again = self.surely = False
        return said or begins

    @handler(iterations=True)
    def iteration(self, fields: Fields, line: LogLine) -> list[Event]:
        """An iteration; before it a new `RunInfo` where the counter began again, and `Config` with the total."""
        index = self.position(fields)
        if index is None:
            return self._not_counted(fields)
        begins, self.opened, self.said_again = self.opened or self.said_again, False, False
        if (index == self.last and not (begins or self.started)) or self._another_rank(fields, line):
            return []  # a bar was only redrawn, or another rank says the same
        if self._only_applied(index, fields):
            return []
        self.clocked = self.clocked or line.stamped
        events = [*self._begins_again(index, line), *self.totals(fields)]
        steps = 1 if self.last is None else index - self.last
        duration_s = seconds(fields.get("duration_s"))
        apart = bool(fields.get("apart"))
        if duration_s is None and self.from_stamps and not apart:
            duration_s = seconds(self._since_last(line, steps))
        averaged = fields.get("averaged_over", steps if self.mean or self.from_stamps else 1)
        untimed = self._of_untimed(index, fields, timed=duration_s is not None or line.at_s is not None)
        self.last, self.last_at_s = index, line.at_s
        events.append(
            Iteration(
                index=index,
                duration_s=duration_s,
                at_s=unix_time(line.at_s),
                averaged_over=(whole(averaged) or 1) if duration_s is not None else untimed * (averaged != 0),
                mfu=positive(fields.get("mfu")),
                tokens=whole(fields.get("tokens")),
                tokens_per_s=quantity(fields.get("tokens_per_s")),
                data_wait_s=_waited_s(fields, duration_s),
                gradient_norm=finite(fields.get("gradient_norm")),
                learning_rate=finite(fields.get("learning_rate")),
                elapsed_s=seconds(fields.get("elapsed_s")),
                remaining_s=self._remaining(fields, line),
                uncounted=whole(fields.get("uncounted")) or 0,
                scalars=fields.get("scalars") or None,
                witness=self._witness(fields) if duration_s is not None else Witness.STAMPS if apart else None,
                **loss_fields(fields.get("loss")),
            )
        )
        return events

    def _of_untimed(self, index: int, fields: Fields, *, timed: bool) -> int:
        """So many iterations a row without a time stands for.

        The first of a process that was resumed stands for those since the step that it named, or for as many as others do.
        """
        first = self._first_index = index if self._first_index is None else self._first_index
        self._timed = self._timed or timed
        apart, self._rows_apart = self._rows_apart, self._rows_apart if self.last is None else index - self.last
        resumed = self.last is None and not self._timed and index > max(first, apart)
        known = whole(fields.get("since_resumed")) if self.last is None else None
        return known or (apart if resumed and apart and not index % apart else 1)

    def _begins_again(self, index: int, line: LogLine) -> list[Event]:
        started, self.started = self.started, False
        elsewhere = self._ids.jumps(line.text, index, self.last)
        if self.last is None or (index > self.last and not (started or elsewhere)):
            return []
        self.last = self.last_at_s = self.total = None
        info = self.run_info(line)
        return [msgspec.structs.replace(info, resumed=False) if elsewhere else info]

    def _only_applied(self, index: int, fields: Fields) -> bool:
        """Rows that count from the beginning again, without a loss, where each had one: inference, features, a k-NN."""
        if fields.get("loss") is not None:
            self._learns += self._learns >= 0
            self._applied = False
        elif self.last is not None and index <= self.last and self._learns >= SURELY:
            self._applied = True
        elif not self._applied:
            self._learns = -1
        return self._applied

    def _remaining(self, fields: Fields, line: LogLine) -> float | None:
        """What the line says is left; a bar's is that of its steps, and of the run only where it has as many."""
        if "remaining_s" in fields:
            of_the_run = self.total is not None and fields.get("remaining_to") == self.total
            return seconds(fields["remaining_s"]) if of_the_run else None
        return seconds(remaining(line.text)) if self.tells_the_rest else None

    def _witness(self, fields: Fields) -> Witness | None:
        """What the iteration's time rests on; `None`: the log prints it."""
        return Witness.STAMPS if self.from_stamps and "duration_s" not in fields else fields.get("witness")

    def _not_counted(self, fields: Fields) -> list[Event]:
        """One word on iterations whose number no event can hold: it is never rounded into another one."""
        printed = fields.get("iteration", fields.get("batch"))
        return (
            self.not_read("iteration", f"about {printed:.1e}")
            if printed is not None and 2**53 <= printed < inf
            else []
        )

    def said(self, text: str, line: LogLine) -> list[Event]:
        """The message of a word on how iterations are counted, for they are more; none without one."""
        self.at_least = self.at_least or bool(text)
        return [Message(text, at_s=line.at_s)] if text else []

    def not_read(self, field: str, printed: str) -> list[Event]:
        """The message that a value was left out, once for a log."""
        if self._reported:
            return []
        self._reported = True
        shown = f"{printed[:20]}… ({len(printed):,} characters)" if len(printed) > 40 else printed
        text = f"{field} {shown}: no number that itermon can count with; such values are left out"
        return [Message(text, level=Severity.WARNING)]

    def _another_rank(self, fields: Fields, line: LogLine) -> bool:
        """Where several ranks print, the first that does speaks for all."""
        rank = fields.get("rank")
        if rank is None and (found := RANK.search(line.text[:60])):
            rank = float(found[found.lastindex or 1])
        if self._rank is None:
            self._rank = rank
        return rank is not None and rank != self._rank

    def position(self, fields: Fields) -> int | None:
        """The iteration's number: as printed, or counted through the epochs."""
        if "iteration" in fields:
            return whole(fields["iteration"])
        if "batch" not in fields or "batches" not in fields:
            return whole(fields.get("batch"))
        epoch = fields.get("epoch", self.first_epoch or 0)
        self._lowest_epoch = min(self._lowest_epoch, epoch)
        begins_at = (self._lowest_epoch == 1) if self.first_epoch is None else self.first_epoch
        return whole((epoch - begins_at) * fields["batches"] + fields["batch"])

    def of_its_epoch(self, fields: Fields) -> Fields:
        """Of how many iterations a mean is that begins anew with its epoch, where more passed since the last line.

        What the epoch before did behind its last line is in no mean.
        """
        batch, index = fields.get("batch"), self.position(fields)
        begins = batch and index is not None and self.last is not None and index - self.last > batch
        return {"averaged_over": batch} if begins else {}

    def totals(self, fields: Fields) -> list[Event]:
        """`Config` when the line says how long the run is, and that is news."""
        total = fields.get("total")
        if total is None and "epochs" in fields and "batches" in fields:
            total = fields["epochs"] * fields["batches"]
        total = whole(total)
        if not total or total == self.total:
            return []
        self.total = total
        return [Config(origin="log", max_iterations=total)]

    def run_info(self, line: LogLine) -> RunInfo:
        """A run begins: at the first line of the log, and where iterations are counted from the beginning again."""
        stamped = line.stamped or self.clocked
        clock = ClockKind.LOG if stamped else None if line.at_s is None else ClockKind.ARRIVAL
        return RunInfo(
            framework=self.name,
            time_includes=self.time_includes,
            clock=clock,
            synchronised=self.synchronised,
        )

    @property
    def next_index(self) -> int | None:
        """The iteration that comes next, as far as the log counts them one by one."""
        return None if self.last is None else self.last + 1

    def _index(self, fields: Fields) -> int | None:
        index = whole(fields.get("iteration"))
        return self.next_index if index is None else index

    def _since_last(self, line: LogLine, steps: int) -> float | None:
        if not line.stamped or line.at_s is None or self.last_at_s is None or line.at_s < self.last_at_s:
            return None
        return (line.at_s - self.last_at_s) / steps


class OneEach:
    """Has each epoch one row, and do trainings begin again and again? Then a first epoch twice, one after the other, is two trainings'."""

    _OFTEN, _SELDOM, _SINGLE, _RARE = 3, 8, 2, 4

    def __init__(self) -> None:
        self._newest: float | None = None
        self._first = self._later = self._same = 0
        self._begins = inf  # the epoch that trainings begin with: the lowest so far, but 1 where one counts from 0
        self.known = False
        self.one_writer = False
        """A table with one heading: no other process writes between its rows."""
        self._falls = 0  # to a first epoch
        self._twice = 0  # an epoch but the first has another row, side by side
        self._fractions = False
        self._known_several: bool | None = None  # by all of the rows

    def begins_again(self, epoch: float | None) -> bool:
        """The next row, if epochs are all that counts: does another training begin with it?"""
        newest, self._newest = self._newest, epoch
        if epoch is None:
            return False
        self._begins = max(1.0, min(self._begins, epoch))
        self._first += epoch <= self._begins and (newest is None or newest >= epoch)
        if newest is not None:
            self._same, self._later = self._same + (epoch == newest), self._later + (epoch > newest)
            self._falls += epoch <= self._begins and epoch < newest
            self._fractions = self._fractions or bool(epoch % 1)
            self._twice += epoch == newest and epoch > self._begins
        side_by_side = self._same if self._twice else 0  # a second writer repeats later epochs, too
        sure = self._first >= self._OFTEN and self._later >= self._SELDOM * max(1, side_by_side)
        again = self._falls > 0 or self._same > 0  # by others: no second row of one epoch, as hardly any has one
        appended = self._is_table and again and self._later >= self._SINGLE * max(1, self._same)
        self.known = self.known or sure or appended
        if newest is None or epoch > newest:
            return False
        if epoch == newest:
            return self.known and (epoch <= self._begins or self._is_table)
        return epoch <= self._begins and self._is_table

    @property
    def _is_table(self) -> bool:
        """In a table of one writer nothing is written late: an epoch that falls to the first is another training's."""
        return self.one_writer and not self._several

    @property
    def _several(self) -> bool:
        """Are epochs told in fractions, or have several of them rows side by side?"""
        if self._fractions or self._known_several is not None:
            return self._fractions or bool(self._known_several)
        return self._twice > 0 and self._same * self._RARE > self._later

    def learn(self, other: OneEach, *, scattered: bool) -> None:
        """Take over what was found out of more rows, or of some of them, `scattered`."""
        if not scattered:
            self._known_several = bool(self._known_several) or other._several
        self.known = self.known or (other.known and not scattered and not self._several)


SAME = 1e-3
"""Of an iteration's time: a wait that is nearer to all of it leaves none for computing, and is the same stopwatch."""


def _waited_s(fields: Fields, duration_s: float | None) -> float | None:
    """For data. A script that takes both times at one place prints the whole iteration's twice."""
    wait_s = seconds(fields.get("data_wait_s"))
    if wait_s is not None and duration_s is not None and abs(wait_s - duration_s) <= SAME * duration_s:
        return None
    return wait_s
