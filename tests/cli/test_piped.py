"""A trainer that writes into us is read to its end, whoever has stopped to watch it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from on_a_terminal import OnATerminal
from waiting import WITHIN_S, eventually

from itermon.cli import piped
from itermon.cli.exits import INTERRUPTED
from itermon.cli.piped import PipedIn

ITERATIONS = "".join(f"iter {i}: loss 3.5, time 200.00ms, mfu 10.00%\\n" for i in range(30))
TRAINER = f"""
import os, signal, sys, time
print("{ITERATIONS}", flush=True)
try:
    while not os.path.exists("end"):
        print("." * 9_999, flush=True)  # many times what a pipe holds
        time.sleep(0.001)
except KeyboardInterrupt:
    open("interrupted", "w").close()
    print("a checkpoint is saved", flush=True)
    if not sys.argv[1:]:
        sys.exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while not os.path.exists("end"):
        print("...", flush=True)
        time.sleep(0.01)
print("it is done", flush=True)
open("done", "w").close()
"""


class Pipe:
    """A pipe with a reader; `end` closes it for writing."""

    def __init__(self, tee: int | None = None) -> None:
        self.read_fd, self.write_fd = os.pipe()
        self.reader = PipedIn(self.read_fd, tee)

    def writes(self, do: Callable[[], object]) -> threading.Thread:
        thread = threading.Thread(target=do)
        thread.start()
        return thread


@pytest.fixture
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_what_nobody_watches_is_read_until_it_ends(handlers: None, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = Pipe()

    def write() -> None:
        os.write(pipe.write_fd, bytes(1 << 20))  # more than a pipe holds: it returns once somebody has read it
        os.close(pipe.write_fd)

    thread = pipe.writes(write)
    assert pipe.reader.outlive(0) == 0
    thread.join()
    assert capsys.readouterr().err.count("the training goes on") == 1
    assert pipe.reader.outlive(0) == 0, "it has ended: there is nothing to say"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("code", [1, 143])
def test_a_screen_that_was_terminated_ends_at_once(code: int) -> None:
    assert Pipe().reader.outlive(code) == code


def test_what_was_read_is_kept_from_the_beginning(handlers: None, tmp_path: Path) -> None:
    file = tmp_path / "kept"
    pipe = Pipe(os.open(file, os.O_WRONLY | os.O_CREAT))
    os.write(pipe.write_fd, b"watched, ")
    assert pipe.reader.read(pipe.read_fd, 100) == b"watched, "
    os.write(pipe.write_fd, b"and not")
    os.close(pipe.write_fd)
    pipe.reader.outlive(0)
    assert file.read_bytes() == b"watched, and not"


def test_a_full_disk_stops_nobody_and_is_said_in_the_end(
    handlers: None, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = Pipe(os.open("/dev/full", os.O_WRONLY))
    os.write(pipe.write_fd, b"a line\n")
    assert pipe.reader.read(pipe.read_fd, 100) == b"a line\n"
    assert capsys.readouterr().err == "", "the screen is drawn there"
    os.close(pipe.write_fd)
    pipe.reader.outlive(0)
    assert "No space left" in capsys.readouterr().err


def itermon(*arguments: object, given: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "itermon", *map(str, arguments)]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False, timeout=WITHIN_S)


def test_what_is_kept_without_a_screen_is_all_of_it(tmp_path: Path) -> None:
    file, log = tmp_path / "kept", ITERATIONS.replace("\\n", "\n")
    assert "30 iterations" in itermon("-", "--tee", file, given=log).stdout
    assert file.read_text() == log
    again = itermon("-", "--tee", file, given=log)
    assert (again.returncode, again.stderr.count("not overwritten")) == (2, 1)
    assert itermon(file, "--tee", tmp_path / "x", given="").returncode == 2
    assert not (tmp_path / "x").exists()


@pytest.fixture
def pipeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], OnATerminal]]:
    """`python train.py | itermon -` in the foreground of a terminal, drawn."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TRAINER)
    opened: list[OnATerminal] = []

    def start(words: str) -> OnATerminal:
        script = f"{sys.executable} train.py {words} 2>errors | {sys.executable} -m itermon - --tee kept"
        # An interactive shell does not die of a Ctrl-C that its job got.
        opened.append(OnATerminal(["bash", "-c", f"trap : INT; {script}; echo codes ${{PIPESTATUS[*]}}"]))
        assert opened[0].says(b"verdict"), opened[0].written[-500:]
        opened[0].press(b"q")
        assert opened[0].says(b"the training goes on"), opened[0].written[-500:]
        return opened[0]

    yield start
    for terminal in opened:
        terminal.close()


