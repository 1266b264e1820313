"""What PyTorch's ImageNet example and its children share: `Test: [ 10/196]  Time 0.300 (0.400)  Loss 2.1 (2.2)` is a part of an
evaluation. Its meters begin anew with it: the mean in brackets times the number of batches is its length.

So do those of an epoch. A row shows the newest batch alone; the means of two rows tell what all between them took, and waited.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ...patterns import lazy_pattern
from ..means.means_so_far import SoFar
from ..parsing.grammar import Line, handler
from ..parsing.lines import LineParser
from ..parsing.phases import Phase, announced
from ..parsing.validation import Validation
from ..parsing.values import as_number, number, seconds, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ....events import Event
    from ..parsing.values import Fields, LogLine

_TESTED = r"(?i:test|val|valid|validation|eval|evaluation): *\[ *(?P<batch>\d+)/(?P<batches>\d+)\]"

TESTS = Line(
    "Time", rf"{_TESTED}\s+Time:? +[\d.]+ \( *(?P<duration_s>N)\)"
    r"(?:.{{0,80}}?\bLoss:? +\S+ \( *(?P<loss>N)\))?", "tests")  # fmt: skip

TESTED = Line("[", rf"{_TESTED}(?:\s+Time:? +(?P<duration_s>N)(?= |\t|$))?(?=\s)", "tested", distinctive=False)
"""... without means: `Test: [10/196]  Time 0.300  EPE 2.1`. What its batches took only the lines' stamps tell."""

_TOOK = lazy_pattern(
    r"(?i)\W{0,4}(?:test|val|eval)[a-z]{0,8}[ _](?:time|took)\W{1,4}(\d{1,3}:\d\d:\d\d(?:\.\d{1,9})?)\W{0,4}$"
)
"""`Testing time:  0:00:39.5`: the whole evaluation, of which the lines of its batches tell a part alone."""

_UNSURE = 0.02
"""Of a batch's time: a wait that may be wrong by more than this is not told."""

_STOPS = ("sav", "checkpoint", "eval", "test", "valid")
"""What a line between two rows says of that may have taken the time, whether or not each row has one."""


