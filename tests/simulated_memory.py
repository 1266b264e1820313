"""Simulated memory, seeded: leaks of several shapes, whose end is known, and what only looks like one."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from itermon.analysis.filling.filling import Fillings
from itermon.events import EVALUATION, HostSample, SpanEnd

if TYPE_CHECKING:
    from collections.abc import Callable

    from itermon.analysis.findings import Filling

LIMIT = 64 << 30
LEAKS = ("linear", "sawtooth", "steps", "noisy")
HEALTHY = ("sawtooth", "slow sawtooth", "evaluations", "first steps", "records", "plateau", "wandering")


class Shape(NamedTuple):
    """How full it is at each sample, as a share; evaluations end at each multiple of `evaluates` samples.

    An epoch is `epoch` samples.
    """

    at: Callable[[int], float]
    evaluates: int = 0
    epoch: int = 0


class Followed:
    """Samples of one machine, `every_s` apart, with so many iterations between two of them."""

    def __init__(self, shape: Shape, *, every_s: float = 10.0, iterations: float = 2.0) -> None:
        self.shape, self.every_s, self.iterations = shape, every_s, iterations
        self.fillings = Fillings()

    def sample(self, number: int) -> Filling | None:
        """Take in sample `number`; what is found then."""
        index, at_s = int(number * self.iterations), 1e9 + number * self.every_s
        if self.shape.evaluates and number and number % self.shape.evaluates == 0:
            self.fillings.stop(SpanEnd(EVALUATION, at_s - 0.1, index, duration_s=1.0), index)
        used = int(min(1.0, max(0.0, self.shape.at(number))) * LIMIT)
        left = LIMIT - used
        sample = HostSample(at_s, resident_bytes=used, memory_available_bytes=left, memory_total_bytes=LIMIT)
        self.fillings.add(sample, index, round(self.shape.epoch * self.iterations) or None)
        return next(iter(self.fillings.found()), None)


def leak(kind: str, seed: int) -> tuple[Followed, int]:
    """A leak, and the sample at which nothing is left."""
    chance = Random(f"{kind} {seed}")
    samples = round(math.exp(chance.uniform(math.log(300), math.log(8_000))))
    base, noise = chance.uniform(0.2, 0.5), chance.uniform(0.0005, 0.005) * (4 if kind == "noisy" else 1)
    saw = chance.uniform(0.02, 0.15) if kind == "sawtooth" else 0.0
    period = max(4, round(samples / chance.uniform(24, 200)))
    steps = chance.randrange(12, 60)
    each = (1 - base - saw) / samples
    evaluates = max(12, samples // steps) if kind == "steps" else 0

    def at(number: int) -> float:
        grown = (number // evaluates * evaluates if evaluates else number) * each
        jitter = Random(f"{kind} {seed} {number}").gauss(0, noise)
        return base + grown + saw * (number % period) / period + jitter

    followed = Followed(
        Shape(at, evaluates), every_s=chance.choice((2, 10, 30)), iterations=chance.uniform(0.5, 8)
    )
    return followed, next(number for number in range(4 * samples) if at(number) >= 1)


def healthy(kind: str, seed: int) -> Followed:
    """What grows, at times, and fills nothing."""
    chance = Random(f"healthy {kind} {seed}")
    base, noise = chance.uniform(0.2, 0.5), chance.uniform(0.0005, 0.01)
    high, evaluates = chance.uniform(0.01, 0.22), chance.randrange(30, 200)
    slow = kind == "slow sawtooth"
    period = chance.randrange(180, 1_000) if slow else chance.randrange(6, 180)
    ends = sorted(chance.randrange(4_000) for _ in range(chance.randrange(1, 4)))
    peaks = [0.0]
    walk = [0.0]

    def at(number: int) -> float:
        own = Random(f"{kind} {seed} {number}")
        value = base + own.gauss(0, noise)
        if "sawtooth" in kind:
            return value + high * (number % period) / period
        if kind == "evaluations":
            return value + (high if number % evaluates < 3 else 0.0)
        if kind == "first steps":
            return value + high * sum(number >= end for end in ends) / len(ends)
        if kind == "plateau":
            return value + high * (1 - math.exp(-number / period))
        if kind == "records":  # an allocator keeps what the longest sample so far needed
            while len(peaks) <= number:
                peaks.append(max(peaks[-1], min(1.0, Random(f"{seed} {len(peaks)}").expovariate(9))))
            return value + high * peaks[number]
        while len(walk) <= number:
            walk.append(0.995 * walk[-1] + Random(f"{seed} {len(walk)}").gauss(0, high / 40))
        return value + walk[number]

    return Followed(Shape(at, evaluates), every_s=10.0, iterations=chance.uniform(0.2, 8))
