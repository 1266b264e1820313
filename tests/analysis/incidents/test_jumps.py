"""A loss that jumps and stays, or grows; and spikes, which recover and are none."""

from __future__ import annotations

from random import Random

import pytest

from itermon.analysis.incidents import jumps as jumps_module
from itermon.analysis.incidents.jumps import Jump, Jumps, Level

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


def test_a_jump_that_comes_soon_behind_a_loss_that_is_a_little_high_begins_where_it_jumps() -> None:
    (jump,) = found(losses(300) + losses(12, 2, 3.4) + losses(200, 3, 9.0))
    assert (jump.first, jump.grew) == (312, False)
    assert jump.after == pytest.approx(9.0, abs=0.1)


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


def test_a_loss_that_rises_steadily_above_what_was_usual_grew_and_did_not_jump() -> None:
    rising = [value + place * 0.004 for place, value in enumerate(losses(700, 2))]
    grown = found(losses(300) + rising)
    assert grown, "it is far above"
    assert all(jump.grew for jump in grown)
    assert grown[0].before == pytest.approx(3.0, abs=0.02), "its lowest level"


def test_a_loss_that_hardly_moves_has_no_noise_to_leave() -> None:
    assert found([0.69] * 300 + [0.70] * 300) == []


def test_a_small_loss_of_a_run_that_began_high_may_double() -> None:
    falling = [7.0 * 0.97**place for place in range(200)]
    assert found(falling + [0.01] * 300 + [0.02] * 300) == []


def test_before_128_losses_nothing_is_usual() -> None:
    assert found(losses(100) + losses(150, 2, 9.0)) == []


USUAL = Level(mean=3.0, deviation=0.1, limit=4.0)


@pytest.mark.parametrize(
    ("losses", "decided"),
    [
        ([6.0] * 7, (0, None)),
        ([6.0] * 8, (8, True)),
        ([6.0] * 6 + [4.0] * 2, (8, False)),  # its newest quarter is usual again
        ([3.0, 6.0, 6.0, 6.0, 3.0, 6.0, 6.0, 6.0], (8, True)),  # three quarters are above, and each quarter is
        ([3.0, 6.0, 4.0, 6.0, 3.0, 6.0, 6.0, 6.0], (8, False)),
        ([6.0] * 6 + [5.55] * 2, (8, True)),  # 0.85 of its height
        ([6.0] * 6 + [5.5] * 2, (0, None)),  # on its way back: eight more have to come
        ([6.0] * 6 + [5.5] * 10, (16, True)),  # half of its height after the longest time
        ([6.0] * 6 + [5.5] * 6 + [4.5] * 4, (16, True)),
        ([6.0] * 6 + [5.5] * 6 + [4.4] * 4, (16, False)),
        ([6.0] * 6 + [5.5] * 4 + [3.0] * 6, (16, False)),
    ],
)
def test_a_jump_stays_or_is_on_its_way_back(
    monkeypatch: pytest.MonkeyPatch, losses: list[float], decided: tuple[int, bool | None]
) -> None:
    monkeypatch.setattr(jumps_module, "CHUNK", 8)
    monkeypatch.setattr(jumps_module, "LONGEST", 16)
    of = Jumps()
    of._losses = [1.0, 1.0, *losses]
    assert of._stays(2, USUAL) == decided


def test_the_first_and_the_newest_of_several_jumps_stand_for_themselves() -> None:
    of = Jumps()
    of.found = [Jump(0, 1.0, 2.0, 0.1, back=5)]
    assert not of._is_in_one
    of.found.append(Jump(9, 1.0, 2.0, 0.1))
    assert of._is_in_one


def constant(*parts: tuple[int, float]) -> list[float]:
    return [value for count, value in parts for _ in range(count)]


@pytest.mark.parametrize(("height", "told"), [(0.15, False), (0.16, True)])
def test_of_a_loss_that_hardly_moves_a_jump_is_a_twentieth(height: float, told: bool) -> None:
    assert bool(found(constant((256, 3.0), (64, 3.0 + height)))) is told


def test_two_chunks_say_what_is_usual_and_the_third_jumps() -> None:
    assert found(constant((64, 3.0), (128, 6.0))) == []
    (jump,) = found(constant((128, 3.0), (64, 6.0)))
    assert (jump.first, jump.before, jump.after, jump.back) == (128, 3.0, 6.0, None)


def test_usual_is_the_higher_of_the_two_newest_chunks() -> None:
    assert found(constant((64, 3.2), (64, 3.0), (64, 3.3))) == []
    assert len(found(constant((128, 3.0), (64, 3.3)))) == 1


def test_what_it_was_before_is_told_of_the_losses_right_before_it() -> None:
    (jump,) = found(constant((64, 3.2), (64, 3.1), (64, 3.0), (64, 6.0)))
    assert jump.before == pytest.approx(3.0)