class Meters(LineParser):
    """Lines of training and of evaluations, with meters for both."""

    heeds_the_front = True

    def __init__(self) -> None:
        super().__init__()
        self.validation = Validation()
        self._announced = self._evaluates = False  # was an evaluation? Are the rows its own since?
        self._place: tuple[object, float] | None = None  # the newest row's epoch, and its batch
        self._so_far, self._waits = SoFar(), SoFar()
        self._several = False  # processes print their rows side by side: each waits for its own data
        self._batch = 0  # of the newest row
        self._again = False  # the newest line is another process's row of the newest place
        self._beside = False  # a line came behind it that tells of a save, an evaluation
        self._lines: int = 0  # others behind it; and as many as come behind each row: prints of a loss
        self._usual: int | None = None
        self._from_one = False  # is an epoch's first batch number 1, by proof?
        self._apart = 0.0  # batches from row to row

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:
        """Is an epoch's first batch number 1, as where its last row is `[400/400]`? How far do rows stand apart?"""
        found = (self.match(text) for text in lines if "ime" in text)
        rows = (one[1].groupdict() for one in found if one is not None and one[0].carries_iteration)
        places = [(number(row.get("batch") or ""), number(row.get("batches") or "")) for row in rows]
        batches_of = [(batch, batches) for batch, batches in places if batch is not None and batches is not None]
        apart = [batch - before for (before, _), (batch, _) in pairwise(batches_of) if batch > before]
        if not scattered and apart:
            self._apart = min(apart)
        if len(batches_of) > 1 and all(batch == batches for batch, batches in batches_of):
            self._apart = max(batches for _, batches in batches_of)  # a row an epoch, with its last batch
        if any(batch == batches for batch, batches in batches_of) and all(batch for batch, _ in batches_of):
            self._from_one = True

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """Between two rows that stand side by side nothing else is told of that may have taken the time."""
        self._again = False
        events = super().line(text, at_s)
        if not events and "ime" in text and (took := _TOOK.match(text)) is not None:
            return self.validation.over(took_s=seconds(as_number(took[1])))
        if not (events or self._again) and text.strip():
            self._lines += 1
            if (phase := announced(text)) is not None:
                self._announced = phase is Phase.EVALUATION
                self._evaluates = self._evaluates and self._announced
            self._beside = self._beside or any(word in text.lower() for word in _STOPS)
        return events

    def _stopped(self, *, begins: bool) -> bool:
        """May something between the newest two rows have taken the time? `begins`: the latter is the first of its epoch."""
        beside = self._beside or self._lines > (self._usual or 0)
        if not begins:
            self._usual = self._lines if self._usual is None else min(self._usual, self._lines)
        self._beside, self._lines = False, 0
        return beside

    @handler(iterations=True, texts=("so_far", "waits_so_far"))
    def iteration(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch of the training, with which an evaluation is over."""
        if self._is_of_evaluation(fields):
            return self.part_of_evaluation(fields, line)
        waits = fields.pop("waits_so_far", None)
        if (mean := fields.pop("so_far", None)) is not None:
            fields |= self._hidden(fields, mean, waits)
        return [*self.validation.over(), *super().iteration(fields, line)]

    def _is_of_evaluation(self, fields: Fields) -> bool:
        """Has the count of an epoch gone back behind a line that an evaluation begins? Until another epoch the rows are its own."""
        place, before = (fields.get("epoch"), fields.get("batch", 0.0)), self._place
        again = before is not None and place[0] is not None and place[0] == before[0]
        back = again and before is not None and place[1] <= before[1]
        self._evaluates = again and (self._evaluates or (self._announced and back))
        if not self._evaluates:
            self._announced, self._place = False, place
        return self._evaluates

    def _hidden(self, fields: Fields, mean: str, waits: str | None) -> Fields:
        """The mean of all batches since the row before of the same epoch, where one of them took longer than the printed one.

        What is waited for data is of all of them, too: one batch's wait says nothing of those that no row is of.
        """
        batch, index = whole(fields["batch"]), self.position(fields)
        if index is not None and index == self.last:
            self._several = self._again = True
            self._so_far.again(mean)
            return {}
        begins = batch is None or index is None or self.last is None or index - self.last != batch - self._batch
        own = begins and self._from_one and 0 < (batch or 0) <= self._apart  # a mean of all since the epoch began
        if begins:
            self._so_far.begin(known=own)
            self._waits.begin(known=own)
        self._batch, beside = batch or 0, self._stopped(begins=begins) and not own
        count = self._batch if self._from_one else self._batch + 1
        most = 0 if self._several else whole(fields.get("batches")) or 0
        found = self._so_far.between(count, mean, fields["duration_s"], most=most)
        allowed_s = _UNSURE * (found[0] if found else fields["duration_s"])
        wait_s = None if waits is None else self._waits.each(count, waits, allowed_s)
        if found and not beside:
            wait_s = wait_s if wait_s is not None and wait_s <= found[0] and not self._several else None
            return {"duration_s": found[0], "averaged_over": found[1], "data_wait_s": wait_s}
        return {}

    @handler()
    def tests(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch of an evaluation."""
        mean_s, loss = fields["duration_s"], fields.get("loss")
        part = {"iteration": fields["batch"], "length": fields["batches"], "spent_s": mean_s * fields["batches"]}
        return self.validation.part(part, line, self.next_index, {} if loss is None else {"val_loss": loss})

    @handler()
    def tested(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch of an evaluation that shows its own time alone, which is not that of others: the first one's was over with its line."""
        first_s = fields.get("duration_s", 0.0) if not fields["batch"] else 0.0
        part = {"iteration": fields["batch"], "length": fields["batches"], "first_s": first_s}
        return self.validation.part(part, line, self.next_index, {})

    def part_of_evaluation(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch of one that prints what the training prints, with its own length."""
        mean_s = number(fields.get("so_far") or "")
        counted = "batches" in fields and mean_s is not None
        return self.tests(fields | {"duration_s": mean_s}, line) if counted else []

    def end(self) -> list[Event]:
        """The log is over: an evaluation at its end is, too."""
        return self.validation.over()
