"""Work beside the thread that draws: only the newest result arrives, older work is told to stop."""

import asyncio
import threading
from collections.abc import Callable

from itermon.tui.aside import Aside


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
