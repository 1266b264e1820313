"""What will be full before the run is done: memory, GPU memory, shared memory, the checkpoints' disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import CAUSES
from ...words import memory, plural, rough_duration
from ..filling.filling import DISK, GPU, MACHINE, MEMORY, SHARED
from . import sentences as say
from .diagnosis import Diagnosis

if TYPE_CHECKING:
    from ..findings import Filling, MemoryJump
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

_NEARLY = 0.1
"""A run that ended with so little left may have ended by that."""


def filling_up(f: Facts) -> Diagnosis | None:
    """Something will be full before the run is done, as far as its growth goes on."""
    found = next((one for one in f.findings.filling if _before_the_end(f, one)), None)
    if found is None or f.findings.ended:
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
    jumps = tuple(map(_jumps, f.findings.jumps))
    if kind in ("disk-full", "memory-full"):
        return jumps
    if f.findings.ended:
        return tuple(_was_nearly_full(one) for one in f.findings.filling if one.left_bytes <= _NEARLY * _size(one))
    return jumps + tuple(
        f"{_full(one)}{'' if _before_the_end(f, one) else ', after the end of the run'}: {grows(one)}"
        for one in f.findings.filling
    )


def _size(one: Filling) -> float:
    """What it holds; of a disk, whose size is not known, what its growth has taken."""
    return one.limit_bytes or one.bytes_per_iteration * (one.full_at_iteration - one.since_iteration)


def _was_nearly_full(one: Filling) -> str:
    """Of a run that ended early: the system kills what takes too much memory, and says so to nobody."""
    what = _WHAT[one.what].format(gpu=one.gpu)
    return (
        f"{what} was nearly full, and had grown since iteration {one.since_iteration:,}: {_left(one)} at its end"
    )


def grows(one: Filling) -> str:
    """By how much, since when, and what is left."""
    if one.jump_at and one.jump_bytes is not None:
        by = f"{memory(one.jump_bytes)} at each {_stop(one.jump_at)}, {plural(one.jumps, 'time')} so far"
    else:
        by = f"{memory(one.bytes_per_iteration)} an iteration"
    return f"it grows by {by}, since iteration {one.since_iteration:,}; {_left(one)}"


def _jumps(one: MemoryJump) -> str:
    what = "Resident memory" if one.what == MEMORY else _WHAT[one.what].format(gpu=one.gpu)
    return f"{what} jumps by {memory(one.each_bytes)} at each {_stop(one.at)}, {plural(one.times, 'time')} so far"


def _stop(kind: str) -> str:
    """What one of them is called."""
    many = CAUSES[kind].many if kind in CAUSES else ""
    return many.removesuffix("s") or kind


def _left(one: Filling) -> str:
    of = f" of {memory(one.limit_bytes)}" if one.limit_bytes else ""
    return f"{memory(one.left_bytes)}{of} left"


def _full(one: Filling) -> str:
    what = _WHAT[one.what].format(gpu=one.gpu)
    wide = max(one.high_iteration - one.full_at_iteration, one.full_at_iteration - one.low_iteration)
    step = 10 ** (len(str(max(1, wide))) - 1)
    iteration, wide = round(one.full_at_iteration / step) * step, -(-wide // step) * step
    about = rough_duration(one.full_at_s - one.at_s)
    return f"{what} will be full at iteration {iteration:,} ± {wide:,}, in about {about}"


def _before_the_end(f: Facts, one: Filling) -> bool:
    last = f.findings.progress.max_iterations
    return last is None or one.low_iteration < last
