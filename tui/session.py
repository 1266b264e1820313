"""What the screen watches: the run so far, how its sources stand, and whose clock counts. No terminal here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..analysis.run import Run
from ..events import SourceState

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..analysis.findings import Findings
    from ..events import Batch


class Session:
    """Takes the batches of the sources in; gives out the run to show.

    A preview (the newest of a long history) feeds a run of its own, shown until the history has been read.
    """

    def __init__(self, make_run: Callable[[], Run] = Run) -> None:
        self._make_run = make_run
        self._run = make_run()
        self._preview: Run | None = None
        self.state = SourceState.WAITING
        self.note = ""
        self.history: float | None = None
        self.replay_now_s: float | None = None
        self.version = 0

    @property
    def run(self) -> Run:
        """The run to show: the preview while there is one."""
        return self._preview or self._run

    @property
    def is_preview(self) -> bool:
        """Whether what is shown is only the newest part of the history."""
        return self._preview is not None

    @property
    def moves(self) -> bool:
        """Whether time still passes for the run: it does not once it has ended or its source has failed."""
        return self.state not in (SourceState.ENDED, SourceState.FAILED, SourceState.PAUSED)

    def iteration_at(self, position: int) -> tuple[int, int]:
        """The iteration at `position`: its number, and how often the run had that number before (if resumed)."""
        return self.run.iteration_at(position)

    def take(self, batch: Batch) -> None:
        """Apply one batch."""
        self.version += 1
        if batch.restart:
            self._run, self._preview = self._make_run(), None
        if batch.preview:
            self._preview = self._preview or self._make_run()
            self._preview.apply(batch.events)
        else:
            self._run.apply(batch.events)
            if batch.state is None and self._preview is not None:  # a sampler's: it counts in both
                self._preview.apply(batch.events)
            elif batch.state is not None and batch.state != SourceState.READING:
                self._preview = None
        if batch.state is not None:
            self.state, self.note, self.history = batch.state, batch.note, batch.history
        if batch.now_s is not None:
            self.replay_now_s = batch.now_s

    def now_s(self, wall_s: float) -> float:
        """The time of the run: a replay has a clock of its own."""
        return wall_s if self.replay_now_s is None else self.replay_now_s

    def findings(self, now_s: float | None) -> Findings:
        """What the analysis knows now."""
        return self.run.findings(now_s)
