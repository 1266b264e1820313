"""Which format is it? Decided by content and coverage, never by a file's name; and the decision is shown."""

from __future__ import annotations

from collections import Counter
from copy import copy, deepcopy
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from ...words import percent
from ..patterns import lazy_pattern
from .base import Specificity
from .plain.rows_alike import Shapes, Width
from .sets.announced_bars import without_announced

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .base import Candidate, LogFormat, Needs

_WEIGHT = {
    Specificity.FRAMEWORK: 1.0,
    Specificity.COMMON: 0.05,
    Specificity.GUESS: 0.01,
    Specificity.UNPROVEN: 1e-12,
    Specificity.ALONE: 1e-24,
}
"""What an iteration line counts for: a mlperf log holds far more evaluation bars than iterations, and all look like `key: value`."""
_DISTINCTIVE = 1e-4
"""What any other line that only this format has counts for: it decides only before the first iteration, and between equals."""
_NEARLY, _LONGEST = 0.8, 1_000
_MOST_SEEN = 1 << 20
"""Characters that are kept for formats whose first line of their own may still come; then all formats are asked."""
_LOSS = lazy_pattern(r"(?i)loss\W{0,4}[\d.]")
_MANY = 16
"""Iterations of a format that knows little which go before one that has found none, whatever lines it knows."""

_FEW_BY_CHANCE, CHANCE_ITERATIONS = 2, 4
"""So many lines may look like a table's row by chance: a guess that reads no more gives way to any header."""


class _Score:
    """How well one format reads the lines so far. It is loaded when the first line holds what its lines need."""

    def __init__(self, candidate: Candidate) -> None:
        self.needs, self.specificity = candidate.needs, candidate.specificity
        self.telling: Needs | None = candidate.telling  # `None` once a line held what only its lines need
        self.owned = self.iterations = self.distinctive = 0
        self.says = 0  # iterations whose own line only this format has
        self.losses = 0  # ... that speak of a loss
        self.first: int | None = None  # number of the line with the first iteration
        self.last = -1
        self._load = candidate.load

    @cached_property
    def format(self) -> LogFormat:
        """The format itself."""
        return self._load()

    @cached_property
    def _shapes(self) -> Shapes | None:
        return Shapes() if self.format.specificity.guesses and not self.format.headed else None

    @cached_property
    def _width(self) -> Width | None:
        return Width() if self.format.headed else None

    def copy(self) -> _Score:
        """Another, which counts on from here."""
        other = copy(self)
        for name in ("_shapes", "_width"):
            if name in vars(self):
                vars(other)[name] = deepcopy(vars(self)[name])
        return other

    def add(self, number: int, text: str) -> None:
        """Count one more line."""
        if not self.format.matches(text):
            return
        distinctive = self.format.is_distinctive is None or self.format.is_distinctive(text)
        self.distinctive += distinctive
        is_row = self.format.is_iteration(text)
        self.owned += self._width is None or self._width.fits(text, is_row=is_row)
        if not is_row:
            return
        self.iterations += 1
        self.says += distinctive
        self.losses += "loss" in text.lower()
        self.first = number if self.first is None else min(number, self.first)
        self.last = max(number, self.last)
        if self._shapes is not None:
            self._shapes.see(text)

    @property
    def worth(self) -> float:
        """By this formats are ordered. One without a line that only it has is worth nothing, and so is one that knows
        little and has found no iteration."""
        specificity = self.specificity
        if not self.distinctive or (specificity is not Specificity.FRAMEWORK and not self.iterations):
            return 0.0
        if self._shapes is not None and not self._shapes.repeated:
            return 0.0
        if specificity is Specificity.GUESS and self.iterations <= CHANCE_ITERATIONS:
            return 1e-6 * self.iterations
        return (self.iterations + _DISTINCTIVE * self.distinctive) * _WEIGHT[specificity]


def _reads_instead(one: _Score, best: _Score) -> bool:
    """Does a format that knows the lines better read them nearly as often? A line may be cut, or another program's."""
    return (
        best.format.name in one.format.reads_instead_of
        and one.format.specificity is best.format.specificity
        and one.iterations >= _NEARLY * (best.says or best.iterations)  # a bar may say nothing of a training
    )


def _was_over_before(one: _Score, best: _Score) -> bool:
    """Had one read its last row when the first bar of the best began, and says that bar nothing of a training itself?

    It is a final evaluation's then, or whatever came after the training. Few rows are none by chance if they are most of it.
    """
    if best.format.specificity is not Specificity.COMMON or best.says or best.first is None:
        return False
    by_chance = 1
    if one.format.specificity.is_unproven:
        by_chance = _FEW_BY_CHANCE if 2 * one.owned > best.first else CHANCE_ITERATIONS
    return one.iterations > by_chance and one.last < best.first


