"""What a schedule costs for each of its intervals."""

import pytest

from itermon.analysis.findings import Schedule


@pytest.mark.parametrize(("mean_s", "share", "each_s"), [(4.0, 0.25, 1.0), (4.0, 1.0, 4.0), (None, 1.0, None)])
def test_what_comes_in_a_part_of_the_times_costs_that_part(
    mean_s: float | None, share: float, each_s: float | None
) -> None:
    assert Schedule("evaluation", mean_s=mean_s, share=share).each_s == each_s
