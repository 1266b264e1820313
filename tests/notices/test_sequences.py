"""The bytes, each as its terminal reads it; and that no text gets out of them."""

import random
import re

import pytest

from itermon.notices import sequences
from itermon.notices.sequences import (
    in_ascii,
    osc9,
    osc99,
    osc777,
    pane_title,
    progress,
    through_screen,
    through_tmux,
)

RANDOM_TEXTS = 10_000
ODD = "\x00\x07\x08\t\n\r\x0c\x1b\x7f\x90\x9b\x9c\x9d\u2028\u202e\u200b\ud800;:\\]P[kX^_'?,aé한🙂0123456789 "


def test_the_bytes_of_each_kind() -> None:
    assert osc9("itermon", "done").encode() == b"\x1b]9;itermon: done\x07"
    assert osc777("itermon", "a;b").encode() == b"\x1b]777;notify;itermon;a;b\x07"
    assert osc777("a;b", "c").encode() == b"\x1b]777;notify;a,b;c\x07"
    assert osc99("itermon", "done", "r 1").encode() == (
        b"\x1b]99;i=r-1:d=0:p=title;itermon\x1b\\\x1b]99;i=r-1:d=1:p=body;done\x1b\\"
    )
    assert osc99("itermon", "").encode() == b"\x1b]99;i=itermon:d=1:p=title;itermon\x1b\\"
    assert pane_title("itermon 43 %").encode() == b"\x1b]2;itermon 43 %\x1b\\"


@pytest.mark.parametrize(
    ("share", "bad", "code"),
    [
        (0.43, False, b"\x1b]9;4;1;43\x07"),
        (0.43, True, b"\x1b]9;4;2;43\x07"),
        (2.0, False, b"\x1b]9;4;1;100\x07"),
        (-1.0, False, b"\x1b]9;4;1;0\x07"),
        (None, False, b"\x1b]9;4;0\x07"),
        (float("nan"), True, b"\x1b]9;4;0\x07"),
    ],
)
def test_the_bytes_of_progress(share: float | None, bad: bool, code: bytes) -> None:
    assert progress(share, bad=bad).encode() == code


@pytest.mark.parametrize("text", ["4;1;50", "9;9;/tmp", "12 lines", "; rm", "한"])
def test_a_text_is_never_taken_for_a_command_of_conemu(text: str) -> None:
    said = osc9(text, "").removeprefix("\x1b]9;")
    assert said[0].isalpha()
    assert not re.match(r"\d+(;|$)", said)


def test_tmux_gets_each_escape_doubled() -> None:
    assert through_tmux("\x1b]9;a\x07") == "\x1bPtmux;\x1b\x1b]9;a\x07\x1b\\"
    assert through_tmux(osc99("a", "")) == "\x1bPtmux;\x1b\x1b]99;i=itermon:d=1:p=title;a\x1b\x1b\\\x1b\\"
    assert through_tmux("") == ""


def test_screen_gets_pieces_that_it_can_hold() -> None:
    assert through_screen("\x1b]9;a\x07") == "\x1bP\x1b]9;a\x07\x1b\\"
    long = through_screen(osc9("한" * 120, "한" * 400))
    pieces = re.findall("\x1bP(.*?)\x1b\\\\", long, re.DOTALL)
    assert "".join(pieces) == osc9("한" * 120, "한" * 400)
    assert len(pieces) > 1
    assert all(len(piece.encode()) <= 768 - 4 for piece in pieces)


def test_a_terminal_without_utf8_gets_ascii() -> None:
    assert in_ascii("itermon · 3 × 4 – Ü") == "itermon - 3 x 4 - ?"


def bodies(text: str) -> list[str]:
    """What stands between the frame of each sequence: nothing there may end it or begin another one."""
    long = "a" + text
    said = []
    for sequence, frame in (
        (osc9("itermon", long), r"\x1b\]9;(.*)\x07"),
        (osc777(long, text), r"\x1b\]777;notify;([^;]*);.*\x07"),
        (osc777("t", text), r"\x1b\]777;notify;t;(.*)\x07"),
        (pane_title(text), r"\x1b\]2;(.*)\x1b\\"),
    ):
        found = re.fullmatch(frame, sequence, re.DOTALL)
        assert found, ascii(sequence)
        said.append(found[1])
    kitty = osc99(long, long, text)
    found = re.fullmatch(
        r"\x1b\]99;i=([\w-]+):d=0:p=title;(.*?)\x1b\\\x1b\]99;i=\1:d=1:p=body;(.*)\x1b\\", kitty, re.DOTALL
    )
    assert found, ascii(kitty)
    return [*said, *found.groups()]


def test_of_many_random_texts_nothing_escapes() -> None:
    picked = random.Random(17)
    for _ in range(RANDOM_TEXTS):
        text = "".join(picked.choices(ODD, k=picked.randrange(40)))
        for said in bodies(text):
            assert said.isprintable(), ascii(text)
            assert len(said.encode()) >= len(said)


def test_a_text_is_cut_where_no_terminal_shows_more() -> None:
    assert len(osc777("t" * 9_999, "b" * 9_999)) < 120 + 400 + 20
    assert sequences.plain("a\nb\r\nc", 100) == "a; b; c"