def test_q_does_not_end_the_trainer_that_is_piped_in(
    pipeline: Callable[[str], OnATerminal], tmp_path: Path
) -> None:
    terminal = pipeline("")
    size = (tmp_path / "kept").stat().st_size
    eventually(lambda: (tmp_path / "kept").stat().st_size > size + (1 << 17))
    (tmp_path / "end").touch()
    assert terminal.says(b"codes 0 0"), terminal.written[-500:]
    assert (tmp_path / "done").exists()
    assert (tmp_path / "kept").read_text().endswith("it is done\n")


def test_ctrl_c_then_ends_both_and_the_last_words_are_read(
    pipeline: Callable[[str], OnATerminal], tmp_path: Path
) -> None:
    terminal = pipeline("")
    terminal.press(b"\x03")
    assert terminal.says(b"codes 1 130"), terminal.written[-500:]
    assert (tmp_path / "kept").read_text().endswith("a checkpoint is saved\n")
    assert (tmp_path / "errors").read_text() == "", "no broken pipe"


def test_of_a_trainer_that_hears_no_ctrl_c_the_second_one_ends_us(
    pipeline: Callable[[str], OnATerminal], tmp_path: Path
) -> None:
    terminal = pipeline("deaf")
    terminal.press(b"\x03")
    assert terminal.says(b"Ctrl-C again")
    eventually((tmp_path / "interrupted").exists)
    terminal.press(b"\x03")
    assert terminal.says(b" 130"), terminal.written[-500:]
    assert b"Traceback" not in terminal.written


def test_who_writes_into_a_named_pipe_lives_on_too(tmp_path: Path) -> None:
    """It is no part of our job: it hears no Ctrl-C of ours, and so the first one stops reading."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "train.py").write_text(TRAINER)
    script = f"exec {sys.executable} train.py > pipe 2> errors"
    terminal = OnATerminal([sys.executable, "-m", "itermon", str(tmp_path / "pipe")])
    try:
        with subprocess.Popen(["sh", "-c", script], cwd=tmp_path, start_new_session=True) as trainer:
            assert terminal.says(b"verdict"), terminal.written[-500:]
            terminal.press(b"q")
            assert terminal.says(b"Ctrl-C stops reading"), terminal.written[-500:]
            (tmp_path / "end").touch()
            assert trainer.wait(WITHIN_S) == 0
        assert terminal.ends() == 0
        assert (tmp_path / "errors").read_text() == ""
    finally:
        terminal.close()


@pytest.mark.parametrize(("same_job", "presses"), [(False, 1), (True, 2)])
def test_a_ctrl_c_that_nobody_else_hears_stops_reading_at_once(same_job: bool, presses: int) -> None:
    pipe = PipedIn(0, same_job=same_job)
    for _ in range(presses - 1):
        pipe._interrupt(signal.SIGINT, None)
    with pytest.raises(KeyboardInterrupt):
        pipe._interrupt(signal.SIGINT, None)


def test_a_process_has_one_standard_input() -> None:
    first, second = piped.begin(0, None), piped.begin(0, None)
    assert first is not second
    assert piped.piped_in() is second
    assert INTERRUPTED == 128 + signal.SIGINT
    piped._piped_in.clear()
