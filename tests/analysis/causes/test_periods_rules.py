"""Cadences, rule by rule: how many, how far apart, how alike, and how unlikely by chance."""

from random import Random

import pytest

from itermon.analysis.causes.periods import Period, SeenIterations, find, suspicion
from itermon.events import Config


def cadences(slow: list[tuple[int, float]], *, step: int = 1, left_out: set[int] | None = None) -> list[Period]:
    """In `slow`, of a run that goes on for a while after it and was printed every `step` iterations."""
    seen = [i for i in range(0, slow[-1][0] + 2 * step, step) if i not in (left_out or set())]
    return [*find(slow, SeenIterations(seen, 0, len(seen)))]


def each(interval: int, *costs_s: float, offset: int = 0) -> list[tuple[int, float]]:
    """Slow iterations `interval` apart."""
    return [(n * interval + offset, cost_s) for n, cost_s in enumerate(costs_s, 1)]


def test_the_step_is_that_of_the_newest_lines_of_this_process() -> None:
    indices = [*range(100), *range(100, 2_100, 10)]
    assert [SeenIterations(indices, 0, stop).step for stop in (2, 100, 164, 300)] == [1, 1, 10, 10]
    assert SeenIterations(indices, 100, 110).step == 10
    assert [SeenIterations(seen, 0, len(seen)).step for seen in ([5], [5, 5, 5], [5, 15])] == [1, 1, 10]


def test_an_iteration_was_seen_if_its_process_printed_it() -> None:
    seen = SeenIterations([0, 10, 20], 0, 2)
    assert [seen.any(first, 5) for first in (5, 6, 10, 11, 16, 30)] == [False, True, True, False, False, False]
    assert not SeenIterations([0, 10], 0, 2).any(11, 5)


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_three_at_multiples_are_no_chance_where_they_are_rare(offset: int) -> None:
    assert cadences(each(64, 2.0, 2.0, 2.0, offset=offset)) == [Period(64, offset % 64)]
    assert cadences(each(63, 2.0, 2.0, 2.0, offset=offset)) == []
    assert cadences(each(1_000, 2.0, 2.0, 2.0, offset=3 * offset)) == [Period(1_000, 0)] * (not offset)
    assert cadences(each(1_000, 2.0, 2.0)) == []


def test_how_rare_is_counted_in_printed_lines() -> None:
    assert cadences(each(640, 2.0, 2.0, 2.0), step=10) == [Period(640, 0)]
    assert cadences(each(630, 2.0, 2.0, 2.0), step=10) == []
    four = each(54, 2.0, 2.0, 2.0, 2.0, offset=10)
    assert cadences(four, left_out={70, 71}) == [Period(54, 10)]
    assert cadences(four, left_out={70, 71, 72}) == []


@pytest.mark.parametrize(
    ("costs_s", "alike"), [((0.4, 1.0, 2.5), True), ((0.39, 1.0, 2.5), False), ((0.4, 1.0, 2.51), False)]
)
def test_members_cost_alike_up_to_two_and_a_half_times(costs_s: tuple[float, ...], alike: bool) -> None:
    assert cadences(each(1_000, *costs_s)) == [Period(1_000, 0)] * alike


def test_four_fifths_of_what_was_printed_of_a_cadence_are_slow() -> None:
    assert cadences([(10 * n + 3, 2.0) for n in (1, 2, 3, 4, 6, 7, 8, 10)]) == [Period(10, 3)], "eight of ten"
    seven_of_nine = [(10 * n + 3, 2.0) for n in (1, 2, 4, 5, 7, 8, 9)]
    assert cadences(seven_of_nine) == []
    assert cadences(seven_of_nine, left_out={33, 63}) == [Period(10, 3)]


def test_a_cadence_may_be_every_second_iteration() -> None:
    assert cadences([(i, 2.0) for i in range(0, 60, 2)]) == [Period(2, 0)]


def test_stops_that_take_several_iterations_are_found_by_what_lies_between_them() -> None:
    slow = [(1_000 * n + after, 2.0) for n in (1, 2, 3) for after in range(4)]
    assert cadences(slow)[0] == Period(1_000, 0)


def test_of_two_cadences_with_as_many_members_the_first_is_evaluation() -> None:
    slow = sorted([*each(1_000, *[2.0] * 4), *each(1_300, *[2.0] * 4, offset=77)])
    assert cadences(slow) == [Period(1_000, 0), Period(1_300, 77)]


def test_three_cadences_are_found_and_no_more() -> None:
    four = ((1_009, 0, 11), (1_103, 50, 10), (1_301, 77, 9), (1_511, 400, 8))
    slow = sorted(s for interval, offset, count in four for s in each(interval, *[2.0] * count, offset=offset))
    assert [p.interval for p in cadences(slow)] == [1_009, 1_103, 1_301]
    assert find([], SeenIterations(range(10), 0, 10)) == ()


