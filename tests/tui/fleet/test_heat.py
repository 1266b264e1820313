"""The heat map: the latest row on top, no late cell lost where many are drawn as one, still where all is."""

from __future__ import annotations

import pytest

from itermon.events.fleet import FleetCourse
from itermon.tui.drawing.lines import text, width
from itermon.tui.fleet.heat import BY_LATENESS, BY_NAME, BY_STAGE, heat_map, in_cells, lanes

HOSTS = [f"host-{host:03}:9464" for host in range(128)]


def course(columns: int = 160, late: dict[tuple[int, int], float] | None = None) -> FleetCourse:
    rows: dict[str, list[float | None]] = {name: [0.4] * columns for name in HOSTS}
    for (host, column), value in (late or {}).items():
        rows[HOSTS[host]][column] = value
    return FleetCourse(begin_s=600.0, step_s=6.0, columns=columns, rows=rows, median_s=[0.4] * columns)


@pytest.mark.parametrize("size", [(78, 10), (198, 40), (20, 1), (17, 200)])
@pytest.mark.parametrize("order", [BY_LATENESS, BY_NAME])
def test_the_one_late_cell_of_twenty_thousand_is_drawn_at_every_size(size: tuple[int, int], order: str) -> None:
    drawn = heat_map(course(late={(77, 3): 0.7}), 0.5, size, order)
    assert len(drawn) <= size[1]
    assert all(width(line) <= max(18, size[0]) for line in drawn)
    if size[0] > 60:
        assert "".join(map(text, drawn)).count("█") == 1


def test_the_latest_of_now_is_first_then_the_latest_of_all_and_the_others_share_a_row() -> None:
    rows = heat_map(course(late={(5, 159): 0.5, (9, 20): 0.7, (3, 80): 0.5}), 0.5, (200, 4), BY_LATENESS)
    assert [text(row).split()[0] for row in rows] == ["host-005", "host-009", "host-003", "125"]


def test_by_name_neighbours_share_a_row() -> None:
    rows = heat_map(course(), 0.5, (200, 16), BY_NAME)
    assert len(rows) == 16
    assert text(rows[1]).startswith("host-008 +7 ")


def test_what_nobody_measured_is_blank_and_what_is_in_step_is_a_point() -> None:
    holes = FleetCourse(columns=3, rows={"a": [0.4, None, 0.41]}, median_s=[0.4, 0.4, None])
    assert text(heat_map(holes, 0.5, (20, 1), BY_NAME)[0]).endswith(" ·  ")


def test_columns_are_put_together_in_the_same_way_when_one_more_comes() -> None:
    at_first = course(160)
    later = FleetCourse(begin_s=at_first.begin_s + 6.0, step_s=6.0, columns=160)
    one = in_cells([float(n) for n in range(160)], at_first, 40)
    two = in_cells([float(n) for n in range(1, 161)], later, 40)
    assert one[1:] == two[:-1]  # but for the newest cell, which has begun
    assert two[-1] == 160.0


def test_each_cause_is_a_lane_with_a_ranks_seconds() -> None:
    lost = FleetCourse(columns=4, lost={"data": [None, 0.0, 0.1, 0.5], "gc": [0.01] * 4})
    lines = [text(line) for line in lanes(lost, {"gc": 8.0, "data": 400.0}, 8, (21, 2))]
    assert lines == ["data 50.0 s        ▅█", "gc 1.00 s        ▂▂▂▂"]
    assert lanes(lost, {"gc": 8.0, "data": 400.0}, 8, (21, 1))[0][0][0].startswith("data")


def test_by_stage_the_first_is_on_top_and_who_says_none_comes_last() -> None:
    staged = FleetCourse(columns=1, median_s=[0.4], stages={"10": [0.4], "2": [0.7], "": [0.4], "first": [0.4]})
    drawn = [text(line) for line in heat_map(staged, 0.5, (20, 8), BY_STAGE)]
    assert [line[:8].strip() for line in drawn] == ["stage 2", "stage 10", "stage fi", "no stage"]
    assert drawn[0].endswith("█")
