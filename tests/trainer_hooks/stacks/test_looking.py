"""The frames of another thread."""

import gc
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from itermon.trainer_hooks.stacks import looking
from itermon.trainer_hooks.stacks.looking import look, may_look

# The bounds as numbers of its own: from the code, a test would move with them.
DEEPEST = 256


class Waiting:
    """A thread that waits in `inner`, called by `outer`, below `depth` frames of a recursion."""

    def __init__(self, depth: int = 0) -> None:
        self.there, self.over = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.outer, args=(depth,), daemon=True)
        self.thread.start()
        self.there.wait()

    def outer(self, depth: int) -> None:
        self.outer(depth - 1) if depth else self.inner()

    def inner(self) -> None:
        self.there.set()
        self.over.wait()


@pytest.fixture
def waiting() -> Iterator[Callable[..., Waiting]]:
    made: list[Waiting] = []

    def make(depth: int = 0) -> Waiting:
        made.append(Waiting(depth))
        return made[-1]

    yield make
    for one in made:
        one.over.set()
        one.thread.join()


def names(thread: threading.Thread) -> list[str]:
    assert thread.ident is not None
    return [code.co_name for code, _ in look(thread.ident)]


def test_a_thread_is_seen_where_it_is_innermost_first(waiting: Callable[..., Waiting]) -> None:
    thread = waiting().thread
    seen = names(thread)
    assert seen[seen.index("inner") :][:3] == ["inner", "outer", "run"]
    assert thread.ident is not None
    code, line = next(step for step in look(thread.ident) if step[0].co_name == "inner")
    assert (code.co_filename, line - code.co_firstlineno) in {(__file__, 1), (__file__, 2)}


def test_a_thread_that_is_no_more_is_nowhere(waiting: Callable[..., Waiting]) -> None:
    one = waiting()
    one.over.set()
    one.thread.join()
    assert names(one.thread) == []


def test_a_deep_recursion_costs_no_more_than_a_bounded_walk(waiting: Callable[..., Waiting]) -> None:
    assert len(names(waiting(600).thread)) == DEEPEST


@pytest.mark.parametrize("collects", [True, False])
def test_the_collector_stands_still_meanwhile_and_is_left_as_it_was(
    collects: bool, waiting: Callable[..., Waiting], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    thread = waiting().thread
    frames = sys._current_frames

    def current() -> dict[int, FrameType]:
        seen.append(gc.isenabled())
        return frames()

    monkeypatch.setattr(looking, "_FRAMES", (current,))
    monkeypatch.setattr(looking, "_call", lambda call: call())
    before = gc.isenabled()
    try:
        gc.enable() if collects else gc.disable()
        assert "inner" in names(thread)
        assert (gc.isenabled(), seen) == (collects, [False])
    finally:
        gc.enable() if before else gc.disable()


REAL_ISENABLED = gc.isenabled


def test_who_has_switched_the_collector_off_in_between_finds_it_off(
    waiting: Callable[..., Waiting], monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = waiting().thread
    monkeypatch.setattr(gc, "isenabled", lambda: True)  # as it was a moment before
    before = REAL_ISENABLED()
    gc.disable()
    try:
        assert "inner" in names(thread)
        assert not REAL_ISENABLED()
    finally:
        gc.enable() if before else gc.disable()


@pytest.mark.parametrize(
    ("asked", "abiflags", "implementation", "may"),
    [("", "", "cpython", True), ("1", "", "cpython", True), ("0", "", "cpython", False),
     ("", "t", "cpython", False), ("", "td", "cpython", False), ("", "d", "cpython", True),
     ("", "", "pypy", False)],
)  # fmt: skip
def test_where_nobody_looks(
    asked: str, abiflags: str, implementation: str, may: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ITERMON_STACKS", asked)
    monkeypatch.setattr(sys, "abiflags", abiflags, raising=False)
    monkeypatch.setattr(sys.implementation, "name", implementation)
    assert may_look() is may


SAFETY = Path(__file__).parents[3] / "bench" / "stacks_safety.py"


def test_looks_are_safe_beside_signals_forks_a_deep_recursion_and_a_collector() -> None:
    ended = subprocess.run(
        [sys.executable, str(SAFETY), "2000", "7"], capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr
    told = re.search(
        r": 2,000 looks, (\d+) frames each, beside ([\d,]+) turns, (\d+) forks, (\d+) signals", ended.stdout
    )
    assert told is not None
    assert all(int(number.replace(",", "")) > 0 for number in told.groups())
