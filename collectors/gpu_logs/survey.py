"""One look through a recording: from when to when it goes, how often it was sampled, when its GPUs were busy."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...events import GpuSample
    from .recording import Recording

MOST_POINTS = 1 << 13
"""Of the course of a recording: in a day at one a second each is half a minute."""

WORKS = 0.25
"""Of the most that the GPUs did in a recording: an evaluation on one of eight is about half of it."""

_GAPS = 1_001  # gaps between passes that say how often it was sampled: the first ones


class Survey(NamedTuple):
    """`busy` are times and the GPUs' mean utilization at them, or their power where there is none."""

    first_s: float
    last_s: float
    every_s: float
    zoned: bool | None
    busy: list[tuple[float, float]]

    @property
    def worked(self) -> tuple[float, float]:
        """From when to when the GPUs did something: what lies before and after is of nobody's run."""
        most = max((value for _, value in self.busy), default=0.0)
        times = [at_s for at_s, value in self.busy if value >= WORKS * most]
        return (times[0], times[-1]) if times else (self.first_s, self.last_s)


def survey(recording: Recording, keep: Callable[[list[GpuSample]], None] | None = None) -> Survey | None:
    """What `recording` holds as it stands; `None`: no sample (yet). Raises what `Recording.new` raises.

    `keep` is given its samples.
    """
    course = _Course()
    for samples in recording.new():
        if keep is not None:
            keep(samples)
        for sample in samples:
            course.add(sample)
    return course.whole(zoned=recording.zoned)


class _Course:
    def __init__(self) -> None:
        self._points: list[tuple[float, float]] = []
        self._stride = 1  # passes to a point
        self._part: list[tuple[float, float]] = []
        self._pass: dict[int, GpuSample] = {}
        self._gaps: list[float] = []
        self._times: list[float] = []  # of the first pass and of the newest

    def add(self, sample: GpuSample) -> None:
        if sample.gpu in self._pass:
            self._end_pass()
        self._pass[sample.gpu] = sample

    def whole(self, *, zoned: bool | None) -> Survey | None:
        if self._pass:
            self._end_pass()
        if not self._times:
            return None
        self._end_part()
        every_s = median(self._gaps) if self._gaps else 0.0
        return Survey(min(self._times), max(self._times), every_s, zoned, self._points)

    def _end_pass(self) -> None:
        samples, self._pass = list(self._pass.values()), {}
        at_s = samples[0].at_s
        if self._times and (gap_s := at_s - self._times[-1]) > 0 and len(self._gaps) < _GAPS:
            self._gaps.append(gap_s)
        self._times = [min(self._times[0], at_s) if self._times else at_s, at_s]
        used = [s.utilization for s in samples if s.utilization is not None]
        used = used or [s.power_w for s in samples if s.power_w is not None]
        if used:
            self._part.append((at_s, sum(used) / len(used)))
        if len(self._part) >= self._stride:
            self._end_part()

    def _end_part(self) -> None:
        if self._part:
            self._points.append(_together(self._part))
            self._part = []
        if len(self._points) >= MOST_POINTS:
            self._points = [_together(self._points[at : at + 2]) for at in range(0, len(self._points), 2)]
            self._stride *= 2


def _together(points: list[tuple[float, float]]) -> tuple[float, float]:
    return sum(at_s for at_s, _ in points) / len(points), sum(value for _, value in points) / len(points)
