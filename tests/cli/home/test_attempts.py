"""Attempts of one training are one line, with what they cost, and one report where it is asked for."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from itermon.cli import main
from itermon.cli.home.choosing import lost_work
from itermon.cli.home.deleting import Deleting
from itermon.events import CHECKPOINT, End, EndReason, Event, Iteration, RunInfo, SpanEnd, encode_all
from itermon.reports.run_line import RunLine

AT_S = 1_767_268_800.0
FIRST, SECOND = "gpt.20260101-120000.1", "gpt.20260101-123320.2"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable, name in (("ITERMON_RUNS_DIR", "runs"), ("ITERMON_SOCKETS_DIR", "sockets"), ("HOME", "home")):
        monkeypatch.setenv(variable, str(tmp_path / name))
        (tmp_path / name).mkdir(mode=0o700)
    monkeypatch.setattr("itermon.collectors.host.written.files_written", lambda _: {})
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.chdir(tmp_path / "home")
    keep(tmp_path, FIRST, AT_S, 0, 199, [SpanEnd(CHECKPOINT, iteration=150), End(EndReason.FAILED, AT_S + 205)])
    keep(tmp_path, SECOND, AT_S + 2_000, 150, 299, [End(at_s=AT_S + 2_155)])
    return tmp_path


def keep(folder: Path, run_id: str, at_s: float, first: int, last: int, more: list[Event]) -> None:
    info = RunInfo(name="gpt", launch="abc", started_at_s=at_s)
    steps = [Iteration(i, 1.0, 3.0, at_s=at_s + i - first + 1) for i in range(first, last + 1)]
    path = folder / "runs" / f"{run_id}.jsonl"
    path.write_bytes(encode_all([info, *steps, *more]))
    os.utime(path, (at_s + 205, at_s + 205))


def printed(*words: str) -> str:
    done = CliRunner().invoke(main.main, words, prog_name="itermon")
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_training_is_one_line_with_its_lost_work() -> None:
    for _ in range(2):  # read, and kept
        (run,) = json.loads(printed("runs", "--json"))
        assert (run["run"], run["earlier_attempts"], run["attempts"]) == (SECOND, [FIRST], 2)
        assert (run["lost_iterations"], run["lost_s"], run["attempts_s"]) == (50, 55.0, 205.0 + 155.0)
        assert run["gaps_s"] == 2_000.0 - 205.0
        assert run["goodput"] == pytest.approx(300 / 360, abs=0.02)
    assert "gpt (2 attempts)" in printed("runs")
    assert "lost by restarts: 50 iterations" in printed("runs")


def test_its_other_figures_are_those_of_the_newest_attempt() -> None:
    (run,) = json.loads(printed("runs", "--json"))
    found = json.loads(printed("report", SECOND, "--json"))
    assert (run["iteration"], run["state"]) == (found["progress"]["iteration"], found["ended"])


def test_a_report_of_all_attempts_is_that_of_one_run_with_a_restart() -> None:
    for name in ("gpt", FIRST):
        found = json.loads(printed("report", name, "--attempts", "--json"))
        assert (found["progress"]["restarts"], found["progress"]["first_iteration"]) == (1, 0)
    assert json.loads(printed("report", "gpt", "--json"))["progress"]["restarts"] == 0


def test_logs_of_one_training_are_one_line_with_its_lost_work(folder: Path) -> None:
    for number, first, last in ((123, 0, 199), (124, 150, 299)):
        steps = "".join(f"iter {i}: loss 3.0, time 1000.00ms, mfu 40.00%\n" for i in range(first, last + 1))
        said = "Resuming training from out\n" if first else ""
        path = folder / "home" / f"slurm-{number}.out"
        path.write_text(f"tokens per iteration will be: 491,520\n{said}{steps}")
        os.utime(path, (AT_S + number, AT_S + number))
    (run,) = [one for one in json.loads(printed("runs", "--json")) if one["name"].startswith("slurm")]
    assert (run["run"], run["earlier_attempts"]) == ("./slurm-124.out", ["./slurm-123.out"])
    assert (run["attempts"], run["lost_iterations"], run["iteration"]) == (2, 50, 299)
    assert (run["lost_s"], run["attempts_s"], run["goodput"]) == (None, None, None), "no clock says it"
    assert "slurm-124.out (2 attempts)" in printed("runs")
    for name in ("slurm-123.out", "./slurm-124.out"):
        progress = json.loads(printed("report", name, "--attempts", "--json"))["progress"]
        assert (progress["restarts"], progress["first_iteration"], progress["iteration"]) == (1, 0, 299)
    Path("slurm-123.out").unlink()
    done = CliRunner().invoke(main.main, ["report", "slurm-124.out", "--attempts"])
    assert done.exit_code == 66
    assert "no other log beside it is known to be an attempt of the same training" in done.output


def test_where_there_is_one_attempt_it_is_said(folder: Path) -> None:
    (folder / "runs" / f"{SECOND}.jsonl").unlink()
    done = CliRunner().invoke(main.main, ["report", "gpt", "--attempts"])
    assert done.exit_code == 66
    assert "no other run is known to be an attempt of the same training" in done.output


def test_what_is_shown_as_one_run_is_deleted_as_one(folder: Path) -> None:
    question, may = Deleting().ask([SECOND])
    assert may
    assert "2 files" in question
    assert Deleting().do([SECOND]) == ""
    assert list((folder / "runs").iterdir()) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (RunLine(attempts=2), ""),
        (RunLine(lost_iterations=1), "lost by restarts: 1 iteration"),
        (RunLine(lost_iterations=2, lost_s=600.0), "lost by restarts: 2 iterations, 10 m"),
    ],
)
def test_what_was_lost_is_said_in_few_words(line: RunLine, said: str) -> None:
    assert lost_work(line) == said
