"""Means since an epoch began, in whole units."""

from __future__ import annotations

from itertools import pairwise

from itermon.collectors.log_formats.families.means_so_far import MeansSoFar, Spent


def stretches(each_ms, batches, places):
    """Where stretches end whose time is known, and what a step of each takes, by means in whole milliseconds."""
    means, found, before = MeansSoFar(), [], 0
    for done in places:
        seconds = means.since(done, batches, Spent(done * each_ms(done) / 1000, done / 2000))
        if seconds is not None:
            found.append((done, round(seconds / (done - before), 4)))
            before = done
    return found


def test_a_mean_that_rises_by_its_last_digit_is_no_slow_step():
    assert stretches(lambda n: 24 if n > 95 else 23, 100, range(5, 101, 5)) == [(100, 0.024)]


def test_stretches_are_long_enough_for_the_last_one_of_the_epoch():
    found = stretches(lambda _: 300, 90, range(5, 91, 5))
    assert {each_s for _, each_s in found} == {0.3}
    assert found[-1][0] == 90
    assert min(after - before for (before, _), (after, _) in pairwise([(0, 0), *found])) == 10


def test_the_mean_of_a_whole_epoch_is_told_as_rough_as_it_is():
    assert stretches(lambda _: 2, 100, (50, 100)) == [(100, 0.002)]


def test_nothing_passes_where_no_step_is_new_or_the_sum_falls():
    means = MeansSoFar()
    assert means.since(50, 100, Spent(5.0, 0.0)) == 5.0
    assert means.since(50, 100, Spent(6.0, 0.0)) is None
    assert means.since(100, 100, Spent(4.0, 0.0)) is None
    means.begin()
    assert means.since(50, 100, Spent(5.0, 0.0)) == 5.0
