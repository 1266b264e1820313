"""The watch screen's own keys: zoom, pan, scales, and from one slow iteration to the next."""

import re

import pytest
from fed_app import Fed, fed
from log_in_memory import LogInMemory
from screen_states import states

from itermon.collectors.logs.text import LogText
from itermon.events import Batch, Iteration, SourceState


class Playing:
    speed = 50.0


pytestmark = pytest.mark.usefixtures("unhurried")


async def test_zoom_shows_fewer_and_pan_older_ones() -> None:
    app = fed("healthy")
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        await pilot.press("plus", "plus")
        await pilot.pause()
        assert "312 iterations" in app.text
        before = app.text
        await pilot.press("left")
        await pilot.pause()
        assert app.text != before
        await pilot.press("minus", "minus", "minus")
        await pilot.pause()
        assert "iterations ─" not in app.text


async def test_the_scale_goes_round() -> None:
    app = fed("healthy")
    seen: list[str] = []
    async with app.run_test(size=(120, 36)) as pilot:
        for _ in range(3):
            await pilot.press("s")
            await pilot.pause()
            seen.append(app.watch_screen.view.scale)
    assert seen == ["linear", "log", "two bands"]


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (200, 50)])
async def test_a_click_on_a_spike_opens_its_evidence(size: tuple[int, int]) -> None:
    app = fed("healthy")
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        top = next(row for row in app.rows if "86.3 s" in row)
        await pilot.click(offset=(top.index("86.3 s"), 8))
        await pilot.pause()
        assert "iteration 250 took 86.3 s" in app.text
        await pilot.press("n")
        await pilot.pause()
        assert "iteration 417 took" in app.text
        await pilot.press("escape")
        await pilot.pause()
        assert "esc close" not in app.text
        assert app.watch_screen.view.cursor is None


async def test_the_newest_spike_is_a_key_away() -> None:
    app = fed("healthy")
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        await pilot.press("slash")
        await pilot.pause()
        assert "why iteration 1,000 was slow" in app.text
        await pilot.press("slash")
        await pilot.pause()
        assert "why iteration 873 was slow" in app.text


async def test_a_change_of_level_is_a_key_away_and_the_log_says_what_it_said() -> None:
    class Text:
        lines = 2_000

        def lines_about(self, iteration: int, earlier: int = 0) -> list[tuple[int, str]]:
            return [(iteration + 7, f"step {iteration}: val loss 3.2")]

    app = Fed(states()["moved"].batches, log=Text())
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        await pilot.press("slash")
        await pilot.pause()
        assert "1,007  step 1000: val loss 3.2" in app.text
        await pilot.press("slash", "slash")
        await pilot.pause()
        assert "the level moved at iteration 820" in app.text
        assert "↑ 8.9 %  21.0 s became 22.9 s" in app.text


async def test_a_source_without_times_shows_its_losses_instead() -> None:
    events = [Iteration(i, loss=3.0 - 0.01 * i, at_s=None) for i in range(100)]
    app = Fed([Batch(events, state=SourceState.LIVE)])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "loss · no iteration times found" in app.text
        assert "2.0100" in app.text
        assert any("⠀" < glyph <= "⣿" for glyph in app.text), "a curve"


async def test_home_shows_the_oldest_iterations_and_end_follows_the_newest() -> None:
    app = fed("healthy")
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("plus", "plus", "slash", "home")
        await pilot.pause()
        assert app.watch_screen.view.window(1_248) == (0, 311)
        assert "312 iterations" in app.text
        await pilot.press("end")
        await pilot.pause()
        view = app.watch_screen.view
        assert (view.last, view.cursor) == (None, None)
        assert view.window(1_248)[1] == 1_247


