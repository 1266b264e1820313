"""What all panels share: in a box, in one line, and together in a line where they know nothing."""

from __future__ import annotations

import pytest
from screen_states import states

from itermon.tui.drawing.lines import text, width
from itermon.tui.panels.batch import BatchPanel
from itermon.tui.panels.gpu import GpuPanel
from itermon.tui.panels.panel import AsLine, Boxed, NotKnown, Size
from itermon.tui.panels.slow import SlowPanel


@pytest.mark.parametrize(
    ("name", "batch", "gpu"), [("healthy", True, True), ("log-only", True, False), ("no-times", False, False)]
)
def test_each_panel_stands_once_as_a_box_as_a_line_or_as_not_known(name: str, batch: bool, gpu: bool) -> None:
    scene = states()[name].scene()
    for panel, known in ((BatchPanel(), batch), (GpuPanel(), gpu)):
        assert Boxed(panel, 33).is_shown(scene) == AsLine(panel).is_shown(scene) == panel.knows(scene) == known
    assert NotKnown(BatchPanel(), GpuPanel()).is_shown(scene) == (not (batch and gpu))


def test_nothing_is_called_unknown_before_the_first_iteration() -> None:
    assert not NotKnown(BatchPanel(), GpuPanel()).is_shown(states()["waiting"].scene())


@pytest.mark.parametrize("columns", [40, 76, 80, 200])
def test_what_is_not_known_stands_in_one_line_and_is_cut_only_where_it_must_be(columns: int) -> None:
    (line,) = NotKnown(BatchPanel(), GpuPanel()).draw(states()["no-times"].scene(), Size(columns, 1))
    assert width(line) == columns
    assert ("…" in text(line)) == (columns < 76)
    assert text(line).startswith(" batch – ")


def test_a_box_wants_no_more_columns_than_the_side_has() -> None:
    assert Boxed(SlowPanel(), 33).wanted(states()["spiky"].scene(), Size(100, 30)) == Size(33, 30)
