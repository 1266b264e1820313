"""Waiting for another process or thread: until it is so, never for a time that should be enough."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

WITHIN_S = 60.0  # of a machine that is busy with something else; an idle one needs milliseconds


def eventually(condition: Callable[[], T], seen: Callable[[], object] = lambda: "nothing more is known") -> T:
    """Wait until it is so and return what `condition` says; fail after `WITHIN_S` with what is `seen` instead."""
    deadline_s = time.monotonic() + WITHIN_S
    while not (value := condition()):
        assert time.monotonic() < deadline_s, f"it never came to be: {seen()}"
        time.sleep(0.01)
    return value
