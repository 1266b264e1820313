"""Processes and their threads as text."""

from itermon.collectors.host.stacks import ProcessStack, ThreadStack
from itermon.events import Stack
from itermon.reports.stack_text import look_lines, seen_lines, stack_lines

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


def seen(rank: int | None, *frames: str, iteration: int | None = 12, at_s: float = 100.0) -> Stack:
    return Stack(at_s, iteration, 31.0, frames, 0, rank=rank)


def test_ranks_that_the_hooks_saw_in_the_same_place_are_one_class_and_the_few_come_first() -> None:
    many = [seen(rank, "c10d.py:9 all_reduce") for rank in (0, 1, 2, 4, 5)]
    few = seen(3, "data.py:48 read_shard", "train.py:3 <module>", iteration=13, at_s=101.0)
    assert seen_lines([*many, few], now_s=102.5) == [
        "rank 3: in iteration 13, after 31.0 s, 1.50 s ago",
        "> data.py:48 read_shard",
        "  train.py:3 <module>",
        "",
        "5 ranks (0 to 2, 4 to 5): in iteration 12, after 31.0 s, 2.50 s ago",
        "> c10d.py:9 all_reduce",
    ]


def test_a_class_says_how_far_its_ranks_are_and_never_lists_a_thousand() -> None:
    (head, _) = seen_lines([seen(rank, "a.py:1 f", iteration=rank) for rank in range(0, 2_000, 2)])
    assert head == "1,000 ranks (0, 2, 4, 6, 8, 10, ...): in iterations 0 to 1,998, after 31.0 s"
    assert seen_lines([seen(None, "a.py:1 f", iteration=None)])[0] == "the training thread: after 31.0 s"


def test_looks_at_one_iteration_are_told_in_their_order_and_equal_ones_once() -> None:
    def look(waited_s: float, frame: str, count: int = 1, *, native: bool = False) -> Stack:
        return Stack(100.0, 7, waited_s, (frame,), 0, count=count, native=native)

    told = look_lines([look(0.6, "a.py:1 f"), look(9.0, "a.py:1 f", 4), look(12.0, "b.py:2 g", native=True)])
    assert told == [
        "600 ms to 9.00 s, by 5 looks",
        "> a.py:1 f",
        "",
        "after 12.0 s, by 1 look; blocked in native code",
        "> b.py:2 g",
    ]
