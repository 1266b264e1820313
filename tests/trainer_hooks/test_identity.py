"""Which run a process belongs to: its name, its rank, its files."""

from __future__ import annotations

import os
import socket
import sys
import time
from types import SimpleNamespace

import pytest

from itermon import run_files
from itermon.trainer_hooks.identity import is_asked, own_rank, run_info, unused_run_id, world_size


def test_a_runs_name_is_the_one_given_or_of_the_environment_or_the_scripts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["/home/me/train_gpt2.py", "--fast"])
    assert run_info("", None, "").name == "train_gpt2"
    monkeypatch.setenv("ITERMON_NAME", "asked")
    assert run_info("", None, "").name == "asked"
    assert run_info("given", None, "").name == "given"
    monkeypatch.delenv("ITERMON_NAME")
    for arguments in ([], [""], ["", "--fast"]):
        monkeypatch.setattr(sys, "argv", arguments)
        assert run_info("", None, "").name == "run"


def test_a_process_says_what_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(run_files.OUTPUT, "run.20260101-000000.7")
    monkeypatch.setattr(time, "time", lambda: 1e9 + 0.12345)
    info = run_info("given", 3, "PyTorch")
    assert (info.rank, info.framework, info.pid, info.clock) == (3, "PyTorch", os.getpid(), "hook")
    assert (info.started_at_s, info.output) == (1e9 + 0.123, "run.20260101-000000.7")


def test_a_host_whose_name_is_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "gpu\udc9b7")
    assert run_info("given", 0, "").host == "gpu?7"


@pytest.mark.parametrize("variable", ["RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"])
def test_each_launchers_rank_is_read(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "12")
    assert own_rank() == 12
    monkeypatch.setenv(variable, "twelve")
    assert own_rank() is None


@pytest.mark.parametrize(("available", "initialized"), [(True, True), (False, True), (True, False)])
def test_torchs_own_rank_counts_once_it_is_set_up(
    available: bool, initialized: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = SimpleNamespace(is_available=lambda: available, is_initialized=lambda: initialized, get_rank=lambda: 3)
    monkeypatch.setitem(sys.modules, "torch.distributed", torch)  # type: ignore[misc]
    assert own_rank() == (3 if available and initialized else None)


@pytest.mark.parametrize(
    ("asked", "rank", "answer"),
    [
        ("", None, True),
        ("", 0, True),
        ("", 1, False),
        ("", 8, True),
        ("all", 5, True),
        ("1, 3", 3, True),
        ("1,3", 8, False),
        ("1,x", 1, True),
    ],
)
def test_the_environment_says_which_ranks_are_asked(
    asked: str, rank: int | None, answer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ITERMON_RANKS", asked)
    assert is_asked(rank, (0, 8)) is answer


def test_a_run_id_that_is_taken_is_not_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    lexists = os.path.lexists

    def looks(path: str) -> bool:
        looked.append(path)
        assert len(looked) < 100, "it would go on for ever"
        return lexists(path)

    monkeypatch.setattr(os.path, "lexists", looks)
    monkeypatch.setattr(time, "time", lambda: 1e9)
    first = unused_run_id("twin")
    run_files.runs_dir().mkdir()
    (run_files.runs_dir() / (first + run_files.RECORDING)).touch()
    second = unused_run_id("twin")
    run_files.sockets_dir().mkdir(mode=0o700)
    (run_files.sockets_dir() / (second + run_files.SOCKET)).symlink_to("nowhere")
    third = unused_run_id("twin")
    assert len({first, second, third}) == 3
    assert run_files.started_s(third) - run_files.started_s(first) == 2.0


@pytest.mark.parametrize(
    ("environment", "size"),
    [
        ({}, None),
        ({"WORLD_SIZE": "8", "SLURM_NTASKS": "2", "SLURM_STEP_ID": "0"}, 8),
        ({"SLURM_NTASKS": "4", "SLURM_STEP_ID": "0"}, 4),
        ({"SLURM_NTASKS": "4"}, None),  # a job's script: nothing has started four
        ({"OMPI_COMM_WORLD_SIZE": "3"}, 3),
        ({"PMI_SIZE": "2"}, 2),
        ({"WORLD_SIZE": "many"}, None),
        ({"WORLD_SIZE": "0"}, None),
    ],
)
def test_how_many_train_together_is_what_their_launcher_says(
    environment: dict[str, str], size: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "torch.distributed", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert world_size() == size


def test_what_torch_knows_of_the_others_is_better_than_what_the_launcher_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spawned = SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True, get_world_size=lambda: 3)
    monkeypatch.setitem(sys.modules, "torch.distributed", spawned)  # type: ignore[misc]
    monkeypatch.setenv("WORLD_SIZE", "8")
    assert world_size() == 3
