"""NCCL's client is asked twice, and for a bounded time; here a script stands in for it."""

import json
import os
import socket
import threading
from pathlib import Path

import pytest

from itermon.collectors.collective_dumps import ras_look
from itermon.collectors.collective_dumps.ras_look import ANOTHER_JOB, RasSource, own_names, waiting
from itermon.events import Collective, CollectiveWitness

COUNTS = {"rank": 0, "host": "127.0.0.1", "pid": 7, "cuda_dev": 0, "collective_counts": {"AllReduce": 4}}


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
    told, trouble = waiting(client(tmp_path, f"echo '{answer(4)}'"), {7}, pauses.append, lambda: 5.0)
    assert told == [
        Collective(0, "0x1", 4, "ALLREDUCE", enqueued=4, witness=CollectiveWitness.RAS, at_s=5.0),
        Collective(1, "0x1", enqueued=3, witness=CollectiveWitness.RAS, at_s=5.0),
    ]
    assert (trouble, pauses) == ("", [2.0])


def test_what_moves_is_not(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    script = f"if [ -e {seen} ]; then echo '{answer(5)}'; else touch {seen}; echo '{answer(4)}'; fi"
    told, trouble = waiting(client(tmp_path, script), {7}, lambda _: None)
    assert ({state.sequence for state in told}, trouble) == ({None}, "")


def test_of_another_job_on_this_machine_nothing_is_told(tmp_path: Path) -> None:
    ncclras = client(tmp_path, f"echo '{answer(4)}'")
    assert waiting(ncclras, {6, 9}, pytest.fail) == ([], ANOTHER_JOB)
    elsewhere = client(tmp_path, f"echo '{answer(4).replace('127.0.0.1', '203.0.113.7')}'")
    assert waiting(elsewhere, {7}, pytest.fail) == ([], ANOTHER_JOB)


def test_a_machine_knows_its_names_and_addresses() -> None:
    assert {socket.gethostname().lower(), "localhost", "127.0.0.1"} <= own_names()


def test_a_source_looks_once_and_is_silent_where_there_is_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()
    monkeypatch.setattr(ras_look, "PAUSE_S", 0.0)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert list(RasSource(lambda: {7}).batches(stop)) == [], "it is not installed"
    client(tmp_path, f"echo '{answer(4)}'")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    (batch,) = RasSource(lambda: {7}).batches(stop)
    assert ([type(event) for event in batch.events], batch.state) == ([Collective, Collective], None)
    assert list(RasSource(lambda: {6}).batches(stop)) == []


def test_an_address_is_passed_on_as_nccl_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NCCL_RAS_ADDR", "[::1]:28030")
    assert waiting(client(tmp_path, 'echo "$*" >&2'), {7}, lambda _: None)[1] == "-f json -t 5 -h ::1 -p 28030"
    monkeypatch.setenv("NCCL_RAS_ADDR", "28030; rm -r /")
    assert waiting(client(tmp_path, 'echo "$*" >&2'), {7}, lambda _: None)[1] == "-f json -t 5"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'Connecting to localhost: refused' >&2; exit 1", "Connecting to localhost: refused"),
        ("echo '{}'", 'no "communicators" in it'),
        ("exit 1", "no JSON object"),
    ],
)
def test_why_nothing_is_known_is_said(tmp_path: Path, script: str, why: str) -> None:
    assert waiting(client(tmp_path, script), {7}, lambda _: None) == ([], why)
    assert "No such file" in waiting(str(tmp_path / "none"), {7}, lambda _: None)[1]
