"""Which program looks at a process, and what the standard library's prints."""

from __future__ import annotations

import pytest

from itermon.collectors.host.stack_tools import Python, our_python, python_called, threads_in, tools_for

NEW, OLD = Python((3, 15)), Python((3, 11))
STANDARD, PY_SPY = "profiling.sampling", "py-spy"


@pytest.mark.parametrize(
    ("ours", "theirs", "py_spy", "names"),
    [
        (NEW, NEW, "py-spy", [STANDARD, PY_SPY]),
        (NEW, NEW, None, [STANDARD]),
        (Python((3, 16)), Python((3, 16)), "py-spy", [STANDARD, PY_SPY]),
        (NEW, Python((3, 16)), "py-spy", [PY_SPY]),
        (NEW, OLD, "py-spy", [PY_SPY]),
        (NEW, None, "py-spy", [PY_SPY]),
        (NEW, Python((3, 15), free_threaded=True), "py-spy", [PY_SPY]),
        (NEW._replace(released=False), NEW, "py-spy", [PY_SPY]),
        (NEW._replace(name="pypy"), NEW, "py-spy", [PY_SPY]),
        (OLD, OLD, "py-spy", [PY_SPY]),
        (OLD, OLD, None, []),
        (NEW, None, None, []),
    ],
)
def test_the_standard_library_looks_at_its_own_kind_alone(
    ours: Python, theirs: Python | None, py_spy: str | None, names: list[str]
) -> None:
    tools = tools_for(42, ours, theirs, "/usr/bin/python3.15", py_spy)
    assert [tool.name for tool in tools] == names
    assert all("42" in tool.command for tool in tools)
    if STANDARD in names:
        assert tools[0].command == ("/usr/bin/python3.15", "-m", "profiling.sampling", "dump", "42")


@pytest.mark.parametrize(
    ("program", "python"),
    [
        ("/usr/bin/python3.15", NEW),
        ("/opt/x/bin/python3.15t", Python((3, 15), free_threaded=True)),
        ("/usr/bin/python3.15d", NEW),
        ("/usr/bin/python3", None),
        ("/opt/trainer", None),
        ("/usr/bin/python3.15 (deleted)", None),
    ],
)
def test_an_interpreter_is_known_by_its_programs_name(program: str, python: Python | None) -> None:
    assert python_called(program) == python


def test_ours_is_known() -> None:
    assert our_python().version >= (3, 10)


DUMP = """\
Stack dump for PID 4242, thread 140735 (main thread, has GIL, on CPU; most recent call last):
  File "w/train.py", line 91, in <module>
    main()
  File "/w/data.py", line 48, in Shards.read_shard
    [source file changed after process started]
  File "<frozen runpy>", line 3, in run
  File "<GC>", in <GC>
  odd

Stack dump, thread 140736 (idle; most recent call last):
No Python frames
"""


def test_a_dump_is_read_innermost_first() -> None:
    main, other = threads_in(DUMP)
    assert [(frame["filename"], frame["line"], frame["name"]) for frame in main["frames"]] == [
        ("<GC>", 0, "<GC>"),
        ("<frozen runpy>", 3, "run"),
        ("/w/data.py", 48, "Shards.read_shard"),
        ("/w/train.py", 91, "<module>"),
    ]
    assert (main["thread_name"], main["owns_gil"], main["active"]) == ("MainThread", True, True)
    assert (other["thread_name"], other["owns_gil"], other["frames"]) == ("thread 140736", False, [])


@pytest.mark.parametrize("text", ["", "No Python stacks found for PID 7\n", '  File "a.py", line 1, in f\n'])
def test_what_is_no_dump_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no stack"):
        threads_in(text)
