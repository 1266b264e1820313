"""What the processes of a training do at this moment: from outside, without a word to the training.

py-spy, or from CPython 3.15 on the standard library's own, reads another process's memory and does not stop it.
The system may forbid that: then it is said why, and which line would allow it. Nothing here asks for more rights
by itself.
"""

from __future__ import annotations

import os
import pwd
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import psutil

from ...events import LONGEST_FRAME, MOST_FRAMES, short_file
from ...opening import read_bytes
from ..clean import clean
from .programs import output_of
from .stack_tools import Tool, our_python, python_of, threads_in, tools_for

MOST_PROCESSES = 64
MOST_THREADS = 32
"""Of a process: loaders and compilers have a few, and native threads are none of Python's."""

_LONGEST_S = 5.0  # for one process
_ALL_S = 30.0
_MOST_BYTES = 8 << 20
_SYS_PTRACE = 1 << 19  # capability 19: capabilities(7)
_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")
_CONTAINERS = (Path("/.dockerenv"), Path("/run/.containerenv"))

NOT_INSTALLED = "py-spy is not installed here"
INSTALL = "pip install 'itermon[stack]'"


_HOOKS = ("/itermon/trainer_hooks/", f"{Path(__file__).resolve().parents[2]}/trainer_hooks/")
"""Our own frames in a trainer, also where itermon runs from a checkout: no user's code."""


class ThreadStack(msgspec.Struct, frozen=True):
    """What one thread is in: frames as "file.py:line function", innermost first; `user_frame`: the user's own."""

    name: str
    frames: tuple[str, ...] = ()
    user_frame: int | None = None
    active: bool = False
    holds_the_lock: bool = False  # of the interpreter


class ProcessStack(msgspec.Struct, frozen=True):
    """The threads of one process, the main one first; or why they are not known, and the line that would help."""

    pid: int
    command: str = ""
    threads: tuple[ThreadStack, ...] = ()
    trouble: str = ""
    remedy: str = ""


def processes_below(pids: list[int]) -> list[int]:
    """These processes and the Python programs below them, each once, as many as are looked at."""
    found: dict[int, None] = {}
    for pid in pids:
        found[pid] = None
        try:
            below = psutil.Process(pid).children(recursive=True)
        except (psutil.Error, OSError):
            continue
        found.update((process.pid, None) for process in below if "python" in _program(process))
    return [*found][:MOST_PROCESSES]


def stacks_of(pids: list[int]) -> list[ProcessStack]:
    """What each of these processes does now."""
    py_spy, ours = _py_spy(), our_python()
    until_s = time.monotonic() + _ALL_S
    found: list[ProcessStack] = []
    for pid in pids:
        tools = tools_for(pid, ours, python_of(pid), sys.executable, py_spy)
        if not tools:
            found.append(ProcessStack(pid, _command(pid), trouble=NOT_INSTALLED, remedy=INSTALL))
        elif time.monotonic() > until_s:
            found.append(ProcessStack(pid, _command(pid), trouble=f"not looked at: {_ALL_S:.0f} s were over"))
        else:
            found.append(_stack_of(pid, tools))
    return found


def parse(text: bytes, folder: str) -> tuple[ThreadStack, ...]:
    """The threads in what py-spy printed as JSON; raises `msgspec.DecodeError` or what is odd in it."""
    return _threads(msgspec.json.decode(text), folder)


def _threads(told: Any, folder: str) -> tuple[ThreadStack, ...]:
    found = []
    for thread in told[:MOST_THREADS]:
        told = [_frame(frame, folder) for frame in thread["frames"]]
        own = next((place for place, (_, users) in enumerate(told) if users), None)
        first = 0 if own is None or own < MOST_FRAMES else own - 1
        found.append(
            ThreadStack(
                clean(str(thread.get("thread_name") or ""), LONGEST_FRAME),
                tuple(words for words, _ in told[first : first + MOST_FRAMES]),
                None if own is None else own - first,
                bool(thread.get("active")),
                bool(thread.get("owns_gil")),
            )
        )
    return tuple(sorted(found, key=lambda thread: thread.name != "MainThread"))