async def test_tab_goes_through_all_parts_of_the_screen_and_escape_shows_everything() -> None:
    app = fed("healthy")
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        seen = []
        for _ in range(7):
            await pilot.press("tab")
            await pilot.pause()
            seen.append(app.watch_screen.view.enlarged)
        everything = ["iteration time", "where the time went", "loss", "batch", "GPU", "slow iterations"]
        assert [name for name in seen if name in everything] == everything
        await pilot.press("escape")
        await pilot.press("shift+tab")
        await pilot.pause()
        assert app.watch_screen.view.enlarged not in ("", "iteration time")
        await pilot.press("escape")
        await pilot.pause()
        assert app.watch_screen.view.enlarged == ""
        assert "╭─ iteration time" in app.text


async def test_a_digit_shows_a_part_by_itself_and_says_which_and_the_same_again_everything() -> None:
    app = fed("healthy")
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("3")
        await pilot.pause()
        assert app.watch_screen.view.enlarged == "loss"
        assert "part 3 of " in app.rows[-1]
        assert "loss" in app.rows[-1]
        await pilot.press("2", "2")
        await pilot.pause()
        assert app.watch_screen.view.enlarged == ""
        assert "part" not in app.rows[-1]
        await pilot.press("1", "9")
        await pilot.pause()
        assert app.watch_screen.view.enlarged == "iteration time"
        assert re.search(r"there are \d parts here: 1 to \d", app.rows[-1])
        await pilot.press("0")
        await pilot.pause()
        assert app.watch_screen.view.enlarged == ""


async def test_enter_enlarges_the_evidence_under_the_cursor_and_goes_back() -> None:
    app = fed("why")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert app.watch_screen.view.enlarged == "iteration time"
        await pilot.press("enter", "slash", "enter")
        await pilot.pause()
        assert "╭ why iteration 1,000 was slow" in app.rows[3]
        await pilot.press("escape")
        await pilot.pause()
        assert "╭─ iteration time" in app.text
        assert "iteration 1,000 took" in app.text


async def test_v_opens_the_verdict_in_full() -> None:
    app = fed("healthy")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "v more" in app.text
        await pilot.press("v")
        await pilot.pause()
        assert all(said in app.text for said in ("╭ verdict", "of its power limit", "Next: "))


@pytest.mark.parametrize(
    ("log", "why"),
    [
        (None, "this source has numbers alone, no lines"),
        (LogText(why_none="its trainer printed nothing"), "its trainer printed nothing"),
    ],
)
async def test_the_key_of_a_log_that_is_not_there_says_why(log: LogText | None, why: str) -> None:
    app = Fed(states()["healthy"].batches, log=log)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert "l log" not in app.rows[-1]
        await pilot.press("l")
        await pilot.pause()
        assert why in app.rows[-1]
        assert "iteration time" in app.text


async def test_the_log_opens_where_a_replay_has_come_to_and_live_at_its_end() -> None:
    for replay, seen in ((None, "following"), (Playing(), "1,248 of 1,300")):
        app = Fed(states()["healthy"].batches, log=LogInMemory(1_300), replay=replay)
        async with app.run_test(size=(120, 36)) as pilot:
            await pilot.pause()
            await pilot.press("l")
            await pilot.pause()
            assert seen in app.rows[0]


async def test_where_there_is_no_spike_the_key_says_so() -> None:
    app = Fed([Batch([Iteration(i, 0.1) for i in range(100)], state=SourceState.LIVE)])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("slash")
        await pilot.pause()
        assert "no slow iteration and no change of level" in app.rows[-1]
    app = fed("healthy")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("slash", "n")
        await pilot.pause()
        assert "no later one" in app.rows[-1]


async def test_the_evidence_names_the_key_of_the_log_only_where_there_is_one() -> None:
    for log, said in ((None, False), (LogText(why_none="nothing was printed"), False), (LogInMemory(1_300), True)):
        app = Fed(states()["healthy"].batches, log=log)
        async with app.run_test(size=(120, 36)) as pilot:
            await pilot.pause()
            await pilot.press("slash")
            await pilot.pause()
            assert "why iteration 1,000 was slow" in app.text
            assert ("l its lines" in app.text) is said
