"""Which terminal this is, what it takes, and how to reach it: through tmux or screen, across ssh.

ssh hands on TERM, and mostly LC_*, but neither TERM_PROGRAM nor WT_SESSION. Within tmux the terminal that shows
tmux counts, and tmux is asked for it. What is not known gets the bell, which every terminal has.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from . import sequences

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BELL, OSC9, OSC777, OSC99 = "bell", "osc9", "osc777", "osc99"
PROTOCOLS = (BELL, OSC9, OSC777, OSC99)
_ASK = "#{client_termtype}\t#{client_termname}\t#{allow-passthrough}"
_ASK_S = 1.0


class Kind(NamedTuple):
    """A terminal: what it takes, and whether it shows progress; `words` are found in what it says of itself."""

    name: str
    words: str
    protocol: str
    progress: bool = False


KINDS = (
    # No progress for iTerm2, kitty and VTE: older ones tell "4;1;50" as a text, or nothing.
    Kind("kitty", "kitty", OSC99),
    Kind("Ghostty", "ghostty", OSC777, progress=True),
    Kind("WezTerm", "wezterm", OSC777, progress=True),
    Kind("iTerm2", "iterm", OSC9),
    Kind("foot", "foot", OSC777),
    Kind("rxvt", "rxvt", OSC777),
    Kind("VTE", "vte", OSC777),
    Kind("Windows Terminal", "windows terminal", BELL, progress=True),
    Kind("Konsole", "konsole", BELL, progress=True),
)
"""The first whose words are found counts."""

UNKNOWN = Kind("an unknown terminal", "", BELL)

_SIGNS = (
    ("KITTY_WINDOW_ID", "kitty"),
    ("GHOSTTY_RESOURCES_DIR", "ghostty"),
    ("WEZTERM_PANE", "wezterm"),
    ("WT_SESSION", "windows terminal"),
    ("KONSOLE_VERSION", "konsole"),
    ("VTE_VERSION", "vte"),
)
"""Variables that one terminal alone sets."""


class Terminal(NamedTuple):
    """The terminal that a person sees, and what stands in between."""

    kind: Kind = UNKNOWN
    wrap: Callable[[str], str] | None = None
    """How a sequence gets through what stands in between; `None`: it does not."""

    multiplexed: bool = False
    """Is it behind tmux or screen? They take the bell themselves, and mark the window."""

    ascii_only: bool = False

    def notification(self, title: str, body: str, name: str = "") -> str:
        """What to write so that somebody is told. Behind tmux the bell as well: what is wrapped may be lost."""
        osc = self._osc(title, body, name)
        if not osc or self.wrap is None:
            return sequences.BELL
        return self.wrap(osc) + (sequences.BELL if self.multiplexed else "")

    def progress(self, share: float | None, *, bad: bool = False) -> str:
        """What to write for the task bar; nothing where it has none."""
        if not self.kind.progress or self.wrap is None:
            return ""
        return self.wrap(sequences.progress(share, bad=bad))

    def pane_title(self, text: str) -> str:
        """What to write for the title, which tmux and screen keep themselves."""
        return sequences.pane_title(sequences.in_ascii(text) if self.ascii_only else text)

    def _osc(self, title: str, body: str, name: str) -> str:
        if self.ascii_only:
            title, body = sequences.in_ascii(title), sequences.in_ascii(body)
        protocol = self.kind.protocol
        if protocol == OSC9:
            return sequences.osc9(title, body)
        if protocol == OSC777:
            return sequences.osc777(title, body)
        return sequences.osc99(title, body, name or "itermon") if protocol == OSC99 else ""


def terminal_of(
    environment: Mapping[str, str],
    protocol: str = "",
    *,
    ask_tmux: Callable[[Mapping[str, str]], str] | None = None,
) -> Terminal:
    """The terminal that a process with this environment writes to; with a `protocol`, one that takes that."""
    ascii_only = not _has_utf8(environment)
    if environment.get("TMUX"):
        kind, passes = _behind_tmux((ask_tmux or asked_tmux)(environment))
        wrap = sequences.through_tmux if passes else None
        return Terminal(_chosen(kind, protocol), wrap, multiplexed=True, ascii_only=ascii_only)
    if environment.get("STY"):
        kind = _chosen(UNKNOWN, protocol)
        # An OSC 99 has the end of a string in it, and so would end screen's own.
        wrap = None if kind.protocol == OSC99 else sequences.through_screen
        return Terminal(kind, wrap, multiplexed=True, ascii_only=ascii_only)
    return Terminal(_chosen(kind_of(environment), protocol), str, ascii_only=ascii_only)


def kind_of(environment: Mapping[str, str]) -> Kind:
    """What the terminal says of itself, by the variables that it sets."""
    said = [environment.get(name, "") for name in ("TERM_PROGRAM", "LC_TERMINAL", "TERM")]
    signs = [word for variable, word in _SIGNS if environment.get(variable)]
    return next((kind for text in (*said[:2], *signs, said[2]) if (kind := _kind(text)) is not UNKNOWN), UNKNOWN)


def asked_tmux(environment: Mapping[str, str]) -> str:
    """What tmux says of the terminal that shows it, and whether it hands anything on; "" without an answer."""
    tmux = shutil.which("tmux", path=environment.get("PATH"))
    if tmux is None:
        return ""
    pane = ["-t", environment["TMUX_PANE"]] if re.fullmatch(r"%\d+", environment.get("TMUX_PANE", "")) else []
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        asked = subprocess.run(  # noqa: S603 - the tmux of the user's own PATH, with fixed arguments
            [tmux, "display-message", *pane, "-p", _ASK],
            env=dict(environment), capture_output=True, text=True, errors="replace", timeout=_ASK_S, check=False,
        )  # fmt: skip
        return asked.stdout
    return ""


def _behind_tmux(said: str) -> tuple[Kind, bool]:
    """The terminal, and whether tmux hands on what is wrapped. Without a client nobody sees it: then the bell."""
    kind_said, name, passes = (*said.strip("\n").split("\t"), "", "", "")[:3]
    kind = _kind(kind_said)
    return (_kind(name) if kind is UNKNOWN else kind), passes in ("on", "all", "1", "2")


def _kind(text: str) -> Kind:
    low = text.lower()
    return next((kind for kind in KINDS if kind.words in low), UNKNOWN)


def _chosen(kind: Kind, protocol: str) -> Kind:
    return kind._replace(protocol=protocol) if protocol else kind


def _has_utf8(environment: Mapping[str, str]) -> bool:
    named = next((environment[key] for key in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(key)), "")
    return "utf-8" in named.lower() or "utf8" in named.lower()


def this_terminal(protocol: str = "") -> Terminal:
    """The one of this process."""
    return terminal_of(os.environ, protocol)
