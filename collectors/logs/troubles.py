"""Lines that a person should see, whatever wrote the log: tracebacks, out of memory, NCCL time-outs, kills."""

from __future__ import annotations

import re

from ...events import EndReason, Message, Severity

_RANK = re.compile(r"\[(?:rank|default)?\d+\]:? ?|\d{1,5}: ")
"""What launchers put in front of a process's lines. Ranks write their tracebacks through each other."""

_TRACEBACK = "Traceback (most recent call last)"
_EXCEPTION = re.compile(r"(?:[a-z_]\w{0,60}\.){0,9}[A-Z]\w{0,80}(?:: |:?$)")
_BARE = re.compile(r"(?:[a-z_]\w{0,60}\.){0,9}[A-Z]\w{0,80}(?:Error|Exception): +(?![-+.\d])\S")
"""An exception without its traceback: a line begins with it. If it was caught, it is not the last word.
A metric (`ValError: 0.3`) is none."""

_MOST_TRACEBACK_LINES = 300
_MOST_CHARACTERS = 300  # of a message
_MOST_MESSAGES = 200  # a broken network warns for ever
_INTERRUPTED = ("KeyboardInterrupt", "SystemExit", "SignalException")

_WORDS = {
    "CUDA out of memory": Severity.ERROR,
    "OutOfMemoryError": Severity.ERROR,
    "CUDA error: ": Severity.ERROR,
    "Watchdog caught collective operation timeout": Severity.ERROR,
    "NCCL WARN": Severity.WARNING,
    "ncclSystemError": Severity.ERROR,
    "ncclRemoteError": Severity.ERROR,
    "Segmentation fault": Severity.ERROR,
    "Bus error": Severity.ERROR,
    "(core dumped)": Severity.ERROR,
    "oom-kill": Severity.ERROR,
    "oom_kill": Severity.ERROR,
    "Out of memory: Killed process": Severity.ERROR,
    "DUE TO TIME LIMIT": Severity.ERROR,
    "No space left on device": Severity.ERROR,
    "Terminated by signal": Severity.ERROR,
}
_ENDINGS = {Severity.INFO: EndReason.INTERRUPTED, Severity.ERROR: EndReason.FAILED}


class Troubles:
    """Finds them, line after line. Of a traceback, only its last line is reported: the exception."""

    def __init__(self) -> None:
        self.last: Message | None = None
        """The newest error, as long as no iteration came after it."""

        self._reported = 0
        self._tracebacks: dict[str, int] = {}  # lines so far, by the prefix of the rank that writes it

    def line(
        self, text: str, number: int, at_s: float | None = None, iteration: int | None = None
    ) -> Message | None:
        """The message of line `number`, if it is one."""
        found = self._find(text)
        if found is None or self._reported == _MOST_MESSAGES:
            return None
        self._reported += 1
        what, level = found
        bare = EndReason.FAILED if _BARE.match(what) else None
        ending = _ENDINGS.get(level, bare)
        message = Message(what[:_MOST_CHARACTERS], level, at_s, iteration, number, ending=ending)
        if ending is not None:
            self.last = message
        return message

    def _find(self, text: str) -> tuple[str, Severity] | None:
        prefix = match[0] if (match := _RANK.match(text)) else ""
        if _TRACEBACK in text:
            self._tracebacks[prefix] = 0
            return None
        bare = text[len(prefix) :]
        if prefix in self._tracebacks:
            if ended := self._traceback(prefix, bare):
                return ended, Severity.INFO if any(name in ended for name in _INTERRUPTED) else Severity.ERROR
            if prefix in self._tracebacks:
                return None
        if bare.strip() == "Killed":
            return "Killed", Severity.ERROR
        for word, level in _WORDS.items():
            if word in bare:
                return bare.strip(), level
        return (bare.strip(), Severity.WARNING) if _BARE.match(bare) else None

    def _traceback(self, prefix: str, text: str) -> str | None:
        """The exception at the end of a traceback, if this line is it."""
        self._tracebacks[prefix] += 1
        if text[:1].isspace() or not text:
            if self._tracebacks[prefix] > _MOST_TRACEBACK_LINES:
                del self._tracebacks[prefix]
            return None
        del self._tracebacks[prefix]
        return text.strip() if _EXCEPTION.match(text) else None
