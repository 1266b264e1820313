"""The page of the log: searched while keys are answered, whatever the disk does."""

import threading
from unittest import mock

import pytest
from fed_app import Fed, until_seen
from log_in_memory import LogInMemory
from screen_states import states
from textual.events import Paste
from textual.widgets import Input

pytestmark = pytest.mark.usefixtures("unhurried")


async def test_the_log_is_searched_in_a_field_that_takes_no_control_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Fed(states()["healthy"].batches, log=LogInMemory(500))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("l")
        await pilot.pause()
        assert "iter 499:" in app.text
        await pilot.press("slash", *"iter 12")
        await pilot.pause()
        assert app.rows[-1].startswith("iter 12")
        app.screen.query_one(Input).post_message(Paste("\x1b]52;c;aGVsbG8=\x07"))
        await pilot.pause()
        assert app.rows[-1].startswith("iter 12 ")
        bells = mock.Mock()
        monkeypatch.setattr(app, "bell", bells)
        app.screen.query_one(Input).insert_text_at_cursor("\x01")
        assert not bells.called
        await pilot.press("enter")
        await until_seen(app, "13 of 500")
        await pilot.press("n")
        await until_seen(app, "121 of 500")


async def test_keys_are_answered_while_the_text_of_the_log_is_searched() -> None:
    log = LogInMemory(500)
    app = Fed(states()["healthy"].batches, log=log)
    async with app.run_test(size=(80, 24)) as pilot:
        log.answers.clear()  # as a disk that does not answer, or gigabytes of text
        await pilot.press("l", "slash", *"iter 12", "enter")
        await pilot.pause()
        assert "searching: iter 12" in app.text
        await pilot.press("home")
        await pilot.pause()
        assert "1 of 500" in app.text
        log.answers.set()
        await until_seen(app, "13 of 500")
        log.answers.clear()
        await pilot.press("n", "escape")
        await pilot.pause()
        assert "iteration time" in app.text
        log.answers.set()
        assert log.stopped.wait(60), "nobody waits for it any more"


async def test_keys_are_answered_while_the_disk_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    log = LogInMemory(500)
    app = Fed(states()["healthy"].batches, log=log)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("l")
        await pilot.pause()
        assert "iter 499:" in app.text
        monkeypatch.setattr("itermon.tui.aside.PATIENCE_S", 0.0)
        log.reads.clear()
        await pilot.press("up", "down", "home")
        assert "iter 499:" in app.text, "the last text stands"
        await pilot.press("escape", "l")
        await pilot.pause()
        assert "the file is being read" in app.text
        await pilot.press("escape", "slash")
        await pilot.pause()
        assert "why iteration 1,000 was slow" in app.text
        assert "about iteration" not in app.text
        reading = sum(thread.name == "latest" for thread in threading.enumerate())
        assert reading <= 3, "one of each page's, one of the evidence"
        log.reads.set()
        await until_seen(app, "1,001  about iteration 1000")
        await pilot.press("l")
        await until_seen(app, "iter 499:")


async def test_escape_leaves_the_search_first_and_then_the_log() -> None:
    app = Fed(states()["healthy"].batches, log=LogInMemory(500))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("l", "slash", "q", "f5", "escape")
        await pilot.pause()
        assert "following" in app.text
        await pilot.press("home")
        await pilot.pause()
        assert "1 of 500" in app.text
        await pilot.press("escape")
        await pilot.pause()
        assert "iteration time" in app.text
