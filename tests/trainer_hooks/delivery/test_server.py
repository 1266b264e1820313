"""The server of the trainer's socket: whose turn it is, how long it waits, whom it lets go."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from viewers import Attach, ended
from waiting import WITHIN_S

from itermon import run_files
from itermon.trainer_hooks.delivery import server
from itermon.trainer_hooks.delivery.recording import Recording


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


@pytest.mark.parametrize(("until_s", "waits_ms"), [(100.25, 250.0), (100.0, 0.0), (99.0, 0.0)])
def test_a_wait_lasts_until_its_time_and_no_longer(
    until_s: float, waits_ms: float, served: server.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    def poll(limit_ms: float) -> list[tuple[int, int]]:
        assert not waits, "it waits again"
        waits.append(limit_ms)
        return []

    monkeypatch.setattr(served, "_poll", SimpleNamespace(poll=poll))
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


def test_who_wakes_it_ends_the_wait_at_once(served: server.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert served._pipe is not None
    ready = [[(served._pipe[0], select.POLLIN)]]
    monkeypatch.setattr(served, "_poll", SimpleNamespace(poll=lambda _limit_ms: ready.pop()))
    served.wait(now() + WITHIN_S)
    assert ready == []


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
    assert served._poll.poll(0) == [], "nothing is asked of it any more"


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
    times_s = iter([100.0] * 100)  # and no more of them
    monkeypatch.setattr(time, "monotonic", lambda: next(times_s))
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
        assert not waits, "it waits again"
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


def test_one_viewer_that_lags_among_those_that_have_all_is_waited_for(
    served: server.Server, attach: Attach
) -> None:
    for _ in range(2):
        attach(served.path)
    served._recording.append(b"the rest\n")
    served.wait(now())
    served.wait(now())
    one, other = served._viewers.values()
    assert not served._lagging()
    one.offset -= 1
    assert served._lagging()
    one.offset, other.offset = other.offset, one.offset
    assert served._lagging()


def test_who_wakes_it_too_often_is_not_held_up(served: server.Server) -> None:
    """The trainer's own thread does: a pipe that is full has to take no more."""
    assert served._pipe is not None
    assert not os.get_blocking(served._pipe[1])


def test_a_server_that_could_not_listen_or_be_woken_ends_all_the_same(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left() -> tuple[int, int]:
        raise OSError(errno.EMFILE, "Too many open files")

    (run_folders / "file").write_text("in the way")
    server.Server(run_folders / "file" / "run.sock", Recording(None)).finish(now())
    monkeypatch.setattr(os, "pipe", none_left)
    unwoken = server.Server(run_folders / "sockets" / "run.sock", Recording(None))
    unwoken.wake()
    unwoken.finish(now())
    assert not (run_folders / "sockets" / "run.sock").exists()


def test_nobody_is_waited_for_who_left_before_he_was_let_in(served: server.Server) -> None:
    assert served._listener is not None
    assert not served._listener.getblocking()


def test_a_hundred_and_twenty_eight_may_look_at_one_trainer() -> None:
    assert server.MOST_VIEWERS == 128


def test_sixty_four_may_come_while_the_thread_is_busy(served: server.Server) -> None:
    assert served.path is not None
    come: list[socket.socket] = []
    with contextlib.ExitStack() as open_ones, run_files.address(served.path) as address:
        with contextlib.suppress(BlockingIOError):
            while len(come) < 100:
                come.append(open_ones.enter_context(socket.socket(socket.AF_UNIX)))
                come[-1].setblocking(False)
                come[-1].connect(address)
        assert len(come) - 1 in (64, 65), "the newest was one too many; Linux lets one more in than was asked for"
