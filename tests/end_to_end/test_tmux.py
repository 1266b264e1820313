"""The installed `itermon` in a real tmux: what a person sees, and how the terminal is left."""

import fcntl
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import eventually

from itermon.events import End, Iteration, RunInfo, encode_all

TMUX = shutil.which("tmux")
ITERMON = f"{shlex.quote(sys.executable)} -m itermon"
WRITER = """
import itertools, sys, time
print("tokens per iteration will be: 491,520", flush=True)
for i in itertools.count():
    if i and i % 20 == 0:
        print(f"step {i}: train loss 3.2000, val loss 3.3000", flush=True)
    print(f"iter {i}: loss {5 / (1 + i / 50):.4f}, time {900 if i % 20 == 0 else 200 + i % 3}.00ms", flush=True)
    time.sleep(0 if i < 40 else 0.05)
"""

pytestmark = pytest.mark.skipif(TMUX is None, reason="tmux is not installed: apt install tmux")


class Terminal:
    """A tmux of its own with one pane. `says` waits until the pane's text matches."""

    def __init__(self, folder: Path) -> None:
        self.socket = str(folder / "tmux")
        self.environment = os.environ | {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self.environment.pop("TMUX", None)

    def tmux(self, *arguments: str) -> str:
        command = [str(TMUX), "-S", self.socket, "-f", os.devnull, *arguments]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True).stdout

    def run(self, command: str, width: int = 120, height: int = 36) -> None:
        """Run `command` in a shell that tells its exit code and the terminal's modes, and stays."""
        script = f"{command}; echo code=$?; stty -a | tr ';' '\\n' | grep icanon; echo over; cat"
        self.tmux("new-session", "-d", "-x", str(width), "-y", str(height), f"sh -c {shlex.quote(script)}")

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")

    def asks(self, question: str) -> str:
        return self.tmux("display-message", "-p", question).strip()

    def press(self, key: str) -> None:
        self.tmux("send-keys", key)

    def says(self, pattern: str) -> re.Match[str]:
        return eventually(lambda: re.search(pattern, self.screen()), lambda: f"{pattern!r} in\n{self.screen()}")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path)
    yield terminal
    subprocess.run([str(TMUX), "-S", terminal.socket, "kill-server"], capture_output=True, check=False)


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[Path]:
    """A log that a process is writing."""
    path = tmp_path / "train.log"
    with path.open("wb") as log, subprocess.Popen([sys.executable, "-c", WRITER], stdout=log) as writer:
        yield path
        assert writer.poll() is None, "watching has ended the trainer"
        writer.kill()


def itermon_in(terminal: Terminal) -> int:
    """The PID of the itermon that runs in the pane: the shell's only child."""
    shell = terminal.asks("#{pane_pid}")
    return int(Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0])


def is_as_before(terminal: Terminal) -> bool:
    """Normal screen, no mouse reports, cursor shown, lines and echo handled by the terminal again."""
    modes = terminal.asks("#{alternate_on} #{mouse_any_flag} #{mouse_sgr_flag} #{cursor_flag}")
    return modes == "0 0 0 1" and re.search(r"(?<!-)\bicanon", terminal.screen()) is not None


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 36)])
def test_a_log_that_is_being_written_is_watched_live(
    width: int, height: int, terminal: Terminal, growing: Path
) -> None:
    terminal.run(f"{ITERMON} {growing} --max-iters 5000", width, height)
    first = int(terminal.says(r"iter (\d+) of 5,000")[1])
    terminal.says(r"iteration time")
    terminal.says(r"20[012] ms")
    eventually(lambda: int(terminal.says(r"iter (\d+) of 5,000")[1]) > first)
    terminal.press("q")
    terminal.says("code=0")
    terminal.says("over")
    assert is_as_before(terminal)


