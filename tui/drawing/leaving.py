"""The terminal is left as it was found, whatever ends us: a signal, an exception, or the person.

Not by SIGKILL, nor by a crash of Python itself: no code of ours runs then. `reset` in the shell repairs that.
A SIGSEGV or SIGBUS that somebody sends is no crash: see `once`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import termios
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_NOT_OURS = {
    signal.SIGKILL, signal.SIGSTOP,  # cannot be caught
    signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGCONT,  # stop and go on: Textual's
    signal.SIGCHLD, signal.SIGURG, signal.SIGWINCH,  # end nobody
    signal.SIGINT,  # becomes KeyboardInterrupt: Textual leaves by itself
}  # fmt: skip

_ASKS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What asks us to end."""

FAULTS = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l"
"""The other screen, no cursor, no wrapping."""

LEAVE = (
    "\x1b[?2026l"  # a frame that was begun is shown
    "\x1b[?2004l\x1b[?7h\x1b[?2048l"  # bracketed paste, wrapping, reports of the size
    "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l\x1b[?1004l"  # reports of the mouse and the focus
    "\x1b[<u\x1b[0m\x1b[?1049l\x1b[?25h"  # kitty's keys, colours, the other screen, the cursor
)


class LeftAsFound:
    """While in its block, the terminal of standard input is given back before a signal ends the process.

    The signal then does what it would have done: the exit status is its own, a core is dumped where one is due.

    Args:
        silence: makes other threads write no more.
        entered: the other screen is there already, before the terminal has been set.
    """

    def __init__(self, silence: Callable[[], None] = lambda: None, *, entered: bool = False) -> None:
        self._silence = silence
        self._entered = entered
        self._found: list[Any] | None = None
        self._taken: list[int] = []

    def __enter__(self) -> None:
        with contextlib.suppress(termios.error):
            self._found = termios.tcgetattr(0)
        for number in signal.valid_signals() - _NOT_OURS:
            if signal.getsignal(number) is signal.SIG_DFL:
                with contextlib.suppress(OSError, ValueError):
                    signal.signal(number, self._end)
                    self._taken.append(number)
                    if number in FAULTS and not once(number):
                        signal.signal(number, signal.SIG_DFL)

    def __exit__(self, *_: object) -> None:
        for number in self._taken:
            if signal.getsignal(number) == self._end:
                signal.signal(number, signal.SIG_DFL)
        self._set_again()  # after a SIGCONT out of the blue Textual takes its own settings for those it found

    def _end(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the signature of a handler
        self._silence()
        if self._set_again() or self._entered:
            leave()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    def _set_again(self) -> bool:
        """Whether the settings were others than those found, and are again what they were."""
        try:
            # In the background the terminal is the shell's, and it has set it already.
            if self._found is None or os.tcgetpgrp(0) != os.getpgrp() or termios.tcgetattr(0) == self._found:
                return False
            termios.tcsetattr(0, termios.TCSANOW, self._found)
            termios.tcflush(0, termios.TCIFLUSH)  # reports of the mouse that were under way
        except (OSError, termios.error):
            return False  # it is gone
        return True


def once(number: int) -> bool:
    """Let Python's handler of a signal count once, as System V has it: whether that can be.

    A fault in C comes again before Python has seen the first, without end: the second then ends the process.
    """
    import ctypes  # noqa: PLC0415 - 5 ms, which Textual's import has cost before

    try:
        handle = ctypes.CDLL(None).sysv_signal
    except (AttributeError, OSError):  # another libc
        return False
    handle.argtypes, handle.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
    handle(number, handle(number, None))
    return True


def _write(text: str) -> None:
    """To the terminal behind standard error, as Textual writes; a stalled one is not waited for."""
    try:
        descriptor = os.open(os.ttyname(2), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return
    with contextlib.suppress(OSError):
        os.write(descriptor, text.encode())
    os.close(descriptor)


@contextlib.contextmanager
def on_the_other_screen(picture: str) -> Iterator[None]:
    """Show `picture` there, until whoever goes on paints over it; an exception leads back to the first screen.

    Meanwhile what is typed is not echoed, but kept (Ctrl-Z too: only the app could paint it again), and what asks
    us to end ends us with its documented exit code.
    """
    found = termios.tcgetattr(0)
    quiet = termios.tcgetattr(0)
    quiet[3] &= ~termios.ECHO
    quiet[6][termios.VSUSP] = b"\0"
    with _asked_to_end():
        try:
            termios.tcsetattr(0, termios.TCSANOW, quiet)
            _write_all(ENTER + picture)
            yield
        except BaseException:
            leave()
            raise
        finally:
            with contextlib.suppress(termios.error):  # it is gone
                termios.tcsetattr(0, termios.TCSANOW, found)


def leave() -> None:
    """Back to the first screen."""
    _write(LEAVE)


@contextlib.contextmanager
def _asked_to_end() -> Iterator[None]:
    """As in the app, see `terminal.on_farewell`.

    Not by Python's own KeyboardInterrupt: one that is raised within an `exec`, as dataclasses have it when modules
    are imported, ends the process by the signal, although it was caught (CPython 3.11). What is raised while
    Python runs a destructor or a weak reference's callback, as imports do, is lost: it is raised again at the end.
    """
    asked: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        asked.append(number)
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, end) for number in _ASKS}
    try:
        yield
        if asked:
            raise SystemExit(128 + asked[0])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _write_all(text: str) -> None:
    data = text.encode()
    while data:
        data = data[os.write(2, data) :]
