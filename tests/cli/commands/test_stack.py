"""`itermon stack`: which processes are meant, and what is printed of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from itermon.cli.commands.stack import pids_of
from itermon.cli.exits import NO_INPUT, NoInputError
from itermon.cli.main import main
from itermon.collectors.host import stacks, writer
from itermon.collectors.host.stacks import ProcessStack, ThreadStack

SEEN = ProcessStack(7, "python train.py", (ThreadStack("MainThread", ("data.py:48 read_shard",), 0),))


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))


def test_a_number_is_a_process() -> None:
    assert pids_of(str(os.getpid())) == [os.getpid()]
    with pytest.raises(NoInputError):
        pids_of("4194305")


def test_a_log_is_the_process_that_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "train.log"
    log.write_text("iter 1: loss 2.0\n")
    monkeypatch.setattr(writer, "writer_of", lambda _: None)
    with pytest.raises(NoInputError, match="no process of this machine"):
        pids_of(str(log))
    monkeypatch.setattr(writer, "writer_of", lambda _: 7)
    assert pids_of(str(log)) == [7]


def test_what_was_seen_is_printed_as_text_and_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "stacks_of", lambda _: [SEEN])
    text = CliRunner().invoke(main, ["stack", str(os.getpid())])
    assert (text.exit_code, text.output.split("\n")[2]) == (0, "  > data.py:48 read_shard")
    told = json.loads(CliRunner().invoke(main, ["stack", str(os.getpid()), "--json"]).output)
    assert told[0]["threads"][0]["frames"] == ["data.py:48 read_shard"]


def test_where_nothing_can_be_seen_the_exit_code_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "stacks_of", lambda _: [ProcessStack(7, trouble="it is odd", remedy="do that")])
    ended = CliRunner().invoke(main, ["stack", str(os.getpid())])
    assert ended.exit_code == NO_INPUT
    assert "This would permit it: do that" in ended.output
