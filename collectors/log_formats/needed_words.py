"""The words that stand in every text that a pattern matches.

A text without them need not be searched, so that most patterns are never compiled. To find them takes as long as to
compile: they are kept (`index.py`).
"""

from __future__ import annotations

import re
import sys
from typing import Any

if sys.version_info >= (3, 11):
    from re import _parser as parser  # type: ignore[attr-defined]
else:
    import sre_parse as parser

MOST_WORDS = 3
"""The longest ones: each more takes time, and refuses little."""
_MOST_COPIES = 4
"""Of what is repeated; nested repeats would go through each other's copies for ever."""


def needed_words(pattern: str) -> tuple[str, ...]:
    """The longest words of which each stands in every text that `pattern` matches; none where nothing is sure.

    Raises `re.error` for what is no pattern.
    """
    parsed = parser.parse(pattern)
    words = _Words(ignores_case=bool(parsed.state.flags & re.IGNORECASE))
    words.walk(parsed)
    words.end()
    kept: list[str] = []
    for word in sorted(words.found, key=lambda one: (-len(one), one)):
        if not any(word in other for other in kept):
            kept.append(word)
    return tuple(kept[:MOST_WORDS])


class _Words:
    """Goes through a parsed pattern, and collects the characters that follow each other in every match."""

    def __init__(self, *, ignores_case: bool) -> None:
        self.found: set[str] = set()
        self._word = ""
        self._ignores_case = ignores_case

    def end(self) -> None:
        """What comes next need not stand beside what came so far."""
        if self._word:
            self.found.add(self._word)
        self._word = ""

    def walk(self, parts: Any) -> None:
        """Parts that follow each other. Of those that are not known here nothing is sure."""
        for kind, value in parts:
            name = str(kind)
            if name == "LITERAL" and not (self._ignores_case and chr(value).lower() != chr(value).upper()):
                self._word += chr(value)
            elif name == "SUBPATTERN":
                self._group(*value)
            elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                self._repeat(*value)
            elif name == "ASSERT":
                self._aside(value[1])
            elif name not in ("AT", "ASSERT_NOT"):  # these have no characters
                self.end()

    def _group(self, _number: int | None, added: int, removed: int, parts: Any) -> None:
        before = self._ignores_case
        self._ignores_case = bool((before or added & re.IGNORECASE) and not removed & re.IGNORECASE)
        self.walk(parts)
        self._ignores_case = before

    def _repeat(self, least: int, most: int, parts: Any) -> None:
        """The first ones stand behind what came so far, the last ones before what comes."""
        copies = min(least, _MOST_COPIES)
        for _ in range(copies):
            self.walk(parts)
        if most != copies:
            self.end()
            for _ in range(copies):
                self.walk(parts)

    def _aside(self, parts: Any) -> None:
        """What stands in the text as well, but not between what comes before and after."""
        before, self._word = self._word, ""
        self.walk(parts)
        self.end()
        self._word = before
