"""Copying by OSC 52: the terminal, here or at the other end of ssh, puts what it is sent on its clipboard.

Most do (xterm asks to be allowed to); GNOME's does not. It answers nothing, so nobody knows.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from ...collectors.clean import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_CHARACTERS = 16_384
"""As base64 of 4 bytes each 87 kB: xterm takes 100,000 bytes."""


def copied(text: str) -> str:
    """What of `text` is copied: of a long one its beginning, and nothing that a terminal would obey."""
    kept = "\n".join(clean(line).rstrip() for line in text[:MOST_CHARACTERS].split("\n"))
    return kept.strip("\n")


def sequences(text: str, environment: Mapping[str, str]) -> str:
    """What to write to the terminal so that it copies `text`.

    tmux takes it for itself only with `set-clipboard on`, and hands on what is wrapped only with
    `allow-passthrough on`: it gets both, and ignores what it does not know.
    """
    osc = f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07"
    if not environment.get("TMUX"):
        return osc
    return osc + "\x1bPtmux;" + osc.replace("\x1b", "\x1b\x1b") + "\x1b\\"
