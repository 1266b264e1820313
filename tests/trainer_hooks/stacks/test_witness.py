"""`faulthandler`'s timer: set ahead, never taken from anybody, and not there when a child is forked."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import IO, Any

import pytest

from itermon.trainer_hooks.stacks import witness
from itermon.trainer_hooks.stacks.witness import Witness, frames_of

# The bounds as numbers of its own: from the code, a test would move with them.
AGAIN_S, GOES_OFF_S = 2.0, 5.0

WRITTEN = """Timeout (0:00:05)!
Thread 0x00000000000000aa (most recent call first):
  File "/usr/lib/python3/threading.py", line 320 in wait
Thread 0x00000000000000bb [train] (most recent call first):
  File "/w/data, line 3 in.py", line 48 in read_shard
  File "/w/train.py", line 9 in <module>
Current thread 0x00000000000000cc (most recent call first):
  File "/w/other.py", line 1 in f
"""


class Timer:
    """Stands in for `faulthandler`: what was asked of it, and the handlers of forks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[object] = []
        self.file: IO[bytes] | None = None
        self.at_fork: dict[str, Callable[[], None]] = {}
        self.now_s = 100.0
        self.module: Any = SimpleNamespace(dump_traceback_later=self.set, cancel_dump_traceback_later=self.cancel)
        monkeypatch.setattr(os, "register_at_fork", lambda **named: self.at_fork.update(named))
        monkeypatch.setattr(time, "monotonic", lambda: self.now_s)
        monkeypatch.delitem(sys.modules, "faulthandler", raising=False)
        load = __import__
        monkeypatch.setattr(
            "builtins.__import__",
            lambda name, *rest: self.module if name == "faulthandler" else load(name, *rest),
        )

    def set(self, seconds: float, *, file: IO[bytes] | None = None) -> str:
        self.asked.append(seconds)
        self.file = file
        return "set"

    def cancel(self) -> str:
        self.asked.append("cancel")
        return "cancelled"


@pytest.fixture
def timer(monkeypatch: pytest.MonkeyPatch) -> Timer:
    return Timer(monkeypatch)


def installed() -> Witness:
    made = Witness()
    made.install()
    return made


def test_it_is_set_ahead_and_again_before_it_goes_off(timer: Timer) -> None:
    one = installed()
    one.arm()
    timer.now_s += AGAIN_S / 2
    one.arm()
    assert timer.asked == [GOES_OFF_S]
    assert (GOES_OFF_S, AGAIN_S) == (5.0, 2.0)
    timer.now_s += AGAIN_S / 2
    one.arm()
    assert timer.asked == [GOES_OFF_S] * 2
    assert AGAIN_S < GOES_OFF_S
    one.disarm()
    one.disarm()
    assert timer.asked[2:] == ["cancel"]


