"""Only recordings of itermon's own are deleted, of runs that have ended, with what belongs to them."""

from pathlib import Path

import pytest

from itermon.cli.home.deleting import Deleting
from itermon.events import End, Iteration, RunInfo, encode_all

IDS = {name: f"{name}.20260101-12000{n}.{n + 1}" for n, name in enumerate(("gpt", "gpt-rank1", "bert"))}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    (tmp_path / "runs").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    for name, run_id in IDS.items():
        events = [RunInfo(name=name), Iteration(0, 0.1), End()]
        (tmp_path / "runs" / f"{run_id}.jsonl").write_bytes(encode_all(events))
    return tmp_path / "runs"


def names(folder: Path) -> set[str]:
    return {path.name.partition(".")[0] for path in folder.iterdir()}


def test_it_asks_with_what_would_go_and_then_deletes_a_run_with_its_ranks(folder: Path) -> None:
    question, may = Deleting().ask([IDS["gpt"]])
    assert may
    assert question.startswith("delete gpt for good: 2 files,")
    assert names(folder) == set(IDS)
    assert Deleting().do([IDS["gpt"]]) == ""
    assert names(folder) == {"bert"}
    assert (folder.parent / "notes.txt").exists()


def test_nothing_of_others_and_nothing_that_lives_is_deleted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("./notes.txt", "../notes.txt", str(folder.parent / "notes.txt")):
        assert Deleting().ask([key])[1] is False
        assert "it was left as it is" in Deleting().do([key])
    monkeypatch.setattr("itermon.run_files.is_live", lambda _: True)
    assert Deleting().ask([IDS["bert"]]) == ("bert still runs: its recording stays", False)
    assert "it was left as it is" in Deleting().do([IDS["bert"]])
    assert names(folder) == set(IDS)


def test_what_cannot_be_deleted_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "unlink", refuses)
    assert Deleting().do([IDS["bert"]]).endswith(": Operation not permitted")
