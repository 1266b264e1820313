"""Room is divided by need: the least worthy goes first, the smallest is kept, the rest is shared."""

from functools import cache

import pytest
from screen_states import states

from itermon.tui.drawing import lines
from itermon.tui.layout import LAYOUTS, draw_screen, place_panels
from itermon.tui.panels.iterations import IterationsPanel
from itermon.tui.panels.panel import AsLine, Panel, Size
from itermon.tui.panels.tiling import Rect, Row, Stack
from itermon.tui.scene import Scene


class Blank(Panel):
    """A panel that draws blanks, and wants what the test says."""

    name = "blank"

    def __init__(self, smallest: Size, wanted: Size | None = None, worth: int = 1, *, shown: bool = True) -> None:
        self.smallest, self.worth = smallest, worth  # type: ignore[misc]
        self._wanted, self._shown = wanted, shown

    def is_shown(self, scene: Scene) -> bool:
        return self._shown

    def wanted(self, scene: Scene, space: Size) -> Size:
        return self._wanted or space

    def draw(self, scene: Scene, size: Size) -> lines.Block:
        return lines.block([], *size)


@cache
def scene_of(name: str) -> Scene:
    return states()[name].scene()


@pytest.fixture
def scene() -> Scene:
    return scene_of("healthy")


def test_a_row_stands_in_a_stack_and_what_is_not_shown_leaves_its_place(scene: Scene) -> None:
    small = Size(1, 1)
    left, right, hidden, below = (
        Blank(small),
        Blank(small, Size(3, 9)),
        Blank(small, shown=False),
        Blank(small, Size(10, 2)),
    )
    tree = Stack(Row(left, hidden, right), hidden, below)
    placed = {placed.panel: placed.rect for placed in tree.place(scene, Rect(0, 0, Size(10, 8)))}
    assert placed == {
        left: Rect(0, 0, Size(7, 6)),
        right: Rect(7, 0, Size(3, 6)),
        below: Rect(0, 6, Size(10, 2)),
    }


@pytest.mark.parametrize("name", states())
@pytest.mark.parametrize(
    "size", [(40, 11), (55, 16), (40, 17), (99, 30), (100, 28), (119, 35), (170, 45), (260, 70)]
)
def test_panels_cover_the_screen_without_a_gap_or_an_overlap(name: str, size: tuple[int, int]) -> None:
    state = scene_of(name)
    covered = [
        (x, y)
        for _, rect in place_panels(state, size)
        for x in range(rect.x, rect.x + rect.size.columns)
        for y in range(rect.y, rect.y + rect.size.rows)
    ]
    assert len(covered) == len(set(covered)) == size[0] * size[1]


@pytest.mark.parametrize("name", states())
@pytest.mark.parametrize("size", [(40, 11), (79, 23), (79, 39), (119, 35), (199, 49)])
def test_every_panel_draws_exactly_its_rectangle(name: str, size: tuple[int, int]) -> None:
    state = scene_of(name)
    for panel, rect in place_panels(state, size):
        drawn = panel.draw(state, rect.size)
        assert len(drawn) == rect.size.rows, panel.name
        assert {lines.width(line) for line in drawn} == {rect.size.columns}, panel.name
        assert rect.size.rows >= panel.smallest.rows
        assert rect.size.columns >= panel.smallest.columns


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_smallest_screen_of_each_layout_has_all_its_panels(layout: object, scene: Scene) -> None:
    smallest = layout.smallest  # type: ignore[attr-defined]
    names = {panel.name for panel, _ in place_panels(scene, smallest)}
    assert {"heads", "iterations"} <= names
    assert len(draw_screen(scene, smallest)) == smallest.rows


def test_a_panel_that_cannot_be_a_line_says_so(scene: Scene) -> None:
    with pytest.raises(NotImplementedError, match="iterations cannot be a line"):
        AsLine(IterationsPanel()).draw(scene, Size(80, 1))
