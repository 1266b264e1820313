"""Lines that a person should see, whatever wrote the log: tracebacks, out of memory, time-outs, kills, the end."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import End, EndReason, Message, Severity
from ..log_formats.parsing.grammar import LAUNCHER, shape_of
from ..patterns import lazy_pattern
from . import last_words
from .fatal.survived import Survived
from .fatal.words import CHECKED, WORDS
from .last_words import QUEUE, begins, cancelled, exited, finished, interrupted, not_started, of_queue, signalled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import Event
    from .collectives import Collectives

_PREFIX = lazy_pattern(rf"^(?:\[\d{{1,6}}\]:? ?)?{LAUNCHER}")
"""What launchers and loggers put in front of a process's lines."""

_MOST_PREFIX = 400  # characters
_STAMP = lazy_pattern(r"\d\d:\d\d:\d\d[.,\d]*")
"""What differs from line to line. The rest of a prefix says whose line it is: ranks write
their tracebacks through each other."""

_TRACEBACK = "Traceback (most recent call last)"
_OF_A_THREAD = "Exception in thread "
"""Python's words in front of a traceback that ends one thread: its process goes on, or is at its end already."""
_CAUGHT = lazy_pattern(
    r"(?i)\bexception ignored in\b|^(?:-+ logging error -+|error in atexit\b|exception in callback\b)"
    r"|\b(?:task|future) exception was never retrieved"
)
"""Words of Python's, too, in front of one that ends nothing; the first also behind a bar's frame."""
_NEAR = 2
"""Lines from there to the traceback, at most."""
_CHAINED = ("During handling of the above exc", "The above exception was the direct cause")
_FRAME = '  File "'
_OF_MODULE = lazy_pattern(r", in <module>\s*$|<frozen importlib")
_IMPORTS = ("ModuleNotFoundError", "ImportError")
"""A module's own lines alone lead to such an error: a program that begins, and none that has trained."""

_OF_LIBRARIES = lazy_pattern(
    r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib(?:64)?[/\\]python\d|[/\\]Lib[/\\]|<frozen "
)
_SOURCE = lazy_pattern(
    r"([A-Za-z_][\w.]{0,60})(?::\d+)?[])]?(?: ?[-:|\[] ?| )(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b"
    r"|\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)[])]?(?: ?[-:|] ?| )([A-Za-z_][\w.]{0,60})"
    r"(?::\d+)?(?=[])]?(?: ?[-:|]| ?$))"
)
"""Who logs a line: `2025-01-31 10:00:00 - train.py - INFO - `, `ERROR:tornado.application:`."""
_ERROR = ("ERROR", "CRITICAL")
_EXCEPTION = lazy_pattern(r"(?:[a-z_]\w{0,60}\.){0,9}[A-Z]\w{0,80}(?:: |:?$)")
_BARE = lazy_pattern(r"(?:[a-z_]\w{0,60}\.){0,9}[A-Z]\w{0,80}(?:Error|Exception): +(?![-+.\d])\S")
"""An exception without its traceback: a line begins with it. If it was caught, it is not the last word.
A metric (`ValError: 0.3`) is none."""

_MOST_TRACEBACK_LINES = 300
_MOST_CHARACTERS = 300  # of a message
_LEAST_OPENING, _MOST_OPENING = 30, 120  # characters of the first line of a log, that are like no other's
_NUMBERS, _WORD = lazy_pattern(r"\d+"), lazy_pattern(r"[A-Za-z]{6,}")
_MOST_MESSAGES = 200  # of each severity, that differ: a broken network warns for ever
_MOST_AGAIN = 10_000  # of each severity in all: what is said again and again is counted
_INTERRUPTED = ("KeyboardInterrupt", "SystemExit", "SignalException")
_ENDS_WELL = "SystemExit: 0"
"""`exit(0)`: the script ends itself."""

_OWN_HINTS = (
    *(
        "traceback",
        "exception in thread",
        "error",
        "out of memory",
        "watchdog",
        "nccl warn",
        "core dumped",
        "oom-",
        "oom_",
        "time limit",
    ),
    *("no space", "sigkill", "/luajit: ", *last_words.HINTS),
)
_HINTS = (*_OWN_HINTS, *(one for one in map(str.lower, WORDS) if not any(map(one.__contains__, _OWN_HINTS))))
"""Each line that says anything holds one of these, in lower case. Hardly a line does: to look takes 1 µs, and all
that a line might say 10 µs."""

_Found = tuple[str, Severity, "EndReason | None"]


