"""The panel of the iterations: which lanes have room, and which iteration a cell is."""

from __future__ import annotations

import pytest
from screen_states import states

from itermon.analysis.run import Run
from itermon.events import Iteration
from itermon.tui.drawing.lines import text, width
from itermon.tui.panels.iterations import IterationsPanel
from itermon.tui.panels.panel import Size
from itermon.tui.scene import Scene, Standing
from itermon.tui.view import View


@pytest.mark.parametrize("name", list(states()))
@pytest.mark.parametrize("size", [(120, 36), (78, 20), (60, 12), (40, 6), (45, 9), (200, 50)])
def test_it_has_exactly_its_size(name: str, size: tuple[int, int]) -> None:
    lines = IterationsPanel().draw(states()[name].scene(), Size(*size))
    assert len(lines) == size[1]
    assert {width(line) for line in lines} == {size[0]}


def test_where_there_is_little_room_the_times_stay() -> None:
    shown = "\n".join(text(line) for line in IterationsPanel().draw(states()["healthy"].scene(), Size(60, 8)))
    assert "iteration time" in shown
    assert "validation" not in shown


def test_lanes_stand_below_the_times_where_there_is_room() -> None:
    shown = [text(line) for line in IterationsPanel().draw(states()["healthy"].scene(), Size(84, 30))]
    headings = [line.strip("│├┤╭╮─ ") for line in shown if line[0] in "╭├"]
    assert headings == ["iteration time", "where the time went", "loss"]


def test_every_cell_of_the_lanes_is_an_iteration_and_none_beside_them() -> None:
    scene, size = states()["healthy"].scene(), Size(84, 30)
    panel = IterationsPanel()
    assert panel.position_at(scene, size, 3) is None
    assert panel.position_at(scene, size, 15) == 0
    positions = [panel.position_at(scene, size, x) for x in range(15, 50)]
    known = [p for p in positions if p is not None]
    assert known == sorted(known)
    assert len(known) >= 30


@pytest.mark.parametrize("size", [(84, 32), (78, 16), (58, 12), (40, 9)])
def test_the_evidence_takes_the_place_of_the_lower_lanes_and_never_of_the_chart(size: tuple[int, int]) -> None:
    def rows_of_chart(name: str) -> int:
        lines = [text(line) for line in IterationsPanel().draw(states()[name].scene(), Size(*size))]
        return next(i for i, line in enumerate(lines) if "98.8 %" in line or "where the time" in line)

    lines = [text(line) for line in IterationsPanel().draw(states()["why"].scene(), Size(*size))]
    said = next(line for line in lines if "+61.2 s" in line)
    assert "EC" in said
    assert "a line tells of it" in said
    assert any("iteration 1,000 took 82.2 s" in line for line in lines)
    if size[1] > 9:
        assert rows_of_chart("why") == rows_of_chart("healthy")


def test_a_lane_that_is_enlarged_has_the_panel_to_itself() -> None:
    state = states()["healthy"]
    scene = type(state)(state.name, state.batches, View(enlarged="loss")).scene()
    lines = [text(line) for line in IterationsPanel().draw(scene, Size(84, 30))]
    assert lines[0].startswith("╭─ loss ")
    assert not any("training" in line or "usual" in line for line in lines)


def test_iterations_without_times_and_losses_have_an_empty_chart() -> None:
    run = Run()
    run.apply([Iteration(index) for index in range(40)])
    scene = Scene(run, run.findings(), Standing(), View())
    shown = [text(line) for line in IterationsPanel().draw(scene, Size(80, 20))]
    assert len(shown) == 20
    assert "iteration time" in shown[0]
