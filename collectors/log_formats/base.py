"""What a log format is: a name, a way to recognise it, a parser that turns its lines into events, and examples."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ...events import Event, Iterations


class Parser(Protocol):
    """Reads the lines of one log in their order; remembers between them what the format makes it remember."""

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """Read one line.

        Args:
            text: the line, clean, without its newline.
            at_s: when the line arrived, as Unix time in seconds; `None` where there is no clock (an old log). A time
                stamp in the line itself goes before it.

        Returns:
            The line's events, in SI units; none for a line that is not the format's. Never raises, whatever the line.
        """
        ...


class NoParser:
    """Reads no line, as long as the format is not known."""

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:  # noqa: ARG002 - as every parser's
        """See `Parser.line`."""
        return ()


@runtime_checkable
class BlockParser(Parser, Protocol):
    """A parser that can also take many lines at once, for histories of millions of lines."""

    plain: re.Pattern[bytes]
    """Some lines that `block` may take, each with the newline before it, up to the newline after them."""

    def block(self, data: bytes) -> Sequence[Event] | Iterations | None:
        """Read many lines that have no clock.

        Args:
            data: complete lines, each with its newline, that `plain` matches.

        Returns:
            Their events; or all their iterations, one a line; or `None`, with nothing remembered, where there is more
            to the lines than iterations: then `line` gets the first, and each where the others are refused as well.
            Never raises.
        """
        ...


@runtime_checkable
class EndingParser(Parser, Protocol):
    """A parser that reports something at the end of a log."""

    def end(self) -> Sequence[Event]:
        """The log is over, or a process that wrote it: another may follow, and it is asked once more.

        Returns:
            What is over with it, as an evaluation. Never raises.
        """
        ...


@runtime_checkable
class HoldingParser(Parser, Protocol):
    """A parser that may hold rows back until it has seen the next line."""

    def release(self) -> Sequence[Event]:
        """No line has come for long, or the log is over. What is going on, as an evaluation, may go on.

        Returns:
            The rows that were held back. Never raises.
        """
        ...


def held_back(parser: Parser) -> list[Event]:
    """What `parser` still has when the log is over, or a process that wrote it."""
    rows = parser.release() if isinstance(parser, HoldingParser) else ()
    return [*rows, *(parser.end() if isinstance(parser, EndingParser) else ())]


@runtime_checkable
class LearningParser(Parser, Protocol):
    """A parser that guesses, and guesses better when it has seen some of the log before its first line."""

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:
        """Look at clean lines of the log, in their order. Nothing is read of them. Never raises.

        `scattered`: others lie between any two of them, so that what is counted steps further than in the log.
        """
        ...


@runtime_checkable
class AheadParser(Parser, Protocol):
    """A parser that learns what is counted from the log's first lines, all of them: samples of lines leave out too much."""

    def look_ahead(self, lines: Sequence[str]) -> None:
        """Look at the first clean lines, all of them, in their order. Nothing is read of them. Never raises."""
        ...


@runtime_checkable
class BeginningParser(Parser, Protocol):
    """A parser that is told when another process has begun to write to the log."""

    def process_begins(self, *, short: bool = False, sure: bool = False) -> None:
        """What a process says when it begins has come again: a row that does not count on is of another one.

        `short`: that is but a line or two, as a script may say at each epoch: only the newest row's very place again is another's.
        `sure`: it is said once by each process. Rows that nothing counts begin anew then, too.
        """
        ...


class Specificity(Enum):
    """How much a format knows of the lines that it reads. Of two that read the same, the more specific is taken."""

    FRAMEWORK = "framework"  # the lines of one framework
    COMMON = "common"  # what many frameworks print: a progress bar
    GUESS = "guess"  # anything with named values
    UNPROVEN = "unproven"  # lines that may count something: taken only where nothing else finds an iteration
    ALONE = "alone"  # lines that say a value and nothing else, in a log where nothing counts

    @property
    def is_described(self) -> bool:
        """Are they the lines of one framework, and all that it prints is known?"""
        return self is Specificity.FRAMEWORK

    @property
    def guesses(self) -> bool:
        """Does it read lines of scripts that nobody described?"""
        return self is Specificity.GUESS or self.is_unproven

    @property
    def is_unproven(self) -> bool:
        """Does it read nothing before its lines have proven what they are?"""
        return self in (Specificity.UNPROVEN, Specificity.ALONE)


class Example(NamedTuple):
    """A small log of a format, and what must be read of it. The common tests hold each format to its examples.

    Args:
        log: the text, as the trainer prints it.
        iterations: all iterations in it, each as (index, seconds, number of iterations that the seconds are the mean
            of, loss); `None` for seconds or a loss that the log does not have.
        evaluations: all ends of evaluations in it, each as (iteration, results by name).
        checkpoints: the iteration of each checkpoint, where its writing begins or, if only that is printed, ends.
        variant: what is special about it, where a format has several: "of spring 2024".
    """

    log: str
    iterations: Sequence[tuple[int, float | None, int, float | None]]
    evaluations: Sequence[tuple[int | None, Mapping[str, float]]] = ()
    checkpoints: Sequence[int | None] = ()
    variant: str = ""


Needs = tuple[tuple[str, ...], ...]
"""Words of which a line holds all of one tuple: what holds none of them need not be looked at."""


class Candidate(NamedTuple):
    """A format that a log may have, before it is loaded: most are never needed.

    Args:
        needs: see `LogFormat`.
        telling: what a line holds that only this format has, in the same manner.
        specificity: see `LogFormat`.
        load: gives the format.
    """

    needs: Needs
    telling: Needs
    specificity: Specificity
    load: Callable[[], LogFormat]


class LogFormat(msgspec.Struct, frozen=True):
    """One format, as recognition and reading see it. All three questions are asked of clean lines, one at a time.

    Args:
        name: as shown: "nanoGPT".
        about: one line for `itermon formats`: what the printed time includes, and its clock.
        matches: is this line one of the format's?
        is_iteration: does this line carry an iteration? A file of the format has at least one.
        is_distinctive: does only this format have such lines (a tqdm bar is not)? `None`: all that it matches.
        parser: makes the parser of one log.
        time_includes: kinds of spans (`events.EVALUATION`, ...) that the printed time of an iteration includes.
        specificity: how much the format knows.
        reads_instead_of: names of formats that read the same lines as well, and less of what they say.
        examples: logs with what must be read of them; at least one.
        headed: its rows stand below a heading that names their values.
        needs: each line that matches holds all the words of one of these. By default it may hold anything.

    Raises:
        Nothing, whatever the line: `matches`, `is_iteration`, `is_distinctive` and the parser are asked about logs of
        every kind. An exception is a fault of the format: it ends this source, and `Feed` shows it.
    """

    name: str
    about: str
    matches: Callable[[str], bool]
    is_iteration: Callable[[str], bool]
    parser: Callable[[], Parser]
    time_includes: tuple[str, ...] = ()
    is_distinctive: Callable[[str], bool] | None = None
    specificity: Specificity = Specificity.FRAMEWORK
    reads_instead_of: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    headed: bool = False
    needs: Needs = ((),)

    @property
    def candidate(self) -> Candidate:
        """Itself, as one that is loaded already."""
        return Candidate(self.needs, self.needs, self.specificity, lambda: self)
