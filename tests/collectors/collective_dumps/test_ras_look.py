"""NCCL's client is asked twice, and for a bounded time; here a script stands in for it."""

import json
from pathlib import Path

import pytest

from itermon.collectors.collective_dumps.ras_look import waiting
from itermon.events import Collective, CollectiveWitness

COUNTS = {"rank": 0, "host": "a", "pid": 7, "cuda_dev": 0, "collective_counts": {"AllReduce": 4}}


def client(folder: Path, script: str) -> str:
    path = folder / "ncclras"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def answer(calls: int) -> str:
    late = {**COUNTS, "rank": 1, "pid": 8, "collective_counts": {"AllReduce": 3}}
    first = {**COUNTS, "collective_counts": {"AllReduce": calls}}
    return json.dumps({"communicators": [{"hash": "0x1", "ranks": [first, late]}]})


def test_what_stands_still_between_two_looks_is_told(tmp_path: Path) -> None:
    pauses: list[float] = []
    told, trouble = waiting(client(tmp_path, f"echo '{answer(4)}'"), pauses.append)
    assert told == [
        Collective(0, "0x1", 4, "ALLREDUCE", enqueued=4, witness=CollectiveWitness.RAS),
        Collective(1, "0x1", enqueued=3, witness=CollectiveWitness.RAS),
    ]
    assert (trouble, pauses) == ("", [2.0])


def test_what_moves_is_not(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    script = f"if [ -e {seen} ]; then echo '{answer(5)}'; else touch {seen}; echo '{answer(4)}'; fi"
    assert waiting(client(tmp_path, script), lambda _: None) == ([], "")


def test_an_address_is_passed_on_as_nccl_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NCCL_RAS_ADDR", "[::1]:28030")
    assert waiting(client(tmp_path, 'echo "$*" >&2'), lambda _: None)[1] == "-f json -t 5 -h ::1 -p 28030"
    monkeypatch.setenv("NCCL_RAS_ADDR", "28030; rm -r /")
    assert waiting(client(tmp_path, 'echo "$*" >&2'), lambda _: None)[1] == "-f json -t 5"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'Connecting to localhost: refused' >&2; exit 1", "Connecting to localhost: refused"),
        ("echo '{}'", 'no "communicators" in it'),
        ("exit 1", "no JSON object"),
    ],
)
def test_why_nothing_is_known_is_said(tmp_path: Path, script: str, why: str) -> None:
    assert waiting(client(tmp_path, script), lambda _: None) == ([], why)
    assert "No such file" in waiting(str(tmp_path / "none"), lambda _: None)[1]
