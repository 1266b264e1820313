"""How long a training took, in the words that close it: `Finished Training in 342.00 seconds`, `Total training time: 3:06:01`.

The words of an epoch sound alike. So only those count behind which no row of the same process has ever come. What a program
makes of all rows, `Plot saved as rewards.png`, tells of the end where it is the log's last line and never stood between rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....events import End, Iteration, RunInfo, Total
from ...patterns import lazy_pattern
from ..parsing.grammar import PREFIX
from ..parsing.values import as_number, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event

_LONGEST, _LONGEST_ORIGIN = 200, 60
_MOST_PARTS = 100
_CLOCK = r"(?:\d{1,4} days?, {0,2})?\d{1,5}:\d\d:\d\d(?:\.\d{1,9})?"
_LASTS = (
    rf"(?P<time>{_CLOCK}|"
    r"(?:\d{1,6}(?:\.\d{1,20})? {0,2}(?:h(?:(?:ou)?rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\b[, ]{0,2}){1,3})"
)
_TOOK = lazy_pattern(
    r"(?i)\b(?:(?:finish(?:ed)?|complet(?:ed?|ing)|end(?: of)?|done|total time)(?: with| to finish| for| of)?(?: the)? (?:training|optimi[sz]ation)"
    r"|training (?:is |has |was |been )*(?:finish(?:ed)?|completed?|done|ended)|total (?:training|elapsed|run(?:ning)?|wall) time|training time (?:in )?total|(?:training|fine-?tuning) took|training (?:duration|runtime)(?: of(?: the)? model)?(?=\W{0,3}[:=]))(?!\w)"
    r"(?!.{0,40}\b(?:epoch|step|batch|iter\w*|fold)\b)(?!\W{1,4}(?:for|with|on|of|using)\b(?:(?!\b(?:in|after|took|taking)\b)[^\d:=]){0,30}\d)"
    r"[^\d]{0,40}" + _LASTS
)
"""That it was `for 60min` says what it was of; that it took so long needs another word."""

_SUMMED = lazy_pattern(
    r"(?i)^\W{0,8}(?P<part>train(?:ing)?[_ ])?(?:(?:total|wall)[_ ])?(?:(?:wall[_ ])?(?:clock|time|training[_ ]time|train[_ ]time|run[_ ]time|elapsed)[_ ])?"
    r"\(?(?:s|secs?|seconds)\)?\W{1,20}(?P<seconds>\d{1,9}(?:\.\d{1,9})?),?$"
)
"""`total_seconds: 491.7`, `wall_time_s: 2587.7`, `training_seconds: 301.8`: of a summary, which has one name a line."""

_SUMMED_HINTS = ("otal", "wall", "rain")
_OF_NO_TRAINING = lazy_pattern(
    r"(?i)(?<![a-z])(?:inference|infer|evaluat\w{2,4}|eval|validat\w{2,4}|val|test(?:ing|er)?|predict\w{0,4})(?![a-z])"
)
"""Of what ran behind the training: `maskrcnn_benchmark.inference INFO: Total run time`, `Total elapsed time of the evaluation`."""
_TO_TRAIN = lazy_pattern(
    rf"(?i)^\W*(?:it )?took {_LASTS}to train\b(?!.{{0,60}}\b(?:epoch|step|batch|iter\w*|fold)\b)"
)
_ELAPSED = lazy_pattern(rf"(?i)^\W*(?:time )?elapsed(?: time)?\W{{1,4}}(?P<time>{_CLOCK})\W*$")
"""All that the very last line says: `Elapsed 8:28:56`."""
_PARTS = ("epoch", "step", "iter", "batch", "round", "fold", "so far")
"""A line with one of these may be of a part; one that speaks of the training and is the log's last says that this is over."""
_OF_ALL = r"(?:plots?|figures?|graphs?|charts?|(?:loss|learning|training|reward)[ _-]?(?:curves?|plots?|graphs?|history)|training (?:results|metrics|log))"
_SHOWN = lazy_pattern(
    rf"(?i)^\W*(?:\w{{1,20}} ){{0,3}}{_OF_ALL} (?:(?:is|was|were|has been|have been|successfully) ){{0,2}}(?:saved|written|exported)\b"
    rf"|^\W*(?:saved|wrote|exported) (?:the )?(?:\w{{1,20}} ){{0,3}}{_OF_ALL}\b"
)
_TOTAL_HINTS = ("rain", "RAIN", "otal", "ptimi", "wall")
_HINTS = ("saved", "wrote", "written", "exported")
_SEVERAL = 10
"""Rows before it: a program may show how it began, too."""
_UNITS = lazy_pattern(r"(?i)(\d) {0,2}(h|m|s)[a-z]*[, ]*")


