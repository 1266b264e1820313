"""What the panels draw from: the findings of one frame, and the part of the run that the reader looks at."""

from __future__ import annotations

import re
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from ..analysis.chart_curves import GPU_POWER, MACHINE
from ..analysis.findings import Findings
from ..events import SourceState
from ..reports.rows.ledger import StandingRows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..analysis.chart import ChartColumn
    from ..analysis.chart_curves import Curve
    from ..analysis.findings import LedgerRow, Scalar, Shift, Spike
    from ..analysis.ranks.hangs import Looks
    from ..analysis.run import Run
    from ..events import GpuSample, Stack
    from .view import View


_NO_TIME = Findings()

_DIGITS = re.compile(r"\d")
"""A verdict may say for how long nothing has come: with other digits it needs the same place."""

_USUAL = 0.5
"""Of the time on the axis, sampled: then the GPUs' power has a lane without being asked for."""


class Standing(msgspec.Struct, frozen=True):
    """How the source stands when it is drawn. `replay` is the speed of a replay, else `None`."""

    title: str = ""
    state: SourceState = SourceState.WAITING
    note: str = ""
    history: float | None = None
    preview: bool = False
    now_s: float = 0.0
    replay: float | None = None


class Opened(NamedTuple):
    """The iteration under the cursor, the change of level there, and its lines of the log, with their numbers."""

    spike: Spike
    shift: Shift | None = None
    log_lines: Sequence[tuple[int, str]] | None = None  # `None` without a log
    scalars: Mapping[str, float] = MappingProxyType({})  # what else the source says of the iteration in numbers


class Still(NamedTuple):
    """All that a scene is made of, but for the clock: two scenes of which it is equal differ in nothing else."""

    run: Run
    version: int
    found: Findings
    standing: Standing
    view: View
    log_lines: Sequence[tuple[int, str]] | None

    @property
    def run_alone(self) -> tuple[Run, int, Findings, Standing]:
        """Wherever the reader looks."""
        return self[:4]


class Seen(NamedTuple):
    """What the hooks saw: the newest of each rank, and what they saw of the iteration under the cursor."""

    newest: Looks
    iteration: int | None = None  # under the cursor
    of_it: Sequence[Stack] = ()
    now_s: float | None = None  # `None`: the run has ended


