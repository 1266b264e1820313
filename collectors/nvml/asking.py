"""The questions to one device: what cannot be answered is asked once, and the reason is kept."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from .errors import (
    FUNCTION_NOT_FOUND,
    GONE,
    LOST,
    PERMANENT,
    NvmlError,
    words,
)

if TYPE_CHECKING:
    from .library import Library

ASK_AGAIN_S = 30.0
"""A field that was not ready, timed out or had no data is asked again after this long."""


class Asker:
    """Asks one device, by a name for each question; `refusals` holds why a question has no answer."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._refused: dict[str, tuple[str, float]] = {}  # question -> reason, when to ask again

    def ask(self, question: str, call: str, *arguments: Any, instead: str = "") -> Any:
        """The answer, or `None`: then `why(question)` gives the reason.

        `instead` is the call of older drivers, taken where `call` is not there.
        Raises `NvmlError` only where the whole device, or NVML itself, is gone.
        """
        if not self.wanted(question):
            return None
        try:
            try:
                return self.library.call(call, *arguments)
            except NvmlError as error:
                if not instead or error.code != FUNCTION_NOT_FOUND:
                    raise
                return self.library.call(instead, *arguments)
        except NvmlError as error:
            self.refuse(question, error)
        return None

    def wanted(self, question: str) -> bool:
        """Whether to ask: nobody refused it, or long enough ago."""
        refused = self._refused.get(question)
        if refused is None:
            return True
        if self.library.clock() < refused[1]:
            return False
        del self._refused[question]
        return True

    def refuse(self, question: str, error: NvmlError) -> None:
        """Keep that there is no answer. Raises `error` again where it means more than this question."""
        if error.code in LOST or error.code in GONE:
            raise error
        until_s = inf if error.code in PERMANENT else self.library.clock() + ASK_AGAIN_S
        self._refused[question] = (words(error.code), until_s)

    def never(self, question: str, reason: str) -> None:
        """Do not ask this device at all."""
        self._refused[question] = (reason, inf)

    def why(self, question: str) -> str:
        """The reason that a question had no answer; "" if it had, or was never asked."""
        return self._refused.get(question, ("", 0.0))[0]
