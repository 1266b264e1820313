"""What a process does at this moment, by py-spy; and why it cannot be known, where it cannot."""

from __future__ import annotations

import json
import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

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
        "profiling.sampling": (b"", "Traceback\n  File 3\nRuntimeError: odd" + 300 * "!"),
        "py-spy": (json.dumps([thread("x")]).encode(), ""),
    }
    both = [Tool(name, (name,)) for name in answers]
    monkeypatch.setattr(stacks, "tools_for", lambda *_: both)
    monkeypatch.setattr(stacks, "output_of", lambda command, *_: answers[command[0]])
    assert [one.name for one in stacks_of([os.getpid()])[0].threads] == ["x"]
    del both[1]
    assert stacks_of([os.getpid()])[0].trouble == f"profiling.sampling: RuntimeError: odd{'!' * 183}"
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
    monkeypatch.setattr(stacks, "read_bytes", lambda _, most: (status + "Seccomp:\t0\n").encode()[:most])
    assert stacks._may_trace() is may
    monkeypatch.setattr(stacks, "read_bytes", lambda *_: b"Name:\tpython\n")
    assert not stacks._may_trace()


@pytest.mark.parametrize("depth", [0, 1, MOST_FRAMES - 1, MOST_FRAMES, MOST_FRAMES + 1, 3 * MOST_FRAMES])
def test_the_users_own_frame_is_shown_however_deep_it_lies_with_the_one_inside_it(depth: int) -> None:
    frames = [frame("/usr/lib/python3.11/ssl.py", line, "read") for line in range(depth)]
    told = json.dumps([thread("x", *frames, *[READ[1]] * 50)]).encode()
    (found,) = parse(told, "/w/")
    assert found.user_frame is not None
    assert found.frames[found.user_frame] == "data.py:48 read_shard"
    assert found.user_frame == (depth if depth < MOST_FRAMES else 1)
    assert found.frames[: found.user_frame] == tuple(
        f"ssl.py:{line} read" for line in range(depth - found.user_frame, depth)
    )
    assert len(found.frames) == MOST_FRAMES


@pytest.mark.parametrize(
    ("file", "name", "is_own"),
    [("<string>", "<module>", True), ("<string>", "f", False), ("<frozen os>", "<module>", False)],
)
def test_a_command_that_is_given_as_text_is_the_users_own(file: str, name: str, is_own: bool) -> None:
    (found,) = parse(json.dumps([thread("x", frame(file, 1, name))]).encode(), "/w/")
    assert (found.user_frame == 0) is is_own


def test_where_one_tool_cannot_be_started_the_next_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    def output_of(command: list[str], *_: object) -> tuple[bytes, str]:
        if command[0] == "none":
            raise FileNotFoundError(2, "No such file")
        return json.dumps([thread("x")]).encode(), ""

    tools = [Tool("py-spy", ("none", "dump", "--pid", "7")), Tool("py-spy", ("py-spy",))]
    monkeypatch.setattr(stacks, "tools_for", lambda *_: tools)
    monkeypatch.setattr(stacks, "output_of", output_of)
    assert [one.name for one in stacks_of([os.getpid()])[0].threads] == ["x"]
    del tools[1]
    assert stacks_of([os.getpid()])[0].trouble == "none: No such file"


@pytest.mark.parametrize("said", ["Error: Permission Denied", "permission denied", "Operation not permitted"])
def test_what_is_forbidden_is_explained_by_the_command_that_a_person_would_give(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        stacks, "tools_for", lambda *_: [Tool("py-spy", ("py-spy", "dump", "--json", "--pid", "7"))]
    )
    monkeypatch.setattr(stacks, "output_of", lambda *_: (b"", said))
    monkeypatch.setattr(stacks, "why_not", lambda _, command: ("not now", f"sudo {command}"))
    (found,) = stacks_of([os.getpid()])
    assert (found.trouble, found.remedy) == ("not now", "sudo py-spy dump --pid 7")