@pytest.mark.parametrize(("calm", "told"), [(3, False), (4, True)])
def test_only_the_newest_four_chunks_say_how_noisy_it_is(calm: int, told: bool) -> None:
    assert bool(found([2.0, 4.0] * 32 + constant((64 * calm, 3.0), (64, 4.0)))) is told


@pytest.mark.parametrize(("height", "told"), [(1.2, False), (1.5, True)])
def test_a_loss_with_a_noise_of_a_tenth_jumps_by_a_quarter(height: float, told: bool) -> None:
    random = Random(3)
    noisy = [random.gauss(1, 0.1) for _ in range(320)]
    assert bool(found(noisy + [height * loss for loss in noisy[:128]])) is told


def falling(count: int, seed: int = 1) -> list[float]:
    """To half in 200 losses, with a noise of a thirtieth."""
    random = Random(seed)
    return [5.5 * 0.5 ** (place / 200) * random.gauss(1, 0.03) for place in range(count)]


@pytest.mark.parametrize("seed", range(3))
def test_a_loss_that_falls_as_fast_above_a_jump_as_before_is_not_on_its_way_back(seed: int) -> None:
    values = falling(500, seed)
    (jump,) = found(values[:200] + [2.5 * loss for loss in values[200:]])
    assert jump.first == 200


@pytest.mark.parametrize("half_in", [5, 20, 40])
@pytest.mark.parametrize("seed", range(3))
def test_a_spike_of_a_loss_that_falls_recovers_too(half_in: int, seed: int) -> None:
    values = falling(900, seed)
    spike = [loss * (1 + 3 * 0.5 ** (since / half_in)) for since, loss in enumerate(values[200:])]
    assert found(values[:200] + spike) == []


def test_of_losses_that_all_fall_to_nothing_no_share_is_left() -> None:
    assert found(constant((64, 1e300), (64, 1e-300), (64, 1e300), (512, 1e-300))) == []


@pytest.mark.parametrize(("height", "back"), [(3.9, 192), (3.91, None)])
def test_a_jump_is_over_at_three_tenths_of_its_height(height: float, back: int | None) -> None:
    (jump,) = found(constant((128, 3.0), (64, 6.0), (64, height)))
    assert jump.back == back


@pytest.mark.parametrize(("piece", "batch"), [(8, 500), (64, 7), (100, 500)])
def test_losses_are_taken_in_by_pieces_and_each_once(
    monkeypatch: pytest.MonkeyPatch, piece: int, batch: int
) -> None:
    values = losses(300) + losses(200, 2, 4.5) + losses(200, 3)
    whole = found(values)
    monkeypatch.setattr(jumps_module, "_PIECE", piece)
    assert found(values, batch=batch) == whole
    assert len(whole) == 1


def test_a_spike_leaves_what_is_usual_as_it_was() -> None:
    """Of its chunk only what was usual counts: a jump after it has the mean of before."""
    (jump,) = found(constant((128, 3.0), (10, 9.0), (54, 3.0), (10, 3.0), (64, 6.0), (64, 6.0)))
    assert (jump.first, jump.before) == (202, 3.0)


@pytest.mark.parametrize(
    ("parts", "grew_at"),
    [
        (((128, 9.0), (64, 1.0), *[(64, 1.0 + 0.1 * n) for n in range(1, 60)]), True),
        (((64, 1.0), *[(64, 1.0 + 0.04 * n) for n in range(1, 24)]), False),
    ],
)
def test_a_loss_that_grows_slowly_has_grown_when_it_doubled_and_lost_half(
    parts: tuple[tuple[int, float], ...], grew_at: bool
) -> None:
    grown = [jump for jump in found(constant(*parts)) if jump.grew]
    assert bool(grown) is grew_at


@pytest.mark.parametrize("seed", range(3))
def test_a_noisy_loss_that_grew_is_seen_though_only_some_of_it_is_far_above(seed: int) -> None:
    random = Random(seed)
    before = [random.gauss(5.4, 0.1) for _ in range(64)] + [random.gauss(3, 0.9) for _ in range(640)]
    (jump,) = found(before + [2.4 * max(0.5, random.gauss(3, 2.5)) for _ in range(320)])
    assert jump.grew
    assert jump.first >= len(before)


@pytest.mark.parametrize("batch", [1, 64, 10_000])
def test_what_is_usual_is_that_of_the_losses_around_a_spike_too(batch: int) -> None:
    """Of the 73 losses until a spike is decided, the spike apart."""
    spiked = [*[3.0] * 10, 9.0, *[3.05] * 63]
    (jump,) = found([*[3.0] * 256, *spiked, *[4.5] * 200], batch=batch)
    assert (jump.first, jump.before) == (330, pytest.approx((10 * 3.0 + 63 * 3.05) / 73))


