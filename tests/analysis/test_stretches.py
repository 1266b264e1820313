"""Stretches of losses that are no finite numbers."""

from __future__ import annotations

from math import nan

from itermon.analysis.stretches import BadLosses, Stretch

# The bounds as numbers of its own: from the code, a test would move with them.
MOST = 256


def test_those_without_a_number_between_are_one_stretch() -> None:
    bad, loss = BadLosses(), [1.0, nan, nan, 2.0, nan]
    since = []
    for position in (1, 2, 4):
        bad.add(position, loss)
        since.append(bad.since)
    assert (bad.first, since) == (1, [1, 1, 4])
    assert bad.stretches == [Stretch(1, 2, 2), Stretch(4, 4, 1)]


def test_only_the_newest_are_kept() -> None:
    bad, loss = BadLosses(), [1.0, nan] * (MOST + 5)
    for position in range(1, len(loss), 2):
        bad.add(position, loss)
    assert len(bad.stretches) == MOST
    assert bad.stretches[-1].first == len(loss) - 1


def test_each_training_has_its_own() -> None:
    bad, loss = BadLosses(), [1.0, nan, nan, nan, 2.0, nan]
    bad.add(1, loss)
    bad.add(2, loss)
    assert (bad.first, bad.from_start) == (1, False)
    bad.begin_training(3, losses=2)
    assert (bad.first, bad.since, bad.earlier) == (None, None, 2)
    bad.add(3, loss)
    bad.add(5, loss)
    assert (bad.first, bad.since, bad.from_start) == (3, 5, True)
    assert bad.stretches == [Stretch(1, 2, 2), Stretch(3, 3, 1), Stretch(5, 5, 1)]
