"""Rows that count on, of a script that nobody knows: lines with a number and values, or blocks of a line that counts and its values.

    Episode 12/500, Steps: 174, Score: 1704          current step: 3th step          REPORT
    TIMESTEP 25 / STATE explore / REWARD 0.1         batch loss:3.8                    Batch = 300
                                                                                       Correct = 50.31%
A number behind the word `step` is not enough: a recipe has steps too. Nothing is read before rows of one kind have counted on
(`counting/progression.py`), each with the same values of a training. And no such log is read that another format finds an iteration in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ....events import EVALUATION, Message
from ...patterns import lazy_pattern
from ..base import Example, Specificity
from ..between.late_values import repeated, told_again
from ..between.totals import InTurns
from ..counting.bare_clocks import PackedClock
from ..counting.parts import Firsts, counts_on
from ..counting.progression import Alone, Episodes, Progression
from ..counting.standing import RowContext
from ..evidence import tells_settings
from ..parsing import phases
from ..parsing.columns import whole_loss
from ..parsing.grammar import Line, handler
from ..parsing.phases import Phase
from ..parsing.values import ended, scalars
from ..plain.epochs_twice import Echoes
from .counted_lines import (
    COUNT,
    COUNT_IN_EPOCH,
    COUNT_IN_FRONT,
    OF_THE_RUN,
    TRAINS,
    Count,
    Heads,
    counts_of,
    ends,
    epoch_of,
    is_timed,
    is_trained,
    is_value,
    named_at,
    named_in,
    of_a_training,
    of_its_own,
    phase_of,
    starts,
    tells_of_else,
    values_in,
    words_at,
    words_of,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence

    from ....events import Event
    from ..parsing.columns import Role
    from ..parsing.grammar import LineKind
    from ..parsing.rows import RowParser
    from ..parsing.values import Fields, LogLine

_FRAME = lazy_pattern(r"\d/\d{1,9} {1,3}\[[=>.]|%\|")
"""A bar's frame: its values are those of one of the steps that it counts, and not of a heading above it."""
_MOST_HELD, _MOST_LINES, _MOST_KINDS, _MOST_NAMED = 64, 40, 200, 64
_ONES_OWN = 2  # times that a block has a value: of the training and of its evaluation


class Record(NamedTuple):
    """A row: its lines, what may count it, and the names of its values."""

    lines: list[LogLine]
    counts: list[Count]
    words: frozenset[str]
    begins: bool = False  # another process, with this row


