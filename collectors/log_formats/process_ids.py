"""Whose line it is, where a logger's prefix says so: another id whose counter jumps is another process.

Ranks of one run print the same rows, and one of them speaks for all. Two scripts that write to one file in turns do not.

I0301 10:00:06.250000  5674 solver.cpp:218] Iteration 900, loss = 0.25      glog
I20250301 10:00:06.250000  5674 solver.cpp:218] Iteration 900, loss = 0.25
[pid 5674] iteration 900 loss 0.25
DEBUG:root:@rank1 Epoch: 3 loss: 0.25                       a rank
[2025-03-01 10:00:06-train_small.py-INFO:epoch: 3, dice: 0.5]  a script
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from ..patterns import lazy_pattern

FAR = 10
"""Another process counts on from so many rows later: those between are not in the log."""

_GLOG = lazy_pattern(r"[IWEF](?:20\d\d)?\d{4} \d\d:\d\d:\d\d\.\d{1,9} {1,7}(\d{1,10}) ")
_PID = lazy_pattern(r"(?i)\bpid[ =:]{1,2}(\d{1,10})\b")
_PREFIX = 100

_RANK = lazy_pattern(
    r"(?i)(?:@|[\[(<{] {0,2}(?:local |global |world )?|\b(?:local|global|world|dist(?:ributed)?)[_ ])rank[ =:#_]{0,3}(?P<sure>\d{1,6})(?![\w.%]|-\d)"
    r"|\[default(?P<launched>\d{1,6})\]:"
    r"|(?<![\w-])[\"']?rank[\"']?[ =:#]{0,3}(?P<said>\d{1,6})(?![\w.%])(?! ?[:=]? {0,2}\d{0,3}[.%])"
)
"""`@rank1`, `[rank1]:`, `(Rank 1)`, `local_rank=1`; and `rank: 1`, which may be that of a matrix, or how good a first guess is."""
_SCRIPT = lazy_pattern(r"(?<![\w./\\\"'])([A-Za-z]\w{0,60}\.py)(?![\w:(]| ?\d|, line| line)")
"""`train_small.py-INFO:`; with a number of a line behind it, it is where in the source a logger was called."""


class ProcessIds:
    """Sees the rows of one log. Their ids are looked at only where the counter jumps: it costs each row next to nothing."""

    def __init__(self) -> None:
        self._before = ""  # the newest row
        self._step = 0  # from the one before it

    def jumps(self, text: str, index: int, last: int | None) -> bool:
        """Is `text`, the row of iteration `index` behind that of `last`, of another process that counts from elsewhere?"""
        usual, self._step = self._step, 0 if last is None else index - last
        before, self._before = self._before, text
        if not 0 < FAR * usual < self._step:
            return False
        ids = process_of(before), process_of(text)
        jumps = None not in ids and ids[0] != ids[1]
        if jumps:
            self._step = 0
        return jumps


def process_of(text: str) -> str | None:
    """The id in the prefix of a line."""
    if text[:1] in "IWEF" and (found := _GLOG.match(text)):
        return found[1]
    front = text[:_PREFIX]
    if ("pid" in front or "PID" in front) and (found := _PID.search(front)):
        return found[1]
    return None


Place = tuple[float, float]


class Rank(NamedTuple):
    """A rank that a line names, and whether it surely is one."""

    number: int
    sure: bool


def rank_of(text: str) -> Rank | None:
    """The rank that the front of a line names."""
    front = text[:_PREFIX]
    if "ank" not in front and "RANK" not in front and "[default" not in front:
        return None
    if (found := _RANK.search(front)) is None:
        return None
    number = found["sure"] or found["launched"]
    return Rank(int(number or found["said"]), sure=number is not None)


def script_of(text: str) -> str | None:
    """The script that the front of a line names."""
    front = text[:_PREFIX]
    if ".py" not in front:
        return None
    found = _SCRIPT.search(front)
    return None if found is None else found[1]


class Ranks:
    """Rows of several ranks of one run: the lowest that prints is read, and the others tell of the same iterations."""

    _SILENT = 2  # places to which others came, and it did not

    def __init__(self) -> None:
        self.named = False
        """Has a row named its rank?"""
        self._speaks: int | None = None
        self._newest: Place | None = None  # of the one that is read
        self._ahead: tuple[int, Place, int] | None = None  # another one that is beyond it: its place, and how many

    def leaves_out(self, text: str, place: Place, *, begins: bool) -> bool:
        """Is the row at `place` of another rank than the one that is read? `begins`: another process may, with it."""
        rank = rank_of(text)
        if rank is None:
            return False
        if self._speaks is None or begins or rank.number == self._speaks or self._newest is None:
            return self._reads(rank.number, place)
        if not (rank.sure or 0 in (rank.number, self._speaks)):  # such as a matrix has: none of it is 0
            return self._reads(rank.number, place)
        if place <= self._newest:  # one that is late by more does not go on from there
            self._speaks = min(self._speaks, rank.number) if place == self._newest else self._speaks
            return True
        number, before, places = self._ahead or (rank.number, self._newest, 0)
        if number == rank.number and place > before:
            self._ahead = number, place, places + 1
            if places + 1 > self._SILENT:
                return self._reads(rank.number, place)
        return True

    def _reads(self, rank: int, place: Place) -> bool:
        self.named, self._speaks, self._newest, self._ahead = True, rank, place, None
        return False


class Whose(NamedTuple):
    """What becomes of a row: is it left out, or does another script's training begin with it?"""

    other: bool = False
    begins: bool = False


