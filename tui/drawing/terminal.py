"""What the terminal can do, and how many colours it has; asked before anything is drawn."""

from __future__ import annotations

import contextlib
import locale
import os
import shutil
import signal
import subprocess
import termios
from typing import TYPE_CHECKING

from . import background, glyphs
from .theme import LEAST_FOR_PALETTE, TRUE_COLOUR, theme_for

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping

    from .theme import Theme


def colours(environment: Mapping[str, str]) -> int:
    """2 with NO_COLOR (https://no-color.org), 2²⁴ where COLORTERM says so, 256 where TERM does, else 16.

    ssh passes TERM on, but not COLORTERM.
    """
    if environment.get("NO_COLOR"):
        return 2
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return TRUE_COLOUR
    return 256 if "256color" in environment.get("TERM", "") else 16


def scheme(colours: int, chosen: str, environment: Mapping[str, str]) -> str:
    """The name of the palette: the one that was chosen, else the one for the terminal's background, if it tells.

    Args:
        colours: with fewer than 256 they are the terminal's own.
        chosen: a name, or "".
        environment: one that says TERM=dumb, or nothing, is not asked.
    """
    if colours < LEAST_FOR_PALETTE:
        return "ansi"
    if chosen:
        return chosen
    asked = environment.get("TERM", "dumb") != "dumb"
    return "light" if asked and background.is_light() else "dark"


def replaced(environment: Mapping[str, str]) -> Mapping[str, str]:
    """What stands for glyphs that the terminal does not have: the console of Linux knows no braille."""
    return glyphs.CONSOLE if environment.get("TERM") == "linux" else {}


def theme(chosen: str, *, ascii_only: bool) -> Theme:
    """How to draw on the terminal of this process."""
    depth = colours(os.environ)
    only = ascii_only or _has_ascii_only(os.environ)
    return theme_for(depth, scheme(depth, chosen, os.environ), ascii_only=only, replaced=replaced(os.environ))


def _has_ascii_only(environment: Mapping[str, str]) -> bool:
    """Whether the locale, or the tmux client in between, has no UTF-8: tmux then draws every block as `_`."""
    if environment.get("TMUX") and (utf8 := _tmux_client_utf8()) is not None:
        return not utf8
    named = next((environment[k] for k in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(k)), "")
    if named:
        return "utf-8" not in named.lower() and "utf8" not in named.lower()
    return "utf" not in locale.getpreferredencoding(do_setlocale=False).lower()


def _tmux_client_utf8() -> bool | None:
    tmux = shutil.which("tmux")
    if tmux is None:
        return None
    try:
        asked = subprocess.run(  # noqa: S603 - the tmux of the user's own PATH, with fixed arguments
            [tmux, "display", "-p", "#{client_utf8}"], capture_output=True, text=True, timeout=1, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    answer = asked.stdout.strip()
    return answer == "1" if answer in ("0", "1") else None


def to_tmux(text: str, environment: Mapping[str, str]) -> None:
    """Within tmux, put `text` into its paste buffer, and through it on the clipboard of its terminal.

    By default tmux (`set-clipboard external`) takes that from its own commands alone.
    """
    tmux = shutil.which("tmux")
    if tmux is None or not environment.get("TMUX"):
        return
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(  # noqa: S603 - as above
            [tmux, "load-buffer", "-w", "-"], input=text.encode(), capture_output=True, timeout=1, check=False
        )


def on_farewell(loop: asyncio.AbstractEventLoop, leave: Callable[[int], None]) -> None:
    """Call `leave` with the exit code on SIGINT (130), SIGTERM (143) and SIGHUP (129).

    Python's default is to die without a word, with the alternate screen and the mouse reports left on.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, leave, 128 + number)


class Hangup:
    """Notices that the terminal is gone where no SIGHUP came (nohup, some dropped SSH sessions).

    A program that lives on then reads its end of file in a circle: 96 % of a core, measured.
    """

    def __init__(self) -> None:
        self._parent = os.getppid()

    def happened(self) -> bool:
        """Whether nobody can see us any more."""
        if os.getppid() == 1 != self._parent:
            return True
        try:
            termios.tcgetattr(0)
        except termios.error:
            return True
        return False
