"""Bytes of a log to events, whatever its format."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

import msgspec

from ...events import ClockKind, Config, End, Iteration, Iterations, Message, RunInfo, Severity
from ..clean import clean, decoded, numbered_lines
from ..log_formats.base import BeginningParser, BlockParser, HoldingParser, LearningParser, NoParser, held_back
from ..log_formats.between.between_rows import BetweenRows
from ..log_formats.between.other_rows import OtherRows
from ..log_formats.epoch_bars.other_cells import is_notebook, trains_in_another_cell
from ..log_formats.launches import Launches
from ..log_formats.parsing.stamps import Calendar, stamp
from ..log_formats.recognition import Recogniser, Recognition
from ..log_formats.timed_patterns import new_reports
from ..log_formats.user_formats import user_formats
from .collectives import Collectives
from .doubt import Doubt
from .evaluated import Evaluated, newest_of
from .head import Head
from .last_words import ends_beside_a_row, resumed
from .line_index import LineIndex
from .samples import HURRIED_BYTES, HURRIED_LINES, SAMPLE_LINES, leaves_out, middle, numbered, sample
from .troubles import Troubles, look_for_trouble

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...events import Event
    from ..log_formats.base import LogFormat, Parser

MOST_UNRECOGNISED_BYTES = 1 << 22  # kept of a log before its first known line; a longer preface is passed over


class LogReader:
    """Reads one log, in its order: `feed` takes complete lines as `Tail` gives them.

    Args:
        lines: some of the log, to recognise its format; without them it is recognised from what is fed.
        name: what the run is called if the log does not name it.
        clock: where the times of its events come from if the lines have no time stamps.
        formats: those that it may have; `None`: all.
        secondary: another file of the run than its log: its errors are found even if its format is not known.
        index: where it writes down which line gives which iteration.
        recogniser: one that has looked at the `lines`, and is this reader's from now on.
    """

    def __init__(
        self,
        lines: Sequence[str] = (),
        *,
        name: str = "",
        clock: ClockKind | None = None,
        formats: Sequence[LogFormat] | None = None,
        secondary: bool = False,
        index: LineIndex | None = None,
        recogniser: Recogniser | None = None,
    ) -> None:
        self.recognition = Recognition(None, 0, 0, 0)
        self.lines = 0  # read so far
        self.anew = False  # all events before the newest are void; whoever was told sets it back
        self._index = LineIndex() if index is None else index
        self._name, self._clock, self._secondary = name, clock, secondary
        self._begun = self._settled = False
        self._iteration: int | None = None  # the newest
        self._info: RunInfo | None = None  # ... of what is read
        self._troubles, self._collectives, self._calendar = Troubles(), Collectives(), Calendar()
        self._head, self._launches, self.doubt = Head(), Launches(), Doubt()
        self._between, self._evaluated, self._other = BetweenRows(), Evaluated(), OtherRows()
        self._kept: deque[bytes] = deque()  # what was read, as long as the format is not settled
        self._kept_bytes = self._in_vain_bytes = self._passed_over = 0  # of that; read until then; lines before it
        self._any, self.recogniser = formats is None, recogniser or Recogniser(formats, ahead=lines)
        self._parser: Parser = NoParser()
        self._plain: re.Pattern[bytes] | None = None  # lines that `block` takes
        self._recognise(lines, seen=recogniser is not None)

    def feed(self, data: bytes, at_s: float | None = None) -> list[Event]:
        """The events of the lines in `data`. `at_s` is when the last of them arrived, where that is known.

        Until the format is recognised there are none; then come those of all lines so far. Should another format
        turn out to fit better while little was read, all is read once more, and `anew` says so.
        """
        events = self._read(data, at_s) if data else []
        return events + [Message(clean(text), level=Severity.WARNING) for text in new_reports()]

    @property
    def is_sure(self) -> bool:
        """Is the format settled, whatever comes? Then `feed_each` reads on."""
        return self._settled and self._begun and not self.doubt.remains(self.format)

    def feed_each(self, portions: Iterable[tuple[bytes, float | None]]) -> list[Event]:
        """As `feed` of each, once it `is_sure`: a tracker keeps each line by itself, and tens of thousands."""
        events: list[Event] = []
        for data, at_s in portions:
            self._feed_all(data, at_s, events)
        return events + [Message(clean(text), level=Severity.WARNING) for text in new_reports()]

    def _read(self, data: bytes, at_s: float | None) -> list[Event]:
        events: list[Event] = []
        if not self._settled:
            data = self._look_again(data)
        elif self._kept:
            self._keep(data)
        if self.format is None and not self._secondary:
            return events
        if self.format is not None and not self._begun:
            self._begun = True
            self._evaluated.look_ahead(self.format, data, self._parser)
            events.append(self._completed(RunInfo(framework=self.format.name)))
            events += (Message(clean(problem), level=Severity.WARNING) for problem in user_formats().problems)
        tried, rest = self.doubt.part(self.format, data)
        self._feed_all(tried, None if rest else at_s, events)
        if not self.doubt.proves(events) and rest:
            events += self._give_up()
        if rest and (self.format is not None or self._secondary):
            self._feed_all(rest, at_s, events)
        return events

    def _give_up(self) -> list[Event]:
        """The format was tried for long enough, and is not proven."""
        if (tried := self.format) is not None:  # only a format can be tried
            self.recogniser.leave_out(self.doubt.give_up(tried))
        self.recognition, self._parser, self._begun = Recognition(None, 0, 0, 0), NoParser(), False
        return [*self._other.void()]

    def _feed_all(self, data: bytes, at_s: float | None, events: list[Event]) -> None:
        newest = len(data) if at_s is None else data.rfind(b"\n", 0, -1) + 1
        self._feed_many(data[:newest], events)
        self._one_by_one(data[newest:], at_s, events)

    def _feed_many(self, data: bytes, events: list[Event]) -> None:
        """Lines of which nobody knows when they came: in blocks, where the format has such."""
        start = 0
        if self._plain is not None:
            for plain in self._plain.finditer(b"\n" + data):  # so that a match ends after a newline of `data`
                self._one_by_one(data[start : plain.start()], None, events)
                self._block(data[plain.start() : plain.end()], events)
                start = plain.end()
        self._one_by_one(data[start:], None, events)

    def end(self, rest: bytes) -> list[Event]:
        """The events of an unfinished last line, and how the run ended, if the last lines of the log show it."""
        drawn, _, frame = rest.rpartition(b"\r")
        events = self.feed(drawn + b"\n") if drawn.strip() else []
        self.lines -= bool(events)  # it is the same line
        before, self.anew = self.anew, False
        last = self._unfinished(frame)
        events = last if self.anew else events + last
        self.anew |= before
        events += [*self._held_back(), *self._launches.end(), *self._launches.counted(self._parser)]
        events += [*self._between.end(), *self._other.end(), *self._head.reached(self._iteration)]
        kept, left = b"".join(self._kept), self._begun and not (self._settled or self._secondary)
        if left and self.doubt.counts_elsewhere(kept, self.format, self._index.iterations, self._iteration):
            self.recognition, self._troubles, self.anew = Recognition(None, 0, 0, 0), Troubles(), True
            events = []
        if self.format is None and not self._secondary:
            lines = self.doubt.looks_at(numbered_lines(kept, self._passed_over + 1))
            events = look_for_trouble(lines, self._troubles, self._collectives, events)
        return self._read_otherwise(kept) or [*events, *self._troubles.end()]

    def _read_otherwise(self, kept: bytes) -> list[Event]:
        """The events of the log by a guess, where what was tried has no row of it, or bars of other cells."""
        whole = self._any and not (self._secondary or self._passed_over)
        none = whole and not (self._settled or self._index.iterations)
        tries = none or (whole and trains_in_another_cell(kept, self.format))
        for one in self.doubt.others(self.format, kept) if tries else ():
            self._index.read_again()
            seen = self.doubt.samples
            reader = LogReader(seen, name=self._name, clock=self._clock, formats=[one], index=self._index)
            if (events := [*reader.feed(kept), *reader.end(b"")]) and self._index.iterations:
                self.recognition, self.doubt, self.anew = reader.recognition, reader.doubt, True
                return events
        return []

    def release(self) -> list[Event]:
        """What waits for a line, of a log that has been silent for long."""
        return self._hand_on(self._parser.release()) if isinstance(self._parser, HoldingParser) else []

    def _held_back(self) -> list[Event]:
        """What the format has read and not handed on yet: it waits for a line that will not come."""
        return self._hand_on(held_back(self._parser))

    def _hand_on(self, held: Sequence[Event]) -> list[Event]:
        self._index.add_held(self.lines, events := self._evaluated.of_line(held, self._iteration, ""))
        return list(map(self._completed, self._between.handed_on(self._launches.within(events))))

    def _unfinished(self, line: bytes) -> list[Event]:
        """The events of a line that may be cut: `Epoch 1/1` of `Epoch 1/10` sets no total."""
        begun, events = self._begun, self.feed(line)
        anew = not begun or any(isinstance(event, RunInfo) for event in events)
        return events if anew else [event for event in events if not isinstance(event, Config)]

    def looks_at_last(self, line: bytes) -> None:
        """One more line to recognise the log by, which is read at its `end`: it has no newline."""
        self.recogniser.unfinished = clean(decoded(line))

    def replace_file(self) -> None:
        """What is fed from now on stands in another file: its lines count from 1."""
        self.lines = self._passed_over = 0

    @property
    def format(self) -> LogFormat | None:
        """The format of the log, once it is known."""
        return self.recognition.format

    def _look_again(self, data: bytes) -> bytes:
        """What is to be read: `data`, or all from the beginning if it spoke for another format than so far."""
        self._keep(data)
        hurried = self._guesses and self._in_vain_bytes > HURRIED_BYTES
        if back := self.doubt.comes_back(data):
            self.recogniser.take_back(back)
        another = self._recognise(sample(data, HURRIED_LINES if hurried else SAMPLE_LINES))
        if not self._settled:
            between = numbered(data) if hurried and self._guesses else middle(data)
            another = self._recognise(between, data) or another
        self._in_vain_bytes += len(data)
        if another:
            self.anew |= self._begun
            self.lines, self._begun, data = self._passed_over, False, b"".join(self._kept)
            self._head, self._launches = Head(), Launches()
            self._between, self._other = BetweenRows(), OtherRows()
            self._index.read_again()
        if self._settled and not is_notebook(self._kept[0]):
            self._kept.clear()
        return data

    @property
    def _guesses(self) -> bool:
        """Is no format known, but at most one that reads anything with named values?"""
        return self.format is None or self.format.specificity.guesses

    def _keep(self, data: bytes) -> None:
        self._kept.append(data)
        self._kept_bytes += len(data)
        while self._kept_bytes - len(self._kept[0]) >= MOST_UNRECOGNISED_BYTES:
            oldest = self._kept.popleft()
            self._kept_bytes -= len(oldest)
            self._passed_over += oldest.count(b"\n")

    def _recognise(self, lines: Sequence[str], between: bytes = b"", *, seen: bool = False) -> bool:
        """Look at more lines, maybe from `between` its ends: do they speak for another format than so far?"""
        if not lines:
            return False
        self._calendar.look_ahead(lines)
        before, own = self.format, self.recogniser
        self.recognition = own.decision() if seen else own.add(lines, between=bool(between))
        if (found := self.format) is None:
            return False
        self._settled = self.recognition.is_sure
        if self._clock != ClockKind.LOG and any(stamp(line) for line in lines if found.is_iteration(line)):
            self._clock = ClockKind.LOG
        if found is not before:
            self._parser = found.parser()
            getattr(self._parser, "calendar", self._calendar).look_ahead(lines)
        if isinstance(self._parser, LearningParser):
            known = middle(between) if between and found is not before else lines
            self._parser.learn(known, scattered=bool(between) and (known is lines or leaves_out(between)))
        if found is not before:
            self._plain = self._parser.plain if isinstance(self._parser, BlockParser) else None
        return found is not before

    def _block(self, data: bytes, events: list[Event]) -> None:
        block: Sequence[Event] | Iterations | None = self._parser.block(data)  # type: ignore[attr-defined]
        if block is None and (behind := data.find(b"\n") + 1) < len(data):  # for its first line, as a rule
            self._one_by_one(data[:behind], None, events)
            block = self._parser.block(data := data[behind:])  # type: ignore[attr-defined]
        if block is None:
            self._one_by_one(data, None, events)
            return
        lines = len(block) if isinstance(block, Iterations) else data.count(b"\n")
        self._index.add_block(self.lines + 1, block, lines)
        events += self._launches.before(block)
        if isinstance(block, Iterations) or (block and isinstance(block[0], Iteration)):
            events += self._head.before_iteration(clean(decoded(data[: data.find(b"\n")])))
        self.lines += lines
        self._note_iteration(block[-1] if block else None)
        events += self._other.rows(len(block)) if block else ()
        events += [block] if isinstance(block, Iterations) else block

    def _one_by_one(self, data: bytes, at_s: float | None, events: list[Event]) -> None:
        """Lines, if any; where it is known when they came, it is one."""
        for number, text in numbered_lines(data, self.lines + 1) if data else ():
            self._line(text, number, at_s, events)
        self.lines += data.count(b"\n")

    def _line(self, text: str, number: int, at_s: float | None, events: list[Event]) -> None:
        found = self._evaluated.of_line(self._parser.line(text, at_s), self._iteration, text)
        if found:
            self._index.add_line(number, found, text)
            events += self._between.before(found := self._between.placed(found, at_s), at_s)
            events += map(self._completed, self._head.complete(self._launches.within(found), text, self._parser))
            events += self._other.read(found, text, number)
            self._note_iteration(newest_of(found), text)
            events += self._launches.counted(self._parser, text)
            events += self._between.events(text, found, at_s, self._parser)
            if ends_beside_a_row(text) and (message := self._troubles.line(text, number, at_s, self._iteration)):
                events.append(message)
            return
        if self._launches.is_open and self.format is not None and self.format.is_iteration(text):
            self._launches.seems_row(text)
        holds, bars = (getattr(self._parser, name, False) for name in ("holds", "draws_bars"))
        if self._launches.line(text, number, holds=holds, bars=bars) and isinstance(self._parser, BeginningParser):
            self._parser.process_begins(short=self._launches.is_short, sure=self._launches.is_sure)
        self._between.is_over, self._between.opens = self._launches.follows_an_end, self._launches.opens
        events += self._launches.at_once()
        self._head.add(number, text, self._launches.begins_with)
        events += self._other.line(text, number) if self._begun else ()
        events += self._between.events(text, found, at_s, self._parser)
        if self._iteration is not None and self._info and (resumed(text) or self._launches.resumes(text)):
            self._iteration = None
            events += self._held_back()  # by the process that has ended
            events.append(msgspec.structs.replace(self._info, resumed=True))
        if not (self._troubles.may_be(text) or self._collectives.may_be(text)):
            return
        at_s = at_s or (self._calendar.stamp(text) if self._secondary else self._between.stamp(text, self._parser))
        if message := self._troubles.line(text, number, at_s, self._iteration, begun=self._launches.has_begun):
            if message.ending is not None:
                events += self._held_back()  # it came before
                self._launches.ends(message.ending)
            self._index.add_line(number, (message,))
            events.append(message)
        events += self._collectives.line(text, number, at_s)

    def _note_iteration(self, last: Event | None, text: str = "") -> None:
        if isinstance(last, Iteration):
            self._iteration = last.index
            self._troubles.go_on(text, over=False, index=last.index)
        elif isinstance(last, End):
            self._troubles.go_on("", over=True)

    def _completed(self, event: Event) -> Event:
        if not isinstance(event, RunInfo):
            return event
        self._info = msgspec.structs.replace(
            event,
            name=event.name or self._name,
            source_format=event.source_format or self.recognition.label,
            recognised=self.recognition.reason,
            known_lines=self.recognition.coverage if self.format is not None else None,
            undescribed=self.format is not None and not self.format.specificity.is_described,
            time_includes=event.time_includes or (self.format.time_includes if self.format else ()),
            clock=event.clock or self._clock,
        )
        return self._info
