"""Host samples: of scripted processes, and of a real trainer that is found by its log."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from itermon.collectors.host import limits, portable
from itermon.collectors.host import sampler as host_sampler
from itermon.collectors.host.procfs import Used
from itermon.collectors.host.roles import COMPILER, LOADER, TRAINER
from itermon.collectors.host.sampler import HostSampler
from itermon.collectors.host.trainer import Trainer
from itermon.collectors.host.writer import writer_of

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")


class Tree(Trainer):
    """A trainer whose processes the test decides."""

    def __init__(self, roles):
        super().__init__(pid=10)
        self.now = roles

    def roles(self):
        return self.now


class Scene:
    """A sampler with a fake clock over scripted processes."""

    def __init__(self, tmp_path, roles):
        self.tree, self.clock, self.used = Tree(roles), [0.0], {}
        (tmp_path / "pressure").mkdir()
        for resource in ("io", "cpu", "memory"):
            self.pressure(tmp_path, resource, 0.0)
        self.sampler = HostSampler(
            self.tree,
            used=self.used.get,
            clock=lambda: self.clock[0],
            wall=lambda: 7.0,
            proc=tmp_path,
        )

    def pressure(self, folder, resource, waited_s):
        (folder / "pressure" / resource).write_text(f"some avg10=0 avg60=0 avg300=0 total={waited_s * 1e6:.0f}\n")

    def sample(self, at_s):
        self.clock[0] = at_s
        (sample,) = self.sampler.sample()
        return sample


def test_cpu_memory_and_bytes_go_to_those_who_spent_them(tmp_path):
    scene = Scene(tmp_path, {10: TRAINER, 11: TRAINER, 20: LOADER, 21: LOADER, 30: COMPILER})
    scene.used.update({
        10: Used(1, 100.0, 0, 1000, 5, 10_000, 500), 11: Used(1, 50.0, 0, 2000, 0, 0, 0),
        20: Used(1, 7.0, 0, 9000, 0, 0, 0), 21: Used(1, 7.0, 0, 9000, 0, 0, 0), 30: Used(1, 3.0, 60.0, 1, 0, 0, 0),
    })  # fmt: skip
    first = scene.sample(0.0)
    assert (first.trainer_cpu, first.read_bytes, first.interval_s) == (None, None, None)
    assert first.absent["trainer_cpu"] == "needs two samples"
    assert (first.loader_workers, first.compile_workers, first.resident_bytes) == (2, 1, 3000)
    scene.used.update({
        10: Used(1, 101.0, 0, 1000, 9, 13_000, 700), 11: Used(1, 52.0, 0, 2000, 1, 40, 1),
        20: Used(1, 7.5, 0, 9000, 0, 600, 0), 21: Used(1, 8.0, 0, 9000, 0, 0, 0),
        30: Used(1, 3.5, 63.5, 1, 0, 0, 0),
    })  # fmt: skip
    scene.pressure(tmp_path, "io", 0.5)
    second = scene.sample(2.0)
    assert (second.trainer_cpu, second.loader_workers_cpu, second.compile_workers_cpu) == (1.5, 0.75, 2.0)
    assert (second.read_bytes, second.write_bytes, second.major_faults) == (3640, 201, 5)
    assert (second.io_pressure, second.cpu_pressure, second.interval_s) == (0.25, 0.0, 2.0)


def test_workers_that_come_and_go_invent_no_cpu_and_lose_no_bytes(tmp_path):
    scene = Scene(tmp_path, {10: TRAINER})
    scene.used[10] = Used(1, 100.0, 0, 1000, 0, 0, 0)
    scene.sample(0.0)
    scene.tree.now = {10: TRAINER, 20: LOADER}
    scene.used.update({10: Used(1, 100.5, 0, 1000, 0, 0, 0), 20: Used(9, 4.0, 0, 1, 0, 8192, 0)})
    second = scene.sample(1.0)
    assert (second.trainer_cpu, second.loader_workers_cpu, second.read_bytes) == (0.5, 0.0, 8192)
    scene.tree.now = {10: TRAINER, 20: LOADER}
    scene.used[20] = Used(11, 0.2, 0, 1, 0, 100, 0)  # another process with the same id
    third = scene.sample(2.0)
    assert (third.loader_workers_cpu, third.read_bytes) == (0.0, 100)
    scene.used.clear()
    fourth = scene.sample(3.0)  # it ended, and the tree has not been looked through yet
    assert (fourth.trainer_cpu, fourth.read_bytes, fourth.resident_bytes) == (None, None, None)
    assert fourth.absent["trainer_pid"] == "it has ended"


def test_another_users_trainer_shows_its_cpu_and_says_why_not_its_bytes(tmp_path):
    scene = Scene(tmp_path, {10: TRAINER})
    scene.used[10] = Used(1, 100.0, 0, 1000, 0)
    scene.sample(0.0)
    scene.used[10] = Used(1, 101.0, 0, 1000, 0)
    sample = scene.sample(1.0)
    assert (sample.trainer_cpu, sample.read_bytes, sample.major_faults) == (1.0, None, 0)
    assert "owner" in sample.absent["read_bytes"]


def test_a_kernel_without_pressure_and_a_directory_that_is_gone_are_absent_with_reasons(tmp_path):
    here = Trainer(os.getpid())
    here.directory = lambda: tmp_path / "gone\x1b[2J"
    (sample,) = HostSampler(here, proc=tmp_path / "nothing").sample()
    assert (sample.io_pressure, sample.disk_free_bytes) == (None, None)
    assert "psi=1" in sample.absent["io_pressure"]
    assert "No such file" in sample.absent["disk_free_bytes"]
    assert "\x1b" not in sample.absent["disk_free_bytes"]


@linux
def test_the_trainers_limits_are_its_groups_and_its_shared_memory_or_absent_with_reasons(tmp_path, monkeypatch):
    scene = Scene(tmp_path, {10: TRAINER})
    sample = scene.sample(0.0)
    assert (sample.memory_limit_bytes, sample.shared_total_bytes) == (None, None)
    assert "no limit" in sample.absent["memory_limit_bytes"]
    assert "cannot be seen" in sample.absent["shared_used_bytes"]
    assert sample.memory_total_bytes >= sample.memory_available_bytes
    monkeypatch.setattr(limits, "memory_room", lambda pid, proc: limits.Room(pid, 16))
    monkeypatch.setattr(limits, "shared_memory", lambda pid, proc: limits.Room(0, 8))
    sample = scene.sample(1.0)
    assert (sample.memory_charged_bytes, sample.memory_limit_bytes) == (10, 16)
    assert (sample.shared_used_bytes, sample.shared_total_bytes) == (0, 8), "nothing used is a figure too"


@pytest.mark.parametrize(
    ("said", "watched"),
    [(None, "run"), ("out", "run/out"), ("{}/elsewhere", "elsewhere"), ("not there yet", "run"), ("a\0b", "run")],
)
def test_the_disk_is_that_of_the_checkpoints_once_the_settings_have_said_it(tmp_path, monkeypatch, said, watched):
    (tmp_path / "run/out").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    here, asked = Trainer(os.getpid()), []
    here.directory = lambda: tmp_path / "run"
    usage = SimpleNamespace(free=9)
    monkeypatch.setattr(host_sampler.shutil, "disk_usage", lambda path: asked.append(path) or usage)
    (sample,) = HostSampler(here, lambda: said and said.format(tmp_path)).sample()
    assert sample.disk_free_bytes == 9
    assert asked == [tmp_path / watched]


def test_a_trainer_that_was_seen_has_ended_and_one_that_never_was_is_not_there():
    clock = [0.0]
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        trainer = Trainer(child.pid, clock=lambda: clock[0])
        assert trainer.missing() == ""
        child.communicate(b"\n")
    clock[0] = 100.0
    assert trainer.missing() == f"process {child.pid} has ended"
    assert Trainer(child.pid).missing() == f"there is no process {child.pid}"


def test_without_a_trainer_here_nothing_is_sampled_and_that_is_said_once(tmp_path):
    scene = Scene(tmp_path, {})
    (message,) = scene.sampler.sample()
    assert (message.text, message.about) == ("there is no process 10", "host")
    assert scene.sampler.sample() == []
    scene.tree.now, scene.used[10] = {10: TRAINER}, Used(1, 100.0, 0, 1000)
    assert scene.sample(5.0).trainer_pid == 10
    scene.tree.now = {}
    assert scene.sampler.sample() == []
    scene.tree.now = {10: TRAINER}
    assert scene.sample(60.0).interval_s is None


def test_where_there_is_no_proc_the_portable_way_tells_what_it_can(tmp_path, monkeypatch):
    monkeypatch.setattr(host_sampler, "_LINUX", False)
    clock = [0.0]
    sampler = HostSampler(Trainer(os.getpid()), used=portable.used, clock=lambda: clock[0], proc=tmp_path / "no")
    sampler.sample()
    clock[0] = 1.0
    (sample,) = sampler.sample()
    assert sample.trainer_cpu is not None
    assert sample.resident_bytes > 1 << 20
    assert (sample.io_pressure, sample.read_ahead_bytes, sample.major_faults) == (None, None, None)
    assert sample.absent.keys() >= {"io_pressure", "read_ahead_bytes", "major_faults"}


def test_limits_are_looked_for_on_linux_alone_and_of_a_known_trainer(tmp_path, monkeypatch):
    asked = []
    for name in ("memory_room", "shared_memory"):
        monkeypatch.setattr(limits, name, lambda pid, _, name=name: asked.append((name, pid)))
    for is_linux, pid in ((False, 10), (True, None), (False, None), (True, 10)):
        monkeypatch.setattr(host_sampler, "_LINUX", is_linux)
        tree = Tree({})
        tree.pid = pid
        told = HostSampler(tree, used={}.get, proc=tmp_path)._limits(None)
        assert told["shared_used_bytes"][0] is None
    assert asked == [("memory_room", 10), ("shared_memory", 10)]


def test_a_system_that_does_not_answer_is_told_once(tmp_path):
    scene = Scene(tmp_path, {})
    scene.sampler._under_way = ("the disk of the checkpoints", 0.0)
    scene.clock[0] = 30.0
    (message,) = scene.sampler.hung(2.0)
    assert "the disk of the checkpoints" in message.text
    assert scene.sampler.hung(2.0) == []


WRITE = "import sys, time\nwhile True:\n    print('iter', flush=True)\n    sys.stdin.readline()\n"


@linux
@pytest.mark.parametrize("way", ["plain", "tee", "pipe"])
def test_the_trainer_is_found_by_the_log_that_it_writes(tmp_path, way):
    log = tmp_path / "train.log"
    out = log.open("w") if way == "plain" else subprocess.PIPE
    trainer = subprocess.Popen([sys.executable, "-c", WRITE], stdin=subprocess.PIPE, stdout=out)
    tee = None
    try:
        target = str(log)
        if way == "tee":
            tee = subprocess.Popen(["tee", log], stdin=trainer.stdout, stdout=subprocess.PIPE)
            assert tee.stdout.readline() == b"iter\n"
        elif way == "pipe":
            target = str(Path(f"/proc/self/fd/{trainer.stdout.fileno()}").readlink())
        assert writer_of(target) == trainer.pid
        found = Trainer(log=target)
        assert found.pids() == {trainer.pid}
        assert found.directory() == Path.cwd()
        assert found.variable("PATH") == os.environ["PATH"]
        (sample,) = HostSampler(found).sample()
        assert (sample.trainer_pid, sample.trainer_processes) == (trainer.pid, 1)
        assert sample.resident_bytes > 1 << 20
    finally:
        trainer.kill()
        trainer.wait()
        for stream in (trainer.stdin, trainer.stdout, log if way == "plain" else None, tee and tee.stdout):
            if stream is not None and hasattr(stream, "close"):
                stream.close()
        if tee:
            tee.wait(10)
        if way == "plain":
            out.close()
    assert writer_of(str(log)) is None


@linux
def test_who_only_reads_a_log_is_no_trainer(tmp_path):
    log = tmp_path / "train.log"
    log.write_text("iter\n")
    with log.open() as read_only:
        command = [sys.executable, "-c", "print(flush=True); input()"]
        reader = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[read_only.fileno()]
        )
        assert reader.stdout.readline() == b"\n"
        assert writer_of(str(log)) is None
        reader.communicate(b"\n")


@linux
def test_of_a_launcher_and_its_ranks_the_launcher_is_the_trainer(tmp_path):
    log = tmp_path / "train.log"
    inner = "import sys; sys.stderr.write('up'); sys.stderr.flush(); sys.stdin.readline()"
    launch = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    with log.open("w") as out:
        launcher = subprocess.Popen(
            [sys.executable, "-c", launch], stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE
        )
        assert launcher.stderr.read(2) == b"up"
        found = Trainer(log=str(log))
        assert found.roles()[launcher.pid] == TRAINER
        assert (found.pid, len(found.pids())) == (launcher.pid, 2)
        launcher.communicate(b"\n")


def test_the_machines_load_is_what_its_cores_spent_since_the_sample_before(tmp_path, monkeypatch):
    times = {"user": 100.0, "nice": 1.0, "system": 10.0, "irq": 0.5, "softirq": 0.25, "steal": 0.25, "idle": 9.0}
    monkeypatch.setattr(host_sampler.psutil, "cpu_times", lambda: SimpleNamespace(**times))
    scene = Scene(tmp_path, {10: TRAINER})
    scene.used[10] = Used(1, 100.0, 0, 1000, 0, 0, 0)
    assert scene.sample(0.0).machine_cpu is None
    times |= {"user": 100.5, "system": 10.25, "idle": 40.0}
    assert scene.sample(2.0).machine_cpu == 0.375
    for kind in ("user", "nice", "system", "irq", "softirq", "steal"):
        times[kind] += 1.0
    assert scene.sample(4.0).machine_cpu == 3.0
    times["user"] -= 1.0  # a core was taken away
    assert scene.sample(6.0).machine_cpu == 0.0
