"""Means of stretches: exact, wherever a stretch begins, what is not known left out, however the column grew."""

from array import array
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.analysis.record.means import Means

# The bounds as numbers of its own: from the code, a test would move with them.
BLOCK = 64

values = st.lists(st.integers(-1000, 1000) | st.none(), min_size=1, max_size=4 * BLOCK)


@given(values, st.integers(0, 4 * BLOCK), st.integers(0, 4 * BLOCK))
def test_a_mean_is_that_of_the_known_values_of_its_stretch(data, start, length):
    column = array("f", [nan if v is None else v for v in data])
    start = min(start, len(data))
    stop = min(len(data), start + length)
    known = [v for v in data[start:stop] if v is not None]
    found = Means(column).of(start, stop)
    assert found == (pytest.approx(sum(known) / len(known), abs=1e-9) if known else None)


def test_what_is_appended_later_counts_and_what_was_asked_before_stays_right() -> None:
    column = array("f", [1.0] * 3 * BLOCK)
    means = Means(column)
    assert means.of(0, 3 * BLOCK) == 1.0
    column.extend([3.0] * 3 * BLOCK)
    assert means.of(0, 6 * BLOCK) == 2.0
    assert means.of(3 * BLOCK - 1, 3 * BLOCK + 1) == 2.0


def test_a_stretch_of_whole_blocks_and_what_is_beside_them_is_added_up_once() -> None:
    """Each entry is another number, every fifth is not known; at all edges of blocks, in any order."""
    column = array("d", [nan if i % 5 == 0 else float(i * i % 101) for i in range(5 * BLOCK)])
    means = Means(column)
    edges = (5 * BLOCK, 0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK - 7, 4 * BLOCK + 9)
    for start in edges:
        for stop in (edge for edge in edges if edge > start):
            known = [v for v in column[start:stop] if v == v]
            assert means.of(start, stop) == (pytest.approx(sum(known) / len(known)) if known else None)
    assert means.of(5, 6) is None
