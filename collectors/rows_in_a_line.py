"""Rows that stand in one line: the script ends a row with a line break only where it saves something.

    [010] train_loss: 0.305 | dev_loss: 0.736 | f1: 0.818 [011] train_loss: 0.274 | dev_loss: 0.758 | f1: 0.820

The number in front rises evenly from row to row, and what is named behind it is the same each time, a loss
among it.
"""

from __future__ import annotations

import re
from itertools import pairwise

_FRONT = re.compile(
    r"(?P<lead>\[|\[?(?i:epoch|step|iter|iteration)[ :=#\[]{0,2})\d{1,9}"
    r"(?P<behind>[]:,|/ ]{1,4}[A-Za-z][\w ]{2,30}[:=])"
)
_NAME = re.compile(r"[A-Za-z_]\w*(?=[:=] *-?\d)")
_FEWEST_NAMES = 2


def rows_in(line: str) -> list[str]:
    """The rows of a line, in their order; the line itself where it holds one, or none."""
    front = _FRONT.match(line)
    if front is None or line.find(front["behind"], front.end()) < 0:
        return [line]
    each = re.compile(rf"(?<![^\s\]]){re.escape(front['lead'])}(\d{{1,9}}){re.escape(front['behind'])}")
    found = list(each.finditer(line))
    if len(found) < 2 or not _rise([int(one[1]) for one in found]):
        return [line]
    ends = [*(one.start() for one in found[1:]), len(line)]
    rows = [line[one.start() : end] for one, end in zip(found, ends, strict=True)]
    return rows if _alike(rows) else [line]


def _rise(numbers: list[int]) -> bool:
    step = numbers[1] - numbers[0]
    return step > 0 and all(after - before == step for before, after in pairwise(numbers))


def _alike(rows: list[str]) -> bool:
    """Does each name the same values, several of them, and a loss?"""
    names = _NAME.findall(rows[0])
    same = all(_NAME.findall(row)[: len(names)] == names for row in rows[1:])
    return same and len(names) >= _FEWEST_NAMES and any("loss" in name.lower() for name in names)
