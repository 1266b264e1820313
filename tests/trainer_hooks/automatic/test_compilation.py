"""Compilations, with a stand-in for Dynamo's callbacks."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import (
    COMPILE,
    Message,
)
from itermon.trainer_hooks.automatic import (
    compilation,
)

from .conftest import Recorder, spans

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher


class CallbackHandler:
    """As Dynamo's."""

    def __init__(self) -> None:
        self.start_callbacks: list[Any] = []
        self.end_callbacks: list[Any] = []

    def clear(self) -> None:
        self.start_callbacks.clear()
        self.end_callbacks.clear()
        raise AssertionError("a compilation is under way")

    def register_start_callback(self, callback: Any) -> None:
        self.start_callbacks.append(callback)

    def register_end_callback(self, callback: Any) -> None:
        self.end_callbacks.append(callback)

    def compile(self, *arguments: Any) -> None:
        for callback in [*self.start_callbacks, *self.end_callbacks]:
            callback(*arguments)


@pytest.fixture
def handler(watcher: Watcher, module: Callable[..., ModuleType]) -> CallbackHandler:
    handler = CallbackHandler()
    module("torch._dynamo.callback", callback_handler=handler)
    compilation.install(watcher)
    return handler


def ends_iteration(watcher: Watcher) -> None:
    watcher.iteration += 1
    for act in watcher.on_iteration:
        act()


def test_a_compilation_is_a_span_that_says_which(
    watcher: Watcher, recorder: Recorder, handler: CallbackHandler
) -> None:
    assert not watcher.compiles
    handler.compile(SimpleNamespace(callback_trigger=SimpleNamespace(name="LAZY_BACKWARD"), compile_id="0/1"))
    handler.compile()  # as older versions do
    handler.compile(object())
    assert [event.detail for event in spans(recorder, COMPILE)] == ["lazy backward 0/1", "", ""]
    assert watcher.compiles


def test_callbacks_that_were_dropped_are_registered_again_and_never_twice(
    watcher: Watcher, handler: CallbackHandler
) -> None:
    ends_iteration(watcher)
    assert (len(handler.start_callbacks), len(handler.end_callbacks)) == (1, 1)
    with pytest.raises(AssertionError):
        handler.clear()
    assert (len(handler.start_callbacks), len(handler.end_callbacks)) == (1, 1)


def test_a_recompilation_says_why_once_and_of_the_iteration_that_had_it(
    watcher: Watcher, recorder: Recorder, handler: CallbackHandler, module: Callable[..., ModuleType]
) -> None:
    first = SimpleNamespace(recompile_reason=None, co_name="forward")
    again = SimpleNamespace(recompile_reason="size mismatch", co_name="forward")
    nameless = SimpleNamespace(recompile_reason="stride mismatch")
    done = [first, again]
    asked: list[int] = []

    def metrics() -> list[SimpleNamespace]:
        asked.append(watcher.iteration)
        return done

    module("torch._dynamo.utils", get_compilation_metrics=metrics)
    ends_iteration(watcher)
    assert asked == [], "nothing was compiled"
    handler.compile()
    ends_iteration(watcher)
    handler.compile()
    done.append(nameless)
    ends_iteration(watcher)
    ends_iteration(watcher)
    assert asked == [2, 3]
    messages = [(event.iteration, event.text) for event in recorder.events if isinstance(event, Message)]
    assert messages == [(1, "recompiled forward: size mismatch"), (2, "recompiled ?: stride mismatch")]


def test_the_span_of_a_recompilation_says_why(
    recorder: Recorder, handler: CallbackHandler, module: Callable[..., ModuleType]
) -> None:
    context = SimpleNamespace(_metrics={"recompile_reason": "size mismatch"})
    module("torch._dynamo.utils", get_metrics_context=lambda: context)

    def compiles(part: str, trigger: str = "DYNAMO") -> None:
        handler.compile(SimpleNamespace(callback_trigger=SimpleNamespace(name=trigger), compile_id=part))

    compiles("0/1")
    context._metrics = {}
    compiles("0/1", "LAZY_BACKWARD")
    compiles("1/0")
    details = [event.detail for event in spans(recorder, COMPILE)]
    assert details == ["again, size mismatch", "again, size mismatch", "dynamo 1/0"]


def test_a_long_reason_is_cut(
    watcher: Watcher, recorder: Recorder, handler: CallbackHandler, module: Callable[..., ModuleType]
) -> None:
    done = [SimpleNamespace(recompile_reason="x" * 1000, co_name="forward")]
    module("torch._dynamo.utils", get_compilation_metrics=lambda: done)
    handler.compile()
    watcher.is_numbered = False
    ends_iteration(watcher)
    reported = [(len(event.text), event.iteration) for event in recorder.events if isinstance(event, Message)]
    assert reported == [(500, None)], "of a loop that others tell of, nobody here knows the number"


def test_without_dynamo_an_iteration_ends_as_ever(watcher: Watcher, recorder: Recorder) -> None:
    compilation.install(watcher)
    ends_iteration(watcher)
    assert recorder.events == []


def test_of_reasons_the_newest_sixty_five_are_known(
    recorder: Recorder, handler: CallbackHandler, module: Callable[..., ModuleType]
) -> None:
    context = SimpleNamespace(_metrics={"recompile_reason": "size mismatch"})
    module("torch._dynamo.utils", get_metrics_context=lambda: context)
    for part in range(66):
        handler.compile(SimpleNamespace(compile_id=f"{part}/1"))
    context._metrics = {}
    for part in (0, 1):
        handler.compile(SimpleNamespace(compile_id=f"{part}/1"))
    assert [event.detail for event in spans(recorder, COMPILE)][-2:] == ["0/1", "again, size mismatch"]
