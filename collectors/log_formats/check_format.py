"""A format tried on a log: what it reads, what it does not, and how far its pattern came on a line that it missed."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from ...events import Iteration
from ..clean import clean, clean_lines
from .parsing.grammar import as_written, compile_pattern
from .parsing.lines import LineParser
from .recognition import Recognition
from .recognition import recognise as _recognise

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .base import LogFormat

_MOST_BYTES = 1 << 24  # of a log: what is more is not looked at
_EXAMPLES = 3
_PLACEHOLDER = re.compile(r"\d+")


class Missed(msgspec.Struct, frozen=True):
    """Lines of one shape that the format does not know; numbers in them may differ."""

    count: int
    line: int  # the first one's number
    text: str
    why: str


class Trial(msgspec.Struct, frozen=True):
    """What a format reads of a log."""

    format: str
    log: str
    lines: int
    known: int
    iterations: int
    untimed: int  # iterations without a time
    first: tuple[str, ...]  # the first iterations, in words
    missed: tuple[Missed, ...]  # the most frequent shapes of lines, those that look like iterations first

    def text(self) -> Iterator[str]:
        """For a person."""
        share = self.known / self.lines if self.lines else 0.0
        yield f"{self.log}: {self.format} knows {self.known:,} of {self.lines:,} lines with text ({share:.1%})"
        yield f"{self.iterations:,} iterations, {self.untimed:,} of them without a time"
        yield from (f"  {one}" for one in self.first)
        if self.missed:
            yield "Not known, the most frequent first:"
        for one in self.missed:
            yield f"  {one.count:,} × line {one.line}: {one.text[:160]}"
            if one.why:
                yield f"      {one.why}"


def recognition(log: Path) -> Recognition:
    """As which format the log is taken, by its first 16 MiB."""
    return _recognise(clean_lines(_head(log)))


def trial(log_format: LogFormat, log: Path) -> Trial:
    """Try the format on the first 16 MiB of the log."""
    parser = log_format.parser()
    lines = known = 0
    iterations: list[Iteration] = []
    shapes: Counter[str] = Counter()
    firsts: dict[str, tuple[int, str]] = {}
    for number, text in enumerate(clean_lines(_head(log)), 1):
        if not text or text.isspace():
            continue
        lines += 1
        iterations += [event for event in parser.line(text, None) if isinstance(event, Iteration)]
        if log_format.matches(text):
            known += 1
            continue
        shape = _PLACEHOLDER.sub("0", text[:200])
        shapes[shape] += 1
        firsts.setdefault(shape, (number, text))
    return Trial(
        format=log_format.name,
        log=clean(str(log)),
        lines=lines,
        known=known,
        iterations=len(iterations),
        untimed=sum(one.duration_s is None for one in iterations),
        first=tuple(map(_in_words, iterations[:_EXAMPLES])),
        missed=tuple(_missed(log_format, count, *firsts[shape]) for shape, count in _worst(shapes)),
    )


def _head(log: Path) -> bytes:
    with log.open("rb") as file:
        return file.read(_MOST_BYTES)


def _worst(shapes: Counter[str]) -> list[tuple[str, int]]:
    """Shapes with a number and a loss or a step first: they might have been meant."""
    meant = re.compile(r"(?i)loss|step|iter|epoch")
    order = sorted(shapes.items(), key=lambda item: (not ("0" in item[0] and meant.search(item[0])), -item[1]))
    return order[:5]


def _missed(log_format: LogFormat, count: int, number: int, text: str) -> Missed:
    parser = log_format.parser
    why = _why(parser, text) if isinstance(parser, type) and issubclass(parser, LineParser) else ""
    return Missed(count, number, clean(text), why)


def _why(parser: type[LineParser], text: str) -> str:
    """How far the pattern of an iteration came: its longest beginning that matches this line."""
    best = (0, "")
    for line in parser.kinds():
        if not line.carries_iteration:
            continue
        if line.contains not in text:
            best = max(best, (0, f"it does not contain {line.contains!r}"))
            continue
        source = as_written(line.pattern)
        reached = _longest_beginning(source, text)
        if reached:
            best = max(
                best,
                (
                    reached,
                    f"the pattern matches up to {source[:reached][-40:]!r}, not on from {source[reached:][:40]!r}",
                ),
            )
    return best[1]


def _longest_beginning(pattern: str, text: str) -> int:
    if len(pattern) > 1000:
        return 0
    for end in range(len(pattern), 0, -1):
        try:
            beginning = compile_pattern(pattern[:end])
        except re.error:
            continue
        if beginning.search(text[:1000]):
            return end
    return 0


def _in_words(one: Iteration) -> str:
    time = "no time" if one.duration_s is None else f"{one.duration_s:.6g} s"
    mean = f", a mean over {one.averaged_over}" if one.averaged_over > 1 else ""
    loss = "" if one.loss is None else f", loss {one.loss:.6g}"
    return f"iteration {one.index}: {time}{mean}{loss}{one.bad_loss and ', loss ' + one.bad_loss}"
