"""Who trains, who loads, who compiles."""

from __future__ import annotations

from itermon.collectors.host.roles import (
    COMPILER,
    HELPER,
    LOADER,
    TRAINER,
    Process,
    roles,
)

PYTHON = "/usr/bin/python3.11"
TRAIN = (PYTHON, "train.py", "config/train_gpt2.py")
COMPILE = (PYTHON, "/site-packages/torch/_inductor/compile_worker/__main__.py", "--workers=8")


def of(*processes, gpu=()):
    return roles([Process(*p) for p in processes], lambda pid: pid in gpu)


def test_a_plain_loop_with_its_compile_workers_and_their_compilers():
    assert of(
        (10, 1, "python3.11", TRAIN),
        (11, 10, "python3.11", COMPILE),
        (12, 11, "python3.11", COMPILE),
        (13, 12, "ptxas", ("ptxas", "-v")),
        (14, 13, "cc1", ("cc1",)),
    ) == {10: TRAINER, 11: COMPILER, 12: COMPILER, 13: HELPER, 14: HELPER}


def test_loader_workers_by_name_or_as_forks_of_a_rank():
    assert of(
        (10, 1, "python3.11", TRAIN),
        (11, 10, "pt_data_worker", TRAIN),
        (12, 10, "python3.11", TRAIN),
        (13, 12, "ffmpeg", ("ffmpeg",)),
        (14, 10, "wandb-core", ("wandb-core", "--port", "1")),
    ) == {10: TRAINER, 11: LOADER, 12: LOADER, 13: LOADER, 14: TRAINER}


def test_torchrun_has_ranks_not_loaders():
    rank = (PYTHON, "-u", "train.py")
    assert of(
        (9, 1, "torchrun", (PYTHON, "/bin/torchrun", "train.py")),
        (10, 9, "python3.11", rank),
        (11, 9, "python3.11", rank),
        (12, 11, "python3.11", rank),
    ) == {9: TRAINER, 10: TRAINER, 11: TRAINER, 12: LOADER}


def test_spawned_ranks_are_told_from_spawned_loaders_by_the_gpu_they_opened():
    spawn = (PYTHON, "-c", "from multiprocessing.spawn import spawn_main; ...", "--multiprocessing-fork")
    assert of((10, 1, "python", TRAIN), (11, 10, "python", spawn), (12, 11, "python", spawn), gpu=(11,)) == {
        10: TRAINER,
        11: TRAINER,
        12: LOADER,
    }


def test_the_forks_of_a_shell_are_no_loaders():
    shell = ("bash", "run.sh")
    assert of((8, 1, "bash", shell), (9, 8, "bash", shell), (10, 9, "python", TRAIN)) == {
        8: TRAINER,
        9: TRAINER,
        10: TRAINER,
    }
