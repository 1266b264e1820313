"""Arrays that are made at once hold what arrays of the same list hold."""

from array import array
from math import inf, isnan

import pytest

from itermon.arrays import packed, packed_known


@pytest.mark.parametrize(
    ("typecode", "values"), [("q", [3, -1, 2**40]), ("d", [1.5, 2, inf]), ("f", [0.1, 1e300, 7])]
)
def test_numbers_are_packed_as_an_array_takes_them_one_by_one(typecode: str, values: list[float]) -> None:
    assert packed(typecode, values) == array(typecode, values)
    assert packed(typecode, array(typecode, values)) == array(typecode, values)


def test_what_is_unknown_is_nan() -> None:
    found = packed_known("d", [1.0, None, 3.0])
    assert (found[0], isnan(found[1]), found[2]) == (1.0, True, 3.0)
    assert list(packed_known("d", [1.0, 2.0])) == [1.0, 2.0]
    assert [isnan(one) for one in packed_known("f", [None, None])] == [True, True]
    assert not packed_known("d", [])
