"""What the terminal can do, and how many colours it has; asked before anything is drawn."""

from __future__ import annotations

import locale
import os
import shutil
import signal
import subprocess
import termios
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping

TRUE_COLOUR = 1 << 24


def colours(environment: Mapping[str, str]) -> int:
    """2 with NO_COLOR (https://no-color.org), 2²⁴ where COLORTERM says so, else 16: the terminal's own palette.

    A palette of 256 is drawn with 16 too: those are the user's own, and readable on light and on dark.
    """
    if environment.get("NO_COLOR"):
        return 2
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return TRUE_COLOUR
    return 16


def ascii_only(environment: Mapping[str, str]) -> bool:
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
