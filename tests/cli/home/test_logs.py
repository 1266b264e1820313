"""Which logs are runs: known by their content, each looked into once; and those that processes write."""

from pathlib import Path

import pytest

from itermon.cli.home.logs import Logs
from itermon.collectors.host import written
from itermon.collectors.logs import finding
from itermon.collectors.slurm.jobs import JobLog
from itermon.collectors.slurm.squeue import Job


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine."""
    monkeypatch.setattr("itermon.cli.home.logs._NEW_S", 60.0)


LINES = "".join(f"iter {i}: loss 2.5000, time 100.00ms, mfu 40.00%\n" for i in range(40))


def test_a_file_is_looked_into_once_unless_it_is_young(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    real = finding.recognised
    monkeypatch.setattr(finding, "recognised", lambda path: (looked.append(path.name), real(path))[1])
    (tmp_path / "train.log").write_text("starting\n")
    (tmp_path / "big.txt").write_text("word\n" * 20_000)
    here = Logs(tmp_path, processes=False)
    assert here(0.0) == []
    (tmp_path / "train.log").write_text(LINES)
    assert [place.name for place in here(0.0)] == ["train.log"]
    assert [(place.name, place.key) for place in here(0.0)] == [("train.log", "./train.log")]
    assert sorted(looked) == ["big.txt", "train.log", "train.log"]


def test_new_files_are_looked_into_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_text(LINES)
    now_s = [0.0]
    monkeypatch.setattr("itermon.cli.home.logs._NEW_S", 0.2)
    monkeypatch.setattr("itermon.cli.home.logs.time.monotonic", lambda: now_s[0])
    real = finding.recognised
    monkeypatch.setattr(finding, "recognised", lambda path: (now_s.insert(0, now_s[0] + 1.0), real(path))[1])
    here = Logs(tmp_path, processes=False)
    assert [len(here(0.0)) for _ in range(3)] == [1, 2, 2]


def test_who_has_time_looks_into_all_of_them_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_text(LINES)
    monkeypatch.setattr("itermon.cli.home.logs._NEW_S", 0.0)
    hurried = Logs(tmp_path, processes=False)
    assert hurried(0.0) == []
    assert hurried.has_more
    assert len(Logs(tmp_path, processes=False, new_s=60.0)(0.0)) == 2


def test_a_log_goes_on_while_it_was_written_recently(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(LINES)
    written_s = (tmp_path / "train.log").stat().st_mtime
    here = Logs(tmp_path, processes=False)
    assert [here(written_s + seconds)[0].alive for seconds in (5.0, 500.0)] == [True, False]


def test_what_a_process_writes_is_a_run_that_goes_on_and_is_looked_for_rarely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, notes = tmp_path / "elsewhere.log", tmp_path / "notes.txt"
    log.write_text(LINES)
    ours = tmp_path / "gpt.20260101-120000.77.jsonl"
    ours.write_text('{"type":"run"}\n')
    notes.write_text("nothing\n" * 20_000)
    asked: list[int] = []
    monkeypatch.setattr(written, "files_written", lambda _: (asked.append(1), {log: 7, notes: 8, ours: 9})[1])
    (tmp_path / "empty").mkdir()
    logs = Logs(tmp_path / "empty")
    (place,) = logs(1e9)
    assert (place.key, place.alive) == (str(log), True)
    assert len(logs(1e9 + 5.0)) == len(logs(1e9 + 11.0)) == 1
    assert len(asked) == 2


def test_a_job_is_called_as_it_is_and_one_without_a_training_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written, "files_written", lambda _: {})
    (tmp_path / "slurm-7.out").write_text(LINES)
    (tmp_path / "slurm-8.out").write_text("downloading\n")
    (tmp_path / "empty").mkdir()
    logs = Logs(tmp_path / "empty")
    assert logs._jobs
    found = [JobLog(Job(n, f"{n}_1", "RUNNING", "sweep"), tmp_path / f"slurm-{n}.out") for n in (7, 8, 9)]
    monkeypatch.setattr(logs._jobs, "logs", lambda _: found)
    (place,) = logs(0.0)
    assert (place.name, place.key, place.alive) == ("sweep (7_1)", str(tmp_path / "slurm-7.out"), True)
