"""Time stamps of lines: the clock of a log that has one.

Known are `2025-06-25 13:06:03,755`, `20250625 13:06:03` (or with `-`, `_`, `T` before the clock), `2024-04-18T14:24:11.5`, `2024/04/18 14:24:11` (or with points),
`06/25/2025, 01:06:03 PM`, `[06.25.25|13:06:03]`, `Jun 25 2025 13:06:03`, `Wed Jun 25 13:06:03 2025`, `Wed 25 Jun 2025 13:06:03`, `25-Jun-25 13:06:03`, and without a year `[04/24 19:13:26`,
`I0914 09:33:36.98`, `[Mar 29, 16:29:39]`; also ten-digit and thirteen-digit Unix time at the very front, or behind
what a launcher puts there. They stand in front of the line, or, with their year, at its end. A stamp names no time zone
(or one that we leave unread): it is taken as this machine's local time. A stamp without a year is of this year, or of
the last one if it would lie in the future. Whether 05/06/2025 is in May or in June only the log itself can say: see `Calendar`.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache
from typing import TYPE_CHECKING

from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FRONT = 120  # characters: a stamp further right is part of a message, if it does not end the line
_BACK = 40
_CLOCK = r"(\d\d):(\d\d):(\d\d(?:[.,]\d{1,9})?)(?: ?([AaPp])[Mm]\b)?"
_TIME = lazy_pattern(r"\d:\d\d:\d\d")
_YEAR_FIRST = lazy_pattern(
    rf"(?<!\d)(20\d\d)(?:[-/.](?=\d\d[-/.])|(?=\d{{4}}[ T_-]))(\d\d)[-/.]?(\d\d)[ T_-]{_CLOCK}"
)
_OWN = lazy_pattern(
    rf"(?:Z|[-+]\d\d:?\d\d)?\W{{1,4}}(?:[\w.-]{{1,40}}[\]|]\W{{0,3}})?(20\d\d)[-/](\d\d)[-/](\d\d)[ T_]{_CLOCK}"
)
"""The trainer's own stamp behind one that says when the line arrived: many that were held back arrive at once."""
_SHORT = lazy_pattern(rf"(?:(?<![\d./-])|^)(\d\d?)([/.-])(\d\d?)\2(20\d\d|\d\d)(?:,? |[|T_]){_CLOCK}")
_NO_YEAR = lazy_pattern(rf"(?:\[|^|\s|\]:|:(?=[IWEF]\d{{4}} ))[IWEF]?(0\d|1[0-2])[/-]?([0-3]\d) {_CLOCK}")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED = lazy_pattern(  # a number behind the clock is a year only where a weekday stands in front: `ts` has text there
    rf"(?i)(\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{{0,6}},? {{1,2}})?\b({'|'.join(_MONTHS)})[a-z]{{0,6}}\.? {{1,2}}(\d\d?),? (?:(20\d\d),? )?{_CLOCK}(?(1)(?: (?:[A-Z]{{3,4}} )?(20\d\d))?|())"
)
_DAY_NAMED = lazy_pattern(rf"(?i)(?<!\d)(\d\d?)[ -]({'|'.join(_MONTHS)})[a-z]{{0,6}}[ -](20\d\d|\d\d),? {_CLOCK}")
_JOINED = lazy_pattern(r"[\[(]?(20\d\d)[_-](\d\d)[_-](\d\d)[_-](\d\d)[_-]([0-5]\d)[_-]([0-5]\d)[\])]?[ :|,]")
"""`2025_06_25_13_06_03 `, as programs name folders: only in front of a line, and of no longer name."""
_UNIX = lazy_pattern(r"\W?(1\d{9})(?:(\d{3})|(\.\d{1,9}))?\b")
_UNIX_BEHIND = lazy_pattern(
    r"(?:\[(?:rank|default) ?\d{1,6}\]:|\d{1,5}:|[\w.-]{1,60} {1,20}\||\[[A-Z]{4,7}\] [\w./-]{1,60}:\d{1,6}:|[A-Z]{4,7}:\w{1,60}:)"
    r" ?(1\d{9})(?:(\d{3})|(\.\d{1,9}))\b"
)
"""Behind what a launcher or a logger puts in front; ten digits alone may be a count there."""
_OF_ANOTHER_MOMENT = lazy_pattern(
    r"(?i)(?:eta|finish\w*|expected|until|ends?|started|since|from|run_?|at)\W{0,4}$"
)
_DAY_S = 86_400.0
_GOES_ON = frozenset("0123456789.,:/-+ZaApP")
"""Behind the clock it may still be of the stamp: a fraction, a zone."""


_ORDERS = ((2, 0, 1), (2, 1, 0), (0, 1, 2))
"""Of a date in three short numbers: which of them are year, month and day. Two-digit years may stand first or last."""

