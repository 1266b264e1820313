"""The formats' own examples, made longer: their last line of an iteration once more, with the next numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from itermon.collectors.log_formats.registry import all_formats
from itermon.events import Config, Iteration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from itermon.collectors.log_formats.base import LogFormat

MORE, DAY_S = 40, 86_400
_CLOCK = re.compile(r"(?<![\d:.-])\d{1,2}:\d\d:\d\d(?![\d:])")


def enlarged() -> Iterator[tuple[str, bytes]]:
    """Name and text of each."""
    for one in all_formats():
        for example in one.examples:
            text = example.log.strip("\n")
            yield f"{one.name}, {example.variant}".rstrip(", "), (longer(one, text) + "\n").encode()


def longer(log_format: LogFormat, text: str) -> str:
    """`text` with `MORE` lines, where each is read as the iteration that it was made for; else as it is."""
    lines = text.split("\n")
    indices = [_indices(log_format, lines[: n + 1]) for n in range(len(lines))]
    last = next((n for n in range(len(lines) - 1, 0, -1) if len(indices[n]) == len(indices[n - 1]) + 1), None)
    if last is None or len(indices[last]) < 2:
        return text
    newest, before = indices[last][-1], indices[last][-2]
    step = max(1, newest - before)
    lines = _with_total(log_format, lines, newest, (MORE - 1) * step)
    made = [  # not a total, behind a stroke
        re.sub(rf"(?<![\d./]){newest}(?![\d.])", str(newest + n * step), lines[last], count=1)
        for n in range(1, MORE)
    ]
    made = [_with_clocks(line, lines[:last], n) for n, line in enumerate(made, 1)]
    whole = [*lines[: last + 1], *made, *lines[last + 1 :]]
    expected = indices[last] + [newest + n * step for n in range(1, MORE)]
    return "\n".join(whole) if _indices(log_format, whole)[: len(expected)] == expected else text


def _with_clocks(line: str, before: list[str], times: int) -> str:
    """Clocks that went on from the row before go on: one that stands still says that no row was new."""
    like = next((one for one in reversed(before) if len(_CLOCK.findall(one)) == len(_CLOCK.findall(line))), line)
    earlier = iter(map(_seconds, _CLOCK.findall(like)))

    def later(found: re.Match[str]) -> str:
        now_s = _seconds(found[0])
        passed_s = now_s - next(earlier)
        later_s = now_s + times * passed_s
        goes_on = passed_s > 0 and later_s < DAY_S  # it may be the time of day
        return f"{later_s // 3600}:{later_s // 60 % 60:02d}:{later_s % 60:02d}" if goes_on else found[0]

    return _CLOCK.sub(later, line)


def _seconds(clock: str) -> int:
    hours, minutes, seconds = map(int, clock.split(":"))
    return 3600 * hours + 60 * minutes + seconds


def _with_total(log_format: LogFormat, lines: list[str], newest: int, more: int) -> list[str]:
    """`lines` with an announced length that `more` iterations do not contradict, if it stands in them as it is."""
    total = _total(log_format, lines)
    if total is None or newest + more <= total or newest > total:
        return lines
    longer = [re.sub(rf"(?<![\d.])(?<!\d,){total}(?![\d.]|,\d)", str(total + more), line) for line in lines]
    same = _indices(log_format, longer) == _indices(log_format, lines)
    return longer if same and _total(log_format, longer) == total + more else lines


def _total(log_format: LogFormat, lines: list[str]) -> int | None:
    parser = log_format.parser()
    events = [event for line in lines for event in parser.line(line, None) if isinstance(event, Config)]
    return next((event.max_iterations for event in events if event.max_iterations), None)


def _indices(log_format: LogFormat, lines: list[str]) -> list[int]:
    parser = log_format.parser()
    return [event.index for line in lines for event in parser.line(line, None) if isinstance(event, Iteration)]
