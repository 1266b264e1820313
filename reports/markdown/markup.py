"""Text as Markdown that shows it and does nothing else: no mention, link, picture, heading, formula or HTML.

Markdown's own syntax is written as entities, which never are syntax. GitHub then looks at the words that are left
once more, for `@name`, `#12`, addresses, `:smile:`, `$formulas$` and commits: only code is safe from that, so a
word that has any of these becomes code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..lines import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SYNTAX = {ord(c): f"&#{ord(c)};" for c in "&<>\\`*_[]|~"}
_LINKED = re.compile(r"[@#$]|://|www\.|:[\w+-]+:|\bgh-\d|[0-9a-f]{7}|\b(?:mailto|xmpp):", re.IGNORECASE)
_BEGINS_A_BLOCK = re.compile(r"(?:[-+=]+|\d+[.)])$")


def plain(text: str, most: int = 500) -> str:
    """A sentence as it is read, on one line; cut behind `most` characters, with a mark."""
    words = [code(w) if _LINKED.search(w) else w.translate(_SYNTAX) for w in one_line(text, most).split(" ")]
    if _BEGINS_A_BLOCK.match(words[0]):
        words[0] = re.sub(r"[-+=.)]", lambda sign: f"&#{ord(sign[0])};", words[0], count=1)
    return " ".join(words)


def code(text: str, most: int = 500) -> str:
    """The same as code, letter for letter; "" for no text."""
    shown = one_line(text, most)
    if not shown:
        return ""
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    blank = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], aligned: str) -> str:
    """Cells that are Markdown already, in columns; `aligned` has an l or an r for each.

    A bar inside of code ends its cell on GitHub, whatever stands before it: there it is shown broken.
    """
    rules = [":--" if side == "l" else "--:" for side in aligned]
    lines = (" | ".join(cell.replace("|", "¦") for cell in row) for row in (heads, rules, *rows))
    return "\n".join(f"| {line} |" for line in lines)


def points(sentences: Iterable[str]) -> str:
    """A list, of plain sentences."""
    return "\n".join(f"- {plain(sentence)}" for sentence in sentences)


def folded(summary: str, body: str) -> str:
    """What is opened by a click; `summary` is in our words."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"
