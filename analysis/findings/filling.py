"""That something fills up, and when it will be full."""

from __future__ import annotations

from .finding import Finding


class Filling(Finding, frozen=True):
    """Memory or a disk that grows in each window, as was seen since `since_iteration`, and when it will be full.

    `what` is a word of `analysis.filling.filling`. The iterations are its 90 % interval; `full_at_s` goes by the
    time that an iteration took since then, stops included. `jump_at`: the kind of stops at which it grows.
    """

    what: str
    left_bytes: int
    bytes_per_iteration: float
    full_at_iteration: int
    low_iteration: int
    high_iteration: int
    full_at_s: float  # Unix time, as the samples'
    at_s: float  # when that was known
    since_iteration: int
    since_at_s: float
    limit_bytes: int | None = None  # `None`: of a disk, whose size is not asked
    gpu: int | None = None
    jump_at: str = ""
    jump_bytes: float | None = None
    jumps: int = 0  # that were seen


class MemoryJump(Finding, frozen=True):
    """Memory that jumps at each stop of the kind `at` (an evaluation, a checkpoint, an epoch), and stays there.

    `what` is a word of `analysis.filling.filling`; `each_bytes` is the median of the jumps, `times` those seen.
    """

    what: str
    at: str
    each_bytes: float
    times: int
    gpu: int | None = None
