"""The period in which GPUs rise and fall."""

import random

import pytest

from itermon.analysis.gpus.periods import period_of


def fed(period: float, noise: float = 0.1, count: int = 400) -> list[float]:
    chance = random.Random(1)
    return [(1.0 if n % period < 0.3 * period else 0.1) + chance.gauss(0, noise) for n in range(count)]


@pytest.mark.parametrize("period", [5, 7.3, 11, 20.5])
def test_a_loop_that_waits_has_one(period: float) -> None:
    assert period_of(fed(period)) == pytest.approx(period, abs=0.51)


def test_noise_ramps_ripples_and_too_fast_ones_have_none() -> None:
    for seed in range(40):
        chance = random.Random(seed)
        walk = [0.0]
        for _ in range(400):
            walk.append(0.95 * walk[-1] + chance.gauss(0, 1))
        assert period_of([10 + x for x in walk]) is None
        assert period_of([chance.random() for _ in range(400)]) is None
    assert period_of([n / 400 for n in range(400)]) is None
    assert period_of([75 + 0.02 * (n % 15) for n in range(400)]) is None, "the ripple of a sensor"
    assert period_of(fed(2)) is None, "two samples a period: it may be any"
    assert period_of([]) is None
    assert period_of([0.0] * 100) is None