class Troubles:
    """Finds them, line after line. Of a traceback, only its last line is reported: the exception."""

    def __init__(self) -> None:
        self.last: Message | None = None
        """The newest message that says how the run has ended if nothing follows."""

        self._is_last_reported = True
        self._anew = False  # has a process begun since then?
        self._reported: Counter[Severity] = Counter()
        self._texts: dict[Severity, set[str]] = {}
        self._tracebacks: dict[str, int] = {}  # lines so far, by the prefix of the rank that writes it
        self._of_threads = 0  # tracebacks to come that end no process
        # Prefixes of ranks whose newest traceback is one of these; and is that said by its frames alone?
        self._ends_thread: dict[str, bool] = {}
        self._of_thread = ""  # the newest exception of them: two threads write theirs through each other
        self.row = ""  # the newest line of an iteration
        self._is_over = False  # has its training said since then that it had come to its end?
        self._not_started: int | None = None  # behind this iteration another process said that it could not begin
        self._importing: dict[str, bool] = {}  # by prefix: are all frames so far those of modules' own lines?
        self._failed_to_import = False
        self._caught = -_NEAR - 1  # the newest line that says that the next one was caught
        # The newest line that is an error in a logger's form: its number, whose it is, and when it was.
        self._logged: tuple[int, str, float | None] = (-1, "", None)
        self._libraries: dict[str, bool] = {}  # logged, by prefix: are all frames so far those of libraries?
        self._logged_s: dict[str, float | None] = {}  # when those were, that a logger wrote
        self._began_s: float | None = None
        self._chained: dict[str, bool] = {}  # ... whose next one follows from such a one
        self._survived = Survived()

    def may_be(self, text: str) -> bool:
        """May `text` be, or end, one? Of nearly all lines that is all there is to ask."""
        return bool(self._tracebacks) or self.last is not None or _may_say(shape_of(text))

    def go_on(self, row: str, *, over: bool, index: float | None = None) -> None:
        """A line told of an iteration, or that the training is `over`: what was said before was no end."""
        if self._anew:
            self._survived.begin()
        if index is not None:
            self._survived.row(index)
        self.last, self._is_over, self.row = None, over, row or self.row

    def begin_again(self) -> None:
        """Another process begins: what was said before is no end of its."""
        self._anew = self.last is not None

    def line(
        self,
        text: str,
        number: int,
        at_s: float | None = None,
        iteration: int | None = None,
        *,
        begun: bool = False,
    ) -> Message | None:
        """The message of line `number`, if it is one. `begun`: the log's first lines came again behind its row."""
        self._anew = self.last is not None and (self._anew or begins(text))
        if not (self._tracebacks or _may_say(shape_of(text))):
            return None
        self._began_s = None
        found = self._find(text, number, at_s)
        another = begun and self._is_over
        if iteration is not None and (another or not_started(text) or self._failed_to_import):
            self._not_started = iteration
        self._failed_to_import = False
        if found is None:
            return None
        what, level, ending = self._of_whom(found, iteration)
        if ending == EndReason.FAILED and level == Severity.ERROR and self._survived.has_survived(what):
            level, ending = Severity.WARNING, None
        anew = self._anew and ending is not None
        message = Message(
            what[:_MOST_CHARACTERS], level, at_s or self._began_s, iteration, number, ending=ending, anew=anew
        )
        self._anew = self._anew and not anew
        is_reported = self._is_one_more(message)
        if ending is not None:
            self.last, self._is_last_reported = message, is_reported
        return message if is_reported else None

    def _of_whom(self, found: _Found, iteration: int | None) -> _Found:
        """Behind a row, what fails after a process could not begin, or began behind an end, is that process."""
        what, level, ending = found
        ends = ending == EndReason.FAILED or (self._is_over and ending == EndReason.INTERRUPTED)
        another = ends and iteration is not None and iteration == self._not_started
        return (what, Severity.WARNING, None) if another else (what, level, ending)

    def _is_one_more(self, message: Message) -> bool:
        """Is it reported: one of not too many that differ, or one of those again?"""
        level, texts = message.level, self._texts.setdefault(message.level, set())
        if message.text not in texts and len(texts) >= _MOST_MESSAGES:
            return False
        texts.add(message.text)
        self._reported[level] += 1
        return self._reported[level] <= _MOST_AGAIN

    def in_hindsight(self, event: Event) -> Event:
        """Where a process has begun since the last word, and said none, that was no end of the log."""
        is_word = self._anew and isinstance(event, Message)
        return replace(event, ending=None) if is_word else event

    def end(self) -> list[Message | End]:
        """How it ended, by the last words; and those, where so much had been said that they were not reported."""
        if self.last is None or self.last.ending is None or self._anew:
            return []
        end = End(self.last.ending, detail=self.last.text)
        return [end] if self._is_last_reported else [self.last, end]

    def _find(self, text: str, number: int, at_s: float | None) -> _Found | None:
        prefix = match[0] if (match := _PREFIX.match(text[:_MOST_PREFIX])) else ""
        rank = _STAMP.sub("", prefix)
        bare = text[len(prefix) :]
        is_announced = _OF_A_THREAD in bare
        if is_announced or _TRACEBACK in text:
            self._begin(rank, number, is_announced=is_announced)
            return None
        if _CAUGHT.search(bare):
            self._caught = number
        elif any(word in text for word in _ERROR):
            self._logged = number, source_of(text), at_s
        elif bare.startswith(_CHAINED) and rank in self._ends_thread:
            self._chained[rank] = self._ends_thread[rank]
        if rank in self._tracebacks:
            if ended := self._traceback(rank, bare):
                self._began_s = self._logged_s.pop(rank, None)
                was_stopped = any(name in ended for name in _INTERRUPTED)
                if self._libraries.pop(rank, False):
                    self._ends_thread[rank] = True
                if rank in self._ends_thread and not was_stopped:
                    self._of_thread = ended
                    return ended, Severity.WARNING, None
                return (
                    (ended, Severity.INFO, None if ended.endswith(_ENDS_WELL) else EndReason.INTERRUPTED)
                    if was_stopped
                    else (ended, Severity.ERROR, EndReason.FAILED)
                )
            if rank in self._tracebacks:
                return None
        if self._of_thread and bare.strip() == self._of_thread:
            return self._of_thread, Severity.WARNING, None
        return _single_line(text if CHECKED in text else bare)

    def _begin(self, rank: str, number: int, *, is_announced: bool) -> None:
        """A traceback begins, or that of a thread is announced.

        What another logger than that of the rows writes, and no frame of the program is in, a library had caught.
        """
        if is_announced:
            self._of_threads += 1
            return
        self._tracebacks[rank] = 0
        self._ends_thread.pop(rank, None)
        self._importing.pop(rank, None)
        by_frames = self._chained.pop(rank, None)
        line, source, logged_s = self._logged
        self._logged_s[rank] = logged_s if line == number - 1 else None
        logged = bool(source) and line == number - 1 and source != source_of(self.row)
        self._libraries[rank] = logged or by_frames is True
        if self._of_threads or number - self._caught <= _NEAR or by_frames is False:
            self._of_threads -= bool(self._of_threads)
            self._ends_thread[rank] = False

    def _traceback(self, prefix: str, text: str) -> str | None:
        """The exception at the end of a traceback, if this line is it."""
        self._tracebacks[prefix] += 1
        if text.startswith(_FRAME):
            self._importing[prefix] = self._importing.get(prefix, True) and _OF_MODULE.search(text) is not None
        if text.startswith(_FRAME) and self._libraries.get(prefix):
            self._libraries[prefix] = _OF_LIBRARIES.search(text) is not None
        if text[:1].isspace() or not text:
            if self._tracebacks[prefix] > _MOST_TRACEBACK_LINES:
                del self._tracebacks[prefix]
            return None
        del self._tracebacks[prefix]
        self._failed_to_import = self._importing.pop(prefix, False) and text.startswith(_IMPORTS)
        return text.strip() if _EXCEPTION.match(text) else None


