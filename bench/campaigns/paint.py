"""Random screens of wide, combining, emoji and variation-selector text, painted by differences.

What they leave on a terminal must be what a full painting leaves there, whatever widths the terminal believes in.
"""

from __future__ import annotations

import traceback
from random import Random
from typing import TYPE_CHECKING
from unittest import mock

import pyte
import pyte.screens

from itermon.tui.drawing.cells import Painter
from itermon.tui.drawing.lines import fit
from itermon.tui.drawing.theme import theme_for

from .tally import Tally, rounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from itermon.tui.drawing.lines import Block, Line

WIDTH, HEIGHT = 32, 5
THEME = theme_for(1 << 24)
STYLES = ("", "value", "bad", "cursor", "border", "nowhere")
PIECES = (
    "iter 1,247", "84.0 s", "98.8 %", " ", "─█⣀╸", "漢", "漢漢漢漢", "한글", "ｆｕｌｌ", "é", "é" * 4, "a\u0301\u0302",
    "☀\ufe0f", "☀", "1\ufe0f\u20e3", "👍", "👍🏽", "👩\u200d👩\u200d👧", "🇧🇷", "\u0301", "क्षि", "ﷺ", "①", "…", "·", "ｱ",
    "\u00ad", "\u1160", "\u2028x", "𝟘", "⚠", "⚠\ufe0f", "0123456789",
)  # fmt: skip
WIDTHS = ("as wcwidth says", "symbols wide", "all narrow")


def run(seconds: float | None, seed: int, *, most: int | None = None) -> Tally:
    """Sequences of screens until `seconds` have passed, or `most` of them."""
    tally = Tally("paint")
    for number in rounds(seconds, most):
        rng = Random(f"{seed} {number}")
        try:
            _one_sequence(rng, tally, number)
        except Exception as error:  # noqa: BLE001 - counted: that is what a campaign is for
            tally.exceptions += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            tally.note(
                f"sequence {number}: {type(error).__name__}: {error} ({where.filename[-40:]}:{where.lineno})"
            )
    return tally


def _one_sequence(rng: Random, tally: Tally, number: int) -> None:
    frames = [_screen(rng)]
    while len(frames) < rng.randrange(2, 6):
        frames.append(_changed(rng, frames[-1]))
    tally.operations += len(frames)
    painter = Painter(THEME)
    written = [_whole(frames[0])]
    painter.assume(frames[0])
    for frame in frames[1:]:
        text = painter.difference(frame)
        assert text is not None, "the painter knows what stands there"
        written.append(text)
    opinion = WIDTHS[number % len(WIDTHS)]
    left, wanted = _left_on_terminal(opinion, *written), _left_on_terminal(opinion, _whole(frames[-1]))
    for row, (one, other) in enumerate(zip(left, wanted, strict=True)):
        if one != other:
            tally.lost += 1
            tally.note(
                f"sequence {number}, {opinion}, row {row}: {_text(one)!r} stands there instead of {_text(other)!r}"
            )


def _line(rng: Random) -> Line:
    spans = tuple((rng.choice(PIECES), rng.choice(STYLES)) for _ in range(rng.randrange(6)))
    return fit(spans, WIDTH)


def _screen(rng: Random) -> Block:
    return [_line(rng) for _ in range(HEIGHT)]


def _changed(rng: Random, screen: Block) -> Block:
    """The screen with some rows new, and some whose texts alone have changed."""
    rows = list(screen)
    for _ in range(rng.randrange(1, 4)):
        y = rng.randrange(HEIGHT)
        spans = list(rows[y])
        if spans and rng.random() < 0.6:
            at = rng.randrange(len(spans))
            spans[at] = (rng.choice(PIECES), spans[at][1])
            rows[y] = fit(tuple(spans), WIDTH)
        else:
            rows[y] = _line(rng)
    return rows


def _whole(lines: Block) -> str:
    painter = Painter(THEME)
    painter.assume([()] * len(lines))
    return painter.difference(lines) or ""


def _width_by(opinion: str) -> Callable[[str], int]:
    ours = pyte.screens.wcwidth

    def width(char: str) -> int:
        found = ours(char)
        if opinion == WIDTHS[1]:
            symbol = "\u2460" <= char <= "\u24ff" or "\u2600" <= char <= "\u27bf"
            return 2 if found == 1 and symbol else found
        return min(found, 1) if opinion == WIDTHS[2] else found

    return width


def _left_on_terminal(opinion: str, *frames: str) -> list[list[tuple[object, ...]]]:
    screen = pyte.Screen(WIDTH, HEIGHT)
    screen.reset_mode(7, private=True)  # no wrapping at the last column, as the app asks for
    stream = pyte.Stream(screen)
    with mock.patch.object(pyte.screens, "wcwidth", _width_by(opinion)):
        for frame in frames:
            stream.feed(frame)
    rows = [[screen.buffer[y][x] for x in range(WIDTH)] for y in range(HEIGHT)]
    return [[(c.data, c.fg, c.bg, c.bold, c.reverse) for c in row] for row in rows]


def _text(row: list[tuple[object, ...]]) -> str:
    return "".join(str(cell[0]) for cell in row)
