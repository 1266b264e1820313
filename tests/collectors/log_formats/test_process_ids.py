"""Another process is known by its id, where its counter does not go on."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.process_ids import ProcessIds, Scripts, process_of, rank_of, script_of
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Message, RunInfo


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("I0301 10:00:06.250000  5674 solver.cpp:218] Iteration 900", "5674"),
        ("I20250301 10:00:06.250000 5674 solver.cpp:218] Iteration 900", "5674"),
        ("[pid 12] step 3", "12"),
        ("2025-03-01 PID=12 step 3", "12"),
        ("Iteration 900, loss = 0.25", None),
        ("rapid 12 step 3", None),
        ("", None),
    ],
)
def test_a_prefix_may_name_the_process(line: str, said: str | None) -> None:
    assert process_of(line) == said


@pytest.mark.parametrize(
    ("rows", "jumps"),
    [
        ([(1, 10), (1, 20), (2, 9_000), (2, 9_010)], [2]),
        ([(1, 10), (1, 20), (2, 30), (2, 40)], []),
        ([(1, 10), (2, 10), (1, 20), (2, 20), (1, 9_000), (2, 9_000)], []),
        ([(1, 10), (1, 20), (1, 9_000)], []),
        ([(1, 10), (2, 9_000)], []),
        ([(1, 10), (1, 20), (2, 9_000), (2, 9_010), (3, 20_000)], [2, 4]),
    ],
)
def test_another_id_whose_counter_jumps_is_another_process(rows: list[tuple[int, int]], jumps: list[int]) -> None:
    ids, last, found = ProcessIds(), None, []
    for place, (process, index) in enumerate(rows):
        if ids.jumps(f"[pid {process}] step {index}", index, last):
            found.append(place)
        last = index
    assert found == jumps


def test_what_lies_between_two_tails_is_in_neither_training() -> None:
    lines = [
        f"I030{day} 10:00:{second:02d}.000000  {process} solver.cpp:218] Iteration {first + 20 * n}, loss = 0.5"
        for day, process, first in ((1, 71, 8_900), (3, 72, 59_900))
        for n, second in enumerate(range(0, 50, 10))
    ]
    reader = LogReader(lines)
    events = [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]
    rows = [event for event in events if isinstance(event, Iteration)]
    assert [event.resumed for event in events if isinstance(event, RunInfo)][-1] is False
    assert {row.averaged_over for row in rows} == {1, 20}
    assert (rows[5].index, rows[5].duration_s) == (59_900, None)


def read(*lines: str, ahead: bool = True) -> tuple[list[list[tuple[int, float | None]]], list[str]]:
    """The places and losses of the rows, training by training; and what is said."""
    reader = LogReader(lines if ahead else lines[:3])
    runs: list[list[tuple[int, float | None]]] = [[]]
    said = []
    data = [f"{line}\n".encode() for line in lines]
    events = [event for each in (data if not ahead else [b"".join(data)]) for event in reader.feed(each)]
    for event in [*events, *reader.end(b"")]:
        if isinstance(event, RunInfo):
            runs.append([])
        elif isinstance(event, Iteration):
            runs[-1].append((event.index, event.loss))
        elif isinstance(event, Message):
            said.append(event.text)
    return [run for run in runs if run], said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("DEBUG:root:@rank1 Epoch: 3 loss: 0.5", (1, True)),
        ("[rank2]: epoch 3 loss 0.5", (2, True)),
        ("[Rank 3] epoch 3 loss 0.5", (3, True)),
        ("2025-03-01 10:00:00 (local rank=1) epoch 3 loss 0.5", (1, True)),
        ("local_rank: 1 epoch 3 loss 0.5", (1, True)),
        ("[default4]:epoch 3 loss 0.5", (4, True)),
        ("Rank 0 | epoch 3 | loss 0.5", (0, False)),
        ('{"rank": 1, "epoch": 3, "loss": 0.5}', (1, False)),
        ("rank1: 0.875 epoch 3 loss 0.5", None),
        ("Rank-1: 87.5% epoch 3", None),
        ("rank 1: 87.5%", None),
        ("rank=0.5", None),
        ("shrank 3 loss 0.5", None),
        ("epoch 3 loss 0.5", None),
    ],
)
def test_a_prefix_may_name_the_rank(line: str, said: tuple[int, bool] | None) -> None:
    assert rank_of(line) == said


@pytest.mark.parametrize("mark", ["DEBUG:root:@rank{}", "[Rank {}]", "local_rank={}", "rank {} |"])
def test_an_epoch_that_each_rank_prints_is_one_and_the_lowest_is_read(mark: str) -> None:
    rows = [f"{mark.format(rank)} epoch: {n} loss: {n}.{rank}" for n in range(1, 9) for rank in (1, 0)]
    runs, _ = read(*rows)
    assert runs == [[(1, 1.1), *((n, float(n)) for n in range(2, 9))]]


def test_ranks_of_steps_are_read_as_one_whoever_is_first() -> None:
    rows = [f"[rank{rank}] step {n}00 loss: {n}.{rank}" for n in range(1, 9) for rank in ((0, 1), (1, 0))[n % 2]]
    assert read(*rows)[0] == [[(100, 1.1), *((100 * n, float(n)) for n in range(2, 9))]]


def test_what_another_rank_printed_behind_the_whole_of_one_is_no_other_training() -> None:
    rows = [f"@rank{rank} epoch: {n} loss: {n}.{rank}" for rank in (0, 1) for n in range(1, 9)]
    assert read(*rows)[0] == [[(n, float(n)) for n in range(1, 9)]]


def test_ranks_of_a_matrix_are_no_processes() -> None:
    rows = [f"rank: {rank} epoch: {n} loss: {n}.{rank}" for rank in (4, 8) for n in range(1, 5)]
    assert len(read(*rows)[0]) == 2


def test_where_one_rank_is_silent_another_one_is_read_on() -> None:
    rows = [f"@rank{rank} epoch: {n} loss: 2.5" for n in range(1, 9) for rank in (0, 1) if rank or n < 4]
    (run,), _ = read(*rows)
    assert [index for index, _ in run] == [1, 2, 3, 6, 7, 8]


def test_each_launch_of_several_ranks_is_a_training_of_its_own() -> None:
    rows = [f"@rank{rank} epoch: {n} loss: {n}.{rank}" for n in range(1, 5) for rank in (1, 0)]
    start = "@rank0 Start training for 4 epochs."
    runs, _ = read(start, *rows, start, *rows[1:2], start, *rows)
    assert [[index for index, _ in run] for run in runs] == [[1, 2, 3, 4], [1], [1, 2, 3, 4]]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[2025-03-01 10:00:06-train_small.py-INFO:epoch: 3", "train_small.py"),
        ("train_small.py - epoch 3", "train_small.py"),
        ("train.py:120 epoch 3", None),
        ("/home/x/train.py epoch 3", None),
        ('File "train.py", line 3', None),
        ("epoch 3", None),
    ],
)
def test_a_prefix_may_name_the_script(line: str, said: str | None) -> None:
    assert script_of(line) == said


def in_turns(*rows: tuple[str, int]) -> list[str]:
    return [
        f"[2025-03-01 10:00:{at:02d}-{name}.py-INFO:epoch: {n}, dice: 0.5{n}]" for at, (name, n) in enumerate(rows)
    ]


def test_of_two_scripts_in_turns_one_is_read_and_nothing_goes_back() -> None:
    fast = [("fast", n) for n in range(1, 25)]
    rows = [row for at, row in enumerate(fast) for row in ([row, ("slow", at // 4 + 1)] if at % 4 == 3 else [row])]
    lines = in_turns(*rows, ("third", 1), ("third", 2), ("third", 3))
    runs, said = read(*lines)
    assert [[index for index, _ in run] for run in runs] == [[1, 2, 3, 4], [*range(1, 7)], [1, 2, 3]]
    assert any("rows of fast.py are left out" in one for one in said)
    runs, said = read(*lines, ahead=False)
    assert [[index for index, _ in run] for run in runs] == [[*range(1, 25)], [1, 2, 3]]
    assert any("rows of slow.py are left out" in one for one in said)


def test_scripts_one_behind_the_other_are_read_one_by_one() -> None:
    rows = [(name, n) for name in ("first", "second") for n in range(1, 9)]
    runs, said = read(*in_turns(*rows, *(("first", n) for n in range(9, 13))))
    assert [index for index, _ in runs[0]] == [*range(1, 9)]
    assert not any("in turns" in one for one in said)


def test_modules_of_one_program_are_no_two_scripts() -> None:
    rows = [(name, n) for n in range(1, 12) for name in ("loop", "engine")]
    runs, said = read(*in_turns(*rows))
    assert [[index for index, _ in run] for run in runs] == [[*range(1, 12)]]
    assert not any("in turns" in one for one in said)


def test_a_script_that_goes_on_alone_is_read_in_the_end() -> None:
    scripts = Scripts()
    for n in range(1, 9):
        scripts.see("a.py epoch", (3.0 * n, 0.0))
        scripts.see("b.py epoch", (float(n), 0.0))
    assert scripts.known
    found = [scripts.see("b.py epoch", (float(n), 0.0)) for n in range(9, 30)]
    assert [one.begins for one in found].count(True) == 1
    assert found[-1] == (False, False)
    assert scripts.are_others("a.py epoch")
    assert not scripts.are_others("b.py epoch")
