"""The difference written to a terminal leaves on it exactly what a full painting would."""

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from itermon.tui.drawing.cells import Painter, change, pen_of
from itermon.tui.drawing.lines import Block, fit
from itermon.tui.drawing.theme import theme_for

WIDTH, HEIGHT = 24, 4
THEME = theme_for(1 << 24)

spans = st.tuples(
    st.text("ab ─█⣀漢é", max_size=9), st.sampled_from(["", "value", "bad", "cursor", "border", "nowhere"])
)
screens = st.lists(st.lists(spans, max_size=5), min_size=HEIGHT, max_size=HEIGHT).map(
    lambda rows: [fit(tuple(row), WIDTH) for row in rows]
)


def whole(lines: Block) -> str:
    """All of it, from the top left."""
    return Painter(THEME).difference(lines)


def terminal(*frames: str) -> list[list[tuple[object, ...]]]:
    screen = pyte.Screen(WIDTH, HEIGHT)
    screen.reset_mode(7, private=True)  # no wrapping at the last column, as the app asks for
    stream = pyte.Stream(screen)
    for frame in frames:
        stream.feed(frame)
    cells = [[screen.buffer[y][x] for x in range(WIDTH)] for y in range(HEIGHT)]
    return [[(c.data, c.fg, c.bg, c.bold, c.reverse) for c in row] for row in cells]


@given(st.lists(screens, min_size=2, max_size=5))
@settings(max_examples=60)
def test_differences_leave_what_a_full_painting_leaves(frames: list[Block]) -> None:
    painter = Painter(THEME)
    written = [painter.difference(frame) for frame in frames]
    assert terminal(*written) == terminal(whole(frames[-1]))


def test_nothing_is_written_where_nothing_changed() -> None:
    painter = Painter(THEME)
    lines = [fit((("live, 0.4 s ago", "good"),), WIDTH)]
    painter.difference(lines)
    assert painter.difference(list(lines)) == ""
    assert painter.difference([fit((("live, 0.4 s ago", "good"),), WIDTH)]) == ""


def test_one_digit_costs_one_move_one_style_and_one_character() -> None:
    painter = Painter(THEME)
    painter.difference([fit((("live, 0.4 s ago", "good"),), WIDTH)])
    text = painter.difference([fit((("live, 0.9 s ago", "good"),), WIDTH)])
    assert text.startswith("\x1b[1;9H\x1b[0;")
    assert text.endswith("m9\x1b[0m")


def test_what_is_not_known_is_painted_whole() -> None:
    painter = Painter(THEME)
    lines = [fit((("as it was", ""),), WIDTH)]
    first = painter.difference(lines)
    assert first == whole(lines)
    assert painter.difference([*lines, *lines]) == whole([*lines, *lines]), "another height"
    painter.forget()
    assert painter.difference([*lines, *lines]) == whole([*lines, *lines])


@pytest.mark.parametrize("colours", [2, 16, 1 << 24])
def test_a_change_of_pen_names_only_what_changes(colours: int) -> None:
    styles = theme_for(colours).styles
    value, bad = pen_of(styles["value"]), pen_of(styles["bad"])
    assert change(value, value) == ""
    assert "1" not in change(value, bad).removeprefix("\x1b[").removesuffix("m").split(";")[:1], "bold stays"
    assert change(None, value).startswith("\x1b[0")


def test_a_row_of_odd_widths_is_written_once() -> None:
    painter = Painter(theme_for(1 << 24))
    lines: Block = [(("漢字", ""), ("  ", "")), (("plain ", ""),)]
    assert "漢" in painter.difference(lines)
    assert painter.difference(list(lines)) == ""
