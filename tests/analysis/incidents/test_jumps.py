"""A loss that jumps and stays, or grows; and spikes, which recover and are none."""

from __future__ import annotations

from random import Random

import pytest

from itermon.analysis.incidents.jumps import Jump, Jumps

LEVEL, NOISE = 3.0, 0.03


def losses(count: int, seed: int = 1, level: float = LEVEL) -> list[float]:
    random = Random(seed)
    return [random.gauss(level, NOISE) for _ in range(count)]


def found(values: list[float], *, batch: int = 10_000) -> list[Jump]:
    jumps = Jumps()
    for start in range(0, len(values), batch):
        part = values[start : start + batch]
        jumps.add(part, [*range(start, start + len(part))])
    return jumps.found


def test_noise_is_no_jump() -> None:
    assert all(found(losses(2_000, seed)) == [] for seed in range(5))


def test_a_loss_that_jumps_and_stays_is_one_from_its_first_value() -> None:
    (jump,) = found(losses(300) + losses(200, 2, 4.5))
    assert (jump.first, jump.back, jump.grew) == (300, None, False)
    assert jump.before == pytest.approx(3.0, abs=0.02)
    assert jump.after == pytest.approx(4.5, abs=0.02)


@pytest.mark.parametrize("batch", [1, 7, 64, 500])
def test_it_does_not_depend_on_batches(batch: int) -> None:
    values = losses(300) + losses(400, 2, 4.5) + losses(300, 3)
    assert found(values, batch=batch) == found(values)


@pytest.mark.parametrize("lasts", [1, 5, 20, 40, 100])
def test_a_spike_that_recovers_is_none(lasts: int) -> None:
    spike = [value * (1 + 1.5 * 0.5 ** (place / lasts)) for place, value in enumerate(losses(8 * lasts, 2))]
    assert found(losses(300) + spike + losses(600, 3)) == []


def test_a_spike_that_stays_high_for_less_than_a_chunk_is_none() -> None:
    assert found(losses(300) + losses(40, 2, 6.0) + losses(300, 3)) == []


def test_what_comes_back_later_is_over_then() -> None:
    (jump,) = found(losses(300) + losses(400, 2, 4.5) + losses(300, 3))
    assert jump.back == 700


def test_a_loss_that_grows_slowly_is_found() -> None:
    growing = [value * (1 + place / 500) for place, value in enumerate(losses(1_000, 2))]
    (jump,) = found([7.0 - place * 4 / 300 for place in range(300)] + losses(300) + growing)
    assert jump.first > 600


def test_a_loss_that_hardly_moves_has_no_noise_to_leave() -> None:
    assert found([0.69] * 300 + [0.70] * 300) == []


def test_a_small_loss_of_a_run_that_began_high_may_double() -> None:
    falling = [7.0 * 0.97**place for place in range(200)]
    assert found(falling + [0.01] * 300 + [0.02] * 300) == []


def test_before_128_losses_nothing_is_usual() -> None:
    assert found(losses(100) + losses(200, 2, 9.0)) == []
