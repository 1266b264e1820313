"""Lines of a notebook's JSON: printed text, of which JSON writes tabs and colours in another way."""

from __future__ import annotations

import re

_STRING = re.compile(r'\s{1,16}".*",?\s*')
_TAB = re.compile(r"(?<!\\)((?:\\\\)*)\\t")
_COLOUR = re.compile(r"(?<!\\)((?:\\\\)*)\\u001[bB]\[[\d;]{0,20}m")


def has_escapes(data: bytes) -> bool:
    """May a line of `data` have a tab or a colour in that way?"""
    return b"\\t" in data or b"\\u001b[" in data or b"\\u001B[" in data


def unescaped(line: str) -> str:
    r"""`line` with its tabs as blanks and without its colours, if it is one string of a notebook's output.

    Boosted trees put tabs between their columns, and Ray colours in front of its lines. Quotes and `\n` stay: they
    tell that it is a notebook.
    """
    if "\\t" not in line and "\\u001" not in line:
        return line
    if _STRING.fullmatch(line) is None:
        return line
    return _COLOUR.sub(r"\1", _TAB.sub(r"\1    ", line))
