"""Whether the terminal is light: it is asked once, and one that does not answer is not waited for."""

from __future__ import annotations

import os
import pty
import termios
import threading

import pytest

from itermon.tui.drawing import background


@pytest.mark.parametrize(
    ("answer", "light"),
    [
        (b"\x1b]11;rgb:0000/2b2b/3636\x1b\\\x1b[?62;22c", False),
        (b"\x1b]11;rgb:fdfd/f6f6/e3e3\x07\x1b[?1;2c", True),
        (b"\x1b]11;rgb:ff/ff/ff\x07", True),
        (b"\x1b]11;rgba:0/0/0/f\x07", False),
        (b"\x1b[?62;22c", None),
        (b"", None),
        (b"\x1b]11;rgb:zz/ff/ff\x07", None),
    ],
)
def test_what_an_answer_says(answer: bytes, light: bool | None) -> None:
    assert background.light_in(answer) is light


@pytest.fixture
def terminal() -> tuple[int, int]:
    return pty.openpty()


def answering(side: int, answer: bytes) -> threading.Thread:
    def answer_once() -> None:
        assert os.read(side, 64) == background.ASK
        os.write(side, answer)

    thread = threading.Thread(target=answer_once)
    thread.start()
    return thread


def test_a_terminal_that_tells_is_not_waited_for_any_longer(terminal: tuple[int, int]) -> None:
    side, ours = terminal
    before = termios.tcgetattr(ours)
    thread = answering(side, b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62c")
    assert background.is_light(ours, ours, patience_s=60) is True
    thread.join()
    assert termios.tcgetattr(ours) == before


def test_one_that_knows_no_colours_says_at_least_what_it_is(terminal: tuple[int, int]) -> None:
    side, ours = terminal
    thread = answering(side, b"\x1b[?1;2c")
    assert background.is_light(ours, ours, patience_s=60) is None
    thread.join()


def test_one_that_says_nothing_is_not_waited_for(terminal: tuple[int, int]) -> None:
    _, ours = terminal
    assert background.is_light(ours, ours, patience_s=0.0) is None


def test_what_is_no_terminal_is_not_asked() -> None:
    read, write = os.pipe()
    assert background.is_light(read, write) is None
    os.close(write)
    assert os.read(read, 9) == b""


@pytest.mark.parametrize(
    "came", [b"q", b"l\x1b]11;rgb:ffff/ffff/ffff\x07+\x1b[?62c", b"\x1b[A\x1b[?62;22c", b"\xc3\xa9\x1b[?1;2c"]
)
def test_what_is_typed_meanwhile_is_kept_for_whoever_reads_the_keys(
    terminal: tuple[int, int], came: bytes
) -> None:
    side, ours = terminal
    thread = answering(side, came)
    background.is_light(ours, ours, patience_s=60 if came.endswith(b"c") else 0.2)
    thread.join()
    typed = came.replace(b"\x1b]11;rgb:ffff/ffff/ffff\x07", b"").rpartition(b"\x1b[?")[0] or came
    assert background.take_typed() == typed
    assert background.take_typed() == b"", "once"