def test_an_empty_file_is_waited_for(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "soon.log"
    path.touch()
    terminal.run(f"{ITERMON} {path}")
    terminal.says(r"(?i)empty|waiting")
    path.write_text("".join(f"iter {i}: loss 3.0000, time 210.00ms, mfu 20.00%\n" for i in range(30)))
    terminal.says(r"iter 29\b")


def test_what_is_piped_in_is_watched_and_the_keys_work(terminal: Terminal) -> None:
    ending = WRITER.replace("itertools.count()", "range(160)")  # it is read to its end when the screen is left
    terminal.run(f"{shlex.quote(sys.executable)} -c {shlex.quote(ending)} | {ITERMON} -")
    terminal.says(r"iter ([4-9]|1\d)\d")
    terminal.press("q")
    terminal.says("code=0")
    terminal.says("over")
    assert is_as_before(terminal)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_leaves_the_terminal_as_it_was(
    number: signal.Signals, code: int, terminal: Terminal, growing: Path
) -> None:
    terminal.run(f"{ITERMON} {growing}")
    terminal.says(r"iteration time")
    os.kill(itermon_in(terminal), number)
    terminal.says(f"code={code}")
    terminal.says("over")
    assert is_as_before(terminal)


def test_the_demo_is_watched_and_leaves_nothing(terminal: Terminal, tmp_path: Path) -> None:
    terminal.environment |= {"TMPDIR": str(tmp_path), "ITERMON_SOCKETS_DIR": str(tmp_path / "sockets")}
    terminal.run(f"{ITERMON} demo")
    terminal.says(r"iter \d+ of 200")
    assert list(tmp_path.glob("itermon-demo-*/train.log"))
    terminal.press("q")
    terminal.says("code=0")
    assert not list(tmp_path.glob("itermon-demo-*"))


def test_a_pane_that_is_closed_ends_itermon(terminal: Terminal, growing: Path) -> None:
    terminal.run(f"{ITERMON} {growing}")
    terminal.says(r"iteration time")
    process = Path(f"/proc/{itermon_in(terminal)}")
    terminal.tmux("kill-server")
    eventually(lambda: not process.exists(), (process / "status").read_text)


def test_ctrl_z_goes_to_the_shell_and_fg_comes_back_to_a_whole_screen(terminal: Terminal, growing: Path) -> None:
    terminal.tmux("new-session", "-d", "-x", "80", "-y", "24", "env PS1='shell>' bash --norc -i")
    terminal.says("shell>")
    for command in (f"{ITERMON} {growing}", "fg"):
        terminal.tmux("send-keys", "-l", command)
        terminal.press("Enter")
        terminal.says(r"(?s)train\.log.*iteration time.*q quit")
        terminal.press("C-z")
        terminal.says("Stopped")
        assert terminal.asks("#{alternate_on} #{mouse_any_flag} #{cursor_flag}") == "0 0 1"
        terminal.tmux("send-keys", "-l", "clear")
        terminal.press("Enter")
        eventually(lambda: "Stopped" not in terminal.screen())
    terminal.tmux("send-keys", "-l", "fg")
    terminal.press("Enter")
    terminal.says("q quit")
    terminal.press("q")
    terminal.says("shell>")


def test_what_is_copied_comes_into_the_buffer_of_tmux(terminal: Terminal, growing: Path) -> None:
    terminal.run(f"{ITERMON} {growing}", 80, 24)
    terminal.says(r"iteration time")
    terminal.press("y")
    terminal.says(r"copied the verdict \(\d+ lines\)")
    assert "train.log, iteration " in eventually(lambda: terminal.tmux("show-buffer"))
    terminal.press("C-p")
    terminal.says(r"what to do")
    terminal.tmux("send-keys", "-l", "quit")
    terminal.press("Enter")
    terminal.says(r"code=0")


def test_a_run_is_picked_from_a_list_that_goes_on_with_what_happens(terminal: Terminal, tmp_path: Path) -> None:
    terminal.environment |= {
        "ITERMON_RUNS_DIR": str(tmp_path / "runs"),
        "ITERMON_SOCKETS_DIR": str(tmp_path / "sockets"),
    }
    with Recorded(tmp_path, "bert"):
        pass
    terminal.run(ITERMON, 80, 24)
    terminal.says(r"bert +finished +29 +100 ms +.* ago")
    with Recorded(tmp_path, "gpt"):
        terminal.says(r"gpt +running +29 +100 ms +.* ago")
    terminal.says(r"gpt +lost")
    terminal.tmux("send-keys", "-l", "bert")
    terminal.says(r"1 of 2")
    terminal.press("Enter")
    terminal.says(r"(?s)bert.*finished.*iteration time")
    terminal.press("q")
    terminal.says("code=0")
    terminal.says("over")
    assert is_as_before(terminal)


class Recorded:
    """A run that is being recorded, until it is lost; one called bert has finished."""

    def __init__(self, folder: Path, name: str) -> None:
        (folder / "runs").mkdir(exist_ok=True)
        self.path = folder / "runs" / f"{name}.20260101-120000.{len(name)}.jsonl"
        now_s = time.time()
        events = [RunInfo(name=name), *(Iteration(i, 0.1, at_s=now_s - 3 + i / 10) for i in range(30))]
        self.path.write_bytes(encode_all([*events, *([End(at_s=now_s)] if name == "bert" else [])]))

    def __enter__(self) -> None:
        self.lock = os.open(self.path, os.O_RDONLY)
        fcntl.flock(self.lock, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        os.close(self.lock)
