"""What we use of Textual and it does not promise."""

import codecs
from types import SimpleNamespace

import pytest
from textual.app import App
from textual.drivers import _writer_thread, linux_driver

from itermon.tui.drawing.textual_compat import (
    ENTER_SCREEN,
    DirectOutput,
    WithoutAnswers,
    never_block,
    stay_on_the_other_screen,
    take_any_bytes,
)


def test_no_write_blocks_however_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_writer_thread, "MAX_QUEUED_WRITES", 30)
    never_block()
    for _ in range(2):  # one from the start, one after SIGCONT
        writer = _writer_thread.WriterThread(SimpleNamespace())  # never started: as if a closed terminal killed it
        for _ in range(100):
            writer._queue.put("x", block=False)


def test_a_key_that_is_no_utf8_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux_driver, "getincrementaldecoder", linux_driver.getincrementaldecoder)
    take_any_bytes()
    decode = linux_driver.getincrementaldecoder("utf-8")().decode
    assert [decode(typed) for typed in (b"\xe9l", b"\xc3", b"\xa9", b"\xff\xfe")] == [
        "\ufffdl",
        "",
        "\u00e9",
        "\ufffd\ufffd",
    ]


def test_what_was_typed_before_comes_first_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux_driver, "getincrementaldecoder", linux_driver.getincrementaldecoder)
    take_any_bytes("lé".encode())
    assert linux_driver.getincrementaldecoder("utf-8")().decode(b"\x1b[?62cq") == "léq"
    assert linux_driver.getincrementaldecoder("utf-8")().decode(b"q") == "q", "after a stop"


SAID = b"a\x1b]11;rgb:0f0f/1313/1919\x1b\\\x1b[?62;22cq\xc3\xa9"


@pytest.mark.parametrize("cut", [cut for cut in range(len(SAID)) if SAID[cut : cut + 1] not in b"][?" or cut == 0])
def test_a_late_answer_of_the_terminal_is_no_key(cut: int) -> None:
    decoder = WithoutAnswers(codecs.getincrementaldecoder("utf-8")(errors="replace"))
    said = SAID
    assert decoder.decode(said[:cut]) + decoder.decode(said[cut:]) == "aqé"


@pytest.mark.parametrize("keys", ["\x1b", "\x1b]q", "\x1b[A", "\x1b[?2026;2$y", "\x1bOP", "é"])
def test_all_else_goes_through_at_once(keys: str) -> None:
    decoder = WithoutAnswers(codecs.getincrementaldecoder("utf-8")(errors="replace"))
    assert decoder.decode(keys.encode()) == keys


def test_the_other_screen_is_not_entered_twice_and_once_more_after_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(linux_driver.LinuxDriver, "write", lambda _, data: written.append(data))
    driver = object.__new__(linux_driver.LinuxDriver)
    stay_on_the_other_screen()
    for data in ("before", ENTER_SCREEN, "\x1b[?25l", ENTER_SCREEN):
        driver.write(data)
    assert written == ["before", "\x1b[?25l", ENTER_SCREEN]


@pytest.mark.parametrize(("waiting", "free"), [([0], True), ([2, 2, 1], True), ([2] * 30, False)])
async def test_a_terminal_that_is_busy_for_a_moment_is_waited_for_and_a_stalled_one_is_not(
    waiting: list[int], free: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter(waiting)
    monkeypatch.setattr(DirectOutput, "usable", True)
    monkeypatch.setattr(DirectOutput, "stalled", property(lambda _: next(looks, waiting[-1]) > 1))
    assert await DirectOutput(App()).is_free(patience_s=0.0) is free
