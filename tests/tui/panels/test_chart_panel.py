"""The frame of the chart: what stands in its title."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import Level
from itermon.events import Witness
from itermon.tui.panels.chart_panel import _level


@pytest.mark.parametrize(
    ("witnesses", "shown"),
    [
        ((Witness.PRINTED,), "~1.50 s"),
        ((Witness.RATE, Witness.STAMPS), "1.50 s"),
        ((Witness.HOOKS,), "1.50 s"),
        ((), "1.50 s"),
    ],
)
def test_a_level_of_one_witness_is_marked(witnesses: tuple[Witness, ...], shown: str) -> None:
    assert "".join(part for part, _ in _level(Level(1.5, witnesses=witnesses), 60)) == shown
