"""The picker: runs that start appear, those that end change their state, and one leaves with or without one."""

import pytest

from itermon.events import Severity
from itermon.reports.run_line import RunLine
from itermon.tui.drawing.theme import theme_for
from itermon.tui.pages.runs_page import Choice
from itermon.tui.picker import Looked, Picker

pytestmark = pytest.mark.usefixtures("unhurried")

NOW_S = 1_000_000.0
NAN = RunLine("running", "", 1_234, 5_000, 0.2468, 3_700.0, None, 0.21, 2.5, 1.24, "loss NaN", Severity.ERROR)
GOING = Choice("gpt2.1", "gpt2", "running", NAN, NOW_S - 2, "gpu-box", "~/runs/gpt2.1.jsonl")
DONE = Choice("bert.2", "bert", "finished", None, NOW_S - 7_200, "gpu-box", "~/runs/bert.2.jsonl")


class Shown(Picker):
    def __init__(self, *found: Choice) -> None:
        self.found: list[Choice] | OSError = list(found)
        super().__init__(self._listed, "which run?", theme_for(2), clock=lambda: NOW_S)

    def _listed(self) -> Looked:
        if isinstance(self.found, OSError):
            raise self.found
        return Looked(self.found)

    @property
    def rows(self) -> list[str]:
        return ["".join(segment.text for segment in strip) for strip in self.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)


async def test_a_row_says_what_the_run_is_and_where() -> None:
    app = Shown(GOING, DONE)
    async with app.run_test(size=(140, 20)) as pilot:
        await pilot.pause()
        row = next(row for row in app.rows if "▶" in row)
        assert " ".join(row.split()) == (
            "│ ▶ gpt2 running 25 % 62 m 210 ms 2.5000 $1.24 2 s ago loss NaN gpu-box ~/runs/gpt2.1.jsonl │"
        )
        assert next(row for row in app.rows if "bert" in row).split()[2:7] == ["finished", *["…"] * 4]
        await pilot.press("enter")
    assert (app.chosen, app.return_code) == (("gpt2.1",), 0)


@pytest.mark.parametrize("key", ["q", "escape"])
async def test_one_leaves_without_one_and_that_is_no_error(key: str) -> None:
    app = Shown(GOING)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        await pilot.pause()
    assert (app.chosen, app.return_code, app._exit) == ((), 0, True)


async def test_q_is_a_letter_once_something_is_typed_and_the_help_knows_the_keys() -> None:
    quick = Choice("quick.3", "so-quick", "lost")
    app = Shown(GOING, quick)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "q quit" in app.rows[-1]
        await pilot.press("o", "minus", "q")
        await pilot.pause()
        assert not app._exit
        assert "1 of 2" in app.rows[0]
        assert "q quit" not in app.rows[-1]
        await pilot.press("ctrl+u", "f1")
        await pilot.pause()
        assert all(words in app.text for words in ("The runs", "while nothing is typed", "Take the row", "ctrl+c"))
        await pilot.press("x")
        await pilot.pause()
        await pilot.press(*"so-q", "enter")
    assert app.chosen == ("quick.3",)


async def test_runs_that_start_appear_and_those_that_end_say_so() -> None:
    app = Shown(DONE)
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        app.found = [GOING, DONE]
        app.begin()
        await pilot.pause()
        assert "gpt2" in app.text
        assert next(row for row in app.rows if "▶" in row).split()[2] == "bert", "the mark stays on its row"
        app.found = [GOING._replace(state="failed"), DONE]
        app.begin()
        await pilot.pause()
        assert "gpt2  failed" in app.text


async def test_what_cannot_be_listed_is_said_and_the_last_list_stands() -> None:
    app = Shown()
    async with app.run_test(size=(100, 20)) as pilot:
        app.found = OSError("gpu-box: ssh: no route to host")
        app.begin()
        await pilot.pause()
        assert "no route to host" in app.text
        app.found = [GOING]
        app.begin()
        await pilot.pause()
        app.found = OSError("gpu-box: ssh: no route to host")
        app.begin()
        await pilot.pause()
        assert "gpt2" in app.text
        assert "gpu-box: ssh: no route to host" in app.rows[-3], "and it is said that the list is an old one"


async def test_a_look_that_takes_long_is_not_taken_often(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Shown(GOING)
    pauses: list[float] = []
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        monkeypatch.setattr(app, "set_timer", lambda pause_s, _: pauses.append(pause_s))
        app.begin()
        monkeypatch.setattr(app._seen, "ask", lambda *_: None)
        for share in (1 / 50, 1 / 3):
            app._seen.answer = Looked([GOING], share, took_s=3.0)
            app.begin()
    assert pauses == pytest.approx([4.0, 147.0, 6.0])


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (140, "run state done left time/iter loss cost last update what host path"),
        (100, "run state done left time/iter loss cost last update what"),
        (80, "run state done left time/iter loss what"),
        (60, "run state done left what"),
        (40, "run state"),
        (20, "run"),
    ],
)
async def test_where_there_is_no_room_for_all_columns_the_least_telling_go(width: int, columns: str) -> None:
    app = Shown(GOING._replace(name="llama3-8b-sft-rank0", host="gpu-box-17"), DONE)
    async with app.run_test(size=(width, 12)) as pilot:
        await pilot.pause()
        assert " ".join(app.rows[2].strip("│").split()) == columns
        assert {len(row) for row in app.rows} == {width}
