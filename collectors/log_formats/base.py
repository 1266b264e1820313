"""What a log format is: a name, a way to recognise it, and a parser that turns its lines into events."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...events import Event, Iterations


class Parser(Protocol):
    """Reads the lines of one log in their order; remembers between them what the format makes it remember."""

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """The events of one clean line without its newline; `at_s` is the line's time, where there is a clock.

        Never raises: a line that is not the format's gives no events.
        """
        ...


@runtime_checkable
class BlockParser(Parser, Protocol):
    """A parser that can also take many lines at once, for histories of millions of lines."""

    plain: re.Pattern[bytes]
    """Some lines that `block` may take, each with the newline before it, up to the newline after them."""

    def block(self, data: bytes) -> Sequence[Event] | Iterations | None:
        """The events of complete lines (newlines included) that `plain` matches, or their iterations, one a line.

        They have no clock. `None`, and nothing remembered, where there is more to them: then `line` gets each.
        """
        ...


@runtime_checkable
class EndingParser(Parser, Protocol):
    """A parser that may hold something back until it has seen the next lines."""

    def end(self) -> Sequence[Event]:
        """What it still holds back; the log is over."""
        ...


class LogFormat(msgspec.Struct, frozen=True):
    """One format. `owns` says whether a clean line is one of its own (for recognition by coverage);
    `is_iteration` whether it carries an iteration, which is what a file of this format must have;
    `proves` whether only this format has such lines (a tqdm bar proves nothing). `generic` orders formats that read
    much and know little behind those that know more: 0 a framework's, 1 what many frameworks print, 2 a guess."""

    name: str  # as shown: "nanoGPT"
    about: str  # one line for `itermon formats`: what its time figure includes, and its clock
    owns: Callable[[str], bool]
    is_iteration: Callable[[str], bool]
    parser: Callable[[], Parser]
    time_includes: tuple[str, ...] = ()
    proves: Callable[[str], bool] | None = None  # `None`: each line that it owns
    generic: int = 0
