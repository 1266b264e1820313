"""What we draw besides ASCII, and what stands for it where a terminal has less: one character for each."""

from __future__ import annotations


def _braille_as_ascii(dots: int) -> str:
    """The nearest ASCII mark of a braille cell: where its dots are, top to bottom."""
    if not dots:
        return " "
    rows = [bool(dots & mask) for mask in (0x09, 0x12, 0x24, 0xC0)]
    if sum(rows) >= 3:
        return "|"
    if rows[0] and not rows[3]:
        return ":" if rows[2] else "'"
    if rows[3] and not rows[0]:
        return ":" if rows[1] else "."
    return "-" if not rows[0] else ":"


ASCII = {chr(0x2800 + dots): _braille_as_ascii(dots) for dots in range(256)} | dict(
    zip(
        "│┊┃─╌━╸╭╮╰╯├┤┴╵▮▯▏▎▍▌▋▊▉█▁▂▃▄▅▆▇▕▲▼▶●○×≈…–—·→←↑↓±µ≤≥°",
        "|||--=-++++++++" + "|?" + "  -====#" + "_.-=+*#" + "|^v>*ox~.--.><^v~u<>o",
        strict=True,
    )
)

OUR_GLYPHS = frozenset(ASCII)
"""What the screen itself draws besides ASCII: one cell wide on every terminal that can show the screen at all."""


def _braille_as_blocks(dots: int) -> str:
    """Half blocks where its dots are: the upper half, the lower half, or both."""
    upper, lower = bool(dots & 0x1B), bool(dots & 0xE4)
    return "█" if upper and lower else "▀" if upper else "▄" if lower else " "


CONSOLE = {chr(0x2800 + dots): _braille_as_blocks(dots) for dots in range(256)} | dict(
    zip(
        "┊┃╵╌━╸╭╮╰╯▮▯▏▎▍▌▋▊▉▁▂▃▅▆▇▕▶●○…–—",
        "│││-══┌┐└┘█░▌▌▌▌███_▄▄▄██▐>*o.--",
        strict=True,
    )
)
"""For the console of Linux (TERM=linux): its fonts have the PC's characters, no braille and no rounded corners."""
