"""Lines that name their values: `key=value`, `key: value`, `12.3k tok/s`; also below an `Epoch 3/25` on a line of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from ....events import Message, RunInfo
from ...patterns import lazy_pattern
from ..base import Example, Needs, Specificity
from ..between.bars_beside import BarsBeside
from ..between.strays import Strays
from ..between.totals import InTurns
from ..counting.lengths import GrowingLengths
from ..counting.loaded import is_of_before
from ..counting.parts import Parts
from ..counting.progression import Episodes
from ..counting.standing import RowContext
from ..evidence import is_source, loses_else, of_a_training, tells_settings
from ..means.rounded import RoundedSteps
from ..other_languages import COUNTING, LOSSES, ORDINAL
from ..parsing import phases
from ..parsing.columns import whole_loss
from ..parsing.grammar import Line, LineKind, handler
from ..parsing.phases import Heading, Phase, WordsInFront
from ..parsing.validation import of_the_newest
from ..parsing.values import COUNTER, as_number, scalars
from ..sets.found_alone import FoundAlone
from ..sets.of_a_test import set_of
from ..sets.twins import is_twin
from .line_values import COUNTED, NUMBER, called_of, epoch_first, inner_of, places_of, spelled, values_of
from .lone_times import LoneTimes, lone_time
from .loss_at_step import Unnumbered
from .samples import IN_EPOCH, Samples, place_in_front
from .series import Series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ....events import Event
    from ..parsing.columns import Role
    from ..parsing.rows import RowParser
    from ..parsing.values import Fields, LogLine

_LASTED = lazy_pattern(r"(?i)\bepisode\b.{1,200}?(?<!total )(?<!global )(?<!env )\b(steps)\b")
"""`Episode 12, Steps: 174`: so long it was."""
_BAR = lazy_pattern(r"\d%\|.{0,200}?\| {0,9}\d{1,9}/\d{1,9} \[\d{1,5}:\d\d")
_ENGLISH = ("oss", "tep", "ter", "poch", "atch", "pdate")  # without the letter that may be a capital
_WORDS = (*_ENGLISH, *map(str.upper, _ENGLISH), *LOSSES, *map(str.capitalize, LOSSES))  # one of these in each line
_PREFIX = r"[^A-Za-z]{0,90}(?:(?:INFO|DEBUG|root|__main__)\b\W{1,5}){0,2}\W{0,8}"
_METRIC = (
    rf"(?i:loss(?! scale)|{'|'.join(LOSSES)}|\bdt\b|tok(?:en)?s?/s|[ms]s?/(?:step|it)\b|\b(?:it|iter|step)s?/s)"
)
_WHEN = r"(?=.{0,60}?\d:\d\d)(?:[^\w.]{1,4}(?:(?i:at|on|time|beg[aiu]n|start|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|[ap]m\b|utc|gmt|[a-z]{2}t\b)[a-z]{0,8}|\d{1,4}(?:[hmsZ]\b|T\d\d)?(?:(?<=:\d\d)\.\d{1,9})?)){3,24}"
"""The moment at which an epoch began, behind its number: no value."""
_LEARN = ("_lone", "_series", "_parts", "_samples", "_episodes", "_unnumbered", "_strays", "_growing", "_front")
_WHOLE = lazy_pattern(r"[Ll](?:oss|OSS) ?[:=] {0,12}\d{1,9}(?:\.0{0,9})?(?![\d.eE%])")
"""A loss is printed with its decimals: `loss = 2` is a setting, `loss = 0.0` a beginning."""


class KeyValue(InTurns):
    """Lines that name their values: `step 10 | loss 2.3 | 12.3k tok/s`, `iter=10 loss=2.3 dt=381ms`, `Epoch: 3 - loss: 0.2`."""

    name = "key: value"
    about = "lines with a step or an epoch and a loss or a time; columns guessed by name, and shown"
    specificity = Specificity.GUESS
    among_others = True
    lines: ClassVar[tuple[Line, ...]] = (
        Line("oss", r"(?:^|\] )\[(?P<step>\d+)\] (?=.{0,400}?\bloss\w*=)\w[\w/]{0,40}=", "pairs"),
        Line("", rf"^(?! {{0,9}}\d{{1,9}}/\d{{1,9}} \[[=>.]{{8,60}}\] - ETA: )(?!\W{{0,9}}\d{{1,9}} {{0,2}}/ {{0,9}}\d{{1,9}} [a-z]{{4,10}}s\W{{1,5}}\d{{1,12}}\.\d)(?=.{{0,400}}?(?i:(?<!best[ _-])(?:step|iter|epoch|batch|update|{'|'.join(COUNTING)})\w*(?: train(?=:))?[\W_]{{1,12}}|\bit(?:: {{0,8}}| ?= {{0,12}}| (?=\d{{1,9}}/))|\b(?:ep[ .:#]{{0,3}}|e {{0,3}}(?=\d{{1,6}}/))(?=\d{{1,6}} {{0,2}}[]/|,:-])|\b(?:epoch|step|iter)(?=\d{{1,9}}[\]\s:,-])|{ORDINAL})\d)(?=.{{0,400}}?{_METRIC}).{{0,400}}?\d", "pairs"),  # no frame of Keras, no `5/90 steps| 2.5 s`: what counts stands in front there, not in a metric's name
        Line("", rf"^{_PREFIX}(?P<label>(?!(?i:best)\b)(?:[A-Za-z]{{1,12}}[ :-]{{1,3}}){{0,2}})[Ee](?:poch|POCH)\W{{0,12}}(?P<epoch>\d+)(?: {{0,8}}(?:/|(?:out )?of) {{0,8}}(?P<total>\d+))?(?P<tail> (?i:train(?:ing)?|eval(?:uation)?|valid(?:ation)?|test(?:ing)?))?\W{{0,8}}(?:(?P<rate>(?i:lr|learning[ _]rate)\W{{1,5}}{NUMBER})|{_WHEN})?\W{{0,3}}$",
             "heading", distinctive=False),
        Line("", rf"^{_PREFIX}(?i:(?:current|global)[ _])?(?P<label>(?i:batch|step|iter(?:ation)?))\W{{0,12}}(?P<step>{COUNTER})(?: {{0,8}}(?:/|(?:out )?of) {{0,8}}(?P<total>{COUNTER}))?\W{{0,90}}$",
             "place", distinctive=False),
        Line("", r"^(?P<label>[^()]{1,60}) \((?i:epoch)\W{0,3}(?P<epoch>\d+), (?i:(?:total|global)[ _])?(?i:step|iter(?:ation)?)s?\W{0,3}(?P<step>\d+)\)\W{0,3}$",
             "progress", distinctive=False),
        Line("oss", r"^\[(?P<epoch>\d+), *(?P<batch>\d+)\] +loss: (?P<loss>N)(?:[ ,|]{1,4}\w{1,30} ?[:=] ?[-\d.].{0,200})?$", "bracketed"),
        Line("oss", rf"^{_PREFIX}\[ *(?:(?i:train(?:ing)?|step|iter)[ :]{{1,2}})?(?P<step>{COUNTER}) */ *(?P<total>{COUNTER}) *\][ :,|-]{{1,3}}(?=.{{0,200}}?(?<![A-Za-z])[Ll]oss(?:_\w{{1,20}})?(?:['\"]? ?[:=]| {{1,3}}[a-z]\w{{0,30}}[:=]-?\d))", "pairs"),
        Line("oss", rf"^(?! {{0,8}}\d{{1,9}}/\d{{1,9}}[ :,|-]{{1,4}}(?i:train|loss))(?! {{0,8}}\[?\d{{1,9}}[][ ,|-]{{1,4}}\d{{1,9}}\]?[ |:,;-]{{1,4}}(?i:train|loss)){_PREFIX}(?:(?:(?i:train(?:ing)?|mean|avg|average)[ _]+)?(?:[Ll]oss|LOSS) ?[:=] {{0,12}}|(?i:train(?:ing)? loss) (?=\d{{1,6}}\.\d)){NUMBER}", "under"),
        Line("oss", rf"^{_PREFIX}(?:(?P<part>(?i:[gd]|gen|generator|dis|disc|discriminator|actor|critic))[ _])?(?P<set>(?i:val|valid|validation|eval|evaluation|test|dev))(?:\b.{{0,40}}?(?<![A-Za-z])|_)(?<!best[ _])(?<!neg[ _])(?<!negative[ _])[Ll]oss(?:(?: is)? ?[:=] {{0,12}}| (?=\d{{1,6}}\.\d))(?P<val_loss>N)", "validated"),
    )  # fmt: skip
    examples = (
        Example(
            """
