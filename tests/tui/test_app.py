"""The app: what is fed in is seen, keys do what the help says, every state and size has a picture."""

import asyncio
import threading
from collections.abc import Callable
from unittest import mock

import pytest
from log_in_memory import LogInMemory
from screen_states import NOW_S, State, states
from textual.events import Key, Paste
from textual.widgets import Input

from itermon.events import Batch, Iteration, SourceState
from itermon.tui import keys
from itermon.tui.app import Monitor
from itermon.tui.drawing.theme import theme_for
from itermon.tui.watched import Extras, Watched


class Fed(Monitor):
    """The app, fed by hand, under a clock that stands still; `rows` is what it shows."""

    def __init__(self, batches: list[Batch], **extras: object) -> None:
        self.waiting = list(batches)
        self.time_s = NOW_S
        super().__init__(
            Watched("train.log", clock=lambda: self.time_s, extras=Extras(**extras)),  # type: ignore[arg-type]
            lambda most: [self.waiting.pop(0) for _ in range(min(most, len(self.waiting)))],
            theme_for(1 << 24),
        )

    @property
    def rows(self) -> list[str]:
        return ["".join(segment.text for segment in strip) for strip in self.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)


async def until_seen(app: Fed, words: str) -> None:
    """What another thread finds comes a moment later."""
    for _ in range(6_000):
        if words in app.text:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{words!r} was never seen")


def fed(name: str) -> Fed:
    return Fed(states()[name].batches)


@pytest.fixture(autouse=True)
def a_tick_takes_all_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a tick's time is over before it took the second batch."""
    monkeypatch.setattr("itermon.tui.app.BUDGET_S", 60.0)


