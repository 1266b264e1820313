"""The bytes that make a terminal tell somebody: notifications, the bell, the title, the progress in the task bar.

They travel with the terminal's output, across ssh too. Each text in them is clean: no byte of it can end a
sequence or begin another one. In tmux or screen they are wrapped, see `through_tmux` and `through_screen`.
"""

from __future__ import annotations

import re

from ..collectors.clean import clean

BELL = "\a"

_ESC, _ST = "\x1b", "\x1b\\"
_MOST_TITLE, _MOST_BODY = 120, 400  # characters: a notification shows no more, and screen takes 768 bytes at once
_SCREEN_BYTES = 700
_ASCII = str.maketrans(
    {"·": "-", "–": "-", "—": "-", "×": "x", "≈": "~", "…": "...", "µ": "u", "→": ">", "≥": ">="}
)


def osc9(title: str, body: str) -> str:
    """iTerm2's. A text that begins with a number would be another command (ConEmu's): it gets a word before it."""
    said = plain(f"{title}: {body}" if body else title, _MOST_TITLE + _MOST_BODY)
    return f"{_ESC}]9;{said if said[:1].isalpha() else f'itermon: {said}'}{BELL}"


def osc777(title: str, body: str) -> str:
    """urxvt's. Its fields are told apart by `;`: there is none in the title."""
    return f"{_ESC}]777;notify;{plain(title, _MOST_TITLE).replace(';', ',')};{plain(body, _MOST_BODY)}{BELL}"


def osc99(title: str, body: str, name: str = "itermon") -> str:
    """kitty's. One of the same `name` replaces the one before."""
    of = re.sub(r"[^A-Za-z0-9_-]", "-", name)[:40] or "itermon"
    first = f"{_ESC}]99;i={of}:d={0 if body else 1}:p=title;{plain(title, _MOST_TITLE)}{_ST}"
    return first + (f"{_ESC}]99;i={of}:d=1:p=body;{plain(body, _MOST_BODY)}{_ST}" if body else "")


def progress(share: float | None, *, bad: bool = False) -> str:
    """In the task bar, or on the tab: OSC 9;4. `None` takes it away."""
    if share is None or share != share:
        return f"{_ESC}]9;4;0{BELL}"
    return f"{_ESC}]9;4;{2 if bad else 1};{round(100 * min(max(share, 0.0), 1.0))}{BELL}"


def pane_title(text: str) -> str:
    """Of the pane or window: OSC 2."""
    return f"{_ESC}]2;{plain(text, _MOST_TITLE)}{_ST}"


KEEP_TITLE, GIVE_TITLE_BACK = "\x1b[22;2t", "\x1b[23;2t"
"""The title that was there is put on the terminal's own stack, and taken from it again."""


def through_tmux(sequence: str) -> str:
    """tmux hands it on to the terminal it is shown on, if `allow-passthrough` is on."""
    return f"{_ESC}Ptmux;{sequence.replace(_ESC, _ESC + _ESC)}{_ST}" if sequence else ""


def through_screen(sequence: str) -> str:
    """GNU screen hands on what is wrapped, in pieces of at most 768 bytes. None ends within a character."""
    pieces, piece = [], ""
    for character in sequence:
        if len((piece + character).encode()) > _SCREEN_BYTES and not piece.endswith(_ESC):
            pieces.append(piece)
            piece = ""
        piece += character
    return "".join(f"{_ESC}P{one}{_ST}" for one in (*pieces, piece) if one)


def plain(text: str, most: int) -> str:
    """One clean line, each line break a comma."""
    return clean("; ".join(line for line in text.splitlines() if line), most).strip()


def in_ascii(text: str) -> str:
    """For a terminal without UTF-8: in Latin-1, the last byte of a letter may end a sequence."""
    return text.translate(_ASCII).encode("ascii", "replace").decode()
