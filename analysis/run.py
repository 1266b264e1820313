"""A run: events go in, findings come out. The one object that screens and reports hold."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec.structs import replace

from .aside import set_aside
from .calm import calm
from .causes.spikes import next_spike, spike_at
from .chart import chart_columns, unlabelled
from .chart_curves import all_curves, chart_curve, has_curve
from .incidents.past import Past
from .intake import Intake
from .pulse import count_open, pulse_of
from .snapshot import Snapshot, facts_of, heard, standing_at, with_telemetry
from .state import predicted_total_s
from .wall_time import ledger_of_part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..events import Event, GpuSample, Iteration, RunInfo, Stack
    from .aside import Older
    from .calm import Calm
    from .chart import ChartColumn
    from .chart_curves import Curve
    from .findings import Findings, LedgerRow, Scalar, Spike
    from .pulse import Pulse
    from .ranks.hangs import Looks
    from .record.columns import Columns


class Run:
    """Everything known of a run so far.

    `apply` takes events in the order they happened, in batches of any size: the findings do not depend on how
    the events were batched. `findings` is cheap enough for every frame.
    """

    def __init__(self) -> None:
        self.past = Past(standing_at, facts_of)
        self.intake = Intake(predicted_total_s, self.past)
        self._snapshot: Snapshot | None = None

    def set_aside(self, older: Older) -> None:
        """Keep only the newest iterations in memory, the others in `older`. To be asked before any event."""
        set_aside(self.intake.columns, older)

    def apply(self, events: Sequence[Event]) -> None:
        """Take in `events`, oldest first."""
        self.intake.apply(events)

    def findings(self, now_s: float | None = None, *, spikes: int | None = 50) -> Findings:
        """What is known.

        Args:
            now_s: the time now (Unix time); `None`: that of the last event.
            spikes: how many of the newest spikes to give. `None`: all of them, each with what the machine did.
        """
        if self._snapshot is None or not self._snapshot.is_of(self.intake, spikes):
            self._snapshot = Snapshot(self.intake, self.past, spikes)
        return self._snapshot.at(now_s)

    def calm(self, now_s: float) -> Calm | None:
        """Its incidents while it goes on, for a tenth of what `findings` costs; `None`: ask for these."""
        return calm(self.intake, self.past, now_s)

    def pulse(self) -> Pulse:
        """What a rank is asked for every few seconds: no part of the findings that costs a millisecond."""
        return pulse_of(self.intake)

    def end_process(self, *, over: bool) -> None:
        """The process is gone whose events these are; `over`: so is the run. Its causes count as they are now."""
        count_open(self.intake, over=over)

    @property
    def version(self) -> int:
        """While it stands still, so does all that follows from events alone."""
        return self.intake.version

    @property
    def columns(self) -> Columns:
        """The iterations seen: positions count its entries."""
        return self.intake.columns

    @property
    def info(self) -> RunInfo:
        """What the newest process said of itself."""
        return self.intake.info

    def iteration_at(self, position: int) -> tuple[int, int]:
        """The number of the iteration at `position`, and how often the run had that number before (if resumed)."""
        index, starts = self.columns.index, self.intake.starts
        number, before = index[position], 0
        for begin, end in pairwise([*starts[: bisect_right(starts, position)], position]):
            before += bisect_right(index, number, begin, end) - bisect_left(index, number, begin, end)
        return number, before

    def newest_iterations(self) -> list[Iteration]:
        """The newest iterations of the newest process, oldest first."""
        return self.intake.newest_iterations()

    def validations(self) -> Sequence[tuple[int, float]]:
        """(iteration, validation loss) of every evaluation, oldest first."""
        return self.intake.evaluations.losses

    def gpu_history(self, gpu: int = 0, mig: int | None = None) -> list[GpuSample]:
        """The kept samples of one GPU, or of one MIG instance on it, oldest first."""
        return self.intake.telemetry.history(gpu, mig)

    def ledger(self, first: int, last: int) -> tuple[LedgerRow, ...]:
        """Wall time by cause of positions `first`..`last` (inclusive), to 100 %."""
        last = min(last, len(self.columns) - 1)
        hidden = self._snapshot.hidden_stops if self._snapshot else ()
        known = 0 <= first <= last and not self._half_read
        return ledger_of_part(self.intake, first, last, hidden) if known else ()

    def chart(self, first: int, last: int, columns: int) -> list[ChartColumn]:
        """Positions `first`..`last` (inclusive) as at most `columns` columns of equal numbers of iterations."""
        found = chart_columns(self.intake, first, last, columns)
        return unlabelled(found) if self._half_read else found

    def curves(self) -> tuple[Scalar, ...]:
        """What else than time and loss can be drawn over the iterations: scalars, and the machine."""
        return all_curves(self.intake)

    def has_curve(self, name: str, first: int, last: int, covered: float = 0.0) -> bool:
        """Whether it is known of positions `first`..`last`: of their time at least the share `covered`."""
        return has_curve(self.intake, name, first, last, covered)

    def curve(self, name: str, columns: Sequence[ChartColumn]) -> Curve:
        """One of them, a value for each column of a chart."""
        return chart_curve(self.intake, name, columns)

    def scalars_at(self, position: int) -> dict[str, float]:
        """What the iteration at `position` says, by name."""
        return self.intake.scalars.at(position)

    def usually_averaged(self, first: int, last: int) -> tuple[int, bool]:
        """Of how many iterations a time at `first`..`last` (inclusive) is the mean, and whether nearly all are."""
        return self.columns.usually_averaged(first, last)

    def has_times(self, first: int, last: int) -> bool:
        """Whether any iteration at positions `first`..`last` (inclusive) has a time."""
        slow = self.intake.labels.timing.slow
        self.intake.pyramid.follow(slow.itself, slow.changes)
        return self.intake.pyramid.stretch(first, last).slowest_s is not None

    def newest_stacks(self) -> Looks:
        """Where the ranks were when they were last looked at."""
        known = heard(self.intake)
        return self.intake.rank_states.newest_stacks(known.newest, known.since_s)

    def stacks_at(self, position: int) -> Sequence[Stack]:
        """What was seen of the iteration at `position` while it lasted, in order; empty where nobody looked."""
        of_this_process = self.intake.starts and self.intake.starts[-1] <= position < len(self.columns)
        return self.intake.stacks.of(self.columns.index[position]) if of_this_process else ()

    def spike(self, position: int) -> Spike | None:
        """The causes of the iteration at `position`, whether it was slow or not; `None` if there is none."""
        if not 0 <= position < len(self.columns):
            return None
        return self._with_telemetry(spike_at(self.intake.labels, position))

    def next_spike(self, position: int | None, direction: int) -> Spike | None:
        """The spike nearest to `position`, later (+1) or earlier (-1); from `None`, the newest."""
        if self._half_read:
            return None
        return self._with_telemetry(next_spike(self.intake.labels, position, direction))

    def _with_telemetry(self, spike: Spike | None) -> Spike | None:
        if spike is None:
            return None
        return with_telemetry(self.intake, replace(spike, causes=()) if self._half_read else spike)

    @property
    def _half_read(self) -> bool:
        return self._snapshot is not None and self._snapshot.half_read
