"""Logging and copies of batches, with stand-ins for the calls and a made-up clock."""

from __future__ import annotations

import io
import logging
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import HOST_TO_DEVICE, LOGGING, Phases
from itermon.trainer_hooks.automatic import timed_calls

from .conftest import Recorder

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher

    from ..conftest import Clock


class Stream(io.StringIO):
    """A terminal that takes its time."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def write(self, text: str) -> int:
        self._clock.passes(0.25)
        return super().write(text)

    def flush(self) -> None:
        self._clock.passes(2)


@pytest.fixture
def stream(
    clock: Clock, watcher: Watcher, module: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch
) -> Stream:
    stream = Stream(clock)
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(logging.Logger, "callHandlers", lambda *_: clock.passes(4))

    class Run:
        def log(self, data: dict[str, float]) -> int:
            clock.passes(8)
            if not data:
                raise ValueError("nothing to log")
            return len(data)

    module("wandb.sdk.wandb_run", Run=Run)
    module("accelerate.data_loader", send_to_device=lambda batch, **_: (clock.passes(16), batch)[1])
    timed_calls.install(watcher)
    return stream


def phases(recorder: Recorder) -> dict[str, float]:
    recorder.iteration()
    found = [event for event in recorder.events if isinstance(event, Phases)]
    assert all(not event.whole and event.on_host for event in found)
    return found[-1].phases if found else {}


def test_what_is_printed_takes_time_where_a_line_ends_and_is_printed_as_it_was(
    stream: Stream, recorder: Recorder
) -> None:
    print("step", 1, file=stream)
    assert phases(recorder) == {LOGGING: 0.25}
    print("\rstep 2", end="", flush=True, file=stream)
    assert phases(recorder) == {LOGGING: 2.25}
    assert stream.getvalue() == "step 1\n\rstep 2"


def test_loggers_and_trackers_are_timed_and_raise_what_they_raised(stream: Stream, recorder: Recorder) -> None:
    logging.getLogger("test").error("a line")
    run: Any = sys.modules["wandb.sdk.wandb_run"].Run()
    assert run.log({"loss": 1.0, "accuracy": 0.5}) == 2
    with pytest.raises(ValueError, match="nothing to log"):
        run.log({})
    assert phases(recorder) == {LOGGING: 20.0}


def test_a_batch_that_a_framework_copies_is_on_its_way_to_the_device(stream: Stream, recorder: Recorder) -> None:
    copy: Any = sys.modules["accelerate.data_loader"].send_to_device
    assert copy("batch", non_blocking=True) == "batch"
    assert phases(recorder) == {HOST_TO_DEVICE: 16.0}


def test_other_threads_and_what_is_before_the_loop_are_no_part_of_it(stream: Stream, watcher: Watcher) -> None:
    watcher.hooks = fresh = Recorder()  # type: ignore[assignment]
    print("preparing", file=stream)
    assert phases(fresh) == {}
    fresh.begin()
    thread = threading.Thread(target=stream.write, args=("beside\n",))
    thread.start()
    thread.join()
    assert phases(fresh) == {}
    assert stream.getvalue() == "preparing\nbeside\n"
