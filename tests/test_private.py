"""Folders that are ours: made for us alone, and nobody else's used, followed, read or changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from itermon import opening, private, run_files
from itermon.collectors.runs.listing import NoSuchRunError, closed_folders, find_run, known_runs
from itermon.trainer_hooks import Hooks
from itermon.trainer_hooks.delivery.recording import Recording
from itermon.trainer_hooks.delivery.server import Server

RUN = "planted.20260101-000000.4242"


@pytest.fixture
def open_to_all(tmp_path: Path) -> Path:
    """A folder like /tmp."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """When called: who made what is there was another user than we are from now on."""
    return lambda: monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def test_a_folder_is_made_for_us_alone_with_all_above_it(tmp_path: Path) -> None:
    made = private.make_folder(tmp_path / "a" / "b" / "c")
    assert [mode(folder) for folder in (made, made.parent, made.parent.parent)] == [0o700] * 3
    assert private.is_ours(made, alone=True)


def test_a_folder_of_another_user_is_refused(tmp_path: Path, stranger: Callable[[], None]) -> None:
    stranger()
    with pytest.raises(PermissionError) as refused:
        private.make_folder(tmp_path)
    assert refused.value.strerror == f"it belongs to another user (uid {os.getuid()})"


def test_a_folder_that_anybody_may_write_in_is_refused_and_stays_as_it_is(open_to_all: Path) -> None:
    with pytest.raises(PermissionError, match="chmod go-w"):
        private.make_folder(open_to_all)
    assert mode(open_to_all) == 0o1777


@pytest.mark.parametrize("below", ["", "runs"])
def test_a_link_where_anybody_may_write_is_not_followed(open_to_all: Path, tmp_path: Path, below: str) -> None:
    (tmp_path / "elsewhere" / "runs").mkdir(parents=True)
    (open_to_all / "itermon").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermissionError, match="no folder but something that anybody"):
        private.make_folder(open_to_all / "itermon" / below)


def test_a_link_of_the_users_own_is_followed(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    (tmp_path / "runs").symlink_to(tmp_path / "scratch")
    assert private.make_folder(tmp_path / "runs")


@pytest.mark.parametrize("kind", ["file", "pipe", "dangling link"])
def test_what_is_no_folder_is_refused(open_to_all: Path, kind: str) -> None:
    path = open_to_all / "itermon"
    make = {"file": path.touch, "pipe": lambda: os.mkfifo(path), "dangling link": lambda: path.symlink_to("no")}
    make[kind]()
    with pytest.raises(OSError, match=r"\w"):
        private.make_folder(path)


def test_only_files_and_sockets_of_ours_are_listed(tmp_path: Path) -> None:
    (tmp_path / "ours.jsonl").touch()
    (tmp_path / "linked.jsonl").symlink_to("ours.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "other.log").touch()
    assert private.files_in(tmp_path, ".jsonl") == [tmp_path / "ours.jsonl"]
    assert private.files_in(tmp_path / "no", ".jsonl") == []


def test_files_of_another_user_in_our_folder_are_not_listed(
    tmp_path: Path, stranger: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "planted.jsonl").touch()
    stranger()
    monkeypatch.setattr(private, "check_folder", lambda path: path)
    assert private.files_in(tmp_path, ".jsonl") == ([tmp_path / "planted.jsonl"] if not os.getuid() else [])


@pytest.mark.parametrize("variable", ["ITERMON_SOCKETS_DIR", "ITERMON_RUNS_DIR"])
def test_a_shared_folder_keeps_its_mode_and_gets_one_of_ours(
    open_to_all: Path, tmp_path: Path, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    monkeypatch.setenv(variable, str(open_to_all))
    recording = Recording(run_files.runs_dir() / "a.20260101-000000.7.jsonl")
    server = Server(run_files.sockets_dir() / "a.20260101-000000.7.sock", recording)
    assert (recording.trouble, server.trouble) == ("", "")
    server.abandon()
    recording.close()
    assert mode(open_to_all) == 0o1777
    own = open_to_all / f"itermon-{os.geteuid()}"
    assert mode(own) == 0o700
    assert own in (run_files.sockets_dir(), run_files.runs_dir().parent)


def test_a_folder_of_ours_that_others_may_enter_keeps_its_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sockets").mkdir(mode=0o755)
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    server = Server(run_files.sockets_dir() / "a.20260101-000000.7.sock", Recording(None))
    server.abandon()
    assert mode(tmp_path / "sockets") == 0o755
    assert run_files.sockets_dir() == tmp_path / "sockets" / f"itermon-{os.geteuid()}"


def test_a_folder_that_is_not_there_yet_is_ours_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    assert run_files.sockets_dir() == tmp_path / "sockets"
    private.make_folder(run_files.sockets_dir())
    assert run_files.sockets_dir() == tmp_path / "sockets"


@pytest.mark.parametrize("home", ["/nonexistent", "", "relative", None])
def test_without_a_home_runs_are_kept_with_the_sockets(
    tmp_path: Path, home: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    for variable in ("ITERMON_RUNS_DIR", "XDG_STATE_HOME", "HOME"):
        monkeypatch.delenv(variable, raising=False)
    if home is None:
        monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    else:
        monkeypatch.setenv("HOME", home)
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() or 4245)  # to root, / is a home like another
        monkeypatch.setattr(os, "access", lambda *_: False)
    assert run_files.runs_dir() == tmp_path / "sockets" / "runs"


def test_a_home_of_somebody_else_is_not_written_to(
    tmp_path: Path, stranger: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("ITERMON_RUNS_DIR", "ITERMON_SOCKETS_DIR", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run_files.runs_dir() == tmp_path / ".local/state/itermon/runs"
    tmp_path.chmod(0o777)
    stranger()
    assert run_files.runs_dir() == Path(f"/tmp/itermon-{os.getuid() + 1}/runs")


def test_a_cache_is_kept_in_a_home_of_ours_and_nowhere_else(
    tmp_path: Path, stranger: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run_files.cache_dir() == tmp_path / ".cache/itermon"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert run_files.cache_dir() == tmp_path / "cache/itermon"
    tmp_path.chmod(0o777)
    stranger()
    assert run_files.cache_dir() is None
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "relative")
    assert run_files.cache_dir() is None


def test_nothing_in_a_folder_of_another_user_is_read_and_one_line_says_why(
    tmp_path: Path, stranger: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "ours" / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    (tmp_path / "ours" / "runs").mkdir(parents=True)
    (tmp_path / "ours" / "runs" / f"{RUN}.jsonl").write_text('{"type":"run"}\n')
    assert [run.name for run in known_runs()] == ["planted"]
    assert closed_folders() == []
    monkeypatch.setattr(run_files, "runs_dir", lambda: tmp_path / "ours" / "runs")
    monkeypatch.setattr(
        "itermon.collectors.runs.listing._KEPT", ((run_files.runs_dir, run_files.RECORDING, stat.S_ISREG),)
    )
    stranger()
    assert known_runs() == []
    (line,) = closed_folders()
    assert line.endswith(f"belongs to another user (uid {os.getuid()}): nothing in it is read")
    with pytest.raises(NoSuchRunError, match="nothing in it is read"):
        find_run("planted")


def test_a_recording_does_not_follow_a_link(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("precious")
    (tmp_path / f"{RUN}.jsonl").symlink_to("kept")
    recording = Recording(tmp_path / f"{RUN}.jsonl")
    recording.append(b"x\n")
    assert recording.trouble
    assert (tmp_path / "kept").read_text() == "precious"


def test_a_file_in_a_folder_of_another_user_is_neither_read_nor_written(
    tmp_path: Path, stranger: Callable[[], None]
) -> None:
    (tmp_path / "planted").write_text("x")
    stranger()
    for act in (
        lambda: opening.open_file(tmp_path / "planted", ours=True),
        lambda: opening.append(tmp_path / "new"),
    ):
        with pytest.raises(PermissionError, match="belongs to another user"):
            act()
    assert not (tmp_path / "new").exists()


def test_a_trainer_whose_folders_are_a_strangers_says_so_once_and_goes_on(
    tmp_path: Path,
    stranger: Callable[[], None],
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_files, "runs_dir", lambda: tmp_path)
    monkeypatch.setattr(run_files, "sockets_dir", lambda: tmp_path)
    stranger()
    with Hooks("wary") as hooks:
        hooks.iteration(0)
    why = f"{tmp_path}: it belongs to another user (uid {os.getuid()})"
    assert capfd.readouterr().err == f"itermon: nothing of this run is kept: {why}\n"
    assert not list(tmp_path.iterdir())
