"""The levels of a run so far, from few of its iterations."""

from math import nan
from random import Random

import pytest

from itermon.analysis.outlook.regimes import Regimes, regimes

# The bounds as numbers of its own: from the code, a test would move with them.
FEWEST = 128


def test_one_level_is_no_regime() -> None:
    assert regimes([1.0] * 1_000) is None
    assert regimes([1.0 + 0.03 * (i % 2) for i in range(1_000)]) is None
    assert regimes([1.0, 9.0] * (FEWEST // 4)) is None  # too few to tell


def test_a_level_that_holds_is_known_by_its_share() -> None:
    found = regimes([1.0] * 960 + [2.0] * 320)
    assert found is not None
    assert (found.number, found.held) == (2, 0.25)
    assert found.usual_s == 1.25


def test_a_regime_that_returns_counts_each_time() -> None:
    found = regimes(([1.0] * 320 + [2.0] * 320) * 2)
    assert found == Regimes(4, 1.5, 0.5, 0.25)


def test_a_mean_that_it_has_not_come_back_to_for_long_is_not_the_usual() -> None:
    """A run that became slower halfway, and whose pace wavers since: it is expected back at no fast level."""
    found = regimes([1.0] * 320 + [2.0] * 160 + [2.4] * 160)
    assert found is not None
    assert (found.number, found.usual_s) == (3, pytest.approx(2.2))
    brief = regimes([1.0] * 480 + [2.0] * 80 + [2.4] * 80)
    assert brief is not None
    assert brief.usual_s == pytest.approx(1.3)


def test_a_level_far_away_was_another_setup() -> None:
    assert regimes([8.0] * 320 + [0.2] * 960) is None


def test_spikes_and_unknown_times_are_no_levels() -> None:
    assert regimes([30.0 if i % 50 == 0 else nan if i % 7 == 0 else 1.0 for i in range(6_400)]) is None
    assert regimes([nan] * 1_000) is None
    assert regimes([0.0] * 1_000) is None


@pytest.mark.parametrize(("left", "share"), [(10, 0.0), (25, 0.0), (50, 0.5), (100, 0.75), (0, 0.0)])
def test_a_level_lasts_as_long_again_as_it_has(left: int, share: float) -> None:
    assert Regimes(2, 1.0, 0.1, 0.25).passing(100, left) == share


def test_a_run_of_four_in_each_stretch_can_tell() -> None:
    assert regimes(([1.0] * (FEWEST // 2) + [2.0] * (FEWEST // 2))[1:]) is None
    found = regimes([1.0] * (FEWEST // 2) + [2.0] * (FEWEST // 2))
    assert found is not None
    assert (FEWEST, found.number, found.held) == (128, 2, 0.5)


@pytest.mark.parametrize(
    ("first", "last", "number"),
    [
        (5.0, 1.0, 2),
        (5.1, 1.0, None),
        (1.0, 5.0, 2),
        (1.0, 5.1, None),
        (1.0, 1.04, None),
        (1.0, 1.06, 2),
        (2.0, 0.5, 2),
        (0.0, 1.0, None),
        (1.0, 0.0, None),
    ],
)
def test_a_level_is_another_from_a_twentieth_on_and_another_setup_from_five_times_on(
    first: float, last: float, number: int | None
) -> None:
    found = regimes([first] * 640 + [last] * 640)
    assert (found and found.number) == number


def test_of_a_stretch_every_so_manieth_is_looked_at_and_of_a_short_one_each() -> None:
    """1,600 in a stretch: each 64th of them; what stands between is not seen."""
    hidden = [1.0 if i % 64 == 0 else 9.0 for i in range(32 * 1_600)]
    assert regimes(hidden) is None
    assert regimes([*hidden[:25_600], *(2.0 * d for d in hidden[25_600:])]) == Regimes(2, 1.5, 0.5, 0.5)
    short = [nan if i % 2 == 0 else (1.0 if i < 128 else 2.0) for i in range(256)]
    assert regimes(short) == Regimes(2, 1.5, 0.5, 0.5)


def test_stretches_meet_and_do_not_overlap() -> None:
    """The one slow stretch is seen as one: a level there, and one back."""
    found = regimes([1.0] * 400 + [3.0] * 40 + [1.0] * 840)
    assert found is not None
    assert (found.number, found.usual_s) == (3, pytest.approx(34 / 32))


def test_times_of_two_kinds_in_turns_are_one_level_and_its_mean_is_theirs() -> None:
    """14 s and 24 s at random: medians jump from one to the other, a mean does not."""
    random = Random(1)
    mixed = [random.choice((14.0, 14.5, 24.0)) for _ in range(1_024)]
    assert regimes(mixed, jitter=0.35, slow=3.0) is None
    two = regimes([*mixed, *(2 * d for d in mixed)], jitter=0.1, slow=3.0)
    assert two is not None
    assert two.number > 2, "by chance"
    assert two.usual_s == pytest.approx(2 * 17.5, rel=0.03)