class CountedRows(InTurns):
    """Rows, once they have counted on."""

    name = "counted lines"
    about = "lines or blocks of an unknown script whose numbers count on; columns guessed by name, and shown"
    specificity = Specificity.UNPROVEN
    lines: ClassVar[tuple[Line, ...]] = (
        Line("", COUNT, "counts"),
        Line(" epoch", COUNT_IN_EPOCH, "counts"),
        Line("", COUNT_IN_FRONT, "counts"),
        Line("", TRAINS, "values"),
    )
    examples = (
        Example(
            """
Episode 1/500, Steps: 174, Score: 1704
Episode 2/500, Steps: 114, Score: 1040
Episode 3/500, Steps: 135, Score: 1304
""",
            iterations=((1, None, 1, None), (2, None, 1, None), (3, None, 1, None)),
            variant="episodes",
        ),
        Example(
            """
current step: 1th step
batch loss:2.5
current step: 2th step
batch loss:2.25
current step: 3th step
batch loss:2.125
""",
            iterations=((1, None, 1, 2.5), (2, None, 1, 2.25), (3, None, 1, 2.125)),
            variant="blocks",
        ),
        Example(
            """
[2023-03-29 01:13:44 AM-Train.py-INFO:[Val Info]:epoch: 1, dice: 0.625]
[2023-03-29 11:14:14 AM-Train.py-INFO:[Val Info]:epoch: 2, dice: 0.75]
[2023-03-29 03:42:42 PM-Train.py-INFO:[Val Info]:epoch: 3, dice: 0.8125]
""",
            iterations=((1, None, 1, None), (2, 36030.0, 1, None), (3, 16108.0, 1, None)),
            variant="epochs that their evaluations tell of",
        ),
    )

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._head: Record | None = None  # a line that counts, whose values are still to come
        self._answered = False  # ... but for an evaluation's, which have come
        self._each: int | None = None  # lines of a block, at most
        self._trains = False  # a row of the training has come: until then those of evaluations count its epochs
        self._says_train = False  # some rows of it say so
        self._answers = self._repeated = 0  # evaluations behind their own row; rows of a place that has one
        self._alone = Alone[Record]()  # evaluations without a row of the training between them
        self._words: frozenset[str] = frozenset()  # of the newest row
        self._second: frozenset[str] = frozenset()  # of the newest that stood at the place of the one before
        self._held: list[Record] = []  # until it is known what counts
        self._progressions: dict[tuple[tuple[str, str], frozenset[str]], Progression] = {}
        self._episodes, self._packed, self._firsts, self._heads = Episodes(), PackedClock(), Firsts(), Heads()
        self._summed: float | None = None  # when the line came that closed the training of an epoch
        self._named, self._inside = set[str](), set[str]()  # values of rows; of many lines under one heading
        self._echoes = Echoes()
        self._kind: tuple[str, str] | None = None  # of the rows: what counts them

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:  # noqa: ARG003 - its words decide
        """What announces an end is no row, nor is the best so far."""
        return kind.carries_iteration and not ends(text)

    @handler(iterations=True)
    def counts(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """A line that may count: a row, or the head of one."""
        if self._heads.tell_apart(line.text):
            return []
        phase = phase_of(line)
        events, counts = self._close(), self._counts_of(line, phase)
        if phase is Phase.EVALUATION and self._kind is not None and not counts:
            return [*events, *self._told(line)]
        self._summed = (line.at_s if line.stamped else None) if phase is Phase.TRAINING else None
        words = words_of(line.text) or words_at(counts, line.text)
        self._trains = self._trains or bool(counts and words and phase is not Phase.EVALUATION)
        self._says_train = self._says_train or phase is Phase.TRAINING
        record = Record([line], counts, words)
        if words:
            return [*events, *self._row(record)]
        self._head, self._answered = record, False
        return events

    @handler()
    def values(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """Values of the row at hand."""
        head = self._head
        if head is None and self.last is not None and phase_of(line) is Phase.EVALUATION:
            loss = whole_loss(values_in(line.text))
            values = {self.validation.called_in(line.text): loss or 0.0}
            return [] if loss is None else self.validation.behind_row(line, self.last, values, self.last)
        if head is None or len(head.lines) >= _MOST_LINES or tells_of_else(line.text) or _FRAME.search(line.text):
            return []
        if not is_trained(phase_of(line)):
            self._answered = True
            return []
        if not (words := words_of(line.text)).isdisjoint(self._inside):
            return []
        self._head = Record([*head.lines, line], head.counts, head.words | words)
        return self._close() if len(self._head.lines) == self._each else []

    def _told(self, line: LogLine) -> list[Event]:
        """Results of an epoch, or one more row: what counts on without a row of the training between is all that the training prints.

        `epoch: 1, dataset: test, dice: 0.8` behind rows of other data in one file: another script's, or of other settings.
        """
        row = None if self._says_train or self._answers >= _ONES_OWN else self._as_row(line)
        if row is None:
            return self._results(line)
        results = [
            event for one in self._alone.hold(row, row.counts[0].n) for event in self._results(one.lines[0])
        ]
        rows = self._alone.proven()
        self._trains = self._trains and not rows
        return [*results, *(event for one in rows for event in self._read_row(one))]

    def _as_row(self, line: LogLine) -> Record | None:
        """An evaluation as a row, if all but the name of its data is as in those of the training, and it is not the newest one's."""
        text = line.text[:2000]
        count = next((one for one in counts_of(text) if one.key == self._kind and one.word == "epoch"), None)
        named_in_front = phases.of_line(text[: text.lower().find("epoch")]) is Phase.EVALUATION
        if count is None or named_in_front or words_of(text) != self._words:
            return None
        if count.n == self.last and not self._alone.waits:
            self._answers += 1
            return None
        return Record([line], [count], self._words)

    def _results(self, line: LogLine) -> list[Event]:
        """`[Val] Epoch 3: total=1.5`: an evaluation is over, which began behind `[Train] Epoch 3: ...`, if that was said."""
        began_s, self._summed = self._summed, None
        named = named_at(line.text)
        found = scalars((name, value) for name, value in values_in(line.text).items() if name in named)
        if not found or self.last is None:
            return []
        took_s = line.at_s - began_s if began_s is not None and line.stamped and line.at_s is not None else None
        return [ended(EVALUATION, line.at_s, self.next_index, took_s, values=found)]

    def release(self) -> list[Event]:
        """The newest block is whole; one whose values are still to come has only begun."""
        head = self._head
        begun = head is not None and not (head.words or self._answered or self._is_part(head))
        events = [] if begun else self._close()
        if events and not self.announced:
            self.announced = True
            return [self.run_info(self._held[0].lines[0]), *events]
        return [*events, *super().release()]

    def end(self) -> list[Event]:
        """What has only begun does not go on."""
        self._head, told = None, [event for one in self._alone.over() for event in self._results(one.lines[0])]
        said, self._repeated = repeated(self._repeated, "epoch" if "epoch" in (self._kind or ()) else "place"), 0
        return [*told, *super().end(), *map(Message, said)]

    def _counts_of(self, line: LogLine, phase: Phase | None) -> list[Count]:
        """What may count on a line of the training; on one of an evaluation that of the training, if that has no lines."""
        if phase is Phase.PREPARATION or tells_of_else(line.text) or tells_settings(line.text):
            return []
        counts = self._echoes.left_out(counts_of(line.text))
        return counts if is_trained(phase) or (not self._trains and of_a_training(counts, line.text)) else []

    def _close(self) -> list[Event]:
        """The block at hand is whole."""
        if (head := self._head) is None:
            return []
        self._head = None
        if (head := self._without_rows_inside(head)).words:
            self._each = max(len(head.lines), self._each or 0)  # not each epoch is evaluated
        return self._row(head)

    def _without_rows_inside(self, head: Record) -> Record:
        """A value that comes again and again under one heading, as a bar's does, is of rows inside: none speaks for all."""
        if len(head.lines) <= _ONES_OWN:
            return head
        named = [words_of(line.text) for line in head.lines[1:]]
        self._inside |= {
            word for words in named for word in words if sum(word in one for one in named) > _ONES_OWN
        }
        own = zip(head.lines[1:], named, strict=True)
        lines = [line for line, words in own if words.isdisjoint(self._inside)]
        return head._replace(lines=[head.lines[0], *lines], words=head.words - self._inside)

    def _row(self, record: Record) -> list[Event]:
        if self._kind is not None:
            told = [event for one in self._alone.over() for event in self._results(one.lines[0])]
            return [*told, *self._read_row(record)]
        on = counts_on([one.counts for one in self._held], record.counts) and not self.surely
        record, self.opened = record._replace(begins=self.opened and not on), False
        if len(self._held) >= _MOST_HELD:
            self._held.pop(next((place for place, one in enumerate(self._held) if not one.words), 0))
        self._held.append(record)
        self._kind = self._proven(record)
        return [event for each in self._held for event in self._read_row(each)] if self._kind is not None else []

    def _proven(self, record: Record) -> tuple[str, str] | None:
        """What counts the rows, once it has counted on."""
        if not record.words:
            return None
        for count in record.counts:
            kind = (count.key, record.words)
            if kind not in self._progressions and len(self._progressions) >= _MOST_KINDS:
                return None
            epoch = count.epoch if count.epoch is not None else epoch_of(record.counts, count)
            if self._progressions.setdefault(kind, Progression()).see(count.n, epoch):
                self._heads.name(record.words)
                return count.key
        return None

    def _count_of(self, record: Record) -> Count | None:
        return next((one for one in record.counts if one.key == self._kind), None)

    def _is_part(self, record: Record) -> bool:
        """Has it some of the values that rows have, and no other? Rows may have more of them at times."""
        return bool(named := named_in(record.lines)) and named <= self._named

    def _read_row(self, record: Record) -> list[Event]:
        count, self.opened = self._count_of(record), self.opened or record.begins
        if count is None or self._kind is None:
            self._episodes.hear(record.lines[0].text)
            return []
        jumps = self.last is None or not 0 <= count.n - self.last <= 1
        if not (record.words or self._is_part(record)) or (jumps and self._heads.have_none_of(record.words)):
            return []  # a head without values is a start, perhaps of nothing
        if record.words and len(self._named) < _MOST_NAMED:
            self._named |= named_in(record.lines)
            self._heads.see(record.lines[0].text, record.words)
        if self._second == record.words != self._words and count.n == self.last:
            self.opened = self.said_again = False  # each epoch has one: what came again before it each epoch says
        self._words = record.words or self._words
        own = of_its_own(record.lines)
        line = next((one for one in reversed(own) if one.stamped), own[-1])
        line = line if is_timed(record.lines, record.counts, count) else line._replace(at_s=None, stamped=False)
        row: dict[str, object] = {}
        for one in reversed(own):
            row |= self._packed.in_values(values := values_in(one.text), self.columns.called)
            row |= {name: value for name, value in values.items() if is_value(name, value)}
        epoch = count.epoch if count.epoch is not None else epoch_of(record.counts, count)
        if epoch is None and count.word != "episode":
            epoch = self._episodes.of_steps(next((one.n for one in record.counts if one.word == "episode"), None))
        of_epoch = count.word == "epoch" and "loss" in self.columns.read(row.items()) and not self.numbered
        if (place := "epoch" if of_epoch else "step") == "step":
            self.columns.called["step"] = "the number in front" if count.key[0] == "in front" else count.word
        of_run = count.of_run or count.word in OF_THE_RUN
        of_all = {"total_steps": count.of} if count.of and of_run else {}
        length, inside, whole = None if of_all else count.of, count.epoch is not None, count.word == "epoch"
        anew = starts(record.lines[0].text, count, self.last) or (of_all and self._firsts.begins(count, self.last))
        said = RowContext(length=length, within=inside, epoch=epoch, counted=whole, anew=bool(anew))
        said = RowContext(phase=Phase.EVALUATION) if self._heads.evaluate(row) and len(own) == 1 else said
        epochs = next((one.of for one in record.counts if one.word == "epoch"), None)
        of_all = {"total_steps": epochs * length} if epochs and length and place == "step" else of_all
        return self.row((row | of_all | {place: count.n}).items(), line, said)

    def _trained(self, read: Fields, line: LogLine) -> list[Event]:
        """An iteration; or one more row of the newest, as scripts print many of an epoch."""
        again = read["iteration"] == self.last is not None and not self.started
        if again and not self._another_rank(read, line):
            self._repeated, self._second = self._repeated + 1, self._words
            return [*told_again(read, self.last or 0)]
        return super()._trained(read, line)

    def taught(self, pupil: RowParser) -> None:
        """Also whether a number is a time of day."""
        super().taught(pupil)
        self._packed.learn(getattr(pupil, "_packed", self._packed))
        self._echoes = getattr(pupil, "_echoes", self._echoes)
