"""Marian, the translation toolkit: a line each so many updates, counted through all epochs.

    [2021-05-01 10:00:25] Ep. 1 : Up. 200 : Sen. 12,800 : Cost 8.50000000 : Time 25.00s : 1500.00 words/s : gNorm 1.5000 : L.r. 3.0000e-05
    [2021-05-01 10:00:25] Saving model weights and runtime parameters to model.npz
    [2021-05-01 10:00:30] [valid] Ep. 1 : Up. 200 : cross-entropy : 90.5 : new best
`Time` began at the line before, whatever came in between, and of the first line it is not known over how many updates. So
a row whose time is much less than its stamps say is the first of another process, or stands behind rows that were cut
out. How many updates are in it is known where the process before it came to its end, or by the setting. The
cost is that of a sentence, or of a word, as the settings want it; behind ` * ` stands over how many it is the mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import CHECKPOINT, DATA, EVALUATION, SpanEnd
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.row_times import PART, stands_for
from ...parsing.values import seconds, whole

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_PLACE = r"\bEp\. {1,3}[\d.]{1,12} : Up\. (?P<iteration>\d+)"


class Marian(LineParser):
    """Updates."""

    name = "Marian"
    about = "Time over the updates since the line before: a mean, with validation and saving; loss: Cost"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    mean = True
    lines = (
        Line(
            " : Sen. ",
            rf"{_PLACE} : Sen\. [\d,]{{1,20}} : Cost (?P<loss>N)(?: \*.{{0,60}}?)? : Time (?P<took>N)s : [\d.naif]{{1,20}} words/s"
            r"(?: : gNorm (?P<gradient_norm>N))?(?: : L\.r\. (?P<learning_rate>N))?",
            "updates",
        ),
        Line(
            "[valid] Ep.",
            rf"\[valid\] {_PLACE} : (?P<metric>[\w -]{{1,40}}) : (?P<value>N) : (?:new best|stalled )",
            "valid",
        ),
        Line(
            "Saving model weights",
            r"\bSaving model weights and runtime parameters to (?P<detail>\S{1,400})",
            "checkpoint",
        ),
        Line("Training started", r"\] Training started\s*$", "launched", distinctive=False),
        Line("Training finished", r"\] Training finished\s*$", "finished", distinctive=False),
        Line("disp-freq: ", r"\[config\] disp-freq: (?P<value>\d+)u?\s*$", "shown_each", distinctive=False),
    )
    examples = (
        Example(
            """
[2021-05-01 10:00:00] Ep. 1 : Up. 100 : Sen. 6,400 : Cost 9.50000000 : Time 50.00s : 1500.00 words/s
[2021-05-01 10:00:25] Ep. 1 : Up. 200 : Sen. 12,800 : Cost 8.50000000 * 64,000 @ 640 after 128,000 : Time 25.00s : 1500.00 words/s : gNorm 1.5000 : L.r. 3.0000e-05
[2021-05-01 10:00:25] Saving model weights and runtime parameters to model.npz
[2021-05-01 10:00:30] [valid] Ep. 1 : Up. 200 : cross-entropy : 90.5 : new best
[2021-05-01 10:01:00] Ep. 2 : Up. 300 : Sen. 6,400 : Cost 7.50000000 : Time 35.00s : 1500.00 words/s
""",
            iterations=((100, None, 1, 9.5), (200, 0.25, 100, 8.5), (300, 0.35, 100, 7.5)),
            evaluations=((201, {"cross-entropy": 90.5}),),
            checkpoints=(201,),
        ),
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._every = 0  # updates from one line to the next
        self._is_first = False  # is the next row the first of its process?
        self._has_finished = False
        self._ended_at: int | None = None  # the last update of a process that came to its end, and saved it

    @handler(iterations=True, numbers=("took",))
    def updates(self, fields: Fields, line: LogLine) -> list[Event]:
        """So many updates in `Time`."""
        index, took_s = whole(fields["iteration"]), seconds(fields.pop("took"))
        over = 0 if index is None or took_s is None else self._updates_in(took_s, index, line)
        if took_s is not None and over:
            fields |= {"duration_s": took_s / over, "averaged_over": over}
        self._is_first, self._has_finished, self._ended_at = False, False, None
        return self.iteration(fields, line)

    def _updates_in(self, took_s: float, index: int, line: LogLine) -> int:
        """In how many updates the time went; 0 where nobody knows."""
        if self.last is None or index <= self.last:
            return 0
        if self._is_first:
            begun = self._ended_at
            return 0 if begun is None or not self.last <= begun < index else index - begun
        updates = index - self.last
        passed_s = None if line.at_s is None or self.last_at_s is None else line.at_s - self.last_at_s
        if passed_s is None or took_s >= PART * passed_s - 1.0:
            self._every = self._every or updates
            return updates
        over = stands_for(took_s, updates, self._every, passed_s)
        return over if over < updates else 0

    @handler()
    def launched(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """A process begins to train."""
        self._is_first, self.started = True, self.last is not None
        return []

    @handler()
    def finished(self, fields: Fields, line: LogLine) -> list[Event]:
        """It came to its end: what it validates now is of its last update, which it saves."""
        self._has_finished = True
        return self.done(fields, line)

    @handler(numbers=("value",))
    def shown_each(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The setting: a row each so many updates."""
        self._every = whole(fields["value"]) or 0
        return []

    @handler(texts=("metric",), numbers=("value",))
    def valid(self, fields: Fields, line: LogLine) -> list[Event]:
        """One metric of a validation: those of one follow each other."""
        found: Fields = {fields["metric"].strip(): fields["value"]}
        after = whole(fields["iteration"])
        self._ended_at = after if self._has_finished else self._ended_at
        if after is None or self.last is None or after <= self.last:
            return self.evaluation(found, line)
        events = self.evaluation(found | {"iteration": after}, line)  # no line of that update is in the log
        return [replace(event, after=after) if isinstance(event, SpanEnd) else event for event in events]