def _is_behind(one: _Score, best: _Score) -> bool:
    """Do rows with a loss begin where the last bar of the best ended, which says nothing of a training? It loaded data."""
    return _tells_nothing(best) and one.losses >= _MANY and one.first is not None and best.last < one.first


def _tells_nothing(best: _Score) -> bool:
    """Are bars all that it reads, without a word of a training?"""
    return best.format.specificity is Specificity.COMMON and not (best.says or best.losses)


class RunnerUp(msgspec.Struct, frozen=True):
    """A format that would read the log less well."""

    format: str
    coverage: float
    iterations: int


_SURE_ITERATIONS = {
    Specificity.FRAMEWORK: 10,
    Specificity.COMMON: 300,
    Specificity.GUESS: 100,
    Specificity.UNPROVEN: 10_000,
    Specificity.ALONE: 10_000,
}
"""After so many iterations the format is settled; until then it may turn out another."""


class Recognition(msgspec.Struct, frozen=True):
    """The format found, and how much of the lines it reads; the next best ones for comparison."""

    format: LogFormat | None
    owned: int  # of the lines, those that the format knows
    lines: int  # with text, that were looked at
    iterations: int
    runners_up: tuple[RunnerUp, ...] = ()
    again: int = 0  # of the lines, those that were looked at before

    @property
    def is_sure(self) -> bool:
        """Is the format settled?"""
        return self.format is not None and self.iterations >= _SURE_ITERATIONS[self.format.specificity]

    @property
    def coverage(self) -> float:
        """Share of the lines that the format knows. Small where a trainer prints much else: nothing is wrong then."""
        return self.owned / self.lines if self.lines else 0.0

    @property
    def label(self) -> str:
        """For the screen: "llm.c log"."""
        return "no known format" if self.format is None else f"{self.format.name} log"

    @property
    def reason(self) -> str:
        """What speaks for it: "recognised by 13 % of the lines looked at; next best: nanoGPT, 2 %"."""
        if self.format is None:
            return ""
        said = f"recognised by {_rough(self.coverage)} of the lines looked at"
        best = next(iter(self.runners_up), None)
        if best is None or best.coverage >= self.coverage:  # it says less of each line, so may match more of them
            return said
        return f"{said}; next best: {best.format}, {_rough(best.coverage)}"


def _rough(share: float) -> str:
    """Lines looked at are a sample: the tenths of a percent say nothing, but of less than one."""
    return percent(share, 0 if share >= 0.01 else 1)