def source_of(text: str) -> str:
    """The name of the logger, or of the file, that a line in a logger's form is of; "": none is named."""
    found = _SOURCE.search(text[:_MOST_CHARACTERS])
    return (found[1] or found[2]) if found else ""


def hinted(text: str) -> bool:
    """May any line of `text` say something?"""
    return any(map(text.lower().__contains__, _HINTS))


_may_say = lru_cache(maxsize=256)(hinted)  # by the shape of a line: no hint has a digit, and most lines are alike


def _single_line(line: str) -> _Found | None:
    """What one line says by itself."""
    text = of_queue(line.strip()) if QUEUE in line else line.strip()
    if cancelled(text):
        return text, Severity.ERROR, EndReason.INTERRUPTED
    for word, level in WORDS.items():
        if word in text:
            return text, level, EndReason.FAILED if level == Severity.ERROR else None
    code = exited(text)
    if signalled(text) or code:
        return text, Severity.ERROR, EndReason.FAILED
    if interrupted(text):
        return text, Severity.INFO, EndReason.INTERRUPTED
    if code == 0 or finished(text):
        return text, Severity.INFO, EndReason.FINISHED
    return (text, Severity.WARNING, EndReason.FAILED) if _BARE.match(line) else None


def _opening(lines: Sequence[tuple[int, str]]) -> tuple[str, str]:
    """How each launch begins, as far as the first line tells: without numbers; and a word of it, if any."""
    text = lines[0][1] if lines else ""
    word = max(_WORD.findall(text), key=len, default="")
    return _without_numbers(text), word if len(text) >= _LEAST_OPENING else ""


def _without_numbers(text: str) -> str:
    return _NUMBERS.sub("0", text[:_MOST_OPENING])


def look_for_trouble(
    lines: Sequence[tuple[int, str]], troubles: Troubles, collectives: Collectives, events: Sequence[Event]
) -> list[Event]:
    """A log without an iteration may say why it has none: `events`, and what its numbered `lines` tell."""
    found = [*events]
    if not hinted("\n".join(text for _, text in lines)):  # all at once: as a rule none does
        return found
    opening, word = _opening(lines)
    for number, text in lines:
        if word and word in text and number > lines[0][0] and _without_numbers(text) == opening:
            troubles.begin_again()
        message = troubles.line(text, number)
        found += (message,) if message else ()
        found += collectives.line(text, number)
    return [*map(troubles.in_hindsight, found)]
