"""A number with its bounds."""

from itermon.analysis.whatif.scenario import Range


def test_each_bound_is_scaled() -> None:
    assert Range(2.0, 1.0, 5.0).scaled(3.0) == Range(6.0, 3.0, 15.0)
    assert Range(2.0, 1.0, 5.0).scaled(3.0, plus=0.5) == Range(6.5, 3.5, 15.5)
    assert Range(2.0, 1.0, None).scaled(3.0, plus=0.5) == Range(6.5, 3.5, None)