class Scripts:
    """Rows of two scripts that write to one file in turns, each from its own beginning on: the one that began last is read.

    Modules of one program name themselves in the same way; they tell of one counter. So two scripts are known only where one
    counts on behind the other, twice; until then the one that is ahead is read. From then on another name is another script's.
    """

    _GONE, _TWICE, _MOST = 8, 2, 64  # places; returns; names

    def __init__(self) -> None:
        self.known = False
        self._left_out, self._told = set[str](), set[str]()  # scripts whose rows are
        self._newest: dict[str, Place] = {}
        self._read = ""
        self._others = 0  # places of another script since a row was read
        self._returns = 0  # of a script that goes on behind the other
        self._row = [inf, inf]  # the fewest epochs and steps between two rows of a script

    def see(self, text: str, place: Place) -> Whose:
        """Take in the row at `place`."""
        name = script_of(text)
        if name is None or (name not in self._newest and len(self._newest) >= self._MOST):
            return Whose()
        own, read = self._newest.get(name), self._newest.get(self._read, place)
        self._newest[name] = place
        for n, apart in enumerate(now - before for now, before in zip(place, own or place, strict=True)):
            self._row[n] = min(self._row[n], apart) if apart > 0 else self._row[n]
        if name == self._read or not self._read:
            self._read, self._others = name, 0
            return Whose()
        goes_on = own is not None and place >= own
        self._returns += goes_on and self._behind(place, read)
        self.known = self.known or self._returns >= self._TWICE
        if not self.known:
            self._read = name
            return Whose()
        self._others += goes_on and place != own
        if not goes_on or self._others > self._GONE:
            self._read, self._others = name, 0
            return Whose(begins=True)
        self._left_out |= {name} - self._told
        self._told.add(name)
        return Whose(other=True)

    def _behind(self, place: Place, newest: Place) -> bool:
        """Does it lie a row behind at least: in epochs, or in steps where no epochs are told?"""
        n = 0 if newest[0] or place[0] else 1
        return newest[n] - place[n] >= self._row[n]

    def learn(self, other: Scripts) -> None:
        """Take over what was found out of more rows."""
        self.known = self.known or other.known

    def are_others(self, text: str) -> bool:
        """Is a line that is no row of a script that is not read?"""
        return self.known and (name := script_of(text)) in self._newest and name != self._read

    def words(self) -> list[str]:
        """What a person should know of scripts whose rows are left out, once of each."""
        new, self._left_out = self._left_out, set()
        return [f"scripts write to this log in turns: rows of {name} are left out" for name in sorted(new)]
