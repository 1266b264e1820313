"""From what is known of a rank to the values of its metrics. What is not known has no series: never a zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..events import CAUSES, ONCE, PAUSE, RESTART, STOPS, STRAGGLER, THROTTLE, TRAINING
from . import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..analysis.pulse import Pulse
    from ..events import GpuSample
    from .counted import Counted
    from .names import Metric


SLOW, BAD_LOSS, ERROR = "slow iteration", "bad loss", "error"
"""Kinds of incidents, beside restarts."""

_ELSEWHERE = frozenset((TRAINING, THROTTLE, STRAGGLER, PAUSE))
"""What no recording of one rank says: where one does all the same, its series begins late."""

_CAUSES = tuple(row.name for row in CAUSES.values() if row.name not in _ELSEWHERE and not row.parts)
_NOT_PLANNED = frozenset((*_CAUSES, THROTTLE, STRAGGLER)) - STOPS - ONCE


class Series(NamedTuple):
    """One value; its labels in the order of `metric.labels`."""

    metric: Metric
    labels: tuple[str, ...]
    value: float


def rank_series(labels: tuple[str, str], rank: Counted, now_s: float) -> Iterator[Series]:
    """The series of one rank; `labels` are its run and its number."""
    yield _info(labels, rank)
    pulse = rank.run.pulse()
    values: dict[Metric, float | None] = {
        names.ITERATION_S: pulse.duration_s,
        names.USUAL_S: pulse.usual_s,
        names.ITERATIONS: rank.iterations,
        names.SPENT_S: rank.spent_s,
        names.SYNC_S: pulse.sync_s,
        names.POSITION: pulse.index,
        names.LAST_AT: pulse.at_s,
        names.LOSS: pulse.loss,
        names.GRADIENT_NORM: pulse.gradient_norm,
    }
    if rank.recording.rank == 0:
        values |= _of_run(rank, now_s)
    for metric, value in values.items():
        if value is not None:
            yield Series(metric, labels, value)
    for phase, seconds in pulse.local_s.items():
        yield Series(names.LOCAL_S, (*labels, phase), seconds)
    for cause, seconds in _lost_s(pulse).items():
        yield Series(names.LOST_S, (*labels, cause), seconds)
    for kind, count in _incidents(rank, pulse).items():
        yield Series(names.INCIDENTS, (*labels, kind), count)


def _lost_s(pulse: Pulse) -> dict[str, float]:
    """By cause. Each begins at 0: Prometheus sees no increase in a counter that was not there before."""
    return dict.fromkeys(_CAUSES, 0.0) | {cause: lost.seconds for cause, lost in pulse.counted.items()}


def _incidents(rank: Counted, pulse: Pulse) -> dict[str, int]:
    """By kind, each from 0."""
    slow = sum(lost.count for cause, lost in pulse.counted.items() if cause in _NOT_PLANNED)
    return {SLOW: slow, BAD_LOSS: rank.bad_losses, ERROR: rank.errors, RESTART: rank.restarts}


def gpu_series(labels: tuple[str, str], samples: Sequence[GpuSample]) -> Iterator[Series]:
    """The series of a rank's GPUs, as the driver told of them last."""
    for sample in samples:
        gpu = str(sample.gpu) if sample.mig is None else f"{sample.gpu}/{sample.mig}"
        of_gpu = (*labels, gpu, sample.uuid)
        values = {
            names.POWER_W: sample.power_w,
            names.POWER_LIMIT_W: sample.power_limit_w,
            names.MEMORY_BYTES: sample.memory_used_bytes,
            names.CLOCK_HZ: sample.sm_clock_hz,
            names.CLOCK_MOST_HZ: sample.sm_clock_max_hz,
        }
        yield from (Series(metric, of_gpu, value) for metric, value in values.items() if value is not None)
        yield from (Series(names.LIMITED, (*of_gpu, reason), 1) for reason in sample.limits or ())


def _info(labels: tuple[str, str], rank: Counted) -> Series:
    info, size = rank.recording.info, rank.world_size
    gpus = ", ".join(info.gpu_names)
    about = (rank.recording.run_id, info.host, info.framework, gpus, str(size or ""), rank.stage)
    return Series(names.INFO_OF_RUN, (*labels, *about), 1)


def _of_run(rank: Counted, now_s: float) -> dict[Metric, float | None]:
    """What is of the whole run: rank 0 alone says it, so that sums over ranks hold."""
    found = rank.run.findings(now_s, spikes=0)
    return {
        names.TOKENS: rank.tokens,
        names.LAST_POSITION: found.progress.max_iterations,
        names.ETA_AT: found.eta.finish_at_s,
        names.MFU: found.audit.mfu,
    }
