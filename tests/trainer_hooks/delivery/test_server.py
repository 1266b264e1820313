"""The trainer's socket: any number of viewers get it all, whatever each of them does."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from viewers import Attach, Viewer, ended, has, indices, recorded
from waiting import WITHIN_S, eventually

from itermon.events import (
    Config,
    End,
    RunInfo,
)
from itermon.trainer_hooks import Hooks
from itermon.trainer_hooks.delivery import server
from itermon.trainer_hooks.delivery.recording import Recording


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


@pytest.fixture
def served(run_folders: Path) -> Iterator[server.Server]:
    """A server without a thread: it does what the test asks for."""
    served = server.Server(run_folders / "sockets" / "run.sock", Recording(None))
    yield served
    served.abandon()


def now() -> float:
    return time.monotonic()


class Endless:
    """Stands in for a recording of a hundred bytes and a viewer that takes one byte at a time."""

    size, overflows = 100, 0

    def send(self, viewer: socket.socket, offset: int) -> int:
        return 1


def test_a_viewer_far_behind_gets_four_sends_and_then_the_others_have_their_turn(
    served: server.Server, attach: Attach
) -> None:
    served._recording = Endless()  # type: ignore[assignment]
    attach(served.path)
    offsets = []
    for act in (lambda: served.wait(now()), served.feed, lambda: served.wait(now())):
        act()
        (viewer,) = served._viewers.values()
        offsets.append((viewer.offset, viewer.waits))
    assert offsets == [(4, True), (4, True), (8, True)], "what is new waits until there is room"
    viewer.offset = 98
    served.wait(now())
    assert (viewer.offset, viewer.waits) == (100, False)
    Endless.size = 101
    served.feed()
    assert viewer.offset == 101
    served.wait(now())
    assert len(served) == 1, "nothing is asked of a viewer that has all"
    Endless.size = 100


@pytest.mark.parametrize(("until_s", "waits_ms"), [(100.25, 250.0), (100.0, 0.0), (99.0, 0.0)])
def test_a_wait_lasts_until_its_time_and_no_longer(
    until_s: float, waits_ms: float, served: server.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    poll = SimpleNamespace(poll=lambda limit_ms: waits.append(limit_ms) or [])
    monkeypatch.setattr(served, "_poll", poll)
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    served.wait(until_s)
    assert waits == [waits_ms]


def test_a_wait_goes_on_after_each_viewer_and_ends_with_its_time_though_more_come(
    served: server.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 100.0

    def poll(limit_ms: float) -> list[tuple[int, int]]:
        nonlocal now_s
        now_s += 0.0625
        return [(-5, 0)]  # a viewer that another one's turn has dropped

    monkeypatch.setattr(served, "_poll", SimpleNamespace(poll=poll))
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    served.wait(100.125)
    assert now_s == 100.1875


def test_who_wakes_it_ends_the_wait(served: server.Server) -> None:
    began_s = now()
    served.wake()
    served.wait(began_s + WITHIN_S)
    assert now() - began_s < WITHIN_S / 2


def test_a_viewer_that_leaves_is_let_go(served: server.Server, attach: Attach) -> None:
    viewer = attach(served.path)
    served.wait(now())
    assert len(served) == 1
    viewer.connection.close()
    served.wait(now())
    assert len(served) == 0


def test_root_may_look_at_everybodys_trainer(
    served: server.Server, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(server.run_files, "peer_uid", lambda _: 0)
    attach(served.path)
    served.wait(now())
    assert len(served) == 1


def test_of_viewers_that_have_all_nobody_is_waited_for_at_the_end(
    served: server.Server, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewer = attach(served.path)
    served.wait(now())
    served._recording.append(b"the rest\n")
    served.wake()
    began_s = now()
    served.finish(began_s + WITHIN_S)
    assert now() - began_s < WITHIN_S / 2
    assert viewer.read(ended).got == b"the rest\n"
    assert served.path is not None
    assert not served.path.exists()


@pytest.mark.parametrize(("left_s", "sent"), [(1.0, 100), (0.0, 4), (-1.0, 4)])
def test_a_viewer_that_lags_at_the_end_has_so_long_and_no_longer(
    left_s: float, sent: int, served: server.Server, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = Recording(None)
    served._recording = recording
    attach(served.path)
    served.wait(now())
    (viewer,) = served._viewers.values()
    served._recording = Endless()  # type: ignore[assignment]
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    served.finish(100.0 + left_s)
    assert viewer.offset == sent


def test_for_a_viewer_that_takes_nothing_the_end_waits_its_time_and_no_longer(
    served: server.Server, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    attach(served.path)
    served.wait(now())
    now_s, waits = 100.0, []

    def poll(limit_ms: float) -> list[tuple[int, int]]:
        nonlocal now_s
        now_s += limit_ms / 1000
        waits.append(limit_ms)
        return []

    ignored = {name: lambda *_: None for name in ("modify", "unregister")}
    monkeypatch.setattr(served, "_poll", SimpleNamespace(poll=poll, **ignored))
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    served._recording = Endless()  # type: ignore[assignment]
    served.finish(100.5)
    assert waits == [500.0]


def test_a_socket_that_is_there_is_left_and_one_that_is_not_ours_any_more_is_made_again(
    served: server.Server, attach: Attach
) -> None:
    assert served.path is not None
    first = served._listener
    served.listen()
    assert served._listener is first
    served.path.unlink()
    served.path.touch()
    served.listen()
    assert served._listener is not first
    assert first is not None
    assert first.fileno() == -1
    attach(served.path)
    served.wait(now())
    assert len(served) == 1


def test_what_lies_at_its_path_and_is_not_its_own_outlives_it(served: server.Server) -> None:
    assert served.path is not None
    served.path.rename(served.path.with_name("old"))  # so that its inode is not used again
    served.path.touch()
    served.finish(now())
    assert served.path.exists()


def test_without_a_descriptor_for_a_viewer_the_thread_pauses_and_says_why(
    served: server.Server, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)

    def accept() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(served, "_listener", SimpleNamespace(accept=accept, close=lambda: None))
    served._accept()
    assert (pauses, served.trouble) == ([0.01], "[Errno 24] Too many open files")


def test_a_viewer_whose_socket_breaks_is_let_go_and_the_others_are_fed(
    served: server.Server, attach: Attach
) -> None:
    first, second = attach(served.path), attach(served.path)
    served.wait(now())
    served.wait(now())
    broken, _ = served._viewers.values()
    broken.connection.shutdown(socket.SHUT_WR)
    served._recording.append(b"a line\n")
    served.feed()
    assert len(served) == 1
    assert second.read(lambda viewer: viewer.got.endswith(b"\n")).got == b"a line\n"
    assert first.read(ended).got == b""


def test_why_nobody_can_attach_is_said_with_the_path_that_is_wrong(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run_folders / "file").write_text("in the way")
    inside = run_folders / "file" / "run.sock"
    assert server.Server(inside, Recording(None)).trouble == f"{inside.parent}: Not a directory"

    def refuse(folder: Path) -> None:
        raise OSError("it is not ours")

    monkeypatch.setattr(server.private, "make_folder", refuse)
    assert server.Server(inside, Recording(None)).trouble == f"{inside}: it is not ours"
