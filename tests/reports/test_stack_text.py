"""Processes and their threads as text."""

from itermon.collectors.host.stacks import ProcessStack, ThreadStack
from itermon.reports.stack_text import stack_lines

MAIN = ThreadStack("MainThread", ("ssl.py:9 read", "data.py:48 read_shard", "train.py:3 <module>"), 1)


def test_each_thread_with_a_mark_at_the_users_own_code() -> None:
    other = ThreadStack("pin_memory", ("a.py:1 a", "b.py:2 b", "c.py:3 c"), holds_the_lock=True)
    assert stack_lines([ProcessStack(7, "python train.py", (MAIN, other))]) == [
        "process 7  python train.py",
        "  MainThread",
        "    ssl.py:9 read",
        "  > data.py:48 read_shard",
        "    train.py:3 <module>",
        "  pin_memory (holds the interpreter)",
        "    a.py:1 a",
        "    b.py:2 b",
    ]


def test_ranks_that_stand_in_the_same_place_are_said_to() -> None:
    lines = stack_lines([ProcessStack(7, "", (MAIN,)), ProcessStack(8, "", (MAIN,))])
    assert lines[-3:] == ["", "process 8", "  MainThread: the same as in process 7"]


def test_what_is_not_known_has_its_reason_and_what_would_help() -> None:
    assert stack_lines([ProcessStack(7, "x", trouble="it is odd", remedy="do that"), ProcessStack(8)]) == [
        "process 7  x",
        "  – it is odd",
        "  This would permit it: do that",
        "",
        "process 8",
        "  – it has no Python threads",
    ]


def test_of_many_threads_the_first_are_shown() -> None:
    lines = stack_lines([ProcessStack(7, "", (MAIN, *[ThreadStack(f"t{n}") for n in range(20)]))])
    assert lines[-2:] == ["  t7", "  and 12 more threads; --json lists them"]