class Scene:
    """One frame of the watch screen, before it is drawn.

    Args:
        run: For what depends on the window: the columns of a chart, the iteration under the cursor.
        found: The findings, asked for once.
        standing: How the source stands.
        view: Which iterations the reader looks at, on which scale, and where the cursor stands.
        log_lines: What is looked at in the log (`looked_at`): numbers and texts; `None` without a log.
    """

    def __init__(
        self,
        run: Run,
        found: Findings,
        standing: Standing,
        view: View,
        log_lines: Sequence[tuple[int, str]] | None = None,
    ) -> None:
        self.found, self.standing, self.view = found, standing, view
        self._run = run
        self.opened = None if view.cursor is None else self._opened(view.cursor, log_lines)
        self._newest_lines = log_lines
        self.standing_rows = StandingRows()
        self._columns: dict[int, list[ChartColumn]] = {}
        self._curves: dict[tuple[str, int], Curve] = {}

    @property
    def still(self) -> Still:
        """What it is made of, the clock apart: the time, what the trainer does now, for how long, the finish.

        Incidents stand in panels that show the clock, and on a page.
        """
        verdict = replace(self.found.verdict, headline=_DIGITS.sub("0", self.found.verdict.headline))
        found = replace(self.found, now=_NO_TIME.now, eta=_NO_TIME.eta, verdict=verdict, incidents=())
        standing = replace(self.standing, now_s=0.0)
        return Still(self._run, self._run.version, found, standing, self.view, self._newest_lines)

    def columns(self, most: int) -> list[ChartColumn]:
        """The iterations in the window as at most `most` columns: made once a frame, however many lanes ask."""
        if most not in self._columns:
            first, last = self.view.window(len(self._run.columns))
            self._columns[most] = self._run.chart(max(0, first), last, most)
        return self._columns[most]

    @property
    def has_iterations(self) -> bool:
        """Whether any has been seen."""
        return len(self._run.columns) > 0

    @property
    def cannot_be_read(self) -> bool:
        """Whether there is nothing to see, nor will be."""
        return self.standing.state is SourceState.FAILED and not self.has_iterations

    @property
    def has_losses(self) -> bool:
        """Whether the run has any, numbers or not."""
        losses = self.found.losses
        return losses.train is not None or losses.validation is not None or bool(losses.not_finite)

    @cached_property
    def has_times(self) -> bool:
        """Whether any iteration in the window has a time."""
        first, last = self.view.window(len(self._run.columns))
        return last >= max(0, first) and self._run.has_times(max(0, first), last)

    @cached_property
    def averaged_over(self) -> tuple[int, bool]:
        """Of how many iterations a time in the window is the mean, and whether nearly all are."""
        return self._run.usually_averaged(*self.view.window(len(self._run.columns)))

    @cached_property
    def ledger(self) -> Sequence[LedgerRow]:
        """The wall time by cause of what is shown: of the whole run, or of the iterations in the window."""
        if self.view.span is None or self.view.span >= len(self._run.columns):
            return self.found.ledger
        return self._run.ledger(*self.view.window(len(self._run.columns)))

    @cached_property
    def causes(self) -> Sequence[LedgerRow]:
        """The ledger as the lanes show it: training first, then the largest; none comes and goes while it runs."""
        looked_at = self._run, self.view.span, self.view.last, bool(self.found.ended)
        return self.standing_rows.rows(self.ledger, looked_at)

    @cached_property
    def curves(self) -> Sequence[Scalar]:
        """All that can have a lane besides times, causes and losses, with newest, least and most."""
        return self._run.curves()

    @cached_property
    def chosen_curves(self) -> Sequence[str]:
        """Those that have a lane: chosen, and known in this window; without a choice the GPUs' power."""
        first, last = self.view.window(len(self._run.columns))
        names, covered = ((MACHINE[GPU_POWER],), _USUAL) if self.view.curves is None else (self.view.curves, 0.0)
        return [name for name in names if self._run.has_curve(name, max(0, first), last, covered)]

    def curve(self, name: str, columns: Sequence[ChartColumn]) -> Curve:
        """One of them, a value for each column: made once a frame."""
        key = name, len(columns)
        if key not in self._curves:
            self._curves[key] = self._run.curve(name, columns)
        return self._curves[key]

    @property
    def validations(self) -> Sequence[tuple[int, float]]:
        """(iteration, validation loss) of every evaluation, oldest first."""
        return self._run.validations()

    def gpu_history(self, gpu: int) -> Sequence[GpuSample]:
        """The newest samples of a GPU, oldest first."""
        return self._run.gpu_history(gpu)

    def next_mark(self, position: int | None, direction: int) -> int | None:
        """What the cursor steps to from `position`: see the function."""
        return next_mark(self._run, self.found.level.shifts, position, direction)

    @cached_property
    def looked_at(self) -> Opened | None:
        """What is opened, else the newest slow iteration."""
        if self.opened is not None or not self.found.spikes:
            return self.opened
        return self._opened(self.found.spikes[-1].position, self._newest_lines)

    def _opened(self, at: int, log_lines: Sequence[tuple[int, str]] | None) -> Opened | None:
        spike = self._run.spike(at)
        shift = next((s for s in self.found.level.shifts if s.position == at), None)
        return None if spike is None else Opened(spike, shift, log_lines, self._run.scalars_at(at))


def next_mark(run: Run, shifts: Sequence[Shift], position: int | None, direction: int) -> int | None:
    """The mark nearest to `position`, later (+1) or earlier (-1); from `None`, the newest.

    The cursor steps from mark to mark: the slow iterations, and those from which on the level was another one.
    """
    spike = run.next_spike(position, direction)
    places = [] if spike is None else [spike.position]
    if position is None:
        return max([*places, *(s.position for s in shifts)], default=None)
    places += [s.position for s in shifts if (s.position - position) * direction > 0]
    return min(places, key=lambda place: abs(place - position), default=None)
