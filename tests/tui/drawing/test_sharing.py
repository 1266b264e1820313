"""Room is divided by need: the least worthy goes first, the smallest is kept, the rest is shared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.tui.drawing.sharing import Need, share_out

needs = st.lists(
    st.builds(Need, st.integers(1, 40), st.none() | st.integers(1, 80), st.integers(0, 9)), min_size=1, max_size=6
)


@given(st.integers(1, 200), needs)
def test_all_of_the_room_is_given_away(space: int, asked: list[Need]) -> None:
    given_away = share_out(space, asked)
    assert sum(given_away) == space
    assert min(given_away) >= 0


@given(st.integers(1, 200), needs)
def test_who_gets_anything_gets_its_smallest_unless_it_is_alone(space: int, asked: list[Need]) -> None:
    given_away = share_out(space, asked)
    if sum(1 for cells in given_away if cells) > 1:
        assert all(cells >= need.smallest for cells, need in zip(given_away, asked, strict=True) if cells)


@pytest.mark.parametrize(
    ("space", "asked", "shares"),
    [
        (20, [Need(5, None, 9), Need(5, 8, 5)], [12, 8]),
        (11, [Need(5, None, 9), Need(5, 8, 5)], [5, 6]),
        (9, [Need(5, None, 9), Need(5, 8, 5)], [9, 0]),
        (9, [Need(5, None, 5), Need(5, 8, 9)], [0, 9]),
        (31, [Need(5, None, 1), Need(5, None, 1)], [16, 15]),
        (30, [Need(9, None, 3), Need(9, None, 2), Need(14, None, 1)], [15, 15, 0]),
    ],
)
def test_shares(space: int, asked: list[Need], shares: list[int]) -> None:
    assert share_out(space, asked) == shares
