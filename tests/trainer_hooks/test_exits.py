"""What `sys.exit` was given is the end, unless the trainer went on."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from itermon.events import End
from itermon.trainer_hooks import exits


@pytest.fixture(autouse=True)
def own_exit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A `sys.exit` that is not watched yet, and no error that a test before has left."""

    def leave(status: Any = None, /) -> None:
        raise SystemExit(status)

    monkeypatch.setattr(sys, "exit", leave)
    monkeypatch.setattr(exits, "_asked", None)
    monkeypatch.delattr(sys, "last_value", raising=False)


@pytest.mark.parametrize(
    ("status", "end"),
    [
        (None, End(exit_code=0)),
        (0, End(exit_code=0)),
        (False, End(exit_code=0)),
        (1, End("failed", detail="exit code 1", exit_code=1)),
        (True, End("failed", detail="exit code 1", exit_code=1)),
        (-1, End("failed", detail="exit code -1", exit_code=255)),
        ("no data", End("failed", detail="exit code 1", exit_code=1)),
        ([], End("failed", detail="exit code 1", exit_code=1)),
    ],
)
def test_the_end_is_the_one_that_sys_exit_was_asked_for(status: Any, end: End) -> None:
    exits.watch_exits()
    with pytest.raises(SystemExit) as left:
        sys.exit(status)
    assert left.value.code == status, "nothing is changed of it"
    assert exits.end_at_exit(None) == end


def test_who_iterates_after_it_went_on_and_finished() -> None:
    exits.watch_exits()
    with pytest.raises(SystemExit):
        sys.exit(1)
    assert exits._asked is not None
    asked_ns = exits._asked[0]
    assert exits.end_at_exit(asked_ns - 1).reason == "failed"
    assert exits.end_at_exit(asked_ns + 1) == End()


def test_it_is_watched_once() -> None:
    exits.watch_exits()
    watched = sys.exit
    exits.watch_exits()
    assert sys.exit is watched


def test_an_error_that_was_printed_says_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "last_value", ValueError("nan"), raising=False)
    assert exits.end_at_exit(None) == End("failed", detail="ValueError")
    monkeypatch.setattr(sys, "last_value", KeyboardInterrupt(), raising=False)
    assert exits.end_at_exit(None) == End("interrupted")
