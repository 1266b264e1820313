"""What ran behind the newest row is no gap."""

from types import SimpleNamespace
from typing import Any

import pytest

from itermon.analysis.timing.behind import unprinted_s


@pytest.mark.parametrize(("passed_s", "seconds"), [(90.0, 22.5), (9.0, 9.0), (-0.5, 0.0)])
def test_iterations_may_have_run_up_to_the_next_row(passed_s: float, seconds: float) -> None:
    baseline: Any = SimpleNamespace(level=2.0)
    stops: list[Any] = [SimpleNamespace(at_s=100.0 + passed_s), SimpleNamespace(at_s=None)]
    assert unprinted_s(baseline, 10, 100.0, stops) == seconds
    assert unprinted_s(baseline, 1, 100.0, stops) == 0.0, "each has a row"
    assert unprinted_s(baseline, 10, 100.0, []) == 0.0
