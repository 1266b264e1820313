"""Rows, stretches and means are called what they are."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from itermon.analysis.findings import Findings, Level, Progress
from itermon.events import Witness
from itermon.reports import sentences


@pytest.mark.parametrize(("unit", "undescribed"), [("iteration", False), ("round", False), ("iteration", True)])
def test_by_a_clock_that_may_be_too_coarse_for_one_row_a_level_rests_on_stretches(
    unit: str, undescribed: bool
) -> None:
    level = Level(clean_s=2.0, iterations=57, witnesses=(Witness.ELAPSED,))
    found = Findings(level=level, progress=Progress(iteration=228, unit=unit), undescribed=undescribed)
    assert sentences.level(found)[0].endswith(", over 57 stretches")


def test_rows_that_were_put_together_are_not_called_the_logs() -> None:
    windows = Level(clean_s=2.0, iterations=57, averaged_over=10, averaged_differ=True, averaged_unlike=True)
    progress = Progress(iteration=1000, iterations_seen=1000, rows=100)
    assert "1,000 iterations seen" in sentences.how_far(Findings(progress=progress, level=windows))
    even = replace(windows, averaged_unlike=False)
    assert "1,000 iterations in 100 rows" in sentences.how_far(Findings(progress=progress, level=even))
