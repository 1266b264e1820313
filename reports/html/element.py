"""HTML out of names and text. Text is escaped unless an element of ours made it: nothing can be forgotten."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..lines import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_CHARACTERS = 600
"""Of one text: a longer one is cut, with a mark."""

_EMPTY = {"link", "meta"}


class Html(str):
    """Markup that was made here."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: object) -> Html:
    """`<name ...>children</name>`; `class_` is class, `data_lane` data-lane; an attribute of `None` is none."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_text(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(child if isinstance(child, Html) else _text(child) for child in children)
    return Html(f"<{name}{written}>" if name in _EMPTY else f"<{name}{written}>{inside}</{name}>")


def joined(parts: Iterable[Html]) -> Html:
    """One after the other."""
    return Html("".join(parts))


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], class_: str) -> Html:
    """A table; each cell is text, or markup of ours."""
    head = [element("th", head, scope="col") for head in heads]
    body = joined(element("tr", *(element("td", cell) for cell in row)) for row in rows)
    return element(
        "table", *([element("thead", element("tr", *head))] if head else ()), element("tbody", body), class_=class_
    )


def _text(text: str) -> str:
    return escape(one_line(text, MOST_CHARACTERS))