class PrintedTotals:
    """Holds the newest until it is known that it was the last."""

    def __init__(self) -> None:
        self._begun = False
        self._newest: Total | None = None
        self._above: Total | None = None  # ... of a summary that stands above the rows
        self._by_format = self._ended = False  # does the format tell of one, of an end?
        self._is_last = False  # no line came behind it
        self._elapsed: Total | None = None  # what the newest line says, if that is all it says
        self._of_parts: set[str] = set()  # words behind which rows came
        self._rows = 0
        self._first: int | None = None  # of the process
        self._since: set[str] = set()  # words of what was drawn since the newest row
        self._shown: tuple[str, float | None] | None = None  # the newest line, if it says that all was drawn

    def before(self, found: Sequence[Event]) -> list[Event]:
        """The total of a process after which another one begins with `found`; a row of its own says that it was none."""
        self.see(found)
        kinds = {*map(type, found)}
        over, rows = RunInfo in kinds, Iteration in kinds
        self._above = None if over and self._begun else self._above
        self._begun = self._begun or rows
        self._count(found, anew=over)
        if rows and not over and len(self._of_parts) < _MOST_PARTS:
            self._of_parts |= self._since
        self._shown, self._elapsed, self._since = None, None, set()
        if not over and not rows:
            return []
        newest, self._newest = self._newest, None
        if newest is not None and not over and len(self._of_parts) < _MOST_PARTS:
            self._of_parts.add(_words(newest.origin))
        return [newest] if over and newest is not None and not self._by_format else []

    def _count(self, found: Sequence[Event], *, anew: bool) -> None:
        """Not all rows are told of: between two of them others lie that no line stood between."""
        self._first = None if anew else self._first
        for event in found:
            if isinstance(event, Iteration):
                self._first = event.index if self._first is None else min(self._first, event.index)
                self._rows = event.index - self._first + 1

    def see(self, events: Sequence[Event]) -> None:
        """Events of the format: where it tells of a total itself, that goes before."""
        kinds = {*map(type, events)}
        self._by_format, self._ended = self._by_format or Total in kinds, self._ended or End in kinds

    def early(self, text: str, at_s: float | None) -> None:
        """A line above all rows: a summary may stand there. Whole seconds may be a limit that was set."""
        if any(map(text.__contains__, _TOTAL_HINTS)) and (took_s := self._summed(text)) and took_s % 1:
            self._above = Total(took_s, origin=text.strip()[:_LONGEST_ORIGIN], at_s=at_s)

    def hear(self, text: str, at_s: float | None) -> None:
        """A line that its format does not read."""
        self._is_last = self._is_last and not text.strip()
        if text.strip():
            self._see_shown(text, at_s)
            self._elapsed = _elapsed(text, at_s) if self._begun else None
        if self._begun and any(map(text.__contains__, _TOTAL_HINTS)):
            took_s, said = total_of(text), text.strip()[:_LONGEST_ORIGIN]
            if took_s is None:
                took_s = self._summed(text)
            elif self._newest is not None and "rain" in self._newest.origin and "rain" not in text.lower():
                return  # another clock, as an evaluation's: that of the training has been told
            if took_s is not None and _words(said) not in self._of_parts:
                self._newest = Total(took_s, origin=said, at_s=at_s)
                self._is_last = "rain" in text and not any(map(text.lower().__contains__, _PARTS))

    def _summed(self, text: str) -> float | None:
        """By a line of a summary: what it says of the training alone does not go before what it says of all."""
        found = _SUMMED.search(text) if len(text) <= _LONGEST else None
        if found is None or not any(map(text.lower().__contains__, _SUMMED_HINTS)):
            return None
        return None if found["part"] and self._newest is not None else seconds(as_number(found["seconds"])) or None

    def _see_shown(self, text: str, at_s: float | None) -> None:
        self._shown = None
        if len(text) > _LONGEST or not any(map(text.lower().__contains__, _HINTS)):
            return
        said = PREFIX.sub("", text, count=1).strip()[:_LONGEST_ORIGIN]
        if _SHOWN.search(said):
            self._since.add(_words(said))
            self._shown = (said, at_s) if self._rows >= _SEVERAL and _words(said) not in self._of_parts else None

    def other(self) -> None:
        """A line that its format reads."""
        self._is_last, self._shown, self._elapsed = False, None, None

    def end(self) -> list[Event]:
        """The log is over."""
        newest, self._newest = self._newest or self._above or self._elapsed, None
        shown, self._shown = self._shown, None
        if shown is not None and (newest is None or self._by_format):
            return [End(at_s=shown[1], detail=shown[0])]
        if newest is None:
            return []
        self._above, told = None, [] if self._by_format else [newest]
        return (
            [*told, End(at_s=newest.at_s, detail=newest.origin)] if self._is_last and not self._ended else [*told]
        )


def total_of(text: str) -> float | None:
    """The seconds that a line says the whole training took."""
    found = None if len(text) > _LONGEST else _TOOK.search(text) or _TO_TRAIN.match(text)
    if found is None or ("rain" not in found[0].lower() and _OF_NO_TRAINING.search(text)):
        return None
    return seconds(as_number(_UNITS.sub(r"\1\2 ", found["time"]).strip())) or None


def _elapsed(text: str, at_s: float | None) -> Total | None:
    found = _ELAPSED.match(text) if len(text) <= _LONGEST and "lapsed" in text else None
    took_s = seconds(as_number(found["time"])) if found else None
    return Total(took_s, origin=text.strip()[:_LONGEST_ORIGIN], at_s=at_s) if took_s else None


def _words(said: str) -> str:
    return "".join(one for one in said if not one.isdigit())
