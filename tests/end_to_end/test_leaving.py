"""How a terminal is left, whatever ends the program: as it was, and with the status that the signal gives."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from on_a_terminal import OnATerminal

from itermon.tui.drawing import background

ITERMON = (sys.executable, "-m", "itermon")
DEADLY = ["QUIT", "ABRT", "USR1", "ALRM", "XCPU", "RTMIN", "BUS", "SEGV", "FPE", "ILL"]


@pytest.fixture
def starting(tmp_path: Path) -> Iterator[OnATerminal]:
    """The first screen, drawn before there is an app."""
    log = tmp_path / "train.log"
    log.write_text("".join(f"iter {i}: loss 3.5, time 200.00ms, mfu 10.00%\n" for i in range(30)))
    terminal = OnATerminal([*ITERMON, str(log), "--no-machine"])
    assert terminal.says(b"verdict"), terminal.written[-500:]
    assert terminal.modes()
    assert terminal.settings() != terminal.settings_before
    yield terminal
    terminal.close()


@pytest.fixture
def watching(starting: OnATerminal) -> OnATerminal:
    """The watch screen, drawn, and its app, which hears the keys."""
    assert starting.says(b"\x1b]22;default")  # the shape of the pointer: Textual sets it once it is at rest
    return starting


@pytest.mark.parametrize(("name", "code"), [("QUIT", -signal.SIGQUIT), ("TERM", 143), ("HUP", 129), ("INT", 130)])
def test_a_signal_before_there_is_an_app_ends_it_as_later(starting: OnATerminal, name: str, code: int) -> None:
    starting.process.send_signal(getattr(signal, f"SIG{name}"))
    assert starting.ends() == code
    is_as_before(starting)
    assert b"Traceback" not in starting.written


@pytest.mark.parametrize(("key", "code"), [(b"q", 0), (b"\x03", 130)])
def test_a_key_before_there_is_an_app_counts(starting: OnATerminal, key: bytes, code: int) -> None:
    starting.press(key)
    assert starting.ends() == code
    is_as_before(starting)
    assert starting.written.count(b"\x1b[?1049h") == 1


def is_as_before(terminal: OnATerminal) -> None:
    assert terminal.settings() == terminal.settings_before
    assert terminal.modes() == {}


@pytest.mark.parametrize("name", DEADLY)
def test_a_signal_that_ends_it_leaves_the_terminal_as_it_was(watching: OnATerminal, name: str) -> None:
    number = getattr(signal, f"SIG{name}")
    watching.process.send_signal(number)
    assert watching.ends() == -number
    is_as_before(watching)


@pytest.mark.parametrize(("name", "code"), [("TERM", 143), ("HUP", 129), ("INT", 130)])
def test_a_signal_that_asks_it_to_end_gives_its_documented_code(
    watching: OnATerminal, name: str, code: int
) -> None:
    watching.process.send_signal(getattr(signal, f"SIG{name}"))
    assert watching.ends() == code
    is_as_before(watching)
    assert b"Traceback" not in watching.written


@pytest.mark.parametrize(("key", "code"), [(b"q", 0), (b"\x03", 130), (b"l\x03", 130)])
def test_a_key_that_ends_it_gives_its_documented_code(watching: OnATerminal, key: bytes, code: int) -> None:
    watching.press(key)
    assert watching.ends() == code
    is_as_before(watching)


def test_what_is_typed_while_the_terminal_is_asked_for_its_colours_is_kept(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("iter 29: loss 3.5, time 200.00ms, mfu 10.00%\n")
    terminal = OnATerminal([*ITERMON, str(log), "--no-machine"])
    assert terminal.says(background.ASK)
    terminal.press(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\q\x1b[?62c")
    assert terminal.says(b"verdict")
    assert terminal.says(background.WHO_ARE_YOU + b"\x1b"), "what it takes for the key to come"
    terminal.press(b"\x1b[?62c")
    assert terminal.ends() == 0
    is_as_before(terminal)
    terminal.close()


def test_a_fault_in_c_ends_it_as_ever() -> None:
    """Python's handler would only see it after the fault, which comes again before that: without end."""
    script = (
        "import ctypes, signal\nfrom itermon.tui.drawing.leaving import once\n"
        "signal.signal(signal.SIGSEGV, print)\nassert once(signal.SIGSEGV)\nctypes.string_at(0)"
    )
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == -signal.SIGSEGV


def test_a_limit_of_cpu_time_leaves_the_terminal_as_it_was(watching: OnATerminal) -> None:
    resource.prlimit(watching.process.pid, resource.RLIMIT_CPU, (1, 10))
    watching.press(b"+-" * 20)
    assert watching.until(
        lambda: watching.press(b"\x0c?\x1b" * 3) or watching.process.poll() is not None  # redraw, help, back
    )
    assert watching.process.returncode == -signal.SIGXCPU
    watching.ends()
    is_as_before(watching)


def test_a_key_of_a_terminal_without_utf8_does_nothing(watching: OnATerminal) -> None:
    watching.press(b"\xe9\xff\x0c")  # the last draws anew
    assert watching.until(lambda: watching.written.count(b"verdict") > 1)
    watching.press(b"q")
    assert watching.ends() == 0
    is_as_before(watching)
    assert b"Traceback" not in watching.written


def stopped(terminal: OnATerminal) -> bool:
    stat = Path(f"/proc/{terminal.process.pid}/stat").read_text()
    return stat.rpartition(")")[2].split()[0] == "T"


def test_it_is_stopped_and_goes_on(watching: OnATerminal) -> None:
    watching.process.send_signal(signal.SIGTSTP)
    assert watching.until(lambda: stopped(watching))
    watching.read_all()
    is_as_before(watching)
    before = len(watching.written)
    watching.process.send_signal(signal.SIGCONT)
    assert watching.until(lambda: b"verdict" in watching.written[before:])
    watching.press(b"q")
    assert watching.ends() == 0
    is_as_before(watching)


@pytest.mark.parametrize("stop", [True, False])
def test_going_on_out_of_the_blue_leaves_the_terminal_as_it_was(watching: OnATerminal, *, stop: bool) -> None:
    """SIGSTOP cannot be noticed, nor a SIGCONT that follows nothing be distinguished from one that ends it."""
    if stop:
        watching.process.send_signal(signal.SIGSTOP)
        assert watching.until(lambda: stopped(watching))
    before = len(watching.written)
    watching.process.send_signal(signal.SIGCONT)
    assert watching.until(lambda: b"[?1049h" in watching.written[before:])
    watching.press(b"q")
    assert watching.ends() == 0
    is_as_before(watching)


@pytest.mark.parametrize("ignored", [False, True])
def test_without_its_terminal_it_ends_soon_and_does_not_spin(tmp_path: Path, *, ignored: bool) -> None:
    log = tmp_path / "train.log"
    log.write_text("iter 29: loss 3.5, time 200.00ms, mfu 10.00%\n")
    nohup = ("sh", "-c", 'trap "" HUP; exec "$@"', "sh") if ignored else ()
    terminal = OnATerminal([*nohup, *ITERMON, str(log), "--no-machine"])
    assert terminal.says(b"verdict"), terminal.written[-500:]
    before_s = os.times().children_user + os.times().children_system
    used_s = cpu_s(terminal.process.pid)
    closed_s = time.monotonic()
    terminal.hang_up()
    assert terminal.process.wait(60) == 129
    spent_s = os.times().children_user + os.times().children_system - before_s - used_s
    assert spent_s < max(2.0, 0.5 * (time.monotonic() - closed_s)), "it reads the end of its file in a circle"


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
