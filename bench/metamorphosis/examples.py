"""The formats' own examples, made longer: their last line of an iteration once more, with the next numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from itermon.collectors.log_formats.registry import all_formats
from itermon.events import Iteration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from itermon.collectors.log_formats.base import LogFormat

MORE = 40


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
    made = [  # not a total, behind a stroke
        re.sub(rf"(?<![\d./]){newest}(?![\d.])", str(newest + n * step), lines[last], count=1)
        for n in range(1, MORE)
    ]
    whole = [*lines[: last + 1], *made, *lines[last + 1 :]]
    expected = indices[last] + [newest + n * step for n in range(1, MORE)]
    return "\n".join(whole) if _indices(log_format, whole)[: len(expected)] == expected else text


def _indices(log_format: LogFormat, lines: list[str]) -> list[int]:
    parser = log_format.parser()
    return [event.index for line in lines for event in parser.line(line, None) if isinstance(event, Iteration)]