class Recogniser:
    """Decides as lines come: the more of them, the surer. What was decided may change with the next.

    A format of which no line that only it has was seen is worth nothing, whatever else it would read: it is not asked
    until there is one, and then of all lines from the beginning. The unproven, half of them, wait until no framework's
    finds an iteration. Of lines that come `ahead`, and once more in their place, each counts once.
    """

    def __init__(self, formats: Sequence[LogFormat] | None = None, ahead: Iterable[str] = ()) -> None:
        if formats is None:
            from .registry import candidates  # noqa: PLC0415 - loaded when the first log is read

            self._scores = [*map(_Score, candidates())]
        else:
            self._scores = [_Score(one.candidate) for one in formats]
        self._left_out: list[LogFormat] = []
        self.unfinished = ""  # the last line of a log that nobody writes: it has no newline, and is read last
        self._ahead = Counter(ahead)
        self._seen: list[_Lines] = []
        self._looked_through = 0  # of what was seen, by the unproven
        self._lines = self._again = self._seen_characters = 0
        self._of_losses: list[int] = []  # numbers of lines that print one

    def copy(self) -> Recogniser:
        """Another, which goes on from what this one has seen: to ask all formats of a line takes 0.1 ms."""
        other = copy(self)
        other._scores = [one.copy() for one in self._scores]
        other._left_out, other._seen, other._of_losses = [*self._left_out], [*self._seen], [*self._of_losses]
        other._ahead = Counter(self._ahead)
        return other

    def leave_out(self, one: LogFormat) -> None:
        """Decide without this format from now on, until it is taken back."""
        self._left_out.append(one)

    def take_back(self, one: LogFormat) -> None:
        """Decide with this format again."""
        self._left_out.remove(one)

    def add(self, lines: Iterable[str], *, between: bool = False) -> Recognition:
        """Take in some clean lines without newlines; the decision so far. Those `between` lie before some that came."""
        texts = [line for line in lines if line and not line.isspace()]
        if self._lines and self._ahead:
            self._again += (self._ahead & Counter(texts)).total()
            self._ahead.subtract(texts)
        first, self._lines = self._lines, self._lines + len(texts)
        if not between and len(self._of_losses) < _LONGEST:
            self._of_losses += [number for number, text in enumerate(texts, first) if _LOSS.search(text)]
        self._look_at(_Lines([(-1 if between else number, text) for number, text in enumerate(texts, first)]))
        return self.decision()

    def _look_at(self, lines: _Lines) -> None:
        asked, full = [], self._seen_characters > _MOST_SEEN
        for score in self._scores:
            if score.telling is None:
                asked.append(score)
            elif full or (not score.specificity.is_unproven and _possible(score.telling, lines.together)):
                self._ask_of_all_seen([score])
                asked.append(score)
        lines.ask(asked)
        self._seen_characters += len(lines.together)
        self._seen.append(lines)
        if full:  # all are asked by now
            self._seen.clear()

    def _ask_of_all_seen(self, scores: Sequence[_Score]) -> None:
        for score in scores:
            score.telling = None
        for before in self._seen if scores else ():
            before.ask(scores)

    def _ask_unproven(self) -> bool:
        """Those of which a line that only they have has come since the last time; are there any?"""
        texts = [lines.together for lines in self._seen[self._looked_through :]]
        self._looked_through = len(self._seen)
        waiting = (one for one in self._scores if one.specificity.is_unproven and one.telling)
        self._ask_of_all_seen(asked := [o for o in waiting if any(_possible(o.telling or (), t) for t in texts)])
        return bool(asked)

    def _ordered(self) -> list[_Score]:
        """Those that are worth anything, the best first."""
        choice = (one for one in self._scores if one.worth and one.format not in self._left_out)
        return sorted(choice, key=lambda one: (-one.worth, -one.owned))

    def decision(self) -> Recognition:
        """By what was seen so far."""
        best = self._ordered()
        known = best and best[0].iterations and best[0].specificity.is_described
        if not known and self._ask_unproven():
            best = self._ordered()
        if not best:
            return Recognition(None, 0, self._lines, 0)
        first = next((one for one in best if _was_over_before(one, best[0]) or _is_behind(one, best[0])), best[0])
        if not first.iterations:
            first = next((one for one in best if one.iterations >= _MANY), first)
        first = next((one for one in best if _reads_instead(one, first)), first)
        if _tells_nothing(first) and sum(at > first.last for at in self._of_losses) >= _MANY:
            return Recognition(None, 0, self._lines, 0)  # its bar loaded data; the rows behind it nobody reads
        last = bool(self.unfinished.strip())
        return Recognition(
            format=first.format,
            owned=self._owned(first),
            lines=self._lines + last,
            again=self._again,
            iterations=first.iterations,
            runners_up=tuple(
                RunnerUp(one.format.name, self._owned(one) / (self._lines + last), one.iterations)
                for one in [one for one in best if one is not first][:3]
                if one.iterations and not one.specificity.is_unproven
            ),
        )

    def _owned(self, one: _Score) -> int:
        return one.owned + bool(self.unfinished.strip() and one.format.matches(self.unfinished))


class _Lines:
    """Some lines that came together, numbered."""

    def __init__(self, numbered: list[tuple[int, str]]) -> None:
        self._numbered = numbered
        self.together = "\n".join(text for _, text in numbered)

    def ask(self, scores: Iterable[_Score]) -> None:
        """Count the lines for the formats that may have some of them."""
        possible = [(needs, one) for one in scores if (needs := _possible(one.needs, self.together))]
        common = [one for one in possible if one[1].specificity is Specificity.COMMON]
        _count(self._numbered, [one for one in possible if one not in common])
        _count([*without_announced(self._numbered)] if common else [], common)


def _possible(needs: Needs, text: str) -> Needs:
    """Those of `needs` that `text` holds."""
    return tuple(words for words in needs if all(map(text.__contains__, words)))


def _count(texts: Iterable[tuple[int, str]], asked: Sequence[tuple[Needs, _Score]]) -> None:
    """Ask all formats of one line before the next: they share what each looks for in a line."""
    for number, text in texts:
        for needs, score in asked:
            for words in needs:
                if all(map(text.__contains__, words)):
                    score.add(number, text)
                    break


def recognise(lines: Iterable[str], formats: Sequence[LogFormat] | None = None) -> Recognition:
    """The format that reads most of the iterations in `lines` (clean, without newlines)."""
    return Recogniser(formats).add(lines)