_MONTH_FIRST, _DAY_FIRST, _YEAR_LED = range(3)
_USUAL = {"/": (_MONTH_FIRST, _DAY_FIRST, _YEAR_LED), ".": (_DAY_FIRST, _MONTH_FIRST, _YEAR_LED)}
_USUAL_ELSE = (_YEAR_LED, _MONTH_FIRST, _DAY_FIRST)
"""Which order is taken until the log tells, by what stands between the numbers."""


class Calendar:
    """The stamps of one log. Of a date in three short numbers it learns which is the year, the month and the day.

    A number that cannot be a month decides. Until one comes, of the possible readings that one counts which moves on
    least: a log that goes on from 01/02 to 02/02 went on by a day rather than by a month. When it turns out that
    another reading was right, time goes on from where it was: what passed between two lines is right, and the date is
    left as it was.
    """

    def __init__(self) -> None:
        self._order: int | None = None
        self._sure = False
        self._shift_s = 0.0
        self._last: tuple[float | None, ...] = ()  # in each order
        self._same, self._same_s = "", 0.0  # how the newest line with a plain stamp began, and its time

    def learn(self, other: Calendar) -> None:
        """Take over what another reader of the log is sure of, before the first stamp."""
        if other._sure and not self._last:
            self._order, self._sure = other._order, True

    def look_ahead(self, lines: Iterable[str]) -> None:
        """Before the first stamp: which order fits all of some lines of the log, where the usual one does not?"""
        if self._last or self._sure:
            return
        fit: list[int] | None = None
        for text in lines:
            front = text[:_FRONT]
            if ":" in front and (found := _SHORT.search(front)) and not _YEAR_FIRST.search(front):
                fit = [one for one in _possible(found) if fit is None or one in fit]
        if fit:
            self._order, self._sure = fit[0], len(fit) == 1

    def stamp(self, text: str) -> float | None:
        """The Unix time that a line says it was written at; `None` where it says nothing that we know."""
        front = text[:_FRONT]
        if self._same and front.startswith(self._same):
            rest = front[len(self._same) :]
            if rest[:1] not in _GOES_ON and "20" not in rest:
                return self._same_s
        return self._read(front, text)

    def _read(self, front: str, text: str) -> float | None:
        if ":" not in front or not _TIME.search(front):
            return _unix(front) or _joined(front) or _at_the_end(text)
        if found := _YEAR_FIRST.search(front):
            year, month, day, *clock = (_OWN.match(front, found.end()) or found).groups()
            at_s = _moment(year, month, day, clock)
            # Many lines of a second begin alike. Another year in them may be the trainer's own stamp.
            is_plain = at_s is not None and "20" not in front[found.end() :]
            self._same, self._same_s = (front[: found.end()], at_s or 0.0) if is_plain else ("", 0.0)
            return at_s
        if found := _SHORT.search(front):
            return self._short(found)
        if found := _NO_YEAR.search(front):
            month, day, *clock = found.groups()
            return _moment("", month, day, clock)
        return _named(front) or _unix(front) or _joined(front) or _at_the_end(text)

    def _short(self, found: re.Match[str]) -> float | None:
        readings = tuple(_dated(found, order) for order in range(len(_ORDERS)))
        possible = _possible(found, readings)
        if not possible:
            return None
        order = self._order if self._order in possible else possible[0]
        if len(possible) == 1:
            self._sure = True
        elif not self._sure and (least := self._moves_least(readings, possible)) is not None:
            order = least
        before_s, as_now_s = (
            self._last[one] if one is not None and self._last else None for one in (self._order, order)
        )
        if before_s and as_now_s:
            self._shift_s += before_s - as_now_s
        self._order, self._last = order, readings
        at_s = readings[order]
        return None if at_s is None else at_s + self._shift_s

    def _moves_least(self, readings: Sequence[float | None], possible: Sequence[int]) -> int | None:
        """The one of the `possible` orders in which the least time has passed since the last stamp; `None`: no one."""
        moves = sorted(
            (abs(now_s - before_s), order)
            for order in possible
            if self._last
            and (now_s := readings[order]) is not None
            and (before_s := self._last[order]) is not None
        )
        is_one = len(moves) == len(possible) and moves[0][0] < moves[1][0]
        return moves[0][1] if is_one else None


def _named(front: str) -> float | None:
    """The month has its name, and stands before the day or behind it."""
    if found := _NAMED.search(front):
        _, name, day, year, *clock, ctime, _ = found.groups()
        year = year or ctime or ""
    elif found := _DAY_NAMED.search(front):
        day, name, year, *clock = found.groups()
        year = f"20{year[-2:]}"
    else:
        return None
    return _moment(year, str(_MONTHS.index(name.lower()) + 1), day, clock)


def stamp(text: str) -> float | None:
    """As `Calendar.stamp`, of a line alone."""
    return Calendar().stamp(text)


FEWEST_SECONDS = 5.0
"""Two stamps of whole seconds tell what passed between them to a second: of less than this that is a fifth."""


def passed_s(begin_s: float | None, end_s: float | None) -> float | None:
    """Seconds from one line's stamp to another's; `None` where one has none, or both are too coarse to tell."""
    if begin_s is None or end_s is None or end_s < begin_s:
        return None
    coarse = begin_s % 1 == end_s % 1 == 0
    return None if coarse and end_s - begin_s < FEWEST_SECONDS else end_s - begin_s