@pytest.fixture(autouse=True)
def what_a_log_says_comes_in_the_same_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine."""
    monkeypatch.setattr("itermon.tui.aside.PATIENCE_S", 60.0)


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (200, 50), (40, 12), (100, 29), (30, 6), (8, 2), (1, 1)])
async def test_every_size_is_filled_and_none_crashes(size: tuple[int, int]) -> None:
    app = fed("healthy")
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert {len(row) for row in app.rows} == {size[0]}
        assert len(app.rows) == size[1]


async def test_the_head_says_how_far_a_watched_log_is_behind() -> None:
    app = fed("healthy")
    app.waiting.append(Batch([Iteration(10**6)], state=SourceState.LIVE, history=0.43))
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert "catching up, 43 %" in app.rows[0]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("healthy", ["live", "iter 1,247 of 10,000", "16 × 1,024 × 64 × 1 GPU", "H200 0"]),
        ("log-only", ["no GPU samples"]),
        ("eight-gpus", ["8 GPUs", "thermal"]),
        ("finished", ["● finished"]),
        ("reading", ["reading history 37 %"]),
        ("waiting", ["waiting for its first line"]),
        ("failed", ["cannot read", "no permission"]),
    ],
)
async def test_every_state_says_what_it_is(name: str, words: list[str]) -> None:
    app = fed(name)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        for word in words:
            assert word in app.text


async def test_events_that_come_later_are_seen_at_the_next_frame() -> None:
    app = fed("healthy")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.waiting.append(Batch([Iteration(1_248, 21.0, at_s=NOW_S)], state=SourceState.LIVE))
        app._frame()
        await pilot.pause()
        assert "iter 1,248 of 10,000" in app.text


async def test_help_lists_every_key_and_any_key_goes_back() -> None:
    app = fed("healthy")
    async with app.run_test(size=(120, 50)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        for key in keys.KEYS:
            if key.help and key.group in (keys.WATCH, keys.ALWAYS):
                assert key.help.split(";")[0][:60] in app.text
        await pilot.press("x")
        await pilot.pause()
        assert "iteration time" in app.text


async def test_q_leaves() -> None:
    app = fed("healthy")
    async with app.run_test() as pilot:
        await pilot.press("q")
    assert app.return_code == 0


async def test_what_ends_the_app_is_never_told_as_a_success() -> None:
    app = fed("healthy")
    async with app.run_test():
        app.panic("a thread of Textual's has died")
    assert (app.failed, app.return_code or 0) == (True, 0)


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


async def test_any_wording_of_the_log_stays_text() -> None:
    state = State(
        "hostile",
        [Batch([Iteration(0, 1.0)], state=SourceState.LIVE, note="[/] [@click=app.quit]x[/] \x1b[2J\x07")],
    )
    app = Fed(state.batches)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "\x1b" not in app.text


class Recorder:
    """A replay that writes down what it is asked."""

    speed = 50.0

    def __init__(self) -> None:
        self.commands: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args: self.commands.append(" ".join([name, *map(str, args)]))


async def test_the_keys_of_a_replay_reach_it_and_only_it() -> None:
    recorder = Recorder()
    app = Fed(states()["healthy"].batches, replay=recorder)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("space", "full_stop", "right_square_bracket", "left_square_bracket", "5")
        await pilot.pause()
        assert "× 50" in app.text
    assert recorder.commands == ["toggle_pause", "step", "faster", "slower", "jump 0.5"]


async def test_a_plan_is_changed_with_the_arrow_keys_and_taken_back() -> None:
    app = fed("healthy")
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        await pilot.press("p", "left", "left")
        await pilot.pause()
        assert "gradient accumulation       64 → 16" in app.text
        assert "262,144" in app.text
        await pilot.press("backspace")
        await pilot.pause()
        assert "→ 16" not in app.text
        await pilot.press("down", "up", "escape")
        await pilot.pause()
        assert "iteration time" in app.text


async def test_a_page_that_does_not_fit_scrolls() -> None:
    app = fed("healthy")
    async with app.run_test(size=(60, 14)) as pilot:
        await pilot.press("question_mark", "end")
        await pilot.pause()
        assert "not known; the reason" in app.text
        await pilot.press("home")
        await pilot.pause()
        assert "The chart" in app.text


async def test_another_run_stands_beside_this_one_once_it_has_been_read() -> None:
    read = []
    app = Fed(states()["healthy"].batches, other=lambda: read[0] if read else None)
    async with app.run_test(size=(120, 50)) as pilot:
        await pilot.pause()
        await pilot.press("c")
        await pilot.pause()
        assert "reading the other run" in app.text
        read.append(states()["finished"].run())
        app._frame()
        await pilot.pause()
        assert "normal iteration" in app.text


async def test_without_another_run_the_page_says_how_to_give_one() -> None:
    app = fed("healthy")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("c")
        await pilot.pause()
        assert "--compare" in app.text


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (200, 50)])
async def test_a_click_on_a_spike_opens_its_evidence(size: tuple[int, int]) -> None:
    app = fed("healthy")
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        top = next(row for row in app.rows if "86.3 s" in row)
        await pilot.click(offset=(top.index("EC"), 8))
        await pilot.pause()
        assert "iteration 250 took 86.3 s" in app.text
        await pilot.press("n")
        await pilot.pause()
        assert "iteration 417 took" in app.text
        await pilot.press("escape")
        await pilot.pause()
        assert "took" not in app.text


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
        assert "loss · no iteration times in this source" in app.text
        assert "train 2.01" in app.text
        assert "⣀" in app.text


async def test_the_log_is_searched_in_a_field_that_takes_no_control_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Fed(states()["healthy"].batches, log=LogInMemory(500))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("l")
        await pilot.pause()
        assert "iter 499:" in app.text
        await pilot.press("slash", *"iter 12")
        await pilot.pause()
        assert app.rows[-1].startswith("iter 12")
        app.screen.query_one(Input).post_message(Paste("\x1b]52;c;aGVsbG8=\x07"))
        await pilot.pause()
        assert app.rows[-1].startswith("iter 12 ")
        bells = mock.Mock()
        monkeypatch.setattr(app, "bell", bells)
        app.screen.query_one(Input).insert_text_at_cursor("\x01")
        assert not bells.called
        await pilot.press("enter")
        await until_seen(app, "13 of 500")
        await pilot.press("n")
        await until_seen(app, "121 of 500")


async def test_keys_are_answered_while_the_text_of_the_log_is_searched() -> None:
    log = LogInMemory(500)
    app = Fed(states()["healthy"].batches, log=log)
    async with app.run_test(size=(80, 24)) as pilot:
        log.answers.clear()  # as a disk that does not answer, or gigabytes of text
        await pilot.press("l", "slash", *"iter 12", "enter")
        await pilot.pause()
        assert "searching: iter 12" in app.text
        await pilot.press("home")
        await pilot.pause()
        assert "1 of 500" in app.text
        log.answers.set()
        await until_seen(app, "13 of 500")
        log.answers.clear()
        await pilot.press("n", "escape")
        await pilot.pause()
        assert "iteration time" in app.text
        log.answers.set()
        assert log.stopped.wait(60), "nobody waits for it any more"


async def test_keys_are_answered_while_the_disk_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    log = LogInMemory(500)
    app = Fed(states()["healthy"].batches, log=log)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("l")
        await pilot.pause()
        assert "iter 499:" in app.text
        monkeypatch.setattr("itermon.tui.aside.PATIENCE_S", 0.0)
        log.reads.clear()
        await pilot.press("up", "down", "home")
        assert "iter 499:" in app.text, "the last text stands"
        await pilot.press("escape", "l")
        await pilot.pause()
        assert "the file is being read" in app.text
        await pilot.press("escape", "slash")
        await pilot.pause()
        assert "why iteration 1,000 was slow" in app.text
        assert "about iteration" not in app.text
        reading = sum(thread.name == "latest" for thread in threading.enumerate())
        assert reading <= 3, "one of each page's, one of the evidence"
        log.reads.set()
        await until_seen(app, "1,001  about iteration 1000")
        await pilot.press("l")
        await until_seen(app, "iter 499:")


async def test_escape_leaves_the_search_first_and_then_the_log() -> None:
    app = Fed(states()["healthy"].batches, log=LogInMemory(500))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("l", "slash", "q", "f5", "escape")
        await pilot.pause()
        assert "following" in app.text
        await pilot.press("home")
        await pilot.pause()
        assert "1 of 500" in app.text
        await pilot.press("escape")
        await pilot.pause()
        assert "iteration time" in app.text


async def test_a_letter_goes_back_from_a_page_and_ctrl_c_leaves_from_everywhere() -> None:
    app = Fed(states()["healthy"].batches, log=LogInMemory(500))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("p", "q")
        await pilot.pause()
        assert "iteration time" in app.text
        await pilot.press("l", "slash", "ctrl+c")
        await pilot.pause()
        assert app._exit


@pytest.mark.parametrize("opens", ["question_mark", "p", "c", "l"])
async def test_a_page_that_gets_two_keys_at_once_closes_once(opens: str) -> None:
    app = Fed(states()["healthy"].batches, log=LogInMemory(500))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(opens)
        await pilot.pause()
        for _ in range(2):  # as a key held down gives to a busy machine
            app.screen.post_message(Key("x", "x"))
        await pilot.pause()
        assert "iteration time" in app.text


async def test_keys_of_what_is_not_there_do_nothing() -> None:
    app = fed("healthy")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        before = app.text
        await pilot.press("l", "space", "full_stop", "5", "f7")
        await pilot.pause()
        assert app.text == before


async def test_a_page_is_drawn_anew_when_the_size_changes() -> None:
    app = fed("healthy")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await pilot.resize_terminal(60, 14)
        await pilot.pause()
        assert {len(row) for row in app.rows} == {60}
        assert len(app.rows) == 14
        assert "help" in app.rows[0]
        await pilot.press("x")
        await pilot.pause()
        assert {len(row) for row in app.rows} == {60}
        assert "iteration time" in app.text