Epoch 0/24
----------
train Loss: 0.75 Acc: 0.5
val Loss: 0.5 Acc: 0.75

Epoch 1/24
----------
train Loss: 0.5 Acc: 0.75
""",
            iterations=((0, None, 1, 0.75), (1, None, 1, 0.5)),
            evaluations=((0, {"val_loss": 0.5}),),
            variant="an epoch's heading in PyTorch's tutorial",
        ),
    )

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._heading: Heading | None = None
        self._headings: dict[Phase | None, Heading] = {}  # the newest with rows, by what they are of
        self._place: dict[str, object] = {}  # a step that stood on a line of its own
        self._placed_in, self._front, self._found_alone = RowContext(), WordsInFront(), FoundAlone()
        self._samples, self._rounded, self._episodes = Samples(), RoundedSteps(), Episodes()
        self._lone, self._series, self._growing = LoneTimes(), Series(), GrowingLengths()
        self._parts, self._unnumbered, self._strays, self._beside = Parts(), Unnumbered(), Strays(), BarsBeside()
        self._announced = self._directly = False  # an evaluation was, and no row since; on the line before
        self._evaluates: Mapping[str, object] | None = None  # a row of an evaluation so announced, on this line
        self._before_it: Mapping[str, object] | None = None  # ... on the line before
        self._trains: Mapping[str, object] = {}  # the newest of the training

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """Lines that are no rows may be of the head."""
        if "%|" in text and _BAR.search(text):  # a frame of a bar: the iteration of one is in several
            return self._beside.see(text, at_s, self.last, announced=self._announced)
        if tells_settings(text):
            self._samples.head(text)  # the size of a batch may be one of them
            return []
        if self._series.of_another(text):
            self.tag = self._series.own or ""
            return [Message(word, at_s=at_s)] if self.announced and (word := self._series.word()) else []
        self._before_it, self._evaluates = self._evaluates, None
        events = self._found_alone.read(text, super().line(text, at_s), self.last)
        if not events:
            self._samples.head(text)
            self._unnumbered.hear(text)
            phase = phases.announced(text)
            self._heading = self._heading and self._heading.behind(text)
            self._announced = phase is Phase.EVALUATION or (self._announced and phase is None)
            self._directly = phase is Phase.EVALUATION
            if (took := lone_time(text)) and not (self._strays.rare.are and "epoch" in took.name):
                self._closings.took()
                return self._lone.tell(took, self.last, at_s, self.late)
        return self._lone.pass_on(events, live=at_s is not None, again=any(type(e) is RunInfo for e in events))

    @property
    def holds(self) -> bool:
        """Does the newest row wait for its time?"""
        return self._lone.holds

    def release(self) -> list[Event]:
        """The newest row's time does not come any more, nor a row behind one that may begin another training."""
        return [*self._lone.end(), *super().release()]

    def end(self) -> list[Event]:
        """Rows under no heading of their own were left out."""
        return [*self._found_alone.end(), *super().end(), *map(Message, self._strays.words())]

    def taught(self, pupil: RowParser) -> None:
        """Also whether times stand on lines of their own, before or after their rows."""
        super().taught(pupil)
        if isinstance(pupil, KeyValue):
            for one in _LEARN:
                getattr(self, one).learn(getattr(pupil, one))
            self._counter.rows_counted *= not self._strays.one_each  # the pupil counted strays

    @classmethod
    def needs(cls, *, thorough: bool = False, distinctive: bool = False) -> Needs:  # noqa: ARG003 - for all lines
        """What each of its lines counts with, or a loss."""
        return tuple((word,) for word in _WORDS)

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:  # noqa: ARG003 - its words decide
        """What validates or prepares is no iteration, nor is a line of source code or prose."""
        if not kind.carries_iteration or phases.of_line(text) not in (None, Phase.TRAINING) or _BAR.search(text):
            return False
        trains = cls.named or _names_a_training(text, kind.name)
        return trains and not (is_of_before(text) or is_source(text) or tells_settings(text))

    @handler(texts=("label",), numbers=("step",))
    def place(self, fields: Fields, _line: LogLine) -> Sequence[Event]:
        """A step on a line of its own: that of the row which follows."""
        total, within = fields.get("total"), fields["label"].lower() == "batch"
        same = not total and self._strays.same.leave_out(fields["step"], self._heading and self._heading.epoch)
        epochs = self._epochs("batch" if within else "step", {})
        self._place = {} if same else {"step": fields["step"]} | self._total(epochs, total or 0)
        self._placed_in = RowContext(length=total, within=within, announced=self._announced)
        return []

    @handler(texts=("label",), numbers=("step",))
    def progress(self, fields: Fields, _line: LogLine) -> Sequence[Event]:
        """`Display training progress at (epoch 288, total_steps 92160)`: the place of the losses under it."""
        self._place = {"step": fields["step"], "epoch": fields["epoch"]}
        self._placed_in = RowContext(phase=phases.of_line(fields["label"]))
        return []

    @handler(texts=("label", "tail", "rate"))
    def heading(self, fields: Fields, _line: LogLine) -> Sequence[Event]:
        """An epoch begins, or its evaluation: what follows without a place of its own is of it."""
        if "rate" in fields and self._heading is None and self.last is not None:
            return []  # printed behind its epoch's rows
        phase = phases.of_line(fields.get("label", "") + fields.get("tail", ""))
        before, epoch = self._headings.get(phase), fields["epoch"]
        again = self._strays.heading(epoch) or epoch <= 1
        anew = before is not None and before.rows and (epoch < before.epoch or (again and epoch == before.epoch))
        self._heading = Heading(epoch, fields.get("total"), phase, anew)
        if phase is None and (anew or (before is not None and epoch != before.epoch)):
            self._announced = False  # the training goes on, or begins again
        return []

    @handler(iterations=True)
    def bracketed(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """`[2,  4000] loss: 1.35` of PyTorch's tutorial: its epoch and its batch, which no word names."""
        self.columns.called |= {"epoch": "the first in brackets", "batch": "the second in brackets"}
        cells = {name: fields[name] for name in ("epoch", "batch", "loss")}
        return self.row((values_of(line.text[:2000]) | cells).items(), line, RowContext(within=True))

    @handler(iterations=True)
    def under(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """Losses under a heading, or of an evaluation that the line before announced; else nobody can say of what."""
        row, place, self._place = values_of(line.text), self._place, {}
        if place:
            return self._row(row | place, line, self._placed_in)
        if self._heading is None:
            directly, self._directly, loss = self._directly, False, whole_loss(row)
            if directly and loss is not None:  # an evaluation's, also where rows before it were not read
                its = {"val_loss": loss}
                return [] if self.last is None else self.validation.whole(line, self.next_index, its)
            return self._unnumbered.read(row, line, loss, self._row, self.begun()) or self._strays.left_out(row)
        if self._strays.row(row, trains=phases.of_line(line.text[:2000]) is not Phase.EVALUATION):
            return self._strays.left_out(row)
        row |= {"epoch": self._heading.epoch, "total_steps": self._heading.epochs}
        return self._row(row, line, RowContext())

    @handler(texts=("part", "set"))
    def validated(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """What the epoch's validation found."""
        heading, row, mean = self._heading, values_of(line.text), self.validation.mean_in(line.text)
        its = {"val_loss": whole_loss(row) or fields["val_loss"] if mean is None else mean}
        if (heading is None and self.last is None) or self._strays.validated() or self.waits_too(its, line):
            return []
        index = self.next_index if heading is None or self._counter.counts_rows or self.numbered else heading.epoch
        placed = None if self._placed_in.announced else as_number(self._place.get("step"))
        index, self._place = index if placed is None else int(placed), {}
        name = self.validation.called_in(line.text, set_of(row, fields["set"]), self._trains)
        part = self._strays.is_part(row, fields["set"]) or "part" in fields
        found = scalars(row.items()) if part else self.validation.new_in(row, name, its["val_loss"])
        events = self.validation.behind_row(line, index, found, self.last)
        return events if placed is not None else [of_the_newest(event, self.last) for event in events]

    @handler(iterations=True, numbers=("step",))
    def pairs(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """The pairs of the line, as a row."""
        text = epoch_first(line.text[:2000])
        row, places = values_of(text), places_of(text)
        self.columns.called |= called_of(text, places)
        if "step" in fields:
            return self._in_brackets(fields, row, line)
        row |= {word: first for word, (first, _) in places.items()}
        if len(places) == 1 and "/" in text and (found := IN_EPOCH.search(text)):  # `Epoch: 1 [640/60000 (1%)]`
            step, length = self._samples.place(found)
            row |= {"step": step, "epoch": found[1]} | self._total(found[2], length)
            events = self._row(row, line, RowContext(length=length, within=True, of_lines=self._samples.are_lines))
            return [*events, Message(word, at_s=line.at_s)] if (word := self._samples.word()) else events
        if (front := place_in_front(text, places)) is not None:
            row = {name: value for name, value in row.items() if name not in places} | {"step": front[0]}
            length = front[1]
            return self._row(row | self._total(self._epochs("step", {}), length), line, RowContext(length=length))
        if "episode" in places and (found := _LASTED.search(text)):
            places.pop("step", None)
            row = {name: value for name, value in row.items() if name not in ("step", found[1])}
        counted = next((name for name in COUNTED if name in places and self.columns.role(name)), None)
        if counted is None:
            epochs = places.get("epoch")  # of another word nobody knows what it counts here
            read = self.columns.read(row.items()) if self.numbered and not is_of_before(text) else {}
            row |= self._total(epochs[1], 1) if epochs else {}
            return self._row(row, line, RowContext()) if epochs or {"loss", "val_loss"} <= read.keys() else []
        if (inner := inner_of(places)) is not None:
            outer = next(name for name in places if name != inner)
            row["epoch"], counted, self.columns.called["epoch"] = row.pop(outer), inner, spelled(outer, text)
        inside = counted != "episode" and "episode" in places and row.keys().isdisjoint(("epoch", "epch"))
        if inside and self._episodes.hold_steps(places["episode"][0]):
            row["epoch"], self.columns.called["epoch"] = row.pop("episode"), spelled("episode", text)
        first, of = places[counted]
        if first[-1] in "kKM":
            row[counted] = self._rounded.step(first)
        else:
            self._rounded.exact(first)
        every = self._growing.see(as_number(of) if of else None)
        row |= self._total(self._epochs(counted, places), every) if every is not None and inner is None else {}
        return self._row(row, line, RowContext(length=every, within=counted in ("batch", inner)))

    def _in_brackets(self, fields: Fields, row: dict[str, object], line: LogLine) -> list[Event]:
        """`[640] loss=2.5, steps_per_sec=4.5`, `[640/5000] Train loss: 2.5`, `[0/25][700/782] Loss_D: 0.5`."""
        two = self._samples.two(line.text[:2000], self.columns.called)
        epochs, n, of = two[1:] if two else (self._epochs("step", {}), fields["step"], fields.get("total", 0))
        row |= {"step": n} | ({"epoch": two[0]} if two else {}) | self._total(of and epochs, of)
        return self._row(row, line, RowContext(length=of or None, within=two is not None))

    def _epochs(self, counted: str, places: dict[str, tuple[str, str]]) -> float | str | None:
        """How many times the length that a step is one of is run through, as far as that is said."""
        if "epoch" in places:
            return places["epoch"][1]
        if self._heading is not None:
            return self._heading.epochs
        return None if counted == "batch" else 1

    @staticmethod
    def _total(epochs: float | str | None, length: float) -> dict[str, object]:
        return {"total_steps": (as_number(epochs) or 0.0) * length} if epochs else {}

    def _row(self, row: dict[str, object], line: LogLine, said: RowContext) -> list[Event]:
        """A row, under the heading of its epoch, if it has one."""
        if is_of_before(line.text) or self._strays.rare.leave_out(row):
            return []
        if self.columns.lesser in self._trains and is_twin(row, self._trains):
            return []  # parts alone: another row has the whole
        begun = self.part_begins(line) if self._parts.begins(line.text) else []
        self._heading = None if self._heading and self._heading.evaluates_before(row) else self._heading
        phase, heading = self._front.phase_of(line.text[:2000]), self._heading
        trains = any("train" in name.lower() for name in row)  # also below `Evaluating epoch 3`, of both
        if heading is not None and heading.phase is Phase.EVALUATION and trains:
            heading = heading._replace(phase=None)
        again = row == self._trains  # printed once more behind its evaluation
        announced = self._announced and not (self.opened or again or phases.closes(line.text))
        said, newest = said._replace(announced=announced), self.last
        directly = (self._directly and newest is None) or is_twin(row, self._trains)
        if phase is None and not trains and (directly or self._under_evaluation(row)):
            phase, self._evaluates = Phase.EVALUATION, None if newest is None else row
        self._directly, self._place = False, {}  # a place is that of the next row alone
        if phase is not Phase.EVALUATION:
            self._unnumbered.other(row)
            epoch = as_number(row.get("epoch", None if heading is None else heading.epoch))
            self._trains, row = row, self._lone.of_next_row(epoch) | row
        said = said._replace(phase=phase)
        if heading is not None:
            said = said._replace(phase=phase or heading.phase, epoch=heading.epoch, anew=heading.anew)
        events = self.row(row.items(), line, said)
        self._announced = self._announced and self.last == newest
        if events and heading is not None:
            self._heading = self._headings[heading.phase] = heading._replace(rows=True, anew=False)
        return [*begun, *events]

    def _under_evaluation(self, row: Mapping[str, object]) -> bool:
        """`Evaluation:`, and then `step 100: loss: 4.7` of the step that was just trained, or from its own beginning on and with other names."""
        if self._before_it is not None:
            return row.keys() == self._before_it.keys()
        step, trained = next((as_number(row[name]) for name in COUNTED if name in row), None), self._counter.step
        if not self._directly or "epoch" in row or None in (step, trained) or row == self._trains:
            return False
        return step == trained if row.keys() == self._trains.keys() else (step or 0) < (trained or 0)


def _names_a_training(text: str, kind: str) -> bool:
    """Is there more than a word and a number: a value that only a training has?"""
    if kind != "pairs" or loses_else(text):
        return not loses_else(text) and (kind != "under" or _WHOLE.search(text) is None)
    return of_a_training(("step", *(names := values_of(text)))) and not all(map(phases.validates, names))
