"""Which terminal it is: by what it says of itself, here, over ssh, in tmux and in screen."""

import contextlib
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import eventually

from itermon.notices.terminals import BELL, OSC9, OSC99, OSC777, terminal_of

TMUX = shutil.which("tmux")
UTF8 = {"LANG": "C.UTF-8"}


@pytest.mark.parametrize(
    ("environment", "name", "protocol"),
    [
        ({"TERM_PROGRAM": "iTerm.app"}, "iTerm2", OSC9),
        ({"LC_TERMINAL": "iTerm2", "TERM": "xterm-256color"}, "iTerm2", OSC9),
        ({"TERM": "xterm-kitty"}, "kitty", OSC99),
        ({"KITTY_WINDOW_ID": "1", "TERM": "xterm-256color"}, "kitty", OSC99),
        ({"TERM": "xterm-ghostty"}, "Ghostty", OSC777),
        ({"TERM_PROGRAM": "WezTerm"}, "WezTerm", OSC777),
        ({"TERM": "foot"}, "foot", OSC777),
        ({"TERM": "rxvt-unicode-256color"}, "rxvt", OSC777),
        ({"VTE_VERSION": "7006", "TERM": "xterm-256color"}, "VTE", OSC777),
        ({"WT_SESSION": "f-1", "TERM": "xterm-256color"}, "Windows Terminal", BELL),
        ({"TERM_PROGRAM": "Apple_Terminal", "TERM": "xterm-256color"}, "an unknown terminal", BELL),
        ({"TERM": "alacritty"}, "an unknown terminal", BELL),
        ({}, "an unknown terminal", BELL),
    ],
)
def test_a_terminal_is_known_by_its_variables(environment: dict[str, str], name: str, protocol: str) -> None:
    kind = terminal_of(UTF8 | environment).kind
    assert (kind.name, kind.protocol) == (name, protocol)


def test_what_is_not_known_gets_the_bell() -> None:
    assert terminal_of(UTF8).notification("itermon", "done") == "\x07"
    assert terminal_of(UTF8, OSC9).notification("itermon", "done") == "\x1b]9;itermon: done\x07"


@pytest.mark.parametrize(
    ("said", "sequence"),
    [
        ("WezTerm 2024\txterm-256color\t1\n", "\x1bPtmux;\x1b\x1b]777;notify;itermon;done\x07\x1b\\\x07"),
        ("\txterm-kitty\ton\n", "\x1bPtmux;\x1b\x1b]99;i=n:d=0:p=title;itermon\x1b\x1b\\"),
        ("iTerm2 3.5\txterm-256color\t0\n", "\x07"),  # tmux hands nothing on
        ("\t\t1\n", "\x07"),  # nobody is attached
        ("", "\x07"),  # tmux does not answer
    ],
)
def test_in_tmux_the_terminal_that_shows_it_counts(said: str, sequence: str) -> None:
    environment = UTF8 | {"TMUX": "/tmp/tmux,1,0", "TERM_PROGRAM": "tmux", "KITTY_WINDOW_ID": "of tmux' own start"}
    terminal = terminal_of(environment, ask_tmux=lambda _: said)
    assert terminal.notification("itermon", "done", "n").startswith(sequence)
    assert terminal.notification("itermon", "done", "n").endswith("\x07")


def test_in_screen_it_is_wrapped_but_for_what_would_end_screens_own_string() -> None:
    environment = UTF8 | {"STY": "1.pts-0"}
    assert terminal_of(environment).notification("a", "b") == "\x07"
    assert terminal_of(environment, OSC9).notification("a", "b") == "\x1bP\x1b]9;a: b\x07\x1b\\\x07"
    assert terminal_of(environment, OSC99).notification("a", "b") == "\x07"


def test_progress_is_shown_where_it_is_known_to_be() -> None:
    assert terminal_of(UTF8 | {"WT_SESSION": "1"}).progress(0.5) == "\x1b]9;4;1;50\x07"
    assert terminal_of(UTF8 | {"TERM_PROGRAM": "iTerm.app"}).progress(0.5) == ""  # an old one would say it aloud
    inside = {"TMUX": "x", **UTF8}
    assert terminal_of(inside, ask_tmux=lambda _: "ghostty 1.2\t\t1").progress(1.0) == (
        "\x1bPtmux;\x1b\x1b]9;4;1;100\x07\x1b\\"
    )
    assert terminal_of(inside, ask_tmux=lambda _: "ghostty 1.2\t\t0").progress(1.0) == ""


def test_without_utf8_all_is_ascii() -> None:
    latin = terminal_of({"TERM": "foot", "LANG": "de_DE.ISO-8859-1"})
    assert latin.notification("Ü · x", "").isascii()
    assert latin.pane_title("Ü · x") == "\x1b]2;? - x\x1b\\"


SENDS = """
import sys
from itermon.notices.terminals import this_terminal
terminal = this_terminal("osc9")
sys.stdout.write(terminal.pane_title("itermon 43 %") + terminal.notification("itermon", "caf\\u00e9;\\x1b[2J"))
sys.stdout.flush()
"""


class Shown:
    """A tmux with one pane, shown on a terminal that keeps every byte that it gets."""

    def __init__(self, socket: Path) -> None:
        self._command = [str(TMUX), "-S", str(socket), "-f", os.devnull]
        self._environment = os.environ | {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self._environment.pop("TMUX", None)
        self._terminal = -1
        self.got = b""

    def tmux(self, *arguments: str) -> str:
        command = [*self._command, *arguments]
        return subprocess.run(command, env=self._environment, capture_output=True, text=True, check=True).stdout

    def attach(self) -> None:
        pid, self._terminal = pty.fork()
        if not pid:
            os.execvpe(self._command[0], [*self._command, "attach"], self._environment)
        os.set_blocking(self._terminal, False)
        eventually(lambda: self.read() and self.tmux("list-clients").strip())

    def read(self) -> bytes:
        with contextlib.suppress(OSError):
            self.got += os.read(self._terminal, 1 << 16)
        return self.got

    def close(self) -> None:
        subprocess.run([*self._command, "kill-server"], env=self._environment, capture_output=True, check=False)
        os.close(self._terminal)


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Shown]:
    shown = Shown(tmp_path / "socket")
    yield shown
    shown.close()


@pytest.mark.skipif(TMUX is None, reason="tmux is not installed: apt install tmux")
@pytest.mark.parametrize("passes", ["on", "off"])
def test_a_real_tmux_hands_on_exactly_these_bytes(shown: Shown, tmp_path: Path, passes: str) -> None:
    program = tmp_path / "sends.py"
    program.write_text(SENDS)
    shown.tmux("new-session", "-d", "-x", "60", "-y", "5", "cat")
    shown.tmux("set-option", "-g", "allow-passthrough", passes)
    shown.attach()
    shows = shlex.join([sys.executable, str(program)])
    shown.tmux("respawn-pane", "-k", f"sh -c {shlex.quote(f'{shows}; echo gone; cat')}")
    eventually(lambda: b"gone" in shown.read(), lambda: shown.got)
    assert shown.tmux("display-message", "-p", "#{pane_title}").strip() == "itermon 43 %"
    assert (b"\x1b]9;itermon: caf\xc3\xa9;\x07" in shown.got) == (passes == "on")
    assert re.search(rb"(?<!\xa9;)\x07", shown.got), "the bell, which tmux hands on in any case"
    assert b"2J" not in shown.got.partition(b"]9;")[2].partition(b"\x07")[0]
