"""Lines of plain text, by the cells of a terminal that they take: wrapped sentences, pairs, bars."""

from __future__ import annotations

from rich.cells import cell_len


def one_line(text: str, most: int) -> str:
    """Text from outside as one line of at most `most` characters, without controls; a mark where it was cut."""
    seen = "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text[: 2 * most + 2])
    line = " ".join(seen.split())
    return line if len(line) <= most and len(text) <= 2 * most + 2 else line[: most - 1] + "…"


def wrap(sentence: str, cells: int) -> list[str]:
    """A sentence over as many lines as it needs; a word longer than a line has a line of its own."""
    lines: list[list[str]] = []
    used = cells
    for word in sentence.split():
        taken = cell_len(word)
        if not lines or used + 1 + taken > cells:
            lines.append([word])
            used = taken
        else:
            lines[-1].append(word)
            used += 1 + taken
    return [" ".join(words) for words in lines]


def indented(sentence: str, cells: int, indent: str = " ") -> list[str]:
    """A sentence wrapped into `cells`, each line behind `indent`."""
    return [indent + line for line in wrap(sentence, cells - len(indent))]


def gap(left: str, right: str, cells: int) -> str:
    """The blanks between a name at the left and its value at the right end of a line, a blank at each margin."""
    return " " * max(1, cells - 2 - len(left) - len(right))


def bar(fraction: float | None, cells: int) -> str:
    """A bar of at most `cells` cells, half a cell fine; more than nothing is half a cell at least."""
    halves = min(2 * cells, max(1, round(fraction * cells * 2))) if fraction is not None and fraction > 0 else 0
    return "━" * (halves // 2) + "╸" * (halves % 2)
