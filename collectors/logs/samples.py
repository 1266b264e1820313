"""Some lines of a log, to recognise its format by: of both ends, and evenly of what is between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..clean import clean_lines
from ..patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

SAMPLE_LINES = 120
"""Of the beginning and of the end of what was read: enough to recognise the format, in 20 ms for all formats."""

MIDDLE_LINES = 2_000
"""Of what is between, where the ends do not suffice: an excerpt, a log that ends with pages of something else."""

HURRIED_BYTES = 1 << 17
"""After so much of no known format, or of a guess, fewer lines are looked at: all formats take 0.1 ms a line."""

HURRIED_LINES = 24
"""Of each end then, and as many of what is between that have a number: a log that begins late is dense."""

_DIGIT = lazy_pattern(rb"\d")
_FRAMES, _BARS = 4, 4
_COUNT = " 0123456789."


def sample(data: bytes, most: int = SAMPLE_LINES) -> list[str]:
    """Lines of the beginning and of the end of `data`."""
    lines = data.removesuffix(b"\n").split(b"\n")
    if len(lines) > 2 * most:
        lines = lines[:most] + lines[-most:]
    return _frames(lines)


def numbered(data: bytes) -> list[str]:
    """Some lines of `data` that have a number, from evenly spread places on: no iteration is without one."""
    lines: list[bytes] = []
    end = 0
    for place in range(0, len(data), len(data) // HURRIED_LINES + 1):
        if found := _DIGIT.search(data, max(place, end)):
            begin, end = data.rfind(b"\n", 0, found.start()) + 1, data.find(b"\n", found.end())
            end = len(data) if end < 0 else end
            lines.append(data[begin:end])
    return _frames(lines)


def middle(data: bytes) -> list[str]:
    """Some of the lines that `sample` leaves out, evenly."""
    lines = data.removesuffix(b"\n").split(b"\n")[SAMPLE_LINES:-SAMPLE_LINES]
    return _frames(lines[:: max(1, len(lines) // MIDDLE_LINES)])


def leaves_out(data: bytes) -> bool:
    """Are there so many lines in the middle that `middle` has not all of them?"""
    return data.count(b"\n") - 2 * SAMPLE_LINES >= 2 * MIDDLE_LINES - 1


def _frames(lines: Sequence[bytes]) -> list[str]:
    """The lines' text; of a progress bar with thousands of frames on a line only the first and the last ones.

    Behind the newest frame may stand the blanks that wipe it out, and what was printed over them. Where one bar
    follows the other on a line, as bars that are wiped out do, the last frames of those before count, too.
    """
    texts: list[str] = []
    for line in lines:
        frames = list(clean_lines(line))
        if len(frames) <= _FRAMES:
            texts += frames
            continue
        last = len(frames) + 1 - _FRAMES
        titles = [frame.partition("%")[0].rstrip(_COUNT) if "%" in frame else None for frame in frames[:last]]
        ends = [n for n in range(1, last - 1) if titles[n] not in (None, titles[n + 1])]
        texts += (frames[0], *(frames[n] for n in ends[-_BARS:]), *frames[last:])
    return texts
