"""A format checked: on a log (what it reads, what it misses, how far its pattern came there), and on its own examples."""

from __future__ import annotations

import re
from collections import Counter
from math import isclose
from typing import TYPE_CHECKING

import msgspec

from ...events import CHECKPOINT, EVALUATION, Iteration, SpanBegin, SpanEnd
from ...opening import read_bytes
from ...words import percent, plural
from ..clean import clean, clean_lines
from ..patterns import lazy_pattern
from .base import held_back
from .parsing.grammar import compile_pattern
from .parsing.lines import LineParser
from .recognition import Recognition
from .recognition import recognise as _recognise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ...events import Event
    from .base import Example, LogFormat

_MOST_BYTES = 1 << 24  # of a log: what is more is not looked at
_EXAMPLES = 3
_PLACEHOLDER = lazy_pattern(r"\d+")


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
    evaluations: int
    checkpoints: int
    first: tuple[str, ...]  # the first iterations, evaluations and checkpoints, in words
    missed: tuple[Missed, ...]  # the most frequent shapes of lines, those that look like iterations first

    def text(self) -> Iterator[str]:
        """For a person."""
        share = self.known / self.lines if self.lines else 0.0
        yield f"{self.log}: {self.format} knows {self.known:,} of {plural(self.lines, 'line')} with text ({percent(share)})"
        yield f"{plural(self.iterations, 'iteration')}, {self.untimed:,} of them without a time"
        yield f"{plural(self.evaluations, 'evaluation')}, {plural(self.checkpoints, 'checkpoint')}"
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
    events: list[Event] = []
    shapes: Counter[str] = Counter()
    firsts: dict[str, tuple[int, str]] = {}
    for number, text in enumerate(clean_lines(_head(log)), 1):
        if not text or text.isspace():
            continue
        lines += 1
        events += parser.line(text, None)
        if log_format.matches(text):
            known += 1
            continue
        shape = _PLACEHOLDER.sub("0", text[:200])
        shapes[shape] += 1
        firsts.setdefault(shape, (number, text))
    events += held_back(parser)
    iterations, evaluations, checkpoints = _iterations(events), _evaluations(events), _checkpoints(events)
    return Trial(
        format=log_format.name,
        log=clean(str(log)),
        lines=lines,
        known=known,
        iterations=len(iterations),
        untimed=sum(one.duration_s is None for one in iterations),
        evaluations=len(evaluations),
        checkpoints=len(checkpoints),
        first=(
            *map(_in_words, iterations[:_EXAMPLES]),
            *(f"evaluation{_at(one.iteration)}: {_results(one.values)}" for one in evaluations[:_EXAMPLES]),
            *(f"checkpoint{_at(one)}" for one in checkpoints[:_EXAMPLES]),
        ),
        missed=tuple(_missed(log_format, count, *firsts[shape]) for shape, count in _worst(shapes)),
    )


def wrong_in_example(log_format: LogFormat, example: Example, *, alone: bool = False) -> list[str]:
    """What is not as the example says: not recognised, or something else is read of it. Empty: all is well.

    With `alone` it need not be recognised among all formats. Times may differ by 3 %: some formats work them out from rounded figures.
    """
    lines = example.log.strip("\n").split("\n")
    parser = log_format.parser()
    events = [event for line in lines for event in parser.line(line, None)]
    events += held_back(parser)
    wrong = []
    found = [log_format.matches(line) and log_format.is_iteration(line) for line in lines]
    if not any(found):
        wrong.append("no line of it is an iteration")
    iterations = [(one.index, one.duration_s, one.averaged_over, one.loss) for one in _iterations(events)]
    if not _alike(iterations, example.iterations):
        wrong.append(f"iterations: {iterations} is read, not {list(example.iterations)}")
    evaluations = [(one.iteration, dict(one.values)) for one in _evaluations(events)]
    if evaluations != [(index, dict(values)) for index, values in example.evaluations]:
        wrong.append(f"evaluations: {evaluations} is read, not {list(example.evaluations)}")
    if (checkpoints := _checkpoints(events)) != list(example.checkpoints):
        wrong.append(f"checkpoints: {checkpoints} is read, not {list(example.checkpoints)}")
    if wrong or alone:
        return wrong
    taken = _recognise(lines).format
    if taken is not None and taken.name == log_format.name:
        return []
    return [f"taken for {taken.name if taken else 'no format'}"]


def _alike(
    read: list[tuple[int, float | None, int, float | None]],
    expected: Sequence[tuple[int, float | None, int, float | None]],
) -> bool:
    if [(index, over, loss) for index, _, over, loss in read] != [
        (index, over, loss) for index, _, over, loss in expected
    ]:
        return False
    times = zip((one[1] for one in read), (one[1] for one in expected), strict=True)
    return all(a == b if a is None or b is None else isclose(a, b, rel_tol=0.03) for a, b in times)


def _iterations(events: list[Event]) -> list[Iteration]:
    return [event for event in events if isinstance(event, Iteration)]


def _evaluations(events: list[Event]) -> list[SpanEnd]:
    return [event for event in events if isinstance(event, SpanEnd) and event.kind == EVALUATION]


def _checkpoints(events: list[Event]) -> list[int | None]:
    """The iteration of each checkpoint: where its writing begins or, in a log that has only that, where it ends."""
    begun = [one.iteration for one in events if isinstance(one, SpanBegin) and one.kind == CHECKPOINT]
    return begun or [one.iteration for one in events if isinstance(one, SpanEnd) and one.kind == CHECKPOINT]


def _at(iteration: int | None) -> str:
    return "" if iteration is None else f" at iteration {iteration}"


def _results(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.6g}" for name, value in values.items()) or "no results"


def _head(log: Path) -> bytes:
    return read_bytes(log, _MOST_BYTES)


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
        source = line.written
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
