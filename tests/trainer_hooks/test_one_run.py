"""Whose hooks a process has, and when a training that is over ends as a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from itermon.events import End, EndReason, decode
from itermon.trainer_hooks import Hooks, one_run


@pytest.fixture(autouse=True)
def nobody_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_run, "_newest", None)
    monkeypatch.setattr(one_run, "_over", {})
    monkeypatch.setattr(one_run, "_automatic", None)


def test_a_training_that_is_over_stays_open_until_another_one_begins(run_folders: Path) -> None:
    first = Hooks("first")
    one_run.is_over(first)
    one_run.is_over(first)
    with first.evaluation():
        pass
    assert first.alive
    with Hooks("second"):
        assert not first.alive
    assert first.recording is not None
    *_, last = map(decode, first.recording.read_bytes().splitlines())
    assert isinstance(last, End)
    assert last.reason == EndReason.FINISHED


def test_a_training_that_failed_ends_so_when_another_one_begins(run_folders: Path) -> None:
    first = Hooks("first")
    one_run.is_over(first, EndReason.FAILED)
    with Hooks("second"):
        assert first.recording is not None
    *_, last = map(decode, first.recording.read_bytes().splitlines())
    assert isinstance(last, End)
    assert last.reason == EndReason.FAILED


def test_hooks_that_report_to_nobody_begin_no_run() -> None:
    first = Hooks("first")
    one_run.is_over(first)
    Hooks(record=False, serve=False)
    assert first.alive
    first.close()


def test_the_automatic_mode_is_told_of_hooks_before_it_and_after_it() -> None:
    told: list[Hooks] = []
    with Hooks("before") as before:
        one_run.watch(told.append)
        with Hooks("after") as after:
            assert told == [before, after]


def test_the_automatic_mode_is_not_told_of_hooks_that_are_closed() -> None:
    told: list[Hooks] = []
    with Hooks("before"):
        pass
    one_run.watch(told.append)
    assert told == []
