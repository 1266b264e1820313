"""The terminal as a channel."""

import os

import pytest

from itermon.notices import to_terminal
from itermon.notices.channel import NotDeliveredError
from itermon.notices.message import Message, Phase
from itermon.notices.terminals import terminal_of
from itermon.notices.to_terminal import TerminalChannel, write_to_own

MESSAGE = Message(
    id="a/1", run="gpt", phase=Phase.BEGAN, kind="silent", state="silent", evidence=("12 m",), host="box"
)


def test_it_writes_the_title_and_the_first_lines() -> None:
    written: list[str] = []
    TerminalChannel(terminal_of({"TERM": "foot", "LANG": "C.UTF-8"}), written.append).deliver(MESSAGE)
    assert written == ["\x1b]777;notify;itermon · gpt: silent;on box; 12 m\x07"]


def test_a_terminal_that_is_gone_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_: int) -> str:
        raise OSError(6, "No such device")

    monkeypatch.setattr(to_terminal.os, "ttyname", gone)
    with pytest.raises(NotDeliveredError, match="no terminal any more") as error:
        write_to_own("x")
    assert not error.value.again


def test_it_writes_to_the_terminal_behind_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.openpty()
    name = os.ttyname(theirs)
    monkeypatch.setattr(to_terminal.os, "ttyname", lambda _: name)
    write_to_own("\x07")
    assert os.read(ours, 10) == b"\x07"
    os.close(ours)
    os.close(theirs)
