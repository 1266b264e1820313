"""Work beside the thread that draws: a search gives the newest result, a read the last one until the next."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from itermon.tui.aside import Aside, Latest


async def test_only_the_newest_result_arrives_and_what_is_older_is_told_to_stop() -> None:
    aside, results, done, goes_on = Aside(), [], asyncio.Event(), threading.Event()

    def slow(stop: Callable[[], bool]) -> str:
        goes_on.wait(60)
        return f"stopped: {stop()}"

    def take(result: str) -> None:
        results.append(result)
        done.set()

    aside.do(slow, results.append)
    aside.do(lambda stop: f"stopped: {stop()}", take)
    await asyncio.wait_for(done.wait(), 60)
    goes_on.set()
    aside.do(slow, take)
    done.clear()
    await asyncio.wait_for(done.wait(), 60)
    assert results == ["stopped: False", "stopped: False"]
    assert threading.current_thread() is threading.main_thread()


async def test_a_quick_answer_is_there_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("itermon.tui.aside.PATIENCE_S", 60.0)
    latest: Latest[int] = Latest()
    for answer in (1, 2):
        latest.ask(lambda answer=answer: answer, pytest.fail)
        assert latest.answer == answer


async def test_the_last_answer_stands_until_the_next_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("itermon.tui.aside.PATIENCE_S", 0.0)
    latest, told, goes_on, asked = Latest[str](), asyncio.Event(), threading.Event(), []
    latest.answer = "before"

    def slow() -> str:
        asked.append(1)
        goes_on.wait(60)
        return "after"

    latest.ask(slow, told.set)
    latest.ask(slow, told.set)
    assert (latest.answer, len(asked)) == ("before", 1), "a dead disk holds up one thread"
    goes_on.set()
    await asyncio.wait_for(told.wait(), 60)
    assert latest.answer == "after"


@pytest.mark.parametrize(("again", "calls"), [(False, 0), (True, 1)])
async def test_who_asked_meanwhile_is_told_and_nobody_is_told_twice(
    again: bool, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("itermon.tui.aside.PATIENCE_S", 0.0)
    latest, goes_on, told = Latest(), threading.Event(), []
    latest.answer = "the same"

    def slow() -> str:
        goes_on.wait(60)
        return "the same"

    latest.ask(slow, lambda: told.append(1))
    if again:
        latest.ask(slow, lambda: told.append(2))
    goes_on.set()
    while latest._is_asked:
        await asyncio.sleep(0.001)
    assert len(told) == calls