def test_who_has_loaded_faulthandler_before_may_have_set_it(timer: Timer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faulthandler", timer.module)
    one = installed()
    one.arm()
    assert (timer.asked, timer.at_fork, timer.module.dump_traceback_later) == ([], {}, timer.set)


def test_who_sets_it_has_it_until_they_cancel_it(timer: Timer) -> None:
    one = installed()
    one.arm()
    assert timer.module.dump_traceback_later(60) == "set"
    timer.now_s += 100
    one.arm()
    one.disarm()
    timer.at_fork["before"]()
    timer.at_fork["after_in_parent"]()
    assert timer.asked == [GOES_OFF_S, 60]
    assert timer.module.cancel_dump_traceback_later() == "cancelled"
    one.arm()
    assert timer.asked == [GOES_OFF_S, 60, "cancel", GOES_OFF_S]


def test_before_a_fork_it_is_cancelled_and_the_parent_sets_it_again(timer: Timer) -> None:
    one = installed()
    one.arm()
    timer.at_fork["before"]()
    timer.at_fork["after_in_parent"]()
    one.arm()
    assert timer.asked == [GOES_OFF_S, "cancel", GOES_OFF_S]
    timer.at_fork["before"]()
    timer.at_fork["after_in_child"]()
    one.arm()
    assert timer.asked == [GOES_OFF_S, "cancel", GOES_OFF_S, "cancel"]


@pytest.mark.parametrize(("ago_s", "is_seen"), [(3.0, True), (0.75, True), (0.5, False), (0.1, False)])
def test_what_was_written_when_the_wait_was_over_shows_nothing(
    timer: Timer, ago_s: float, is_seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1.75e9)
    one = installed()
    one.arm()
    assert timer.file is not None
    assert one.seen(0xBB) is None
    for _ in range(2):
        os.write(timer.file.fileno(), WRITTEN.encode())
        written_s = time.time() - ago_s
        os.utime(timer.file.fileno(), (written_s, written_s))
        seen = one.seen(0xBB)
        assert (seen is not None) is is_seen
        assert seen is None or seen[0] == pytest.approx(written_s, abs=0.01)
        assert one.seen(0xBB) is None, "it is told once"


def test_the_frames_of_one_thread_as_they_were_written_last() -> None:
    mine = [("/w/data, line 3 in.py", 48, "read_shard"), ("/w/train.py", 9, "<module>")]
    assert frames_of(WRITTEN, 0xBB) == mine
    assert frames_of(WRITTEN.replace("48", "1") + WRITTEN, 0xBB) == mine
    assert frames_of(WRITTEN, 0xCC) == [("/w/other.py", 1, "f")]
    assert frames_of(WRITTEN, 0xDD) == frames_of("", 0xBB) == frames_of("Timeout (x\nThread 0x", 0xBB) == []
    assert frames_of('Timeout (x\n  File "/w/other.py", line 1 in f\n', 0xBB) == [], "of nobody knows which"
    far = WRITTEN.replace("48", "123456789012")
    assert frames_of(far, 0xBB)[0] == ("/w/data, line 3 in.py", 123_456_789, "read_shard")


def test_a_forked_child_ends() -> None:
    code = f"""
import os, sys
from {witness.__name__} import the_witness
the_witness().arm()
assert the_witness()._armed_s is not None
if os.fork() == 0:
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    ended = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)
    assert ended.stdout == "7\n"


def test_what_was_read_leaves_an_empty_file(timer: Timer) -> None:
    one = installed()
    one.arm()
    assert timer.file is not None
    os.write(timer.file.fileno(), WRITTEN.encode())
    one.seen(0xBB)
    assert os.fstat(timer.file.fileno()).st_size == 0
    os.write(timer.file.fileno(), b"x")
    assert os.fstat(timer.file.fileno()).st_size == 1, "the next is written at its beginning"


@pytest.mark.parametrize(("before", "is_seen"), [(1 << 18, False), ((1 << 18) - len(WRITTEN), True)])
def test_of_what_was_written_a_quarter_of_a_mebibyte_is_read(timer: Timer, before: int, is_seen: bool) -> None:
    one = installed()
    one.arm()
    assert timer.file is not None
    os.write(timer.file.fileno(), b"x" * (before - 1) + b"\n" + WRITTEN.encode())
    os.utime(timer.file.fileno(), (1e9, 1e9))
    assert (one.seen(0xBB) is not None) is is_seen


def test_who_sets_it_just_before_it_is_set_has_it(timer: Timer, monkeypatch: pytest.MonkeyPatch) -> None:
    class Lock:
        """Somebody else has it first."""

        def __init__(self) -> None:
            self.first: list[Callable[[], object]] = []

        def __enter__(self) -> None:
            if self.first:
                self.first.pop()()

        def __exit__(self, *_: object) -> None: ...

        def acquire(self) -> None: ...
        def release(self) -> None: ...

    lock = Lock()
    monkeypatch.setattr(witness.threading, "RLock", lambda: lock)
    one = installed()
    lock.first.append(lambda: timer.module.dump_traceback_later(60))
    one.arm()
    assert timer.asked == [60]
