"""What will be full before the run is done: memory, GPU memory, shared memory, the checkpoints' disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import CAUSES
from ...words import memory, plural, rounded_duration
from ..filling.filling import DISK, GPU, MACHINE, MEMORY, SHARED
from . import sentences as say
from .diagnosis import Diagnosis

if TYPE_CHECKING:
    from ..findings import Filling
    from .facts import Facts

_WHAT = {
    MEMORY: "Memory",
    MACHINE: "The machine's memory",
    GPU: "Memory of GPU {gpu}",
    SHARED: "Shared memory (/dev/shm)",
    DISK: "The disk of the checkpoints",
}

_STEP = {
    MEMORY: "Find what the trainer keeps (losses with their graph, lists, caches); save a checkpoint before then.",
    MACHINE: "Find which process grows: loader workers, another job. Save a checkpoint before then.",
    GPU: "Find what is kept on the GPU: loss.item() in place of loss, detach() what is collected.",
    SHARED: "Find what stays in /dev/shm: batches that are kept, or segments of processes that are gone.",
    DISK: "Delete old checkpoints, or let the trainer keep only the newest few.",
}


def filling_up(f: Facts) -> Diagnosis | None:
    """Something will be full before the run is done, as far as its growth goes on."""
    found = next((one for one in f.findings.filling if _before_the_end(f, one)), None)
    if found is None:
        return None
    return Diagnosis(
        "disk-full" if found.what == DISK else "memory-full",
        f"{_full(found)}.",
        say.evidence(f, *(grows(one) for one in f.findings.filling), say.speed(f)),
        _STEP[found.what],
        healthy=False,
    )


def beside(f: Facts, kind: str) -> tuple[str, ...]:
    """What grows, where the headline is about something else."""
    if kind in ("disk-full", "memory-full"):
        return ()
    return tuple(
        f"{_full(one)}{'' if _before_the_end(f, one) else ', after the end of the run'}: {grows(one)}"
        for one in f.findings.filling
    )


def grows(one: Filling) -> str:
    """By how much, since when, and what is left."""
    if one.jump_at and one.jump_bytes is not None:
        stop = CAUSES[one.jump_at]
        name = (stop.many[:-1] if stop.many.endswith("s") else stop.many) or one.jump_at
        by = f"{memory(one.jump_bytes)} at each {name}, {plural(one.jumps, 'time')} so far"
    else:
        by = f"{memory(one.bytes_per_iteration)} an iteration"
    left = (
        f"{memory(one.left_bytes)} {'is' if one.limit_bytes is None else f'of {memory(one.limit_bytes)} are'} left"
    )
    return f"it grows by {by}, since iteration {one.since_iteration:,}; {left}"


def _full(one: Filling) -> str:
    what = _WHAT[one.what].format(gpu=one.gpu)
    wide = max(one.high_iteration - one.full_at_iteration, one.full_at_iteration - one.low_iteration)
    step = max(1, 10 ** (len(str(max(1, wide))) - 1))
    iteration, wide = round(one.full_at_iteration / step) * step, -(-wide // step) * step
    about = rounded_duration(one.full_at_s - one.at_s)
    return f"{what} will be full at iteration {iteration:,} ± {wide:,}, in about {about}"


def _before_the_end(f: Facts, one: Filling) -> bool:
    last = f.findings.progress.max_iterations
    return last is None or one.low_iteration < last
