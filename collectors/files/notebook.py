"""Notebooks that were saved on one line, as Colab and Kaggle do: given as Jupyter writes them, line by line.

Jupyter indents the JSON of a notebook, so that each printed line stands on a line of the file. Without that a
whole training is one line. Only line breaks are put in: what a printed line looks like is left to who reads it.
"""

from __future__ import annotations

from ..patterns import lazy_pattern

_BEGINNING = lazy_pattern(
    rb'\s*\{ ?"(?:nbformat(?:_minor)?" ?: ?\d|cells" ?: ?\[ ?\{ ?"|metadata" ?: ?\{ ?"'
    rb"(?:kernelspec|language_info|colab|kaggle|accelerator|availableInstances)\b)"
)
_BREAK = lazy_pattern(rb'(?<!\\)((?:\\\\)*)\\n(?:", ?")?')
_LIST = lazy_pattern(rb'(?<!\\)(": ?\[)(?=")')
_TEXT = lazy_pattern(rb'(?<!\\)("(?:text|text/plain)": ?)(?=")')  # Kaggle: all of an output in one string
_END = lazy_pattern(rb'(?<!\\)"(?=\])')
_CLOSING = ord("}")
_MOST_HELD_BYTES = 1 << 12


def is_compact(head: bytes) -> bool:
    """Does a file that begins with `head` hold a notebook without line breaks?"""
    return _BEGINNING.match(head) is not None and b"\n" not in head.strip()


class CompactNotebook:
    """A decoder, see `decoding`: the JSON with a line break wherever Jupyter puts one."""

    problem = ""
    is_between = False

    def __init__(self) -> None:
        self._held = b""  # of which the next bytes may be a part
        self._text = b""

    def push(self, data: bytes, offset: int) -> None:  # noqa: ARG002 - as every decoder's
        whole = self._held + data
        end = _outside_marks(whole)
        self._text, self._held = _broken(whole[:end]), whole[end:]

    def pull(self) -> bytes:
        text, self._text = self._text, b""
        return text

    def cut(self) -> str:
        return ""


def _broken(text: bytes) -> bytes:
    text = _BREAK.sub(rb'\1\\n",\n      "', text)
    text = _LIST.sub(rb"\1\n      ", _TEXT.sub(rb"\1[\n      ", text))
    return _END.sub(rb'"\n     ', text)


def _outside_marks(whole: bytes) -> int:
    """Where `whole` may be divided without cutting through a mark that decides about a line break."""
    for at in range(len(whole), max(1, len(whole) - _MOST_HELD_BYTES), -1):
        if whole[at - 1] == _CLOSING or (at < len(whole) and whole[at - 2 : at + 1].isalnum()):
            return at
    return len(whole)
