"""The files that this user's processes write, from a /proc of our own."""

import os
from pathlib import Path

from itermon.collectors.host.written import files_written


def process(proc: Path, pid: int, fds: dict[int, tuple[str, str]]) -> None:
    for folder in ("fd", "fdinfo"):
        (proc / str(pid) / folder).mkdir(parents=True)
    for fd, (target, flags) in fds.items():
        (proc / str(pid) / "fd" / str(fd)).symlink_to(target)
        (proc / str(pid) / "fdinfo" / str(fd)).write_text(f"pos:\t0\nflags:\t{flags}\n")


WRITES, READS = "0102001", "0100000"


def test_outputs_and_what_is_called_like_a_log_and_nothing_that_is_only_read(tmp_path: Path) -> None:
    process(
        tmp_path,
        7,
        {
            0: ("/dev/null", READS),
            1: ("/runs/output", WRITES),
            2: ("/runs/gone (deleted)", WRITES),
            5: ("/runs/train.log", WRITES),
            6: ("/runs/old.log", READS),
            8: ("/runs/model.pt", WRITES),
            9: ("pipe:[77]", WRITES),
        },
    )
    process(tmp_path, 8, {1: ("/runs/output", WRITES), 2: ("/dev/pts/3", WRITES)})
    process(tmp_path, os.getpid(), {1: ("/runs/ours.log", WRITES)})
    (tmp_path / "9").mkdir()
    assert files_written((".log",), tmp_path) == {Path("/runs/output"): 8, Path("/runs/train.log"): 7}


def test_where_there_is_no_proc_there_are_none(tmp_path: Path) -> None:
    assert files_written((".log",), tmp_path / "none") == {}
