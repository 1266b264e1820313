"""Which GPUs work together: by how busy they are, and by whether they change at the same moments."""

from collections.abc import Sequence
from itertools import accumulate
from statistics import correlation

import pytest

from itermon.analysis.gpus import jobs
from itermon.analysis.gpus.jobs import groups
from itermon.analysis.gpus.profile import Profile
from itermon.events import GpuSample


def profile(power_w: float | None = None, utilization: float | None = None) -> Profile:
    one = Profile()
    one.add(GpuSample(0.0, power_w=power_w, utilization=utilization))
    return one


def moves(*changes: float, count: int = 80) -> list[float]:
    """A series with `count` changes, these again and again."""
    return list(accumulate((changes * count)[:count], initial=0.0))


def in_step(share: float, count: int = 80) -> list[float]:
    """It changes with `moves(1, -1)` in this share of all moments, and against it in the others."""
    against = round((1 - share) * count / 2) * 2
    return list(accumulate([-1.0, 1.0] * (against // 2) + [1.0, -1.0] * ((count - against) // 2), initial=0.0))


A, B = moves(1.0, -1.0), moves(1.0, 1.0, -1.0, -1.0)  # which have nothing to do with each other


def grouped(*gpus: tuple[Profile, Sequence[float] | None]) -> list[tuple[int, ...]]:
    series = {number: values for number, (_, values) in enumerate(gpus) if values is not None}
    return groups({number: one for number, (one, _) in enumerate(gpus)}, series)


TOGETHER, APART = [(0, 1)], [(0,), (1,)]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (profile(100.0, 0.1), profile(100.0, 0.2), TOGETHER),
        (profile(100.0, 0.1), profile(100.0, 0.21), APART),
        (profile(100.0, 0.21), profile(100.0, 0.1), APART),
        (profile(100.0), profile(85.0), TOGETHER),
        (profile(100.0), profile(84.0), APART),
        (profile(84.0), profile(100.0), APART),
        (profile(100.0, 0.5), profile(84.0, 0.5), APART),
        (profile(None, 0.5), profile(84.0, 0.5), TOGETHER),
        (profile(100.0, None), profile(100.0, 0.5), TOGETHER),
        (profile(None, 0.1), profile(84.0, 0.5), APART),
    ],
)
def test_those_that_change_apart_are_together_where_they_are_as_busy(
    one: Profile, other: Profile, found: list[tuple[int, ...]]
) -> None:
    assert grouped((one, A), (other, B)) == found


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (A, in_step(1.0), TOGETHER),
        (A, in_step(0.65), TOGETHER),  # a correlation of 0.3
        (A, in_step(0.625), APART),
        (A, in_step(0.0), APART),
        (A, [x * 7 + n for n, x in enumerate(A)], TOGETHER),  # one rises while it does, and takes more
        (A, [5.0] * 81, APART),  # one never changes
        (moves(1.0, 1.0, -1.0, -1.0, count=59), A, TOGETHER),  # too few say anything
        (moves(1.0, 1.0, -1.0, -1.0, count=60), A, APART),
        (A, moves(1.0, 1.0, -1.0, -1.0, count=60), APART),
        (moves(1.0, -1.0, count=60), in_step(1.0, count=200), TOGETHER),
        (A, None, TOGETHER),
        (None, A, TOGETHER),
    ],
)
def test_those_that_are_not_as_busy_are_together_where_they_change_together(
    one: list[float] | None, other: list[float] | None, found: list[tuple[int, ...]]
) -> None:
    assert grouped((profile(100.0), one), (profile(50.0), other)) == found


@pytest.mark.parametrize(("share", "found"), [(1.0, [(0, 1, 2)]), (0.7, [(0, 1), (2,)])])
def test_the_mean_over_a_group_decides(share: float, found: list[tuple[int, ...]]) -> None:
    """The third moves with the first and not with the second."""
    assert grouped((profile(100.0), A), (profile(100.0), B), (profile(50.0), in_step(share))) == found


def test_the_largest_group_comes_first_then_the_lowest_number() -> None:
    gpus = [(profile(watts), A if watts == 100.0 else [5.0] * 81) for watts in (10.0, 100.0, 30.0, 100.0)]
    assert grouped(*gpus) == [(1, 3), (0,), (2,)]


@pytest.mark.parametrize("scale", [1.0, 0.1])
def test_what_two_gpus_do_is_compared_over_the_moments_that_both_have(
    monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    monkeypatch.setattr(jobs, "FEWEST", 3)
    long, short = [scale * v for v in (1.0, 2.0, 4.0, 100.0)], [scale * v for v in (2.0, 5.0, 7.0)]
    expected = pytest.approx(correlation([1.0, 2.0, 4.0], [2.0, 5.0, 7.0]))
    assert jobs._alike(long, short) == expected
    assert jobs._alike(short, long) == expected
    assert jobs._alike(short, [3.0, 3.0, 3.0]) == 0.0
    assert jobs._alike(short, [3.0, 3.0]) is None


def test_a_group_is_as_busy_as_its_first() -> None:
    """The third takes little less than the second, and much less than the first."""
    gpus = [(profile(watts), values) for watts, values in ((100.0, A), (90.0, B), (83.0, [5.0] * 81))]
    assert grouped(*gpus) == [(0, 1), (2,)]
