"""Asks the terminal whether it is light or dark, before anything is drawn: OSC 11, with a short wait."""

from __future__ import annotations

import os
import re
import select
import termios
import time
import tty

WHO_ARE_YOU = b"\x1b[c"
ASK = b"\x1b]11;?\x1b\\" + WHO_ARE_YOU
"""The colour of the background; and what terminal it is, which every one answers: then no more will come."""

PATIENCE_S = 0.2
_MOST_BYTES = 256
_COLOUR = re.compile(rb"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_DONE = re.compile(rb"\x1b\[\?[\d;]*c")
_ANSWERS = re.compile(rb"%b(?:\x07|\x1b\\)|%b" % (_COLOUR.pattern, _DONE.pattern))

_typed: list[bytes] = []


def take_typed() -> bytes:
    """What a person typed while we asked, for whoever reads the keys: once."""
    typed = b"".join(_typed)
    _typed.clear()
    return typed


def is_light(read: int = 0, write: int = 1, patience_s: float = PATIENCE_S) -> bool | None:
    """Whether the terminal behind these descriptors has a light background; `None` where it does not say.

    What comes too late, and what was typed, is for whoever reads the keys: see `textual_compat.take_any_bytes`.
    """
    try:
        found = termios.tcgetattr(read)
    except termios.error:
        return None
    try:
        tty.setcbreak(read, termios.TCSANOW)
        os.write(write, ASK)
        answer = _answer(read, time.monotonic() + patience_s)
    except (OSError, termios.error):
        return None
    finally:
        termios.tcsetattr(read, termios.TCSANOW, found)
    _typed.append(_ANSWERS.sub(b"", answer))
    return light_in(answer)


def light_in(answer: bytes) -> bool | None:
    """What an answer says: more light than dark, by the weights of the eye (ITU-R BT.709)."""
    colour = _COLOUR.search(answer)
    if colour is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in colour.groups())
    return bool(0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5)


def _answer(read: int, until_s: float) -> bytes:
    answer = b""
    while len(answer) < _MOST_BYTES and not _DONE.search(answer):
        left_s = until_s - time.monotonic()
        if left_s <= 0 or not select.select([read], [], [], left_s)[0]:
            break
        part = os.read(read, _MOST_BYTES)
        if not part:
            break
        answer += part
    return answer
