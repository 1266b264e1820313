"""Stretches of losses that are no finite numbers."""

from __future__ import annotations

from math import nan

from itermon.analysis.stretches import MOST, BadLosses, Stretch


def test_those_without_a_number_between_are_one_stretch() -> None:
    bad, loss = BadLosses(), [1.0, nan, nan, 2.0, nan]
    assert [bad.add(position, loss) for position in (1, 2, 4)] == [True, False, True]
    assert bad.stretches == [Stretch(1, 2, 2), Stretch(4, 4, 1)]


def test_only_the_newest_are_kept() -> None:
    bad, loss = BadLosses(), [1.0, nan] * (MOST + 5)
    for position in range(1, len(loss), 2):
        bad.add(position, loss)
    assert len(bad.stretches) == MOST
    assert bad.stretches[-1].first == len(loss) - 1
