"""What is watched: a session, the findings of this frame, and what else belongs to the source."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

import msgspec

from ..analysis.findings import Activity
from ..events import EndReason
from . import keys
from .aside import Latest
from .scene import Seen, Standing
from .session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..analysis.findings import Findings
    from ..analysis.run import Run
    from ..reports.stack_text import Process
    from .pages.log_view import LogText


BACK = 256
"""The exit code of a screen that is left for the list of all runs: none that a program can have."""


class Replay(Protocol):
    """What the keys of a replay need."""

    speed: float

    def toggle_pause(self) -> None:
        """Stop the clock, or let it run."""

    def step(self) -> None:
        """One iteration further."""

    def jump_by(self, fraction: float) -> None:
        """So much of the recording back (below 0) or on."""

    def faster(self) -> None:
        """Twice as fast."""

    def slower(self) -> None:
        """Half as fast."""


class Notices(Protocol):
    """Who tells somebody that does not look."""

    def look(self, found: Findings) -> None:
        """Once a frame; never blocks."""

    def to_write(self) -> str:
        """What the terminal gets now: it is taken from here."""

    @property
    def trouble(self) -> str:
        """What is wrong with a channel; "" if nothing is."""


class Extras(msgspec.Struct, frozen=True):
    """What not every source has.

    replay: what the keys of a replay control.
    other: gives the run to compare with, or why there is none; `None` while it is being read.
    log: gives the text of the log, if there is one; a replay that jumps back has another.
    notices: who is told what the run comes to, frame by frame.
    look: looks at the run's processes on this machine, or says why it cannot; it may take seconds.
    on_hang: is called frame by frame while the run is said to hang; never blocks. What it finds comes as events.
    from_home: it was opened from the list of all runs: esc goes back there, and with an `other` run the page that
        compares them is open at once.
    """

    replay: Replay | None = None
    other: Callable[[], Run | str | None] | None = None
    log: Callable[[], LogText | None] | None = None
    notices: Notices | None = None
    look: Callable[[], Sequence[Process] | str] | None = None
    on_hang: Callable[[], None] | None = None
    from_home: bool = False


class Watched:
    """The one thing that the watch screen and its pages hold.

    Args:
        title: The name of the source.
        clock: Unix time.
        extras: What not every source has.
    """

    def __init__(
        self, title: str = "", *, clock: Callable[[], float] = time.time, extras: Extras | None = None
    ) -> None:
        self.session = Session()
        self.extras = extras or Extras()
        self._title, self._clock = title, clock
        self._found: Findings | None = None
        self._seen_version = -1
        self._log_lines: Latest[tuple[int | None, Sequence[tuple[int, str]]]] = Latest()

    def begin_frame(self) -> None:
        """From now on it is another time: the findings are asked for again if anything can have changed."""
        if self.session.version != self._seen_version or self.session.moves:
            self._found = None
        self._seen_version = self.session.version

    @property
    def findings(self) -> Findings:
        """The findings of this frame: asked for once."""
        if self._found is None:
            self._found = self.session.findings(self._now_s)
        return self._found

    @property
    def groups(self) -> Sequence[str]:
        """Of the keys of the watch screen: those of a log where there is one, those of a replay in one."""
        has = {
            keys.REPLAY: self.extras.replay,
            keys.LOG: None if self.why_no_log else self.log,
            keys.STACKS: None if self.why_no_stacks or self._is_over else self.extras,
        }
        return [group for group in keys.GROUPS if has.get(group, True) is not None]

    @property
    def log(self) -> LogText | None:
        """The text of the log, if there is one."""
        return self.extras.log() if self.extras.log is not None else None

    @property
    def why_no_log(self) -> str:
        """Why there is no text, nor will be as far as is known; empty if there is."""
        log = self.log
        if log is None:
            return "no text here: this source has numbers alone, no lines"
        return "" if log.lines else log.gone

    @property
    def look(self) -> Callable[[], Sequence[Process] | str] | None:
        """Looks at its processes; `None` where there are none, or none any more."""
        return self.extras.look if self.session.moves and not self._is_over else None

    @property
    def _is_over(self) -> bool:
        """Is it known how it ended? Of one that is only silent somebody wants to know where it stands."""
        return self.findings.ended not in ("", EndReason.UNKNOWN)

    @property
    def why_no_stacks(self) -> str:
        """Why nothing can be said of where it stands; empty if there is something, or somebody wants to know."""
        if self.look is not None or any(self.session.run.newest_stacks()):
            return ""
        silent = self.findings.now.activity == Activity.SILENT
        return "" if silent else "no stacks here: none were recorded, and no living process of this run is known"

    def look_into_hang(self) -> None:
        """While the run hangs, have somebody find out which rank the others wait for."""
        if self.extras.on_hang is not None and self.session.moves and self.findings.hang is not None:
            self.extras.on_hang()

    def seen(self, position: int | None) -> Seen:
        """What the hooks saw of the iteration under a cursor, and what they saw last."""
        run = self.session.run
        return Seen(
            newest=run.newest_stacks(),
            iteration=None if position is None else run.iteration_at(position)[0],
            of_it=() if position is None else run.stacks_at(position),
            now_s=self._now_s if self.session.moves or self.extras.replay is not None else None,
        )

    @property
    def has_ended(self) -> bool:
        """Whether nothing more is expected, as far as the last frame knew."""
        return self._found is not None and bool(self._found.ended)

    @property
    def standing(self) -> Standing:
        """How the source stands."""
        session, replay = self.session, self.extras.replay
        return Standing(
            title=self._title,
            state=session.state,
            note=session.note,
            history=session.history,
            preview=session.is_preview,
            now_s=self._now_s,
            replay=None if replay is None else replay.speed,
        )

    def iteration_at(self, position: int | None) -> tuple[int, int] | None:
        """The iteration under a cursor: its number, and how often the run had it before; none in a preview."""
        return None if position is None or self.session.is_preview else self.session.iteration_at(position)

    def log_lines(self, position: int | None, then: Callable[[], None]) -> Sequence[tuple[int, str]] | None:
        """What the log says of the iteration under a cursor: read once for each that it stands on.

        None yet where the disk is slow: then `then` is called when they are there.
        """
        iteration, log = self.iteration_at(position), self.log
        if log is None or iteration is None or self.why_no_log:
            return None
        if self._lines_read[0] != position:
            self._log_lines.ask(lambda: (position, log.lines_about(*iteration)), then)
        of, lines = self._lines_read
        return lines if of == position else ()

    @property
    def _lines_read(self) -> tuple[int | None, Sequence[tuple[int, str]]]:
        return self._log_lines.answer or (None, ())

    @property
    def _now_s(self) -> float:
        return self.session.now_s(self._clock())
