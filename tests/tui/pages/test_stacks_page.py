"""The page that says where a run stands: by its hooks, by a look from outside, or why nobody knows."""

from __future__ import annotations

import asyncio
import threading

import pytest
from fed_app import Fed, until_seen
from screen_states import NOW_S

from itermon.collectors.host.stacks import ProcessStack, ThreadStack
from itermon.events import Batch, End, EndReason, Event, Iteration, RunInfo, SourceState, Stack

pytestmark = pytest.mark.usefixtures("unhurried")

SILENT_S = 600.0
SEEN = ProcessStack(7, "python train.py", (ThreadStack("MainThread", ("ssl.py:9 read", "data.py:48 read"), 1),))
FORBIDDEN = ProcessStack(7, "python train.py", trouble="only root may look", remedy="sudo py-spy dump --pid 7")


def stack(iteration: int, frame: str, rank: int | None = None, ago_s: float = SILENT_S - 30.0) -> Stack:
    return Stack(NOW_S - ago_s, iteration, 30.0, ("ssl.py:9 read", frame), 1, rank=rank)


def batches(*more: Event, state: SourceState = SourceState.LIVE, silent_s: float = SILENT_S) -> list[Batch]:
    """A hundred iterations of a second each, the newest of them `silent_s` ago."""
    at_s = NOW_S - silent_s
    iterations = [Iteration(i, 1.0, at_s=at_s - 99 + i) for i in range(100)]
    return [Batch([RunInfo(name="x"), *iterations, *more], state=state)]


def unwrapped(app: Fed) -> str:
    return " ".join(app.text.replace("│", " ").split())


async def page(app: Fed, *keys: str, size: tuple[int, int] = (100, 40)) -> str:
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press(*keys, "S")
        await pilot.pause()
        return unwrapped(app)


async def test_what_the_hooks_saw_of_the_iteration_under_way_comes_first_and_nobody_else_looks() -> None:
    def never() -> str:
        raise AssertionError

    events = [stack(100, "train.py:9 step", rank, 8.0) for rank in (0, 1)]
    events.append(stack(100, "data.py:48 read_shard", 2, 8.0))
    text = await page(Fed(batches(*events), look=never))
    few, many = text.index("> data.py:48 read_shard"), text.index("> train.py:9 step")
    assert text.index("the iteration under way, as the hooks saw it") < few < many
    assert "2 ranks (0 to 1): in iteration 100, after 30.0 s, 8.00 s ago" in text


async def test_where_the_hooks_are_silent_a_thread_looks_and_the_page_stands_meanwhile() -> None:
    may_end = threading.Event()

    def look() -> list[ProcessStack]:
        may_end.wait(60)
        return [SEEN]

    app = Fed(batches(stack(50, "train.py:9 step")), look=look)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("S")
        await pilot.pause()
        assert "looking ..." in app.text
        assert "of iterations that have ended" in app.text
        may_end.set()
        await until_seen(app, "> data.py:48 read")
        await pilot.press("S")
        await until_seen(app, "> data.py:48 read")
        await pilot.press("escape")
        await pilot.pause()
        assert "iteration time" in app.text


async def test_what_the_hooks_saw_long_ago_stands_beside_what_is_seen_now() -> None:
    app = Fed(batches(stack(100, "train.py:9 step")), look=lambda: [SEEN])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("S")
        await until_seen(app, "> data.py:48 read")
        assert "9 m 30 s ago" in app.text


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_where_it_is_forbidden_the_page_says_why_and_what_would_permit_it(size: tuple[int, int]) -> None:
    app = Fed(batches(), look=lambda: [FORBIDDEN])
    async with app.run_test(size=size) as pilot:
        await pilot.press("S")
        await until_seen(app, "only root may look")
        assert "This would permit it: sudo py-spy dump --pid 7" in unwrapped(app)


async def test_a_run_that_is_gone_is_said_to_be() -> None:
    app = Fed(batches(), look=lambda: "train.log: no process of this machine writes it.")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("S")
        await until_seen(app, "– train.log: no process of this machine writes it.")


async def test_under_the_cursor_it_is_what_was_seen_of_that_iteration() -> None:
    slow = Iteration(100, 20.0, at_s=NOW_S - 1)
    after = [Iteration(i, 1.0, at_s=NOW_S + i - 101) for i in range(101, 103)]
    events = [stack(100, "data.py:48 read_shard"), slow, *after]
    text = await page(Fed(batches(*events, state=SourceState.ENDED)), "slash")
    assert "iteration 100, as the hooks saw it" in text
    assert "after 30.0 s, by 1 look" in text
    assert text.count("> data.py:48 read_shard") == 2, "it is the newest of all, too"


async def test_an_iteration_that_nobody_looked_at_says_so() -> None:
    text = await page(
        Fed(batches(stack(50, "a.py:1 f"), Iteration(100, 9.0, at_s=NOW_S), state=SourceState.ENDED)), "slash"
    )
    assert "nobody looked at it" in text


async def test_a_silent_run_of_which_nothing_is_known_says_what_would_help() -> None:
    text = await page(Fed(batches()))
    assert "itermon's hooks record them" in text
    assert "itermon stack RUN|PID|LOG" in text


async def test_a_run_that_is_at_work_and_unknown_has_no_such_key() -> None:
    app = Fed(batches(silent_s=0.5))
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.pause()
        assert "S stack" not in app.rows[-1]
        await pilot.press("S")
        await pilot.pause()
        assert "none were recorded" in app.rows[-1]


@pytest.mark.parametrize("keys", [("question_mark",), ("ctrl+p",)])
async def test_the_help_and_the_palette_know_it(keys: tuple[str, ...]) -> None:
    app = Fed(batches(silent_s=0.5), look=lambda: [SEEN])
    async with app.run_test(size=(120, 70)) as pilot:
        await pilot.pause()
        assert "S stack" in app.rows[-1]
        await pilot.press(*keys)
        await pilot.pause()
        assert (
            "Where it stands, in its own code" if keys == ("question_mark",) else "where it stands"
        ) in app.text


async def test_whoever_leaves_does_not_wait_for_the_look() -> None:
    may_end, ended = threading.Event(), threading.Event()

    def look() -> str:
        may_end.wait(60)
        ended.set()
        return "too late"

    app = Fed(batches(), look=look)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("S", "escape")
        await pilot.pause()
        may_end.set()
        await asyncio.to_thread(ended.wait, 60)
        await pilot.pause()
        assert "too late" not in app.text
        assert "iteration time" in app.text


@pytest.mark.parametrize(
    ("end", "offered"), [(None, True), (End(at_s=NOW_S - 1), False), (End(EndReason.FAILED, NOW_S - 1), False)]
)
async def test_of_a_run_that_is_over_no_stack_is_offered_and_what_was_recorded_is_still_there(
    end: End | None, *, offered: bool
) -> None:
    """Also where its log is still followed: nothing says that its file will not grow."""
    events = [stack(50, "data.py:48 read_shard")] + ([end] if end else [])
    app = Fed(batches(*events, silent_s=2.0), look=lambda: [SEEN])
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.pause()
        assert ("S stack" in app.rows[-1]) == offered, app.rows[-1]
        await pilot.press("S")
        await until_seen(app, "where it stands")
        assert ("no process is known here" in unwrapped(app)) != offered