class Seen:
    """A process as the system tells of it, and those below it."""

    def __init__(self, name: str, *command: str, below: tuple[Seen, ...] = ()) -> None:
        self.pid, self._name, self._command, self._below = 10**9 + len(command), name, command, below

    def name(self) -> str:
        return self._name

    def cmdline(self) -> list[str]:
        return [*self._command]

    def cwd(self) -> str:
        return "/home/ann/work"

    def children(self, *, recursive: bool) -> tuple[Seen, ...]:
        return self._below if recursive else ()


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (("python", "-u", "exp/train.py", "conf/config.py"), "data.py:48 read_shard"),
        (("python", "-m", "exp.train"), "exp/data.py:48 read_shard"),
        (("/opt/start.py", "exp/train.py"), "data.py:48 read_shard"),
        (("python", "exp/train.py"), "data.py:48 read_shard"),
    ],
)
def test_files_are_called_as_seen_from_the_folder_of_the_script(
    command: tuple[str, ...], shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = json.dumps([thread("x", frame("/home/ann/work/exp/data.py", 48, "read_shard"))]).encode()
    monkeypatch.setattr(stacks, "tools_for", lambda *_: [Tool("py-spy", ("py-spy",))])
    monkeypatch.setattr(stacks, "output_of", lambda *_: (told, ""))
    monkeypatch.setattr(stacks.psutil, "Process", lambda _: Seen("python", *command, *["x" * 50] * 9))
    (found,) = stacks_of([7])
    assert found.threads[0].frames == (shown,)
    assert found.command.startswith(" ".join(command))
    assert len(found.command) == 200


def test_of_the_processes_below_those_are_looked_at_that_are_called_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    below = (
        Seen("Python", "x"),
        Seen("pt_main_thread", "/usr/bin/python3", "train.py"),
        Seen("bash", "bash", "python.sh", "again"),
    )
    monkeypatch.setattr(stacks.psutil, "Process", lambda _: Seen("bash", below=below))
    assert processes_below([5]) == [5, below[0].pid, below[1].pid]


def test_py_spy_is_looked_for_beside_our_own_python_and_then_where_the_shell_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str | None] = []
    monkeypatch.setattr(stacks, "tools_for", lambda *given: asked.append(given[-1]) or [])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    stacks_of([7])
    for folder in ("elsewhere", "."):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "py-spy").touch(0o755)
        stacks_of([7])
    assert asked == [None, str(tmp_path / "elsewhere" / "py-spy"), str(tmp_path / "py-spy")]


def test_whose_process_it_is_is_said_by_name_or_else_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    mine, other = os.getuid(), os.getuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    pid = os.getpid()
    assert why_not(pid, "x")[0] == f"process {pid} is {pwd.getpwuid(mine).pw_name}'s"
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    assert why_not(pid, "x")[0] == f"process {pid} is {mine}'s"


def test_what_the_system_permits_is_read_where_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scope = tmp_path / "ptrace_scope"
    monkeypatch.setattr(stacks, "_SCOPE", scope)
    monkeypatch.setattr(stacks, "_CONTAINERS", (tmp_path,))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    scope.write_text("3\n")
    assert why_not(os.getpid(), "x")[0].endswith("(kernel.yama.ptrace_scope = 3)")
    scope.unlink()
    monkeypatch.setattr(stacks, "_may_trace", lambda: False)
    assert why_not(os.getpid(), "x")[0] == "this container lacks the capability SYS_PTRACE"


@pytest.mark.parametrize(("passed_s", "trouble"), [(30.0, ""), (30.5, "not looked at: 30 s were over")])
def test_half_a_minute_is_looked_at_processes_and_then_no_more(
    passed_s: float, trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stacks, "time", SimpleNamespace(monotonic=iter([7.0, 7.0 + passed_s]).__next__))
    monkeypatch.setattr(stacks, "tools_for", lambda *_: [Tool("py-spy", ("py-spy",))])
    monkeypatch.setattr(stacks, "output_of", lambda *_: (json.dumps([thread("x")]).encode(), ""))
    assert stacks_of([os.getpid()])[0].trouble == trouble


def test_without_a_word_on_capabilities_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: object) -> bytes:
        raise FileNotFoundError

    monkeypatch.setattr(stacks, "read_bytes", nothing)
    assert not stacks._may_trace()
