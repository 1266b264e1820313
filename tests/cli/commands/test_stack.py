"""`itermon stack`: what is printed of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from itermon.cli.exits import NO_INPUT
from itermon.cli.main import main
from itermon.collectors.host import stacks
from itermon.collectors.host.stacks import ProcessStack, ThreadStack

SEEN = ProcessStack(7, "python train.py", (ThreadStack("MainThread", ("data.py:48 read_shard",), 0),))


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))


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
