"""The app: what is fed in is seen, every state and size has a picture, and it ends as it is told to."""

from collections.abc import Callable

import pytest
from fed_app import Fed, Link, fed
from screen_states import NOW_S, State, states

from itermon.events import Batch, Collective, CollectiveWitness, End, Event, Iteration, RunInfo, SourceState

pytestmark = pytest.mark.usefixtures("unhurried")


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
        ("log-only", ["GPU – no figures"]),
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


async def test_what_is_dear_to_draw_is_shown_less_often_and_the_clock_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("itermon.tui.app.SHARE", 1e-9)
    monkeypatch.setattr("itermon.tui.app.LONGEST_REST_S", 1e9)
    app = fed("healthy")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()

        async def frame_with(index: int) -> str:
            app.waiting.append(Batch([Iteration(index, 21.0, at_s=NOW_S)], state=SourceState.LIVE))
            app.time_s += 1.0
            app._frame()
            await pilot.pause()
            return app.text

        assert "iter 1,248 of 10,000" in await frame_with(1_248)
        resting = await frame_with(1_249)
        assert "iter 1,248 of 10,000" in resting
        assert "live, 2.0 s ago" in resting
        app._rests_until_s = 0.0
        assert "iter 1,250 of 10,000" in await frame_with(1_250)


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
        await pilot.press("space", "full_stop", "right_square_bracket", "left_square_bracket")
        await pilot.press("pagedown", "pageup")
        await pilot.pause()
        assert "× 50" in app.text
    assert recorder.commands == ["toggle_pause", "step", "faster", "slower", "jump_by 0.1", "jump_by -0.1"]


async def test_keys_of_what_is_not_there_do_nothing() -> None:
    app = fed("healthy")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        before = app.text
        await pilot.press("space", "full_stop", "pagedown", "f7")
        await pilot.pause()
        assert app.text == before


class Telling:
    """Somebody is told of the run, but for what is in trouble; what the terminal gets is in `text`."""

    def __init__(self) -> None:
        self.looks, self.trouble, self.text = 0, "", "\a"

    def look(self, _found: object) -> None:
        self.looks += 1

    def to_write(self) -> str:
        text, self.text = self.text, ""
        return text


async def test_a_channel_that_fails_is_told_on_the_screen_once(monkeypatch: pytest.MonkeyPatch) -> None:
    notices, link = Telling(), Link()
    monkeypatch.setattr("itermon.tui.app.DirectOutput", link)
    app = Fed(states()["healthy"].batches, notices=notices)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert notices.looks
        assert link.written == ["\a"]
        assert "not told" not in app.text
        notices.trouble = "ntfy.sh: no answer for 40 s, 1 message waiting"
        app._frame()
        await pilot.pause()
        assert "not told: ntfy.sh: no answer for 40 s, 1 message waiting" in app.text
        said: list[str] = []
        monkeypatch.setattr(app.watch_screen, "say", said.append)
        app._frame()
        assert said == [], "once"


async def test_while_a_run_hangs_its_ranks_are_asked_and_what_they_say_is_seen() -> None:
    asked: list[float] = []
    app = Fed([Batch([RunInfo(name="x"), *dated(100)], state=SourceState.LIVE)], on_hang=lambda: asked.append(1.0))
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert asked == [], "it goes on"
        app.time_s += 300.0
        app._frame()
        await pilot.pause()
        assert asked
        ras = CollectiveWitness.RAS
        at_s = app.time_s
        waits = [Collective(rank, "0x1", 8, "ALLREDUCE", enqueued=8, witness=ras, at_s=at_s) for rank in (0, 1)]
        late = Collective(2, "0x1", enqueued=7, witness=ras, at_s=at_s)
        app.waiting.append(Batch([*waits, late]))
        app._frame()
        await pilot.pause()
        assert "Rank 2 holds up the others" in app.text
        app.waiting.append(Batch([Iteration(100, 1.0, at_s=app.time_s), End()], state=SourceState.ENDED))
        app._frame()
        await pilot.pause()
        asked.clear()
        app._frame()
        assert asked == []


def dated(count: int) -> list[Event]:
    return [Iteration(i, 1.0, at_s=NOW_S - count + i) for i in range(count)]
