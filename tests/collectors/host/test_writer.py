"""Who writes a log, and where a process writes to: from a /proc that is made here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from itermon.collectors.host.writer import GONE_S, Writing, _runs, outputs_of, writer_of

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


def test_where_there_is_no_proc_nobody_is_seen(tmp_path: Path) -> None:
    assert writer_of("/train.log", tmp_path / "none") is None


class TestWriting:
    """Whether a log is still written, with a clock and processes of our own."""

    @pytest.fixture(autouse=True)
    def made(self, tmp_path: Path) -> None:
        self.log = tmp_path / "train.log"
        self.log.write_text("1\n")
        self.now_s = 0.0
        self.writer: int | None = 7
        self.running = {7}
        self.looked = 0
        self.writing = Writing(
            [str(self.log)], find=self.find, runs=self.running.__contains__, clock=lambda: self.now_s
        )

    def find(self, _: str) -> int | None:
        self.looked += 1
        return self.writer

    def lives_after(self, seconds: float) -> bool:
        for _ in range(int(seconds)):
            self.now_s += 1.0
            self.writing.lives()
        return self.writing.lives()

    def test_a_writer_that_runs_may_be_silent_for_hours(self) -> None:
        assert self.lives_after(7_200)
        assert self.looked < 2_000

    def test_once_it_has_ended_the_log_is_over_after_a_while(self) -> None:
        assert self.lives_after(10)
        self.writer = None
        self.running.clear()
        assert self.lives_after(GONE_S - 6)  # it is looked for every five seconds
        assert not self.lives_after(12)

    def test_another_that_goes_on_with_it_counts(self) -> None:
        assert self.lives_after(10)
        self.running.clear()
        self.writer = 8
        self.running.add(8)
        assert self.lives_after(1_000)

    def test_what_still_comes_counts_whoever_writes_it(self) -> None:
        assert self.lives_after(10)
        self.writer = None
        self.running.clear()
        for line in range(10):
            self.log.write_text("1\n" * (line + 2))
            assert self.lives_after(GONE_S / 2)

    def test_whom_nobody_has_seen_nobody_can_miss(self) -> None:
        self.writer = None
        assert self.lives_after(7_200)
        assert not self.writing.is_seen
        os.utime(self.log, (1e9, 1e9))
        assert self.writing.silent_s > 1e8

    def test_a_process_that_is_gone_is_known_to_be(self) -> None:
        with subprocess.Popen([sys.executable, "-c", ""]) as ended:
            os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)  # its parent has not asked yet
            assert not _runs(ended.pid)
        assert not _runs(ended.pid)
        assert _runs(os.getpid())

    def test_once_it_is_over_it_is_looked_for_more_and_more_rarely(self) -> None:
        assert self.lives_after(10)
        self.writer = None
        self.running.clear()
        times, alive = [], []
        for _ in range(250):
            looked = self.looked
            alive += [self.now_s] * self.lives_after(1)
            times += [self.now_s] * (self.looked > looked)
        assert len(alive) == 15, "it was seen at 6 s"
        assert times == [11, 16, 21, 26, 36, 56, 96, 156, 216]
