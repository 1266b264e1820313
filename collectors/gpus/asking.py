"""The questions to one GPU: what cannot be answered is asked once, and the reason is kept."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

ASK_AGAIN_S = 30.0
"""A field that was not ready, timed out or had no data is asked again after this long."""


class DriverError(Exception):
    """A call of a driver's library that failed: its code (0: none was given) and the reason in words.

    What the codes mean is each library's own.
    """

    FOR_GOOD: ClassVar[Collection[int]] = frozenset()
    """Asking again cannot help, until the library is initialised anew."""

    LOST: ClassVar[Collection[int]] = frozenset()
    """This GPU answers nothing any more, the others do."""

    GONE: ClassVar[Collection[int]] = frozenset()
    """The library is of no use any more, with every handle: shut down and initialise again."""

    NO_CALL: ClassVar[int | None] = None
    """This version of the library has no such call."""

    def __init__(self, reason: str, code: int = 0, call: str = "") -> None:
        super().__init__(f"{call}: {reason}" if call else reason)
        self.reason = reason
        self.code = code
        self.call = call

    @property
    def is_for_good(self) -> bool:
        """Does asking again not help?"""
        return self.code in self.FOR_GOOD

    @property
    def is_of_all(self) -> bool:
        """Does no GPU answer any more?"""
        return self.code in self.GONE

    @property
    def is_of_gpu(self) -> bool:
        """Does it mean more than one question: this GPU, or all?"""
        return self.is_of_all or self.code in self.LOST


class Library(Protocol):
    """A driver's library, called by name. `call` raises a `DriverError`."""

    clock: Callable[[], float]
    module: Any
    """The package that it is called through: its constants, its structures."""

    def call(self, name: str, *arguments: Any) -> Any:
        """The answer."""
        ...


class Asker:
    """Asks one GPU, by a name for each question, and keeps why a question has no answer."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._refused: dict[str, tuple[str, float]] = {}  # question -> reason, when to ask again

    def ask(self, question: str, call: str, *arguments: Any, instead: str = "") -> Any:
        """The answer, or `None`: then `why(question)` gives the reason.

        `instead` is the call of older drivers, taken where `call` is not there.
        Raises `DriverError` only where the whole GPU, or the library itself, is gone.
        """
        if not self.wanted(question):
            return None
        try:
            try:
                return self.library.call(call, *arguments)
            except DriverError as error:
                if not instead or error.code != error.NO_CALL:
                    raise
                return self.library.call(instead, *arguments)
        except DriverError as error:
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

    def refuse(self, question: str, error: DriverError) -> None:
        """Keep that there is no answer. Raises `error` again where it means more than this question."""
        if error.is_of_gpu:
            raise error
        until_s = inf if error.is_for_good else self.library.clock() + ASK_AGAIN_S
        self._refused[question] = (error.reason, until_s)

    def never(self, question: str, reason: str) -> None:
        """Do not ask this GPU at all."""
        self._refused[question] = (reason, inf)

    def why(self, question: str) -> str:
        """The reason that a question had no answer; "" if it had, or was never asked."""
        return self._refused.get(question, ("", 0.0))[0]
