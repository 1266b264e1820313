"""Logs of one training that was queued again, each a file of its own; and logs that only look like it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from itermon.collectors.attempts.logs import LogFile, _part, log_file, trainings_of_logs

SETTINGS = "tokens per iteration will be: 491,520\n"
RESUMED = "Resuming training from out\n"


def log(
    folder: Path,
    name: str,
    first: int,
    last: int,
    at_s: float,
    *,
    said: str = RESUMED,
    settings: str = SETTINGS,
    each: int = 1,
    lives: bool = False,
) -> LogFile:
    lines = [f"iter {i}: loss 3.1, time 100.00ms, mfu 40.00%\n" for i in range(first, last + 1, each)]
    path = folder / name
    path.write_text(settings + (said if first else "") + "".join(lines))
    os.utime(path, (at_s, at_s))
    about = path.stat()
    return LogFile(path, about.st_ino, about.st_size, about.st_mtime, lives)


def names(*logs: LogFile) -> list[list[str]]:
    return [[one.path.name for one in chain] for chain in trainings_of_logs(logs)]


@pytest.mark.parametrize("called", ["slurm-{}.out", "train_{}.log", "{}.out", "gpt.o{}"])
def test_what_goes_on_where_another_stopped_is_the_same_training(tmp_path: Path, called: str) -> None:
    logs = [
        log(tmp_path, called.format(9), 0, 200, 1_000.0),
        log(tmp_path, called.format(10), 150, 390, 2_000.0),
        log(tmp_path, called.format(12), 391, 400, 3_000.0),
    ]
    assert names(*reversed(logs)) == [[called.format(n) for n in (9, 10, 12)]]


def test_every_tenth_line_hides_where_it_stopped(tmp_path: Path) -> None:
    one = log(tmp_path, "a1.log", 0, 200, 1_000.0, each=10)
    assert names(one, log(tmp_path, "a2.log", 210, 300, 2_000.0, each=10)) == [["a1.log", "a2.log"]]
    assert names(one, log(tmp_path, "a2.log", 220, 300, 2_000.0, each=10)) == []


@pytest.mark.parametrize(
    "other",
    [
        {"first": 202},  # behind a hole
        {"first": 0},  # from the beginning
        {"said": ""},  # of no checkpoint
        {"settings": "tokens per iteration will be: 100,000\n"},
        {"settings": ""},  # nothing says that it is the same
        {"at_s": 900.0},  # the other was written later
        {"name": "b_2.log"},
    ],
)
def test_where_a_witness_is_missing_each_is_its_own(tmp_path: Path, other: dict[str, object]) -> None:
    usual = {"name": "a_2.log", "first": 150, "at_s": 2_000.0}
    one = log(tmp_path, "a_1.log", 0, 200, 1_000.0)
    assert names(one, log(tmp_path, **{"last": 300, **usual, **other})) == []  # type: ignore[arg-type]
    assert names(one, log(tmp_path, last=300, **usual)) == [["a_1.log", "a_2.log"]]  # type: ignore[arg-type]


def test_one_that_still_runs_or_two_that_may_be_meant_are_left_alone(tmp_path: Path) -> None:
    second = log(tmp_path, "a2.log", 150, 300, 2_000.0)
    assert names(log(tmp_path, "a1.log", 0, 200, 1_000.0, lives=True), second) == []
    twins = [log(tmp_path, f"a{n}.log", 0, 200, 1_000.0) for n in (0, 1)]
    assert names(*twins, second) == []


def test_a_log_that_has_just_begun_is_looked_at_again(tmp_path: Path) -> None:
    one, young = log(tmp_path, "a1.log", 0, 200, 1_000.0), log(tmp_path, "a2.log", 150, 150, 2_000.0)
    assert names(one, young) == []
    with young.path.open("a") as file:
        file.write("iter 151: loss 3.1, time 100.00ms, mfu 40.00%\n" * 1)
    about = young.path.stat()
    assert names(one, LogFile(young.path, about.st_ino, about.st_size, 2_001.0)) == [["a1.log", "a2.log"]]


def test_what_is_no_log_or_gone_is_none_of_them(tmp_path: Path) -> None:
    one = log(tmp_path, "a1.log", 0, 200, 1_000.0)
    (tmp_path / "a2.log").write_text("Resuming training from out\n\0\x1b[2J no log\n")
    assert names(one, LogFile(tmp_path / "a2.log", 5, 30, 2_000.0), LogFile(tmp_path / "a3.log", 6, 0, 3e3)) == []


@pytest.mark.parametrize(("first", "same"), [(1, False), (2, True), (201, True), (202, False)])
def test_one_begins_behind_the_others_beginning_and_right_behind_its_end_at_the_latest(
    tmp_path: Path, first: int, same: bool
) -> None:
    logs = log(tmp_path, "a1.log", 0, 200, 1_000.0), log(tmp_path, "a2.log", first, 300, 2_000.0)
    assert names(*logs) == ([["a1.log", "a2.log"]] if same else [])


@pytest.mark.parametrize(("count", "found"), [(20, 20), (21, 0)])
def test_of_twenty_logs_alike_each_is_looked_into_and_of_more_none(tmp_path: Path, count: int, found: int) -> None:
    logs = [log(tmp_path, f"a{n}.log", 10 * n, 10 * n + 9, 1_000.0 + n) for n in range(count)]
    assert sum(map(len, trainings_of_logs(logs))) == found


def test_logs_that_were_written_at_once_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    logs = [log(tmp_path, f"a{n}.log", first, first + 100, 1_000.0) for n, first in ((9, 0), (10, 101))]
    assert names(*logs) == [["a9.log", "a10.log"]]


def test_the_wider_of_two_distances_between_lines_says_how_much_may_be_missing(tmp_path: Path) -> None:
    for each, then in ((10, 1), (1, 10)):
        one = log(tmp_path, f"b{each}1.log", 0, 200, 1_000.0, each=each)
        assert len(trainings_of_logs([one, log(tmp_path, f"b{each}2.log", 210, 300, 2_000.0, each=then)])) == 1


def test_what_a_process_says_of_its_checkpoint_within_its_first_lines_counts(tmp_path: Path) -> None:
    one = log(tmp_path, "a1.log", 0, 200, 1_000.0)
    for said in ("Loading checkpoint out/ckpt.pt\n", "continuing from step 150\n", "restored iter 150\n"):
        assert names(one, log(tmp_path, "a2.log", 150, 300, 2_000.0, said=said)) == [["a1.log", "a2.log"]]
    for said in ("Loading data\n", "checkpoint of another run\n"):
        assert names(one, log(tmp_path, "a2.log", 150, 300, 2_000.0, said=said)) == []


def test_a_log_whose_newest_lines_are_far_from_its_first_is_followed_from_there(tmp_path: Path) -> None:
    one = log(tmp_path, "a1.log", 0, 9_000, 1_000.0)
    assert one.size > 400_000
    assert names(one, log(tmp_path, "a2.log", 9_001, 9_100, 2_000.0)) == [["a1.log", "a2.log"]]
    assert names(one, log(tmp_path, "a2.log", 9_002, 9_100, 2_001.0)) == []


def test_a_log_is_known_by_what_the_disk_says_of_it(tmp_path: Path) -> None:
    told = log(tmp_path, "a1.log", 0, 20, 1_000.0)
    assert log_file(told.path) == told
    assert log_file(told.path, lives=True) == told._replace(lives=True)


@pytest.mark.parametrize("first", [1, 2])
def test_the_beginning_is_read_up_to_its_second_iteration(tmp_path: Path, first: int) -> None:
    lines = [f"iter {i}: loss 3.1, time 100.00ms, mfu 40.00%\n" for i in range(4)]
    path = tmp_path / "a1.log"
    path.write_text("".join([*lines[:first], "waiting for data\n" * 40_000, *lines[first:]]))
    _, indices = _part(path, newest=False)
    assert indices[:2] == [0, 1]
    assert (len(indices) == 2) == (first == 2)


def test_of_a_log_of_megabytes_its_end_is_known(tmp_path: Path) -> None:
    long = log(tmp_path, "a1.log", 0, 60_000, 1_000.0)
    assert long.size > 2_500_000
    assert names(long, log(tmp_path, "a2.log", 60_001, 60_200, 2_000.0)) == [["a1.log", "a2.log"]]
