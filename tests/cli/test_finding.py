"""The log that is meant where no file is named."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tracker_stores import mlflow_folder
from waiting import eventually

from itermon.cli import exits
from itermon.cli.main import main

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")

LINE = "iter %d: loss 3.5, time 200.00ms, mfu 10.00%%"
TRAIN = f"""
import sys
for i in range(20): print({LINE!r} % i)
sys.stdout.flush()
other = open(sys.argv[1], "w") if sys.argv[1:] else None
if other:
    for i in range(30): print({LINE!r} % i, file=other, flush=True)
print("written", file=sys.stderr, flush=True)
sys.stdin.readline()
"""


def report(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, arguments)], prog_name="itermon")


@contextmanager
def trainer(out: object, *arguments: object) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has printed 20 iterations to `out` (and 30 into the file of its argument), and lives on."""
    command = [sys.executable, "-c", TRAIN, *map(str, arguments)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE)
    try:
        assert process.stderr.readline() == b"written\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_the_log_of_a_process_is_the_file_that_its_output_goes_to(tmp_path: Path) -> None:
    with (tmp_path / "train.out").open("w") as out, trainer(out, tmp_path / "other.log") as process:
        result = report("--pid", process.pid)
    assert "20 iterations" in result.stdout
    assert f"process {process.pid} writes {tmp_path / 'train.out'} (nanoGPT log" in result.stderr


def test_the_files_of_its_output_and_its_errors_are_one_run(tmp_path: Path) -> None:
    with (tmp_path / "train.out").open("w") as out, (tmp_path / "train.err").open("w") as err:
        command = [sys.executable, "-c", TRAIN]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=err)
        eventually(lambda: "written" in (tmp_path / "train.err").read_text())
        with (tmp_path / "train.err").open("a") as more:
            more.write("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n")
        result = report("--pid", process.pid)
        process.kill()
        process.communicate()
    assert f"and next to it {tmp_path / 'train.err'}" in result.stderr
    assert "20 iterations" in result.stdout
    assert "train.err: torch.OutOfMemoryError" in result.stdout


def test_behind_tee_it_is_the_file_that_tee_writes(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    with trainer(subprocess.PIPE) as process:
        tee = subprocess.Popen(["tee", log], stdin=process.stdout, stdout=subprocess.DEVNULL)
        # tee writes its output before its file.
        eventually(lambda: log.exists() and log.read_bytes().count(b"\n") == 20)
        assert "20 iterations" in report("--pid", process.pid).stdout
    tee.wait()


def test_where_its_output_is_no_log_it_is_a_log_that_it_has_open(tmp_path: Path) -> None:
    with trainer(subprocess.DEVNULL, tmp_path / "train.log") as process:
        assert "30 iterations" in report("--pid", process.pid).stdout


def test_an_output_that_nobody_can_read_is_said_with_what_to_do_instead() -> None:
    terminal, inside = os.openpty()
    with trainer(inside) as process:
        result = report("--pid", process.pid)
        assert result.exit_code == exits.NO_INPUT
        assert f"process {process.pid}: its output is a terminal ({os.ttyname(inside)})" in result.output
        assert "tee train.log" in result.output
    os.close(terminal)
    os.close(inside)
    with trainer(subprocess.PIPE) as process:
        assert "its output goes into another process (pipe), which nobody" in report("--pid", process.pid).output
    assert "there is none" in report("--pid", process.pid).output


def test_without_a_path_and_without_a_process_the_question_is_asked() -> None:
    result = report()
    assert result.exit_code == 2
    assert "--pid" in result.output


def test_of_several_runs_one_is_chosen_by_its_name(tmp_path: Path) -> None:
    mlflow_folder(tmp_path, 3, run="aa")
    mlflow_folder(tmp_path, 5, run="bb")
    newest = report(tmp_path / "mlruns")
    assert "one of 2; another: --run NAME" in newest.stderr
    named = report(tmp_path / "mlruns", "--run", "aa")
    assert "3 iterations seen" in named.stdout
    assert "the run 'aa' of MLflow in it is 1/aa" in named.stderr
    missing = report(tmp_path, "--run", "cc")
    assert (missing.exit_code, "no run 'cc' of a tracker in it" in missing.stderr) == (exits.NO_INPUT, True)


def test_a_log_has_no_runs_to_choose_from(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(LINE % 1)
    refused = report(tmp_path / "train.log", "--run", "aa")
    assert (refused.exit_code, "no tracker's record" in refused.stderr) == (exits.NO_INPUT, True)


def test_aims_own_database_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / ".aim" / "meta").mkdir(parents=True)
    refused = report(tmp_path)
    assert refused.exit_code == exits.NO_INPUT
    assert "Aim's own database, which only aim reads. What the script prints can be watched" in refused.stderr
