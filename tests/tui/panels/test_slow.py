"""The list of slow iterations: the newest first, the cursor in it, and only what has room."""

from __future__ import annotations

from screen_states import states

from itermon.analysis.findings import Spike
from itermon.tui.drawing.lines import text, width
from itermon.tui.panels.panel import Size
from itermon.tui.panels.slow import SlowPanel, _index


def rows(name: str, columns: int = 32, count: int = 10) -> list[str]:
    lines = SlowPanel().draw(states()[name].scene(), Size(columns, count))
    assert {width(line) for line in lines} == {columns}
    return [text(line).strip("│ ") for line in lines[1:-1]]


def test_the_newest_stands_first_with_its_cause_and_the_seconds_it_lost() -> None:
    assert rows("healthy")[:3] == [
        "1,000 EC eval+save   +61.2 s",
        "873  ? unknown     +12.9 s",
        "750 EC eval+save   +64.0 s",
    ]


def test_where_there_is_room_it_says_how_long_it_took_and_how_that_is_known() -> None:
    assert rows("healthy", 68)[0] == "1,000 EC eval+save   +61.2 s  of  82.2 s  a line tells of it"


def test_the_name_goes_before_a_number_does() -> None:
    assert rows("healthy", 28)[0] == "1,000 EC   +61.2 s"


def test_what_is_too_much_is_marked_and_the_cursor_is_seen() -> None:
    panel, state = SlowPanel(), states()["spiky"]
    lines = panel.draw(state.scene(), Size(32, 8))
    assert text(lines[-1]).endswith("… ─╯")
    scene = state.scene()
    oldest = scene.found.spikes[0]
    marked = type(state)(state.name, state.batches, scene.view.with_cursor(oldest.position, 7_000)).scene()
    styles = [line[1][1] for line in panel.draw(marked, Size(32, 8))[1:-1]]
    assert styles.count("cursor") == 1


def test_it_knows_nothing_where_nothing_was_slow() -> None:
    assert not SlowPanel().knows(states()["no-times"].scene())
    assert SlowPanel().knows(states()["healthy"].scene())


def test_of_several_trainings_each_names_its_own() -> None:
    assert _index(Spike(index=2_950, position=1, duration_s=2.0, clean_s=1.0, causes=(), training=3)) == "t3 2,950"
