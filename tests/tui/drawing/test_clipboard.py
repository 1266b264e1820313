"""What is written so that a terminal copies: one sequence, bounded, and nothing in it that anybody obeys."""

import base64
import re

from itermon.tui.drawing.clipboard import MOST_CHARACTERS, copied, sequences


def payloads(written: str) -> list[str]:
    found = re.findall(r"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", written.replace("\x1b\x1b", "\x1b"))
    return [base64.b64decode(each).decode() for each in found]


def test_a_terminal_gets_it_once_and_tmux_in_both_ways_that_it_takes() -> None:
    assert payloads(sequences("größer ≈ 1", {})) == ["größer ≈ 1"]
    written = sequences("größer ≈ 1", {"TMUX": "/tmp/tmux-0/default,1,0"})
    assert payloads(written) == ["größer ≈ 1"] * 2
    assert written.endswith("\x07\x1b\\")
    wrapped = written[written.index("\x1bPtmux;") + 7 : -2]
    assert "\x1b" not in wrapped.replace("\x1b\x1b", "")


def test_what_is_copied_is_clean_and_bounded() -> None:
    assert copied("a\x1b]52;c;aGk=\x07b  \n\n c\x9b2Jd\t.\u202e\n") == "ab\n\n cd     .\ufffd"
    assert len(copied("x" * 100 + "\n" * (1 << 20) + "y")) == 100
    assert len(copied("line\n" * MOST_CHARACTERS)) <= MOST_CHARACTERS
