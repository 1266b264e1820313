"""What a process does at this moment, by py-spy; and why it cannot be known, where it cannot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from itermon.collectors.host import stacks
from itermon.collectors.host.stack_tools import Tool
from itermon.collectors.host.stacks import (
    INSTALL,
    MOST_PROCESSES,
    NOT_INSTALLED,
    parse,
    processes_below,
    stacks_of,
    why_not,
)
from itermon.events import MOST_FRAMES


def frame(filename: str, line: int, name: str) -> dict[str, object]:
    return {"filename": filename, "line": line, "name": name, "short_filename": None, "locals": None}


def thread(name: str | None, *frames: dict[str, object]) -> dict[str, object]:
    return {"pid": 1, "thread_name": name, "active": True, "owns_gil": False, "frames": frames}


READ = (
    frame("/usr/lib/python3.11/ssl.py", 9, "read"),
    frame("/w/data.py", 48, "read_shard"),
    frame("/w/train.py", 3, "<module>"),
)


def test_the_main_thread_comes_first_and_frames_are_called_as_everywhere() -> None:
    told = json.dumps([thread("pin_memory", READ[0]), thread("MainThread", *READ)]).encode()
    main, other = parse(told, "/w/")
    assert (main.name, main.user_frame, main.active) == ("MainThread", 1, True)
    assert main.frames == ("ssl.py:9 read", "data.py:48 read_shard", "train.py:3 <module>")
    assert (other.name, other.user_frame) == ("pin_memory", None)


@pytest.mark.parametrize("root", ["/srv/itermon", str(Path(stacks.__file__).resolve().parents[2])])
def test_our_own_frames_in_a_trainer_are_no_users_code(root: str) -> None:
    hooks = frame(f"{root}/trainer_hooks/automatic/other_ranks.py", 141, "wait")
    (main,) = parse(json.dumps([thread("MainThread", hooks, *READ[1:])]).encode(), "/w/")
    assert main.user_frame == 1
    (alone,) = parse(json.dumps([thread("MainThread", hooks)]).encode(), "/w/")
    assert alone.user_frame is None


def test_what_comes_from_outside_is_bounded_and_clean() -> None:
    deep = [READ[0]] * 500 + [frame("/w/\x1b[2Jx.py", 5, "y" * 9_000)]
    (found,) = parse(json.dumps([thread("\x1b]0;evil\x07MainThread", *deep)]).encode(), "/w/")
    assert found.name == "MainThread"
    assert found.user_frame is not None
    assert len(found.frames) <= MOST_FRAMES
    assert all(len(one) <= 120 and one.isprintable() for one in found.frames)
    assert len(parse(json.dumps([thread("x")] * 1_000).encode(), "/w/")) == stacks.MOST_THREADS


@pytest.mark.parametrize("told", [b"", b"{", b"[1]", b'[{"frames":3}]', b'[{"frames":[{"line":"x"}]}]', b"3"])
def test_what_is_no_answer_is_a_trouble(told: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "_py_spy", lambda: "py-spy")
    monkeypatch.setattr(stacks, "output_of", lambda *_: (told, "Error: it is odd\nand more"))
    (found,) = stacks_of([os.getpid()])
    assert (found.threads, found.trouble) == ((), "py-spy: it is odd")


def test_without_py_spy_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "_py_spy", lambda: None)
    (found,) = stacks_of([os.getpid()])
    assert (found.trouble, found.remedy) == (NOT_INSTALLED, INSTALL)


SUDO = "sudo py-spy dump --nonblocking --pid 7"


@pytest.mark.parametrize(
    ("owner", "scope", "traces", "inside", "why", "remedy"),
    [
        (os.geteuid() + 1, "", True, "", "process 7 is ann's", SUDO),
        (None, "1", False, "", "only the process that started it may look (kernel.yama.ptrace_scope = 1)", SUDO),
        (None, "2", False, "", "only an administrator may look (kernel.yama.ptrace_scope = 2)", SUDO),
        (None, "3", False, "", "nobody may look until the machine starts anew (kernel.yama.ptrace_scope = 3)", ""),
        (None, "0", False, "docker", "this container lacks the capability SYS_PTRACE",
         "docker run --cap-add SYS_PTRACE ..."),
        (None, "0", False, "kubernetes", "this container lacks the capability SYS_PTRACE",
         'securityContext: {capabilities: {add: ["SYS_PTRACE"]}}'),
        (None, "0", True, "docker", "the system does not permit it", SUDO),
        (None, "", False, "", "the system does not permit it", SUDO),
    ],
)  # fmt: skip
def test_where_it_is_forbidden_it_says_why_and_what_would_permit_it(
    owner: int | None, scope: str, traces: bool, inside: str, why: str, remedy: str,
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.setattr(stacks, "_owner", lambda _: owner)
    monkeypatch.setattr(stacks, "_user", lambda _: "ann")
    monkeypatch.setattr(stacks, "_text", lambda _: scope)
    monkeypatch.setattr(stacks, "_may_trace", lambda: traces)
    monkeypatch.setattr(stacks, "_CONTAINERS", (tmp_path,) if inside == "docker" else ())
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    if inside == "kubernetes":
        monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    assert why_not(7, "py-spy dump --nonblocking --pid 7") == (why, remedy)


def test_where_the_standard_library_cannot_py_spy_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {
        "profiling.sampling": (b"", "Traceback\nRuntimeError: odd"),
        "py-spy": (json.dumps([thread("x")]).encode(), ""),
    }
    both = [Tool(name, (name,)) for name in answers]
    monkeypatch.setattr(stacks, "tools_for", lambda *_: both)
    monkeypatch.setattr(stacks, "output_of", lambda command, *_: answers[command[0]])
    assert [one.name for one in stacks_of([os.getpid()])[0].threads] == ["x"]
    del both[1]
    assert stacks_of([os.getpid()])[0].trouble == "profiling.sampling: RuntimeError: odd"
    dump = b'Stack dump for PID 7, thread 1 (main thread; most recent call last):\n  File "w/a.py", line 3, in f\n'
    answers["profiling.sampling"] = dump, ""
    (found,) = stacks_of([os.getpid()])
    assert (found.threads[0].name, found.threads[0].frames) == ("MainThread", ("a.py:3 f",))


@pytest.fixture
def waiting() -> Iterator[subprocess.Popen[bytes]]:
    """A Python that waits for a line, in a function."""
    code = "import sys\ndef read_shard():\n    print(flush=True)\n    sys.stdin.readline()\nread_shard()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def test_a_living_process_is_seen(waiting: subprocess.Popen[bytes]) -> None:
    if stacks._py_spy() is None:
        pytest.skip("py-spy is not installed")
    (found,) = stacks_of([waiting.pid])
    if found.remedy:
        pytest.skip(found.trouble)
    assert [frame.split()[-1] for frame in found.threads[0].frames] == ["read_shard", "<module>"]


def test_a_process_that_is_gone_is_said_to_be(waiting: subprocess.Popen[bytes]) -> None:
    waiting.kill()
    waiting.wait()
    if stacks._py_spy() is None:
        pytest.skip("py-spy is not installed")
    (found,) = stacks_of([waiting.pid])
    assert found.trouble == f"there is no process {waiting.pid} (any more)"


def test_the_pythons_below_a_process_are_looked_at_too(waiting: subprocess.Popen[bytes]) -> None:
    assert [os.getpid(), waiting.pid] == [
        pid for pid in processes_below([os.getpid()]) if pid in (os.getpid(), waiting.pid)
    ]
    assert len(processes_below([*range(10**9, 10**9 + 1_000)])) == MOST_PROCESSES


@pytest.mark.parametrize(
    ("capabilities", "may"),
    [
        ("0000000000080000", True),
        ("000001ffffffffff", True),
        ("000001fffff7ffff", False),
        ("0000000000000000", False),
    ],
)
def test_who_has_the_capability_to_trace_may_look(
    capabilities: str, may: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = f"Name:\tpython\nCapPrm:\t000001ffffffffff\nCapEff:\t{capabilities}\n"
    monkeypatch.setattr(stacks, "read_bytes", lambda *_: status.encode())
    assert stacks._may_trace() is may
    monkeypatch.setattr(stacks, "read_bytes", lambda *_: b"Name:\tpython\n")
    assert not stacks._may_trace()