@pytest.mark.parametrize(
    ("losses", "mean", "squares"),
    [
        ([1.0, 2.0, 3.0], 2.0, 0.0),
        ([1.0, 3.0, 2.0], 2.0, 1.5),
        ([0.0, 0.0, 3.0, 3.0], 1.5, 1.8),
        ([5.0], 5.0, 0.0),
    ],
)
def test_noise_is_what_lies_beside_a_line(losses: list[float], mean: float, squares: float) -> None:
    assert jumps_module._squares(losses, mean) == pytest.approx(squares)


@pytest.mark.parametrize(
    ("before", "newest", "squares", "first", "level"),
    [
        (3.0, 4.0, 0.64, 5.0, Level(4.0, 0.1, 4.6)),  # six deviations of 128 losses
        (4.0, 3.0, 0.0, 5.0, Level(4.0, 0.0, 4.2, 0.75 ** (0.75 / 64))),  # a twentieth
        (4.0, 1.0, 0.0, 29.0, Level(4.0, 0.0, 5.0, 0.5 ** (0.75 / 64))),  # 4 % of what was won
        (-4.0, -5.0, 0.0, -4.0, Level(-4.0, 0.0, -3.8)),
        (3.0, 3.0, 0.0, 3.0, Level(3.0, 0.0, 3.15)),
        (4.0, 0.0, 0.0, 4.0, Level(4.0, 0.0, 4.2)),
    ],
)
def test_what_is_usual_follows_from_the_newest_chunks(
    before: float, newest: float, squares: float, first: float, level: Level
) -> None:
    found = jumps_module._level([(64, before, squares), (64, newest, squares)], first)
    assert found == pytest.approx(level)


@pytest.mark.parametrize(
    ("first", "levels", "grew"),
    [
        (9.0, [5.0, 1.0, 5.0, 4.9, 5.0, 6.0], (5, 1.0, 6.0)),  # half of what was won is lost again
        (1.0, [1.0, 2.9, 2.8], (2, 1.0, 2.8)),  # two at nearly three times
        (1.0, [1.0, 2.8, 2.8], None),
        (1.0, [1.0, 99.0], None),  # one alone
        (1.0, [1.0, 99.0, 2.0], (2, 1.0, 2.0)),
        (2.0, [1.0, 2.0, 2.0, 3.0, 9.0], (3, 1.0, 3.0)),  # twice the best
        (2.0, [1.0, 2.0, 2.0, 1.9, 2.0, 2.0], None),
        (2.0, [1.0, 2.0, 2.0, 0.9, 2.0, 2.0], None),  # the best comes later
        (2.0, [0.0, 2.0, 2.0, 3.0], None),
        (0.0, [1.0, 2.0, 2.0, 2.0], (3, 1.0, 2.0)),
    ],
)
def test_a_loss_grew_where_chunks_in_a_row_are_far_above_the_best(
    first: float, levels: list[float], grew: tuple[int, float, float] | None
) -> None:
    of = Jumps()
    of._first = first
    of._watch_growth(constant(*((64, level) for level in levels), (63, 99.0)), [*range(1_000, 3_000)])
    place, best, level = grew or (0, 0.0, 0.0)
    seen = [one._replace(low_at=None) for one in of.found]
    assert seen == ([Jump(1_000 + 64 * place + 63, best, level, 0.0, grew=True)] if grew else [])
    assert all(one.low_at in range(1_063, one.first, 64) for one in of.found)


def test_a_spike_of_which_no_loss_was_usual_is_one_all_the_same() -> None:
    """After 512 losses it has lost half of its height, and stays there."""
    spike = (48, 5.9), (48, 5.4), (32, 5.2), (256, 5.0), (128, 4.1)
    assert found(constant((128, 3.0), *spike)) == []
    (jump,) = found(constant((128, 3.0), *spike, (64, 4.1)))
    assert (jump.first, jump.before, jump.after) == (640, 3.0, 4.1)


def test_a_jump_begins_above_what_is_usual_and_not_at_its_limit() -> None:
    (jump,) = found(constant((128, 3.0), (1, 3.0 + 0.05 * 3.0), (127, 6.0)))
    assert jump.first == 129


@pytest.mark.parametrize(("newest", "stays"), [(7, True), (9, None)])
def test_whether_it_stays_the_newest_sixteen_of_64_say(newest: int, stays: bool | None) -> None:
    of = Jumps()
    of._losses = [6.0] * (64 - newest) + [5.5] * newest
    assert of._stays(0, USUAL)[1] is stays


def test_what_is_at_the_limit_is_usual() -> None:
    limit = 3.0 + 0.05 * 3.0
    (jump,) = found(constant((128, 3.0), (10, 9.0), (54, limit), (64, 6.0)))
    assert (jump.first, jump.before) == (192, pytest.approx(limit))


@pytest.mark.parametrize("seed", range(13, 20))
def test_losses_of_single_samples_that_scatter_do_not_grow_by_chance(seed: int) -> None:
    random = Random(seed)
    assert [jump for jump in found([random.lognormvariate(-0.2, 1.2) for _ in range(8_000)]) if jump.grew] == []
