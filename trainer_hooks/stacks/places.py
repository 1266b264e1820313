"""A frame in words, and whose code it is: worked out once for each file."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from ...events import LONGEST_FRAME, MOST_FRAMES, short_file
from ..values import as_text

if TYPE_CHECKING:
    from types import CodeType

    from .looking import Steps

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + "/"  # noqa: PTH120, PTH100 - as frames have it
_INNERMOST = 10  # of a stack that is too deep, before the user's own frames
_MOST_FILES = 10_000  # that are remembered; and of their lines


class Places:
    """Frames as "file.py:line function"; what is short is told from `folder`, where the user's script lies."""

    def __init__(self, folder: str | None = None) -> None:
        self._folder = (_script_folder() if folder is None else folder).rstrip("/") + "/"
        self._files: dict[str, tuple[str, bool]] = {}
        self._known: dict[tuple[CodeType, int], str] = {}  # to the next look most frames are the same

    def words_of(self, frames: list[tuple[str, int, str]]) -> tuple[tuple[str, ...], int | None]:
        """The same of frames that somebody else has seen: file, line, function."""
        told = [self.words_of_file(*frame) for frame in frames if not frame[0].startswith(_OURS)]
        own = next((place for place, (_, users) in enumerate(told) if users), None)
        first = 0 if own is None or own < MOST_FRAMES else own - _INNERMOST
        return tuple(words for words, _ in told[first : first + MOST_FRAMES]), None if own is None else own - first

    def words(self, steps: Steps) -> tuple[tuple[str, ...], int | None]:
        """The frames to show, innermost first, and which of them is the innermost of the user's own code.

        Our own are left out. Of a deep stack the innermost stay, and from the user's own on outwards.
        """
        steps = [step for step in steps if not step[0].co_filename.startswith(_OURS)]
        own = next((place for place, (code, _) in enumerate(steps) if self._is_users(code)), None)
        if own is None or own < MOST_FRAMES:
            return tuple(self._place(*step) for step in steps[:MOST_FRAMES]), own
        left_out = own - _INNERMOST
        shown = [self._place(*step) for step in steps[:_INNERMOST]]
        shown.append(f"({left_out} more)")
        outer = steps[own : own + MOST_FRAMES - len(shown)]
        return (*shown, *(self._place(*step) for step in outer)), _INNERMOST + 1

    def words_of_file(self, file: str, line: int, function: str) -> tuple[str, bool]:
        """A frame of which these are known, in words; and whether it is the user's own."""
        name, users = self._file(file)
        text = f"{name}:{line} {function}"
        return as_text(text if len(text) <= LONGEST_FRAME else "…" + text[1 - LONGEST_FRAME :]), users

    def _place(self, code: CodeType, line: int) -> str:
        words = self._known.get((code, line))
        if words is None:
            name = getattr(code, "co_qualname", code.co_name)
            words = self.words_of_file(code.co_filename, line or 0, name.rpartition("<locals>.")[2])[0]
            if len(self._known) < _MOST_FILES:
                self._known[code, line] = words
        return words

    def _is_users(self, code: CodeType) -> bool:
        if code.co_filename == "<string>":  # python -c; a function in it has been made by a library
            return code.co_name == "<module>"
        return self._file(code.co_filename)[1]

    def _file(self, file: str) -> tuple[str, bool]:
        known = self._files.get(file)
        if known is None:
            known = short_file(file, self._folder, os.path.expanduser("~"))  # noqa: PTH111 - where Path's raises
            if len(self._files) < _MOST_FILES:
                self._files[file] = known
        return known


def _script_folder() -> str:
    main: Any = sys.modules.get("__main__")
    file = getattr(main, "__file__", None) or (sys.argv[0] if sys.argv else "")
    return os.path.dirname(os.path.abspath(file)) if file else os.getcwd()  # noqa: PTH100, PTH109, PTH120
