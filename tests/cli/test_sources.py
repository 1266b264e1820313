"""From a path to a source, or to one line that says why there is none; nothing is read before it is asked for."""

import os
import socket
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from itermon.cli import exits
from itermon.cli.exits import NoInputError
from itermon.cli.sources import OpenOptions, check_readable, open_sources
from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.logs.merged import MergedSource, UndecidedSource
from itermon.collectors.logs.stdin import StreamSource
from itermon.collectors.runs.ranks import RanksSource
from itermon.collectors.runs.recording import RecordingSource
from itermon.collectors.source import Source
from itermon.collectors.trackers.tensorboard import TensorBoardSource
from itermon.events import Config, Iteration, RunInfo, encode_all

LOG = "".join(f"iter {i}: loss 3.5, time 200.00ms, mfu 10.00%\n" for i in range(20))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / "train.err").write_text("a warning\n")
    return tmp_path


def opened(*paths: str, **options: bool) -> Source:
    """The source that the settings of the person are laid over."""
    configured = open_sources(paths, OpenOptions(**options))  # type: ignore[arg-type]
    return configured._source


def test_a_file_is_a_log_and_two_are_one_run(folder: Path) -> None:
    assert isinstance(opened("train.log"), LogSource)
    assert isinstance(opened("train.err", "train.log"), MergedSource)
    (folder / "train.log").write_text("")
    assert isinstance(opened("train.err", "train.log", follow=True), UndecidedSource)
    assert isinstance(opened("train.err", "train.log"), MergedSource)


def test_a_directory_is_the_newest_log_in_it_or_its_event_files(folder: Path) -> None:
    source = opened(".")
    assert isinstance(source, LogSource)
    assert source.title.endswith("train.log")
    (folder / "board").mkdir()
    (folder / "board" / "events.out.tfevents.1.host").write_bytes(b"\x18" + b"\0" * 11 + b"\x1a\x0dbrain.Event:2")
    assert isinstance(opened("board"), TensorBoardSource)


def test_several_recordings_are_the_ranks_of_one_run(folder: Path) -> None:
    for rank in range(2):
        events = [RunInfo(name="gpt", rank=rank), Iteration(0, 1.0)]
        (folder / f"rank{rank}.jsonl").write_bytes(encode_all(events))
    assert isinstance(opened("rank0.jsonl", "rank1.jsonl"), RanksSource)
    assert isinstance(opened("rank0.jsonl", "rank0.jsonl", "train.log"), MergedSource)


def test_a_name_that_is_no_file_may_be_a_run(folder: Path) -> None:
    (folder / "runs").mkdir()
    recording = folder / "runs" / "gpt.20260101-120000.7.jsonl"
    recording.write_bytes(encode_all([RunInfo(name="gpt"), Iteration(0, 1.0)]))
    assert isinstance(opened("gpt"), RecordingSource)
    (folder / "gpt").write_text(LOG)
    assert isinstance(opened("gpt"), LogSource), "a file is meant before a run"


def test_a_log_that_will_come_can_be_waited_for() -> None:
    assert isinstance(opened("later.log", follow=True, wait=True), LogSource)
    for options in ({"wait": True}, {"follow": True}, {}):
        with pytest.raises(NoInputError, match=r"later\.log: no such file"):
            opened("later.log", **options)


def test_a_named_pipe_is_a_stream(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    writing = os.open(folder / "pipe", os.O_RDWR)
    try:
        assert isinstance(opened("pipe"), StreamSource)
    finally:
        os.close(writing)


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (["trian.log"], "trian.log: no such file. Did you mean train.log?"),
        (["repport"], "repport: no such file. Did you mean the command `itermon report`?"),
        (["nothing-like-it"], "If it will come: itermon watch --wait PATH"),
        (["folder-that-is-not/train.log"], "no such file"),
        (["train.log", "."], ".: of several PATHs each has to be a file of the same run."),
        (["a\0b"], "null"),
        (["train.log/x"], "Not a directory"),
    ],
)
def test_what_cannot_be_read_gets_one_line_with_what_to_do(paths: Sequence[str], message: str) -> None:
    with pytest.raises(NoInputError) as raised:
        opened(*paths)
    assert message in raised.value.message
    assert "\n" not in raised.value.message
    assert raised.value.exit_code == exits.NO_INPUT


def test_a_socket_is_no_file_to_read(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "sock"))
        with pytest.raises(NoInputError, match="sock: "):
            check_readable("sock")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_of_somebody_else_says_whom_to_ask(folder: Path) -> None:
    (folder / "train.log").chmod(0)
    with pytest.raises(NoInputError, match="no permission to read it"):
        check_readable("train.log")


def test_what_the_person_says_wins_over_the_log() -> None:
    source = open_sources(["train.log"], OpenOptions(settings=[Config(origin="flag", max_iterations=77)]))
    events = [event for batch in source.batches(threading.Event()) for event in batch.events]
    assert [event.max_iterations for event in events if isinstance(event, Config)][-1] == 77
