"""Where events go: what goes wrong on the way is healed or reported, once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from viewers import Attach, ended, has, indices, recorded
from waiting import eventually

from itermon.events import End, Iteration, Message, RunInfo, decode, encode
from itermon.trainer_hooks import Hooks, emitter
from itermon.trainer_hooks.delivery import delivery

if TYPE_CHECKING:
    import pytest


def test_a_swept_directory_is_made_again(
    hooks: Hooks, run_folders: Path, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitter, "_CHECK_S", 0.0)
    address = hooks.address
    assert address is not None
    eventually(address.exists)
    address.unlink()
    address.parent.rmdir()
    eventually(address.exists)
    hooks.iteration(5)
    assert indices(attach(address).read(has(1))) == [5]


def test_a_recording_that_is_cut_short_lets_its_viewers_go_and_nobody_waits_for_ever(
    hooks: Hooks, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitter, "_CHECK_S", 0.0)
    hooks.iteration(0)
    viewer = attach(hooks.address).read(has(1))
    assert hooks.recording is not None
    os.truncate(hooks.recording, 0)
    hooks.iteration(1)
    assert b"cut the recording short" in viewer.read(ended).got
    eventually(lambda: b"was deleted or cut short" in recorded(hooks))


def test_of_events_that_cannot_be_written_only_those_are_lost(run_folders: Path) -> None:
    path = run_folders / "run.jsonl"
    sent = delivery.Delivery([RunInfo(name="x")], record=path, serve=None)
    sent.send([Iteration(1), Message(text=object()), Iteration(2)])  # type: ignore[arg-type]
    sent.finish(End())
    info, first, warning, second, end = map(decode, path.read_bytes().splitlines())
    assert (info, first, second) == (RunInfo(name="x"), Iteration(1), Iteration(2))
    assert isinstance(warning, Message)
    assert warning.text.startswith("a mark of kind 'Message' was no use: ")
    assert warning.level == "warning"
    assert isinstance(end, End)


def test_of_a_long_reason_five_hundred_characters_are_told() -> None:
    assert len(delivery.useless("progress", ValueError("x" * 2_000)).text) == 500


def test_a_forked_child_leaves_what_waits_to_its_parent(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = run_folders / "run.jsonl"
    sent = delivery.Delivery([RunInfo(name="x")], record=path, serve=None)
    before = path.read_bytes()
    sent.recording._tail += encode(Iteration(1))
    sent.abandon()
    assert path.read_bytes() == before


def test_the_end_has_its_time(run_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery.time, "time", lambda: 1.7e9 + 1 / 3)
    path = run_folders / "run.jsonl"
    delivery.Delivery([RunInfo(name="x")], record=path, serve=None).finish(End("failed"))
    assert decode(path.read_bytes().splitlines()[-1]) == End("failed", at_s=1.7e9 + 0.333333)


def test_a_delivery_without_an_end_ends_without_a_word(run_folders: Path) -> None:
    path = run_folders / "run.jsonl"
    sent = delivery.Delivery([RunInfo(name="x")], record=path, serve=None)
    sent.finish(None)
    assert path.read_bytes() == encode(RunInfo(name="x"))


def test_trouble_is_reported_once_and_again_when_it_is_another(run_folders: Path) -> None:
    path = run_folders / "run.jsonl"
    sent = delivery.Delivery([RunInfo(name="x")], record=path, serve=None)
    assert sent.heal() is None
    path.unlink()
    warning = sent.heal()
    assert warning == Message(
        text=f"{path} was deleted or cut short: this run's recording, or a part of it, is lost", level="warning"
    )
    assert sent.heal() is None
    sent.recording.trouble = "No space left on device"
    assert sent.heal() == Message(text="No space left on device", level="warning")
    sent.finish(None)


def test_nobody_can_have_anything_of_a_run_with_both_ways_blocked_and_no_other(run_folders: Path) -> None:
    sent = delivery.Delivery([RunInfo(name="x")], record=run_folders / "run.jsonl", serve=None)
    sent.recording.trouble, sent.server.trouble = "disk full", ""
    assert sent.nowhere() == ""
    sent.recording.trouble, sent.server.trouble = "", "no socket"
    assert sent.nowhere() == ""
    sent.recording.trouble = "disk full"
    assert sent.nowhere() == "disk full; no socket"
    sent.server.trouble = "disk full"
    assert sent.nowhere() == "disk full"
