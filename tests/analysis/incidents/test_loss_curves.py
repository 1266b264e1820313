"""Invented healthy losses, of many seeds: no incident may be told of them, and of a jump only what holds."""

from collections.abc import Callable
from math import exp, pi, sin
from random import Random
from statistics import median

import pytest

from itermon.analysis.incidents.jumps import Jump, Jumps

SEEDS = range(12)


def falls(at: int, count: int) -> float:
    return 0.4 + 2.5 * exp(-at / (0.15 * count))


def means(kind: Callable[[int], float], losses: list[float]) -> list[float]:
    """As a bar prints them: of the epoch so far; `kind` makes an epoch's first data harder or easier."""
    made, epoch = [], 233
    for first in range(0, len(losses), epoch):
        total = 0.0
        for n, loss in enumerate(losses[first : first + epoch]):
            total += loss * kind(n)
            made.append(total / (n + 1))
    return made


def curve(name: str, seed: int) -> list[float]:
    random = Random(seed)
    count, noise = random.choice([300, 640, 1500, 4000]), random.choice([0.0, 0.01, 0.03, 0.1, 0.3])
    plain = [falls(n, count) * exp(random.gauss(0, noise)) for n in range(count)]
    if name == "of a single batch":
        return [falls(n, count) * random.expovariate(1) for n in range(count)]
    if name == "in steps":
        return [(2.0, 1.0, 0.7, 0.6)[4 * n // count] * exp(random.gauss(0, noise)) for n in range(count)]
    if name == "up and down":
        return [loss * (1 + 0.1 * sin(2 * pi * n / 100)) for n, loss in enumerate(plain)]
    if name == "below nothing":
        return [loss - 3 for loss in plain]
    kinds = {
        "means": lambda _n: 1.0,
        "hard first": lambda n: 1 + 0.5 * exp(-n / 10),
        "easy first": lambda n: min(1, 0.5 + n / 180),
    }
    return means(kinds[name], plain) if name in kinds else plain


def found(losses: list[float]) -> list[Jump]:
    jumps = Jumps()
    jumps.add(losses, range(len(losses)))
    return jumps.told


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "name",
    [
        "noisy",
        "of a single batch",
        "in steps",
        "up and down",
        "below nothing",
        "means",
        "hard first",
        "easy first",
    ],
)
def test_of_a_healthy_loss_nothing_is_told(name: str, seed: int) -> None:
    assert found(curve(name, seed)) == []


def test_of_waves_that_come_again_and_again_nothing_is_told() -> None:
    random = Random(1)
    warm = [falls(n, 4000) + (0.5 if n % 500 < 150 else 0.0) + random.gauss(0, 0.01) for n in range(4000)]
    assert found(warm) == []
    (one,) = found([*warm, *(2.5 + random.gauss(0, 0.01) for _ in range(600))])
    assert (one.back, one.grew) == (None, False)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_usual_before_an_earlier_jump_is_not_what_a_later_loss_is_told_to_jump_from(seed: int) -> None:
    """A mean that rises within an epoch, and begins anew, lower, with the next."""
    random = Random(seed)
    epochs = [(0.625, 1600), (1.0, 3400), (0.675, 3000)]
    losses = [level + random.gauss(0, 0.003) for level, count in epochs for _ in range(count)]
    for one in found(losses):
        before = median(losses[max(0, one.first - 32) : one.first])
        assert one.before == pytest.approx(before, rel=0.1)
    assert len(found(losses)) == 1