def names_its_year(text: str) -> bool:
    """Does the stamp of a line say its year? Else it is one of the newest that it can be."""
    front, at_s = text[:_FRONT], stamp(text)
    if at_s is None:
        return False
    if _SHORT.search(front) or _DAY_NAMED.search(front) or _unix(front):
        return True
    if not _YEAR_FIRST.search(front) and _NO_YEAR.search(front):
        return False
    year = time.localtime(at_s).tm_year
    return re.search(rf"(?<![\d.]){year}(?!\d)", text) is not None


_OF_OBJECT = lazy_pattern(r'"_?(?:time(?:stamp)?|ts)": ?(1[4-9]\d{8}(?:\.\d{1,9})?)[,}]')
"""`{"accuracy": 0.5, "timestamp": 1678905837.72}`: seconds that no line of a head has, but what was found does."""


def dates_in(lines: Iterable[str]) -> tuple[float | None, bool]:
    """The newest moment that one of these lines names with its year; and whether the newest stamp does not say its year.

    A date of the same year says it for it. An older one does not: the year that we guess may be years too late.
    """
    lines = list(lines)
    stamped = [(at_s, names_its_year(text)) for text in lines if (at_s := stamp(text)) is not None]
    stamped += [(float(found[1]), True) for text in lines if (found := _OF_OBJECT.search(text)) is not None]
    dated_s = max((at_s for at_s, with_year in stamped if with_year), default=None)
    guessed_s = max((at_s for at_s, with_year in stamped if not with_year), default=None)
    if guessed_s is None or dated_s is None:
        return dated_s, guessed_s is not None
    return dated_s, time.localtime(guessed_s).tm_year > time.localtime(dated_s).tm_year


def _possible(found: re.Match[str], readings: Sequence[float | None] = ()) -> list[int]:
    """The orders that give a date, the likeliest first."""
    readings = readings or [_dated(found, order) for order in range(len(_ORDERS))]
    return [order for order in _USUAL.get(found[2], _USUAL_ELSE) if readings[order] is not None]


def _dated(found: re.Match[str], order: int) -> float | None:
    first, _, second, third, *clock = found.groups()
    year, month, day = ((first, second, third)[place] for place in _ORDERS[order])
    if len(year) == 1 or len(day) > 2:
        return None
    at_s = _moment(year if len(year) == 4 else f"20{year}", month, day, clock)
    return at_s if at_s is None or len(year) == 4 or at_s < time.time() + 366 * _DAY_S else None


def _joined(front: str) -> float | None:
    """A stamp whose numbers the same mark joins, at the very front."""
    found = _JOINED.match(front) if "20" in front[:3] else None
    if found is None:
        return None
    year, month, day, *clock = found.groups()
    return _moment(year, month, day, [*clock, None])


def _at_the_end(text: str) -> float | None:
    """A stamp with its year that ends a long line, if it is not the time of something else."""
    if len(text) <= _FRONT:
        return None
    back = text[-_BACK:]
    found = _YEAR_FIRST.search(back)
    if (
        found is None
        or back[: found.start()][-1:].isalnum()
        or back[found.end() :].strip(" ])}>|.\"'")
        or _OF_ANOTHER_MOMENT.search(back[: found.start()])
    ):
        return None
    year, month, day, *clock = found.groups()
    return _moment(year, month, day, clock)


def _moment(year: str, month: str, day: str, clock: Sequence[str | None]) -> float | None:
    hour, minute, second, half = (part or "" for part in clock)
    if half:
        hour = str(int(hour) % 12 + (12 if half in "pP" else 0))
    if not 1 <= int(month) <= 12 or not 1 <= int(day) <= 31 or int(hour) > 23:
        return None
    start = _hour(year, month, day, hour)
    return None if start is None else start + int(minute) * 60 + float(second.replace(",", "."))


def _unix(front: str) -> float | None:
    if not (found := _UNIX.match(front) or _UNIX_BEHIND.match(front)):
        return None
    whole, milliseconds, fraction = found.groups()
    return int(whole) + int(milliseconds or 0) / 1000 + float(fraction or 0)


_UNKNOWN_DAY = (0, 0, -1)
"""Of the week, of the year (`mktime` looks at neither), and whether its clocks are an hour ahead."""


@lru_cache(maxsize=64)
def _hour(year: str, month: str, day: str, hour: str) -> float | None:
    """Unix time at which that local hour began. Cached: `mktime` is slow, and lines of one hour share it."""
    now_s = time.time()
    in_year = int(year) if year else time.localtime(now_s).tm_year
    begins = int(month), int(day), int(hour), 0, 0, *_UNKNOWN_DAY
    try:
        at_s = time.mktime((in_year, *begins))
        if not year and at_s > now_s + _DAY_S:
            at_s = time.mktime((in_year - 1, *begins))
    except (OverflowError, ValueError):
        return None
    return at_s
