"""When something will be full, by the growth that is proven or by its jumps: an iteration, and how sure it is."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from ..findings import Filling
from .growth import LEAST, growth_of

if TYPE_CHECKING:
    from .course import Course
    from .growth import Growth
    from .jumps import Jump

FARTHEST = 1.15
"""It is drawn on for so many times the iterations in which the growth was seen: half of the time must have passed.
A first swing that takes half of what was left looks like a leak; a smaller one never does."""

_SMALLEST = 0.5
"""Of the slope, where its interval goes down to nothing."""


def forecast(name: str, gpu: int | None, course: Course, limit: float, jump: Jump | None) -> Filling | None:
    """When what `course` says will be full at `limit`; `None` where nothing proves that it will."""
    growth = growth_of(course.stretches, limit)
    if jump is not None and jump.times * jump.each < LEAST * abs(limit or jump.each):
        jump = None
    if growth is None and jump is None:
        return None
    newest = course.stretches[-1]
    if jump is not None:
        begin, each = max(0, jump.iteration - jump.times * jump.every), jump.each / jump.every
        full, low, high = _at_a_jump(jump, limit - max(s.high for s in course.stretches[-2:]), newest.iteration)
    elif growth is not None:
        begin, each = growth.begin.iteration, growth.each
        full, low, high = _on_the_line(growth, limit)
    seen = newest.iteration - begin
    if seen <= 0 or full - newest.iteration > FARTHEST * seen:
        return None
    first = next(s for s in course.stretches if s.iteration >= begin)
    each_s = (newest.at_s - first.at_s) / max(1, newest.iteration - first.iteration)
    return Filling(
        what=name,
        gpu=gpu,
        left_bytes=max(0, int(limit - newest.low)),
        limit_bytes=int(limit) or None,
        bytes_per_iteration=each,
        full_at_iteration=full,
        low_iteration=low,
        high_iteration=high,
        full_at_s=newest.at_s + each_s * max(0, full - newest.iteration),
        at_s=newest.at_s,
        since_iteration=first.iteration,
        since_at_s=first.at_s,
        jump_at=jump.kind if jump else "",
        jump_bytes=jump.each if jump else None,
        jumps=jump.times if jump else 0,
    )


def lifts(jump: Jump, course: Course, newest: float, limit: float) -> bool:
    """Do the jumps lift it to where it has never been, by more than a little, and is `newest` still up there?"""
    before = max((s.high for s in course.stretches if s.iteration < jump.first), default=jump.level - jump.each)
    stays = newest >= jump.level - _SMALLEST * jump.each
    return stays and jump.level > before and jump.times * jump.each >= LEAST * limit


def _on_the_line(growth: Growth, limit: float) -> tuple[int, int, int]:
    """Where the highest of the samples reaches the limit; the interval by the slope's and by the scatter."""
    here, room = growth.newest.iteration, limit - growth.low - growth.above
    wide = growth.beside + growth.above / 4
    full = here + max(0.0, room) / growth.each
    low = here + max(0.0, room - wide) / growth.each_high
    high = here + max(0.0, room + wide) / max(growth.each_low, growth.each * _SMALLEST)
    return round(full), round(min(low, full)), ceil(max(high, full))


def _at_a_jump(jump: Jump, room: float, here: int) -> tuple[int, int, int]:
    """The stop at which it will be full: one more or less, and what the jumps differ by."""

    def after(each: float) -> int:
        return max(here, jump.iteration + max(1, ceil(room / each)) * jump.every)

    wide = min(jump.apart, jump.each * _SMALLEST)
    full = after(jump.each)
    return full, min(full, after(jump.each + wide) - jump.every), max(full, after(jump.each - wide) + jump.every)
