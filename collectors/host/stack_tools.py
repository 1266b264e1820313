"""Who looks at a process: from CPython 3.15 on the standard library's own profiler, else py-spy.

The standard library's reads only a process of its own minor version, and of the same kind of build; of versions
that are not released yet it has to be the very same one (docs.python.org, profiling.sampling, "Version
compatibility"). So where anything differs, or is not known, it is py-spy.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from typing import Any, NamedTuple

FIRST = (3, 15)
"""The first version with `python -m profiling.sampling dump`."""

_EXECUTABLE = re.compile(r"python(3)\.(\d{1,3})(t?)d?$")
_HEAD = re.compile(r"^Stack dump(?: for PID \d+)?(?:, thread (\d{1,20}))? \(([^()]*)\):$")
_FRAME = re.compile(r'^  File "(.*)"(?:, line (\d{1,9}))?, in (.*)$')
_MOST_LINES = 20_000


class Python(NamedTuple):
    """An interpreter."""

    version: tuple[int, int]
    free_threaded: bool = False
    released: bool = True
    name: str = "cpython"


class Tool(NamedTuple):
    """What looks, and how its words are read."""

    name: str
    command: tuple[str, ...]


def tools_for(pid: int, ours: Python, theirs: Python | None, python: str, py_spy: str | None) -> list[Tool]:
    """Who can look at process `pid`, the best first.

    Args:
        pid: which process.
        ours: the interpreter that runs now; `python` is its program.
        theirs: that of the process; `None`: not known.
        python: see `ours`.
        py_spy: the program, where it is installed.
    """
    tools = []
    is_new = ours.name == "cpython" and ours.version >= FIRST and ours.released
    if is_new and theirs is not None and theirs[:2] == ours[:2]:
        tools.append(Tool("profiling.sampling", (python, "-m", "profiling.sampling", "dump", str(pid))))
    if py_spy is not None:
        tools.append(Tool("py-spy", (py_spy, "dump", "--json", "--nonblocking", "--pid", str(pid))))
    return tools


def our_python() -> Python:
    """The interpreter that runs now."""
    free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    released = sys.version_info.releaselevel == "final"
    return Python(sys.version_info[:2], free_threaded, released, sys.implementation.name)


def python_of(pid: int) -> Python | None:
    """The interpreter of a process, by the name of its program; `None` where that does not say it."""
    try:
        return python_called(os.readlink(f"/proc/{pid}/exe"))  # noqa: PTH115 - it is asked as a text
    except OSError:
        return None


def python_called(program: str) -> Python | None:
    """`/usr/bin/python3.15t`: 3.15, free-threaded."""
    named = _EXECUTABLE.search(program)
    return Python((int(named[1]), int(named[2])), bool(named[3])) if named else None


def threads_in(text: str) -> list[dict[str, Any]]:
    """What the standard library's dump printed, in the form that py-spy's JSON has. Raises `ValueError`.

    It is run in `/`, so that files stand there as they are called from there on. Frames come outermost first.
    """
    threads: list[dict[str, Any]] = []
    for line in text.split("\n")[:_MOST_LINES]:
        if head := _HEAD.match(line):
            name = "MainThread" if "main thread" in head[2] else f"thread {head[1] or ''}".strip()
            state = {"active": "on CPU" in head[2], "owns_gil": "has GIL" in head[2]}
            threads.append({"thread_name": name, "frames": [], **state})
        elif threads and (frame := _FRAME.match(line)):
            file = frame[1] if frame[1][:1] in ("/", "<", "~") else f"/{frame[1]}"
            threads[-1]["frames"].insert(0, {"filename": file, "line": int(frame[2] or 0), "name": frame[3]})
    if not threads:
        raise ValueError("no stack")
    return threads
