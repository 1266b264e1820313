"""Any number of viewers get the whole run from the trainer's socket, whatever each of them does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from viewers import Attach, Viewer, ended, has, indices, recorded
from waiting import eventually

from itermon.events import Config, End, RunInfo
from itermon.trainer_hooks import Hooks
from itermon.trainer_hooks.delivery import server


def test_a_viewer_gets_the_run_so_far_and_then_follows(hooks: Hooks, attach: Attach) -> None:
    for index in range(1000):
        hooks.iteration(index, loss=1.0)
    viewer = attach(hooks.address).read(has(1000))
    for index in range(1000, 1500):
        hooks.iteration(index, loss=1.0)
    viewer.read(has(1500))
    hooks.close()
    viewer.read(ended)
    info, config, *_, end = viewer.events
    assert isinstance(info, RunInfo)
    assert (info.name, info.pid, info.clock) == ("test", os.getpid(), "hook")
    assert config == Config(origin="hook", micro_batch_size=4, extra={"colour": "blue"})
    assert isinstance(end, End)
    assert end.reason == "finished"
    assert indices(viewer) == list(range(1500))
    assert viewer.got == recorded(hooks)


def test_nothing_is_missing_and_nothing_comes_twice_wherever_the_seam_lies(hooks: Hooks, attach: Attach) -> None:
    viewers: list[Viewer] = []
    for index in range(20_000):
        hooks.iteration(index)
        if index % 1000 == 500:
            viewers.append(attach(hooks.address))
    for viewer in viewers:
        viewer.read(has(20_000))
        assert indices(viewer) == list(range(20_000))


def test_a_hundred_viewers_are_served(hooks: Hooks, attach: Attach) -> None:
    viewers = [attach(hooks.address) for _ in range(100)]
    for index in range(10):
        hooks.iteration(index)
    for viewer in viewers:
        assert indices(viewer.read(has(10))) == list(range(10))


def test_one_viewer_too_many_is_reported_so(hooks: Hooks, attach: Attach, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_VIEWERS", 1)
    attach(hooks.address).read(lambda viewer: b"run" in viewer.got)
    assert b"viewers already" in attach(hooks.address).read(ended).got


def test_another_users_viewer_gets_nothing(hooks: Hooks, attach: Attach, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.run_files, "peer_uid", lambda _: os.geteuid() + 1)
    got = attach(hooks.address).read(ended).got
    assert b"another user" in got
    assert b'"run"' not in got


def test_what_a_viewer_sends_is_never_received(hooks: Hooks, attach: Attach) -> None:
    viewer = attach(hooks.address).read(lambda viewer: b"run" in viewer.got)
    with pytest.raises(BrokenPipeError):
        viewer.connection.sendall(b"x" * (1 << 23))
    hooks.iteration(0)
    assert indices(attach(hooks.address).read(has(1))) == [0]


def test_viewers_that_do_not_read_cost_nothing_and_miss_nothing(hooks: Hooks, attach: Attach) -> None:
    stopped, bytewise = attach(hooks.address), attach(hooks.address)
    for index in range(20_000):
        hooks.iteration(index, loss=1.0)
    bytewise.read(lambda viewer: len(viewer.got) > 50, at_once=1)
    assert indices(attach(hooks.address).read(has(20_000))) == list(range(20_000))
    for viewer in (stopped, bytewise):
        assert indices(viewer.read(has(20_000))) == list(range(20_000))


def test_the_socket_and_its_directory_are_private(hooks: Hooks) -> None:
    assert hooks.address is not None
    eventually(hooks.address.exists)
    assert hooks.address.stat().st_mode & 0o777 == 0o600
    assert hooks.address.parent.stat().st_mode & 0o777 == 0o700
    hooks.close()
    assert not hooks.address.exists()


def test_two_trainers_of_one_name_and_a_path_that_is_too_long_all_work(
    run_folders: Path, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = run_folders / ("x" * 100) / ("y" * 100)
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(long))
    with (
        Hooks("twin") as ours,
        subprocess.Popen(
            [sys.executable, "-c", "import itermon; h = itermon.Hooks('twin'); h.iteration(7); input()"],
            stdin=subprocess.PIPE,
        ) as theirs,
    ):
        ours.iteration(3)
        eventually(lambda: len(list(long.glob("twin.*.sock"))) == 2)
        (other,) = [path for path in long.glob("*.sock") if path != ours.address]
        assert indices(attach(ours.address).read(has(1))) == [3]
        assert indices(attach(other).read(has(1))) == [7]
        theirs.communicate(b"\n")
    assert theirs.returncode == 0
    assert list(long.iterdir()) == []


def test_a_directory_of_sockets_that_is_not_ours_is_not_used(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run_folders / "elsewhere").mkdir()
    (run_folders / "sockets").symlink_to(run_folders / "elsewhere")
    run_folders.chmod(0o1777)  # whose link is it?
    with Hooks("wary") as hooks:
        hooks.iteration(0)
    assert list((run_folders / "elsewhere").iterdir()) == []
    assert b'"index":0' in recorded(hooks)
