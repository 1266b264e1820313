"""Lines of a screen as an SVG that looks the same everywhere.

Blocks, braille and frames are drawn as shapes: few monospace fonts have them all, and a picture on a web page
uses the reader's font. Letters are text, held to the grid by `textLength`.
"""

from __future__ import annotations

from collections import defaultdict
from html import escape
from typing import TYPE_CHECKING

from rich.cells import cell_len

from itermon.tui.drawing.palettes import DARK

if TYPE_CHECKING:
    from rich.style import Style

    from itermon.tui.drawing.lines import Block
    from itermon.tui.drawing.theme import Theme

CELL_W, CELL_H, FONT = 8.4, 18.0, 14
MARGIN, BAR = 14.0, 34.0
PLAIN = "#d5dae1"
FONTS = "'DejaVu Sans Mono','SF Mono',Menlo,Consolas,monospace"
STYLE = f"text{{font-family:{FONTS};font-size:{FONT}px;white-space:pre}}.b{{font-weight:bold}}"

_EIGHTHS_UP = "▁▂▃▄▅▆▇█"
_EIGHTHS_RIGHT = "▏▎▍▌▋▊▉"
# Frames as strokes, in halves of a cell from its middle.
_FRAMES = {
    "─": "M{l} {m}H{r}",
    "╌": "M{l} {m}h{d}m{d} 0h{d}",
    "│": "M{c} {t}V{b}",
    "┊": "M{c} {t}v3m0 3v3m0 3v3m0 3v1",
    "╭": "M{c} {b}Q{c} {m} {r} {m}",
    "╮": "M{l} {m}Q{c} {m} {c} {b}",
    "╰": "M{c} {t}Q{c} {m} {r} {m}",
    "╯": "M{l} {m}Q{c} {m} {c} {t}",
    "├": "M{c} {t}V{b}M{c} {m}H{r}",
    "┤": "M{c} {t}V{b}M{l} {m}H{c}",
}


def svg(lines: Block, theme: Theme, title: str) -> str:
    """A window with `title` around `lines`."""
    columns = max(sum(cell_len(text) for text, _ in line) for line in lines)
    width = columns * CELL_W + 2 * MARGIN
    height = len(lines) * CELL_H + BAR + MARGIN
    body: list[str] = []
    for row, line in enumerate(lines):
        body += _row(line, theme, BAR + row * CELL_H)
    buttons = zip((20, 38, 56), ("#ff5f57", "#febc2e", "#28c840"), strict=True)
    size = f'width="{_n(width)}" height="{_n(height)}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" {size}>',
            f"<style>{STYLE}</style>",
            f'<rect {size} rx="9" fill="{DARK.background}" stroke="#30363f"/>',
            *(f'<circle cx="{x}" cy="17" r="5" fill="{colour}"/>' for x, colour in buttons),
            f'<text x="{_n(width / 2)}" y="22" fill="#7d8796" text-anchor="middle">{escape(title)}</text>',
            *body,
            "</svg>",
            "",
        ]
    )


def _row(line: tuple[tuple[str, str], ...], theme: Theme, top: float) -> list[str]:
    """One row: the shapes of each colour together, then the words."""
    fills: dict[str, list[str]] = defaultdict(list)
    strokes: dict[str, list[str]] = defaultdict(list)
    dots: dict[str, list[str]] = defaultdict(list)
    made: list[str] = []
    x = MARGIN
    for raw, name in line:
        style = theme.style(name)
        text = theme.glyphs(raw)
        colour, back = _colours(style)
        if back:
            size = f'width="{_n(cell_len(text) * CELL_W)}" height="{_n(CELL_H)}"'
            made.append(f'<rect x="{_n(x)}" y="{_n(top)}" {size} fill="{back}"/>')
        word, word_x = "", x
        for char in text:
            if shape := _block(char, x, top):
                fills[colour].append(shape)
            elif char in _FRAMES:
                strokes[colour].append(_frame(char, x, top))
            elif 0x2800 < ord(char) <= 0x28FF:
                dots[colour].append(_braille(ord(char) - 0x2800, x, top))
            elif char != " " or (word and not word.endswith(" ")):
                word_x = word_x if word else x
                word += char
                x += cell_len(char) * CELL_W
                continue
            made += _word(word, word_x, top, colour, style)
            word = ""
            x += cell_len(char) * CELL_W
        made += _word(word, word_x, top, colour, style)
    made += [f'<path fill="{c}" d="{"".join(p)}"/>' for c, p in fills.items()]
    made += [f'<path fill="none" stroke="{c}" d="{"".join(p)}"/>' for c, p in strokes.items()]
    made += [
        f'<path stroke="{c}" stroke-width="2.3" stroke-linecap="round" d="{"".join(p)}"/>' for c, p in dots.items()
    ]
    return made


def _word(word: str, x: float, top: float, colour: str, style: Style) -> list[str]:
    word = word.rstrip(" ")
    if not word:
        return []
    bold = ' class="b"' if style.bold else ""
    size = f'textLength="{_n(cell_len(word) * CELL_W)}"' if len(word) > 1 else ""
    return [f'<text x="{_n(x)}" y="{_n(top + 13.5)}" fill="{colour}"{bold} {size}>{escape(word)}</text>']


def _colours(style: Style) -> tuple[str, str]:
    """The colour of the words, and of what lies behind them where that is not the window."""
    front = style.color.triplet.hex if style.color and style.color.triplet else PLAIN
    return (DARK.background, front) if style.reverse else (front, "")


def _block(char: str, x: float, top: float) -> str:
    if char in _EIGHTHS_UP:
        height = CELL_H * (_EIGHTHS_UP.index(char) + 1) / 8
        return f"M{_n(x)} {_n(top + CELL_H - height)}h{_n(CELL_W)}v{_n(height)}h-{_n(CELL_W)}z"
    if char in _EIGHTHS_RIGHT:
        wide = CELL_W * (_EIGHTHS_RIGHT.index(char) + 1) / 8
        return f"M{_n(x)} {_n(top)}h{_n(wide)}v{_n(CELL_H)}h-{_n(wide)}z"
    if char in "━╸":
        wide = CELL_W / (1 if char == "━" else 2)
        return f"M{_n(x)} {_n(top + CELL_H / 2 - 2)}h{_n(wide)}v4h-{_n(wide)}z"
    return ""


def _frame(char: str, x: float, top: float) -> str:
    middle, centre = top + CELL_H / 2, x + CELL_W / 2
    places = {"l": x, "r": x + CELL_W, "t": top, "b": top + CELL_H, "m": middle, "c": centre, "d": CELL_W / 3}
    return _FRAMES[char].format(**{k: _n(v) for k, v in places.items()})


def _braille(dots: int, x: float, top: float) -> str:
    made = []
    for bit, (row, column) in enumerate(((0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (3, 0), (3, 1))):
        if dots >> bit & 1:
            made.append(f"M{_n(x + CELL_W * (0.25 + column / 2))} {_n(top + CELL_H * (row + 0.5) / 4)}h0")
    return "".join(made)


def _n(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
