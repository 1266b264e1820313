"""How a process ends is how its run ends, for trainers in processes of their own."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from waiting import eventually

from itermon import run_files
from itermon.events import (
    End,
    Iteration,
    SpanEnd,
    decode,
)


def run(script: str, *, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a trainer to its end; `hooks` is there, and its recording's path is the last line printed."""
    head = "import os, sys\nimport itermon\nhooks = itermon.Hooks('run')\nprint(hooks.recording, flush=True)\n"
    result = subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if check:
        assert result.returncode == 0, result.stderr
    return result


def lines_of(result: subprocess.CompletedProcess[str]) -> bytes:
    return Path(result.stdout.splitlines()[0]).read_bytes()


@pytest.mark.parametrize(
    ("last_line", "reason"),
    [
        ("pass", "finished"),
        ("raise ValueError('nan')", "failed"),
        ("raise KeyboardInterrupt", "interrupted"),
        ("sys.exit(0)", "finished"),
        ("sys.exit(1)", "failed"),
        ("sys.exit('no data')", "failed"),
        ("try: sys.exit(1)\nexcept SystemExit: hooks.iteration(1)", "finished"),
        ("import threading; t = threading.Thread(target=sys.exit, args=(1,)); t.start(); t.join()", "finished"),
        ("hooks.close('failed')", "failed"),
    ],
)
def test_the_end_is_reported_with_its_reason(last_line: str, reason: str) -> None:
    result = run(f"hooks.iteration(0)\n{last_line}", check=False)
    *_, iteration, end = map(decode, lines_of(result).splitlines())
    assert isinstance(iteration, Iteration)
    assert isinstance(end, End)
    assert end.reason == reason


def test_an_exit_without_a_word_leaves_what_was_flushed_and_no_end() -> None:
    result = run("""
        import time
        hooks.iteration(0)
        while b'"index":0' not in open(hooks.recording, 'rb').read(): time.sleep(0.01)
        os._exit(0)
        """)
    assert b'"index":0' in lines_of(result)
    assert b'"end"' not in lines_of(result)


def test_a_forked_child_neither_emits_nor_ends_the_run() -> None:
    result = run("""
        hooks.iteration(0)
        child = os.fork()
        if child == 0:
            hooks.iteration(666)
            hooks.close()
            assert not hooks.alive
            sys.exit(0)  # runs what is registered for the exit
        assert os.waitpid(child, 0)[1] == 0
        assert os.path.exists(hooks.address)
        hooks.iteration(1)
        """)
    assert b'"index":666' not in lines_of(result)
    assert lines_of(result).count(b'"type":"end"') == 1
    assert b'"index":1' in lines_of(result)


def test_children_of_a_trainer_whose_run_is_over_keep_all_their_files() -> None:
    result = run("""
        hooks.iteration(0)
        hooks.close()
        files = [os.open(os.devnull, os.O_RDONLY) for _ in range(32)]  # they get the numbers that the hooks had
        child = os.fork()
        if child == 0:
            for file in files:
                os.fstat(file)
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        """)
    assert b'"index":0' in lines_of(result)


def test_waking_a_run_that_is_over_writes_into_no_file_of_the_trainers() -> None:
    result = run("""
        import tempfile
        hooks.close()
        files = [tempfile.TemporaryFile(buffering=0) for _ in range(32)]
        hooks._emitter.delivery.wake()
        assert not any(os.fstat(file.fileno()).st_size for file in files)
        """)
    assert b'"end"' in lines_of(result)


def test_a_signal_that_the_trainer_blocks_to_wait_for_it_is_left_to_it() -> None:
    result = run("""
        import signal
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
        hooks.iteration(0)
        while b'"index":0' not in open(hooks.recording, 'rb').read(): pass
        os.kill(os.getpid(), signal.SIGUSR1)  # another thread that does not block it would end the process
        assert signal.sigtimedwait({signal.SIGUSR1}, 30).si_signo == signal.SIGUSR1
        """)
    assert b'"end"' in lines_of(result)


def test_a_killed_trainers_children_do_not_keep_its_socket_open(run_folders: Path) -> None:
    script = """
        if os.fork() == 0:
            os.close(1), os.close(2)
            signal.pause()
        hooks.iteration(0)
        print('up', os.getpid(), flush=True)
        signal.pause()
        """
    head = "import os, signal\nimport itermon\nhooks = itermon.Hooks('run')\n"
    trainer = subprocess.Popen(
        [sys.executable, "-c", head + textwrap.dedent(script)], stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert trainer.stdout is not None
        assert trainer.stdout.readline().startswith(b"up")
        (path,) = (run_folders / "sockets").iterdir()
        trainer.kill()
        trainer.wait()

        def refused() -> bool:
            with run_files.address(path) as address, socket.socket(socket.AF_UNIX) as viewer:
                return viewer.connect_ex(address) == errno.ECONNREFUSED

        eventually(refused)  # once the child has run, which a busy machine may delay
    finally:
        os.killpg(trainer.pid, signal.SIGKILL)
        trainer.stdout.close()


@pytest.mark.parametrize(
    ("last_line", "reason"),
    [("pass", "finished"), ("raise ValueError('nan')", "failed"), ("raise KeyboardInterrupt", "interrupted")],
)
def test_what_comes_after_a_training_is_of_its_run_and_the_process_ends_it(last_line: str, reason: str) -> None:
    result = run(
        f"""
from itermon.trainer_hooks import one_run
hooks.iteration(0)
one_run.is_over(hooks)
with hooks.evaluation(): pass
{last_line}""",
        check=False,
    )
    *_, evaluation, end = map(decode, lines_of(result).splitlines())
    assert isinstance(evaluation, SpanEnd)
    assert isinstance(end, End)
    assert end.reason == reason
