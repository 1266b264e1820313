"""Steps that a logger rounds."""

import pytest

from itermon.collectors.log_formats.means.rounded import RoundedSteps


@pytest.mark.parametrize(
    ("printed", "steps"),
    [
        (["400", "600", "800", "1K", "1K", "1K", "2K"], [400, 600, 800, 1000, 1200, 1400, 1600]),
        (["980", "990", "1e+03", "1.01e+03", "1.02e+03"], [980, 990, 1000, 1010, 1020]),
        (["500", "750", "1.0k", "1.2k", "1.5k"], [500, 750, 1000, 1250, 1500]),
        (["400", "600", "5K", "5K", "6K"], [400, 600, 5000, 5200, 6000]),  # lines are missing: from there on
        (["13K", "13K", "14K"], [13_000, 13_000, 14_000]),  # nothing says how far they are apart
        (["600", "1K", "2M"], [600, 1000, 2_000_000]),
        (["13k", "1.5M", "2.5e+04"], [13_000, 1_500_000, 25_000]),
        (["1700000", "1800000", "1.9M", "2M"], [1_700_000, 1_800_000, 1_900_000, 2_000_000]),
        (["900", "1000", "100", "200", "1K"], [900, 1000, 100, 200, 1000]),  # the run began again
        (["490", "1000", "1K"], [490, 1000, 1510]),  # 510 off: a hundredth more than rounding does
        (["488", "1000", "1K"], [488, 1000, 1000]),
        (["x", "1e+99"], [None, 1e99]),
    ],
)
def test_a_rounded_step_is_got_back_by_the_distance_of_the_exact_ones(
    printed: list[str], steps: list[float | None]
) -> None:
    rounded = RoundedSteps()
    assert [rounded.step(one) for one in printed] == steps


def test_many_that_are_evenly_apart_tell_the_distance_of_those_that_are_rounded_more() -> None:
    steps = [*range(9_500, 10_300, 10)]
    rounded = RoundedSteps()
    assert [rounded.step(f"{step:.3g}") for step in steps] == steps


@pytest.mark.parametrize(("first", "apart"), [(9_900, 10), (9_000, 13)])
def test_few_or_uneven_ones_tell_no_distance(first: int, apart: int) -> None:
    printed = [f"{step:.3g}" for step in range(first, 10_300, apart)]
    rounded = RoundedSteps()
    assert [rounded.step(one) for one in printed] == [float(one) for one in printed]