def why_not(pid: int, command: str) -> tuple[str, str]:
    """Why the system does not let us look at `pid` by this `command`, and the line that would make it."""
    as_root = f"sudo {command}"
    owner = _owner(pid)
    if owner is not None and owner != os.geteuid():
        return f"process {pid} is {_user(owner)}'s", as_root
    scope = _text(_SCOPE)
    if scope in ("1", "2"):
        who = "the process that started it" if scope == "1" else "an administrator"
        return f"only {who} may look (kernel.yama.ptrace_scope = {scope})", as_root
    if scope == "3":
        return "nobody may look until the machine starts anew (kernel.yama.ptrace_scope = 3)", ""
    if not _may_trace() and "KUBERNETES_SERVICE_HOST" in os.environ:
        return (
            "this container lacks the capability SYS_PTRACE",
            'securityContext: {capabilities: {add: ["SYS_PTRACE"]}}',
        )
    if not _may_trace() and any(mark.exists() for mark in _CONTAINERS):
        return "this container lacks the capability SYS_PTRACE", "docker run --cap-add SYS_PTRACE ..."
    return "the system does not permit it", as_root


def _stack_of(pid: int, tools: list[Tool]) -> ProcessStack:
    """By the first of `tools` that can; what the last of them says of its troubles is told."""
    command, trouble, remedy = _command(pid), "", ""
    for tool in tools:
        try:
            told, said = output_of([*tool.command], _LONGEST_S, _MOST_BYTES)
        except OSError as error:
            trouble, remedy = f"{tool.command[0]}: {error.strerror}", ""
            continue
        try:
            threads = (
                parse(told, _folder(pid))
                if tool.name == "py-spy"
                else _threads(threads_in(told.decode(errors="replace")), _folder(pid))
            )
        except (msgspec.DecodeError, KeyError, TypeError, ValueError, AttributeError):
            trouble, remedy = _trouble(pid, tool, said)
        else:
            return ProcessStack(pid, command, threads)
    return ProcessStack(pid, command, trouble=trouble, remedy=remedy)


def _trouble(pid: int, tool: Tool, said: str) -> tuple[str, str]:
    if not psutil.pid_exists(pid):
        return f"there is no process {pid} (any more)", ""
    if "ermission" in said or "not permitted" in said:
        return why_not(pid, " ".join(word for word in tool.command if word != "--json"))
    lines = said.strip().split("\n")
    first = clean(lines[0 if tool.name == "py-spy" else -1].removeprefix("Error: "), 200)
    return (f"{tool.name}: {first}" if first else f"{tool.name} did not answer within {_LONGEST_S:.0f} s"), ""


def _frame(frame: dict[str, Any], folder: str) -> tuple[str, bool]:
    file = str(frame["filename"])
    name, users = short_file(file, folder, os.path.expanduser("~"))  # noqa: PTH111
    users = users and not any(hooks in file for hooks in _HOOKS)
    words = clean(f"{name}:{int(frame['line'])} {frame['name']}")
    return words[-LONGEST_FRAME:], users or (name == "<string>" and frame["name"] == "<module>")


def _py_spy() -> str | None:
    """Beside our own Python, where the extra puts it, or wherever the shell finds it."""
    beside = Path(sys.executable).with_name("py-spy")
    return str(beside) if beside.exists() else shutil.which("py-spy")


def _folder(pid: int) -> str:
    try:
        process = psutil.Process(pid)
        scripts = [part for part in process.cmdline()[1:] if part.endswith(".py")]
        return os.path.dirname(os.path.join(process.cwd(), scripts[0] if scripts else "")) + "/"  # noqa: PTH118, PTH120
    except (psutil.Error, OSError):
        return "//"


def _program(process: psutil.Process) -> str:
    try:
        return " ".join([str(process.name()), *process.cmdline()[:1]]).casefold()
    except (psutil.Error, OSError):
        return ""


def _command(pid: int) -> str:
    try:
        return clean(" ".join(psutil.Process(pid).cmdline()), 200)
    except (psutil.Error, OSError):
        return ""


def _owner(pid: int) -> int | None:
    try:
        return Path(f"/proc/{pid}").stat().st_uid
    except OSError:
        return None


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _text(path: Path) -> str:
    try:
        return str(read_bytes(path, 64), errors="replace").strip()
    except OSError:
        return ""


def _may_trace() -> bool:
    try:
        status = read_bytes(Path("/proc/self/status"), 1 << 14).decode(errors="replace")
    except OSError:
        return False
    words = [line.split()[1] for line in status.split("\n") if line.startswith("CapEff:")]
    return bool(words) and bool(int(words[0], 16) & _SYS_PTRACE)
