"""Who writes a log, and where a process writes to: from a /proc that is made here."""

from pathlib import Path

import pytest

from itermon.collectors.host.writer import outputs_of, writer_of

READ, WRITE, BOTH = "0100000", "0100001", "0100002"


def process(proc: Path, pid: int, name: str, parent: int, **files: tuple[str, str]) -> None:
    """A process with open files: `fd0=("/dev/null", READ)`."""
    folder = proc / str(pid)
    (folder / "fd").mkdir(parents=True)
    (folder / "fdinfo").mkdir()
    (folder / "comm").write_text(f"{name}\n")
    (folder / "stat").write_text(f"{pid} ({name} (x) y) S {parent} 1 2 3")
    for fd, (target, flags) in files.items():
        (folder / "fd" / fd[2:]).symlink_to(target)
        (folder / "fdinfo" / fd[2:]).write_text(f"pos:\t0\nflags:\t{flags}\nmnt_id:\t13\n")


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """Two ranks below torchrun write ranks.log; a script and a shell write into tee, that writes tee.log."""
    proc = tmp_path / "proc"
    (proc / "sys").mkdir(parents=True)
    null = ("/dev/null", READ)
    process(proc, 10, "torchrun", 1, fd0=null, fd1=("/ranks.log", WRITE))
    process(proc, 9, "python", 10, fd0=null, fd1=("/ranks.log", WRITE), fd3=("/own.csv", BOTH))
    process(proc, 8, "python", 10, fd0=null, fd1=("/ranks.log", WRITE))
    process(proc, 20, "python", 1, fd0=null, fd1=("pipe:[5]", WRITE), fd2=("pipe:[5]", WRITE), fd7=("/a", READ))
    process(proc, 21, "tee", 1, fd0=("pipe:[5]", READ), fd1=("/dev/pts/0", BOTH), fd3=("/tee.log", WRITE))
    process(proc, 22, "less", 1, fd0=("pipe:[5]", READ), fd1=("/dev/pts/0", BOTH))
    process(proc, 30, "cat", 1, fd0=null, fd1=("/copied.log", WRITE))
    process(proc, 40, "python", 1, fd11=("/z", WRITE), fd9=("/y", WRITE), fd2=("/err", WRITE), fd1=("/out", WRITE))
    return proc


@pytest.mark.parametrize(
    ("target", "pid"),
    [
        ("/ranks.log", 10),  # the one above the others
        ("/own.csv", 9),
        ("pipe:[5]", 20),
        ("/tee.log", 20),  # who writes into tee
        ("/copied.log", 30),  # which reads no pipe: it wrote the file itself
        ("/a", None),  # is only read
        ("/nobody", None),
    ],
)
def test_the_writer_is_the_topmost_process_past_tee(proc: Path, target: str, pid: int | None) -> None:
    assert writer_of(target, proc) == pid


def test_tees_that_write_into_each_other_have_no_writer(proc: Path) -> None:
    process(proc, 50, "tee", 1, fd0=("pipe:[8]", READ), fd1=("pipe:[9]", WRITE))
    process(proc, 51, "tee", 1, fd0=("pipe:[9]", READ), fd1=("pipe:[8]", WRITE))
    assert writer_of("pipe:[9]", proc) is None
    assert outputs_of(50, proc) == ["pipe:[9]", "pipe:[8]"]


@pytest.mark.parametrize(("tees", "pid"), [(7, 100), (8, None)])
def test_a_chain_of_eight_is_long_enough(proc: Path, tees: int, pid: int | None) -> None:
    for n in range(tees + 1):
        source = (f"pipe:[{100 + n}]", READ) if n else ("/dev/null", READ)
        name = "tee" if n else "python"
        process(proc, 100 + n, name, 1, fd0=source, fd1=(f"pipe:[{101 + n}]", WRITE))
    assert writer_of(f"pipe:[{101 + tees}]", proc) == pid


@pytest.mark.parametrize(
    ("pid", "outputs"),
    [
        (9, ["/ranks.log", "/own.csv"]),
        (20, ["pipe:[5]", "/dev/pts/0", "/tee.log"]),  # and not what less has open, nor what is only read
        (40, ["/out", "/err", "/y", "/z"]),
    ],
)
def test_outputs_come_first_and_each_once(proc: Path, pid: int, outputs: list[str]) -> None:
    assert outputs_of(pid, proc) == outputs


def test_what_we_may_not_look_at_is_nobodys(proc: Path) -> None:
    (proc / "60").mkdir()
    (proc / "61" / "fd").mkdir(parents=True)
    (proc / "61" / "fd" / "1").symlink_to("/lost.log")
    assert writer_of("/lost.log", proc) is None
    with pytest.raises(FileNotFoundError):
        outputs_of(60, proc)
