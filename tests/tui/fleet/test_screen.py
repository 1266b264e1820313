"""The screen of many ranks: right at every size, the mark stays on its rank, nothing that a terminal obeys."""

from __future__ import annotations

import pytest

from itermon.analysis.fleet.standing import standing
from itermon.events.fleet import FleetCourse, FleetReading, Member, RankGpu
from itermon.tui.drawing.lines import text, width
from itermon.tui.drawing.theme import theme_for
from itermon.tui.fleet.screen import FleetScreen, Seen

MEMBERS = tuple(
    Member(str(rank), f"host-{rank // 8:03}:9464", f"host-{rank // 8:03}", f"gpt2.20260101-000000.{rank}")
    for rank in range(1_024)
)
COURSE = FleetCourse(
    columns=160,
    step_s=20.0,
    rows={f"host-{host:03}:9464": [0.55 if host == 40 else 0.4] * 160 for host in range(128)},
    median_s=[0.4] * 160,
    lost={"data": [0.1] * 160},
)


def seen(late: int = 325, **more: object) -> Seen:
    known = {
        "at_s": 1_000.0, "run": "gpt2", "members": MEMBERS, "world_size": 1_024, "usual_s": 0.5, "local_s": 0.4,
        "late_s": {MEMBERS[late].key: 0.1, MEMBERS[2].key: 0.01}, "lost_s": {"data": 9_000.0},
        "gpus": {MEMBERS[late].key: RankGpu(power_w=700.0, clock_hz=1.41e9, temperature_c=88.0, xid=63)},
    }  # fmt: skip
    reading = FleetReading(**{**known, **more})
    return Seen(reading, standing(reading, COURSE), COURSE)


def screen() -> FleetScreen:
    made = FleetScreen(theme_for(2), "http://prom:9090", lambda _: None)
    made.draw = lambda: None  # type: ignore[method-assign] # no app
    return made


@pytest.mark.parametrize("size", [(80, 23), (200, 49), (120, 35), (40, 11), (20, 4), (1, 1)])
def test_it_fills_every_size_exactly(size: tuple[int, int]) -> None:
    page = screen()
    for page.seen, page.problem in ((None, ""), (None, "no answer"), (seen(), ""), (seen(local_s=None), "gone")):
        lines = page.lines(size)
        assert len(lines) == size[1]
        assert {width(line) for line in lines} == {size[0]}


@pytest.mark.parametrize("size", [(80, 23), (200, 49)])
def test_the_rank_that_the_others_wait_for_is_on_top_with_its_gpu(size: tuple[int, int]) -> None:
    page = screen()
    page.seen = seen()
    rows = [text(line) for line in page.lines(size)]
    assert "rank 325 on host-040: late." in rows[1]
    marked = next(row for row in rows if "▶" in row)
    assert " ".join(marked.strip("│ ").split()) == "▶ 325 host-040 late +100 ms 700 W 1,410 MHz 88 °C Xid 63"
    first = next(row for row in rows if row.startswith("│host-"))
    assert first.startswith("│host-040 ")
    assert "▆" in first


def test_the_mark_stays_on_its_rank_once_it_was_moved_and_is_on_the_top_before() -> None:
    page = screen()
    page.seen = seen(325)
    page.lines((80, 23))
    page.seen = seen(700)
    assert "▶    700" in "\n".join(map(text, page.lines((80, 23))))
    page.action_choose(1)  # rank 2
    page.seen = seen(2)
    assert "▶      2" in "\n".join(map(text, page.lines((80, 23))))
    page.seen = seen(325)
    page.lines((80, 23))
    assert page._at == 1
    page.action_first()
    assert "▶    325" in "\n".join(map(text, page.lines((80, 23))))


def test_enter_opens_the_marked_rank_and_escape_asks_for_the_runs() -> None:
    left: list[Member | None] = []
    page = FleetScreen(theme_for(2), "http://prom:9090", left.append)
    page.action_open()  # before there is any
    page.seen = seen()
    page.lines((80, 23))
    page.action_open()
    page.action_close()
    assert left == [MEMBERS[325], None]


def test_the_map_has_two_orders() -> None:
    page = screen()
    page.seen = seen()
    page.action_order()
    assert next(row for row in map(text, page.lines((80, 23))) if row.startswith("│host-")).startswith(
        "│host-000 +"
    )


def test_a_third_order_is_by_stage_where_the_trainers_say_it() -> None:
    page = screen()
    page.seen = seen()
    page.seen.course.stages = {"0": [0.4], "1": [0.4]}
    page.action_order()
    page.action_order()
    assert "│stage 0 " in "\n".join(map(text, page.lines((80, 23))))
    page.seen.course.stages = {}
    page.action_order()
    assert "late, by lateness" in "\n".join(map(text, page.lines((80, 23))))


def test_old_figures_stay_with_the_reason_below_them() -> None:
    page = screen()
    page.seen, page.problem = seen(), "http://prom:9090: no answer within 10 s"
    rows = [text(line) for line in page.lines((80, 23))]
    assert rows[4].strip() == "no news: http://prom:9090: no answer within 10 s"
    assert any("▶    325" in row for row in rows)


def test_more_troubles_than_there_is_room_for_are_counted() -> None:
    page = screen()
    page.seen = seen(notes=("one", "two", "three"))
    rows = [text(line).strip() for line in page.lines((80, 23))]
    assert rows[4:6] == ["the server warns: one", "the server warns: two (and 1 more)"]


def test_labels_are_only_ever_text() -> None:
    evil = Member("1\x1b[2J\n", "a\x07:1", "h\x1b]0;x\x07o\u202est", "")
    page = screen()
    page.seen = seen(run="g\x1b[31m\npt", members=(evil,), late_s={evil.key: 0.2}, notes=("\x1b[2J",), gpus={})
    assert all(character >= " " for line in page.lines((80, 23)) for part, _ in line for character in part)
