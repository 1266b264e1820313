"""Bars whose characters a Windows console has taken for others: `ÔöüÔöü`, `ΓöüΓöü`, `â”€` for `━━`, `─`.

PowerShell's `>` reads what a program prints, which is UTF-8, by the console's code page, and writes that down in
UTF-16 or UTF-8. Only what draws lines and blocks is turned back: no word of any language has such a triple in it.
"""

from __future__ import annotations

import re
from functools import cache

_PAGES = ("cp437", "cp850", "cp852", "cp866", "cp1251", "cp1252")
_DRAWN = range(0x2500, 0x25A0)
_LEADS = tuple({b"\xe2".decode(page) for page in _PAGES})


def with_bars(text: str) -> str:
    """A line with the lines and blocks that its program has drawn."""
    if not any(lead in text for lead in _LEADS):
        return text
    pattern, drawn = _mangled()
    return pattern.sub(lambda found: drawn.get(found[0], found[0]), text)


@cache
def _mangled() -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds three characters that may be a mangled one, and what each of those was."""
    drawn = {
        "".join(_shown(byte, page) for byte in chr(point).encode()): chr(point)
        for page in _PAGES
        for point in _DRAWN
    }
    first, second = ("".join({three[place] for three in drawn}) for place in (0, 1))
    return re.compile(f"[{first}][{second}][^\\x00-\\x7f]"), drawn


def _shown(byte: int, page: str) -> str:
    """A byte by a code page; where that has none for it, Windows lets it stand."""
    try:
        return bytes([byte]).decode(page)
    except UnicodeDecodeError:
        return chr(byte)