@pytest.mark.parametrize(
    ("interval", "step", "count", "expected"),
    [
        (2443, 20, 11, Period(2442, 8, 19)),
        (77, 10, 11, Period(77, 0, 10)),
        (109, 5, 5, Period(109, 0, 5)),
        (9, 2, 11, Period(9, 0, 2)),
        (1005, 10, 7, Period(1005, 0, 6)),
        (333, 5, 8, Period(333, 0, 5)),
        (1001, 2, 5, Period(1001, 0, 2)),
    ],
)
def test_a_cadence_that_drifts_is_as_wide_as_it_is_late(
    interval: int, step: int, count: int, expected: Period
) -> None:
    slow = [(-(-n * interval // step) * step, 2.0) for n in range(1, count + 1)]
    assert cadences(slow, step=step) == [expected]


def test_stops_of_which_no_two_lie_so_far_apart_are_no_cadence() -> None:
    assert cadences([(i, 2.0) for i in (550, 1_100, 1_640, 2_190)], step=10) == []  # nor one of each 273


def test_where_every_iteration_is_printed_nothing_drifts() -> None:
    assert cadences([(1_000 * n + n % 2, 2.0) for n in range(1, 5)]) == []


def test_stops_of_four_times_the_usual_stall_are_a_group_of_their_own() -> None:
    stalls = [(i, 1.0) for i in Random(0).sample(range(1, 2_000), 100) if i % 500]
    assert cadences(sorted([*stalls, *each(500, *[4.0] * 4)])) == [Period(500, 0)]
    assert cadences(sorted([*stalls, *each(500, *[3.99] * 4)])) == []


@pytest.mark.parametrize(("others", "found"), [(4, True), (5, False)])
def test_of_those_of_like_cost_most_lie_on_a_cadence(others: int, found: bool) -> None:
    random = Random(0)
    between = [(1_000 * n + random.randrange(1, 1_000), 1.0) for n in range(1, others + 1)]
    slow = sorted([*between, *each(1_000, *[1.0] * 9)])
    assert cadences(slow) == [Period(1_000, 0)] * found


@pytest.mark.parametrize(("since", "found"), [(253, True), (254, False)])
def test_a_cadence_that_is_not_in_the_newest_256_stalls_has_ended(since: int, found: bool) -> None:
    stalls = [(i, 0.1) for i in sorted(Random(1).sample(range(11_000, 90_000), since))]
    assert cadences([*each(1_000, *[5.0] * 10), *stalls]) == [Period(1_000, 0)] * found


@pytest.mark.parametrize("offset", [0, 600])
@pytest.mark.parametrize(
    ("costs_s", "dearer"),
    [
        ((3, 5, 3, 5), (2, 0)),
        ((5, 3, 5, 3, 5, 3), (2, 1)),
        ((3, 3, 5, 3), None),  # once is no cadence
        ((3.0, 5.0, 3.0, 5.0, 4.0, 5.0), (2, 0)),  # the middle is not dear
        ((3, 5, 3, 5, 3, 5, 3, 5, 3, 3), (2, 0)),  # four of five
        ((1.0, 1.2, 1.0, 1.2), None),  # 20 % more is not clearly more
        ((0.8, 1, 0.8, 1, 0.86, 1, 0.86, 1), None),
        ((0.8, 1.0) * 9 + (0.86, 1.0), (2, 0)),  # nine tenths of the others are clearly cheaper
        ((*[3] * 39, 5) * 2, (40, 0)),
        ((*[3] * 40, 5) * 2, None),
        ((3, 3, 3, 3), None),
    ],
)
def test_those_that_cost_clearly_more_have_a_cadence_of_their_own(
    costs_s: tuple[float, ...], dearer: tuple[int, int] | None, offset: int
) -> None:
    expected = [Period(1_000, offset)]
    if dearer:
        times, phase = dearer
        expected.append(Period(1_000 * times, 1_000 * phase + offset))
    assert cadences(each(1_000, *costs_s, offset=offset)) == expected
    assert cadences(each(1_000, 5, 3, 5)) == [Period(1_000, 0)]  # three are too few


@pytest.mark.parametrize(("between", "found"), [(7, True), (8, False)])
def test_between_two_of_a_cadence_stand_seven_stalls_at_most(between: int, found: bool) -> None:
    random = Random(0)
    stalls = [(1_000 * n + i, 0.3) for n in range(1, 9) for i in random.sample(range(1, 1_000), between)]
    assert cadences(sorted([*stalls, *each(1_000, *[1.0] * 8)])) == [Period(1_000, 0)] * found


@pytest.mark.parametrize(("last", "found"), [(513, True), (514, False)])
def test_what_is_more_than_512_of_its_intervals_ago_is_no_member(last: int, found: bool) -> None:
    slow = [(1_000 * n, 2.0) for n in (1, 2, last - 1, last)]
    unseen = {*range(2_001, 1_000 * (last - 1))}
    assert cadences(slow, left_out=unseen) == [Period(1_000, 0)] * found


@pytest.mark.parametrize("seed", [20, 104, 291])
def test_no_cadence_is_of_fewer_iterations_than_lie_between_two_printed_lines(seed: int) -> None:
    """Of every tenth that is printed nearly each second one is slow, some of them by more."""
    random = Random(seed)
    slow = [(20 * n, random.choice([1.0, 1.0, 1.0, 5.0])) for n in range(1, 150) if random.random() < 0.95]
    assert all(period.interval >= 20 for period in cadences(slow, step=10))


@pytest.mark.parametrize(("interval", "step"), [(5, 2), (7, 2), (13, 5), (17, 5)])
def test_what_may_show_in_more_than_a_quarter_of_an_interval_is_no_cadence(interval: int, step: int) -> None:
    assert cadences([(-(-n * interval // step) * step, 2.0) for n in range(1, 21)], step=step) == []


@pytest.mark.parametrize(
    ("interval", "over", "told"), [(39, 2, False), (40, 2, True), (2, 1, True), (59, 3, False)]
)
def test_a_cadence_of_means_is_told_from_twenty_rows_on(interval: int, over: int, told: bool) -> None:
    found = suspicion([Period(interval, 0)], (10 * interval, over), Config())
    assert (found is not None) is told
