"""The command: what it prints where there is no terminal, and one line for whatever goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from fake_prometheus import Asked, Reply, fake, said, vector

from itermon.cli import exits
from itermon.cli.main import main

OF_RANKS = [
    {"run": "gpt2", "rank": str(rank), "instance": f"h{rank}:9464", "host": f"h{rank}"} for rank in range(3)
]


def itermon(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments], prog_name="itermon")


def cluster(asked: Asked) -> Reply:
    """Two runs; of one of them three ranks, of which the second is late."""
    question = asked.form["query"]
    if asked.path.endswith("range"):
        return said({"resultType": "matrix", "result": []})
    if "now_s" in question:
        runs = [({"run": name, "part": "ranks"}, 3) for name in ("gpt2", "bert")]
        return vector(({"part": "now_s"}, 1_000), *runs)
    if question.startswith("group by"):
        return vector(*(({**labels, "world_size": "3"}, 1) for labels in OF_RANKS))
    if question.startswith("topk"):
        return vector((OF_RANKS[1], 0.1))
    if "part" in question and "usual_s" in question:
        return vector(
            *(({"part": part}, value) for part, value in (("ranks", 3), ("usual_s", 0.5), ("local_s", 0.4)))
        )
    return vector()


def test_several_runs_are_listed_and_one_is_shown() -> None:
    with fake(cluster) as server:
        listed = itermon("fleet", "--prometheus", server.url)
        assert [line.split()[0] for line in listed.stdout.splitlines()] == ["run", "bert", "gpt2"]
        one = itermon("fleet", "--prometheus", server.url, "--run", "gpt2")
        assert one.stdout.startswith("gpt2: rank 1 on h1: late.\n")
        whole = json.loads(itermon("fleet", "--prometheus", server.url, "--run", "gpt2", "--json").stdout)
        assert whole["ranks"][0]["host"] == "h1"
        assert whole["verdict"]["what"] == "rank 1 on h1: late."
        runs = json.loads(itermon("fleet", "--prometheus", server.url, "--json").stdout)
        assert [run["name"] for run in runs["runs"]] == ["bert", "gpt2"]


def test_the_address_may_stand_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with fake(cluster) as server:
        monkeypatch.setenv("ITERMON_PROMETHEUS", server.url)
        assert itermon("fleet").exit_code == 0


def test_a_server_that_knows_no_run_says_how_there_will_be_one() -> None:
    with fake(lambda _: vector()) as server:
        result = itermon("fleet", "--prometheus", server.url)
        assert result.exit_code == 0
        assert "itermon export --all" in result.stderr
        assert itermon("fleet", "--prometheus", server.url, "--run", "gpt2").exit_code == exits.NO_INPUT


def test_what_is_no_prometheus_is_one_line() -> None:
    with fake(lambda _: Reply(b"<html>")) as server:
        result = itermon("fleet", "--prometheus", server.url)
    assert result.exit_code == exits.NO_INPUT
    assert (
        result.output == f"Error: {server.url}: a web page, no data: a login page, or another program's address\n"
    )


def test_who_one_is_goes_with_each_question(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s3\n")
    with fake(cluster) as server:
        itermon("fleet", "--prometheus", server.url, "--token-file", tmp_path / "secret", "--tenant", "team")
    assert {(a.headers["Authorization"], a.headers["X-Scope-OrgID"]) for a in server.asked} == {
        ("Bearer s3", "team")
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ["--prometheus", "prom:9090"],
        ["--prometheus", "http://me:secret@prom"],
        ["--prometheus", "http://prom", "--user", "me"],
        ["--prometheus", "http://prom", "--ca", __file__],
        [],
    ],
)
def test_what_does_not_fit_together_is_a_wrong_option(arguments: list[str]) -> None:
    result = itermon("fleet", *arguments)
    assert result.exit_code == 2
    assert "secret" not in result.output
