"""What runs in a trainer's calls cannot raise: its faults become warnings."""

from __future__ import annotations

import pytest

from itermon.events import Message
from itermon.trainer_hooks import guard
from itermon.trainer_hooks.mark_queue import MarkQueue
from itermon.trainer_hooks.marks import EVENT


def test_a_callback_without_a_run_says_once_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    class Callback:
        hooks = None

        @guard.guarded_method
        def on_train_begin(self) -> None:
            raise AttributeError("eval_strategy")

    for _ in range(2):
        Callback().on_train_begin()
    assert capsys.readouterr().err.count("AttributeError: eval_strategy") == 1


def test_callbacks_of_one_name_in_two_modules_each_say_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    def callback(module: str) -> object:
        def on_train_begin(self: object) -> None:
            raise AttributeError("eval_strategy")

        on_train_begin.__module__, on_train_begin.__qualname__ = module, "ItermonCallback.on_train_begin"
        return type("ItermonCallback", (), {"hooks": None, "begin": guard.guarded_method(on_train_begin)})()

    for module in ("hooks.lightning", "hooks.keras"):
        callback(module).begin()  # type: ignore[attr-defined]
    printed = capsys.readouterr().err
    assert printed.count("AttributeError: eval_strategy") == 2
    assert "(hooks.keras.ItermonCallback.on_train_begin)" in printed


def test_a_fault_becomes_a_warning_that_says_where_and_what() -> None:
    marks = MarkQueue()

    def broken(value: int) -> None:
        raise ValueError(f"odd {value} " + "x" * 600)

    class Callback:
        hooks = marks

        @guard.guarded_method
        def on_step_end(self, value: int) -> None:
            broken(value)

    guard.guarded(broken, lambda: marks)(1)
    Callback().on_step_end(value=2)
    messages = [mark[2] for mark in marks.take(9)[0] if mark[0] == EVENT]
    assert [type(message) for message in messages] == [Message, Message]
    first, second = (getattr(message, "text", "") for message in messages)
    assert first.startswith("a hook of itermon failed (test_a_fault")
    assert "broken): ValueError: odd 1 xxx" in first
    assert "Callback.on_step_end): ValueError: odd 2" in second
    assert len(first) == len(second) == 500
    assert getattr(messages[0], "level", "") == "warning"


def test_what_works_is_called_with_all_it_was_given() -> None:
    called: list[tuple[object, ...]] = []
    guard.guarded(lambda *given: called.append(given), MarkQueue)(1, 2)
    assert called == [(1, 2)]


class Counts:
    """Methods of each number of arguments, all of which fail."""

    def none(self) -> None:
        raise ValueError("0 of 0")

    def one(self, first: int) -> None:
        raise ValueError(f"{first} of 1")

    def two(self, first: int, second: int) -> None:
        raise ValueError(f"{first + second} of 2")

    def three(self, first: int, second: int, third: int) -> None:
        raise ValueError(f"{first + second + third} of 3")

    def perhaps(self, first: int = 9) -> None:
        raise ValueError(f"{first} of perhaps 1")

    def any(self, *given: int) -> None:
        raise ValueError(f"{sum(given)} of any")


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("none", (), "0 of 0"),
        ("one", (1,), "1 of 1"),
        ("two", (1, 2), "3 of 2"),
        ("three", (1, 2, 4), "7 of 3"),
        ("perhaps", (), "9 of perhaps 1"),
        ("perhaps", (1,), "1 of perhaps 1"),
        ("any", (), "0 of any"),
        ("any", (1, 2, 4, 8), "15 of any"),
    ],
)
def test_a_fault_is_caught_whatever_number_of_arguments_it_takes(
    name: str, given: tuple[int, ...], said: str
) -> None:
    marks = MarkQueue()
    guard.guarded(getattr(Counts(), name), lambda: marks)(*given)
    (mark,) = marks.take(9)[0]
    assert getattr(mark[2], "text", "").endswith(said)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4])
def test_what_takes_a_fixed_number_takes_no_other(count: int) -> None:
    marks = MarkQueue()
    names = ", ".join("abcd"[:count])
    act = eval(f"lambda {names}: None")
    guard.guarded(act, lambda: marks)(*range(count))
    assert not marks.waits
