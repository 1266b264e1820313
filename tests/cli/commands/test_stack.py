"""`itermon stack`: what is printed of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from itermon.cli.exits import NO_INPUT
from itermon.cli.main import main
from itermon.collectors.collective_dumps import ras_look
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
    assert told["processes"][0]["threads"][0]["frames"] == ["data.py:48 read_shard"]


def test_which_rank_the_others_wait_for_stands_below_where_nccl_tells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranks = [
        {
            "rank": n,
            "host": "127.0.0.1",
            "pid": os.getpid() + n,
            "cuda_dev": n,
            "collective_counts": {"AllReduce": 58 - (n == 1)},
        }
        for n in range(3)
    ]
    answer = json.dumps({"communicators": [{"hash": "0x1", "ranks": ranks}]})
    client = tmp_path / "ncclras"
    client.write_text(f"#!/bin/sh\necho '{answer}'\n")
    client.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(ras_look, "PAUSE_S", 0.0)
    monkeypatch.setattr(stacks, "stacks_of", lambda _: [SEEN])
    text = CliRunner().invoke(main, ["stack", str(os.getpid())]).output
    assert "ncclras: Rank 1 holds up the others: it has not reached the ALLREDUCE that they wait in.\n" in text
    told = json.loads(CliRunner().invoke(main, ["stack", str(os.getpid()), "--json"]).output)
    assert [at["rank"] for at in told["hang"]["suspects"]] == [1]
    client.write_text(client.read_text().replace("127.0.0.1", "203.0.113.7"))
    text = CliRunner().invoke(main, ["stack", str(os.getpid())]).output
    assert "ncclras: it answers for another job" in text
    assert "holds up" not in text
    client.write_text("#!/bin/sh\necho 'no job listens' >&2; exit 1\n")
    assert "ncclras: no job listens\n" in CliRunner().invoke(main, ["stack", str(os.getpid())]).output


def test_where_nothing_can_be_seen_the_exit_code_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "stacks_of", lambda _: [ProcessStack(7, trouble="it is odd", remedy="do that")])
    ended = CliRunner().invoke(main, ["stack", str(os.getpid())])
    assert ended.exit_code == NO_INPUT
    assert "This would permit it: do that" in ended.output
