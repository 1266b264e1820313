"""Runs are attempts of one training where the command and the iterations both say so, and never otherwise."""

import os
from pathlib import Path

import pytest

from itermon.collectors.attempts.same import trainings
from itermon.collectors.runs.listing import KnownRun
from itermon.events import CHECKPOINT, Iteration, RunInfo, SpanEnd, encode_all


class Kept:
    """Recordings in a folder: each ends at its `until_s`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.runs = folder, list[KnownRun]()

    def run(
        self, first: int, last: int, at_s: float, *, saved: int | None = None, alive: bool = False, **info: object
    ) -> str:
        told = {"name": "gpt", "launch": "abc", "started_at_s": at_s} | info
        saves = [SpanEnd(CHECKPOINT, iteration=saved)] if saved is not None else []
        path = self.folder / f"{told['name']}.{len(self.runs)}.jsonl"
        events = [RunInfo(**told), *(Iteration(i, 0.1) for i in range(first, last + 1)), *saves]  # type: ignore[arg-type]
        path.write_bytes(encode_all(events))
        os.utime(path, (at_s + 50, at_s + 50))
        run_id = path.stem
        self.runs.append(
            KnownRun(run_id, str(told["name"]), 1, alive, recording=str(path), seen_at_s=at_s + 50, iteration=last)
        )
        return run_id

    def joined(self) -> list[list[str]]:
        return [[run.run_id for run in chain] for chain in trainings(reversed(self.runs))]


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_one_goes_on_where_the_other_stopped_or_at_what_it_saved_last(kept: Kept) -> None:
    chain = [
        kept.run(0, 99, 100, saved=50),
        kept.run(50, 79, 200),  # from the checkpoint; it saves nothing
        kept.run(51, 120, 300, saved=110),  # so this one goes on from the same
        kept.run(121, 130, 400, alive=True),  # where it stopped
    ]
    assert kept.joined() == [chain]


@pytest.mark.parametrize(
    "other",
    [
        {"launch": "other"},
        {"launch": ""},
        {"name": "bert"},
        {"first": 49},
        {"first": 52},
        {"first": 101},
        {"first": 0},
        {"at_s": 120.0},  # both ran at once
    ],
)
def test_with_one_witness_alone_each_is_its_own(kept: Kept, other: dict[str, object]) -> None:
    kept.run(0, 99, 100, saved=50)
    kept.run(**({"first": 50, "last": 150, "at_s": 200.0} | other))  # type: ignore[arg-type]
    assert kept.joined() == []


def test_what_lives_is_gone_on_from_by_nobody(kept: Kept) -> None:
    kept.run(0, 99, 100, saved=50, alive=True)
    kept.run(50, 99, 200)
    assert kept.joined() == []


def test_of_equal_ones_none_is_meant_unless_the_job_says_it(kept: Kept) -> None:
    kept.run(0, 99, 100, job="7", requeued=0)
    one = kept.run(0, 99, 110, job="8", requeued=0)
    kept.run(100, 120, 300)
    again = kept.run(100, 120, 310, job="8", requeued=1)
    assert kept.joined() == [[one, again]]


def test_a_job_that_was_queued_again_may_go_on_anywhere_in_what_was_done(kept: Kept) -> None:
    first = kept.run(0, 99, 100, job="7", requeued=0)
    again = kept.run(30, 120, 200, job="7", requeued=1)
    assert kept.joined() == [[first, again]]
    kept.run(0, 9, 300, job="7", requeued=2)  # from its beginning: it may be another
    kept.run(50, 200, 400, job="9", requeued=1)  # another job
    kept.run(50, 200, 500, job="7", requeued=1)  # not queued again since
    assert kept.joined() == [[first, again]]


@pytest.mark.parametrize(("begins", "same"), [(1, False), (2, True)])
def test_one_that_begins_at_the_second_iteration_is_another_training(kept: Kept, begins: int, same: bool) -> None:
    chain = [kept.run(0, 99, 100, saved=begins), kept.run(begins, 150, 200)]
    assert kept.joined() == ([chain] if same else [])


@pytest.mark.parametrize(("at_s", "same"), [(150, True), (149, False)])
def test_one_may_begin_in_the_moment_in_which_the_other_was_last_heard_of(
    kept: Kept, at_s: int, same: bool
) -> None:
    chain = [kept.run(0, 99, 100), kept.run(100, 150, at_s)]
    assert kept.joined() == ([chain] if same else [])


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({"job": "7"}, {"job": "7", "requeued": 1}, True),
        ({"job": "7"}, {"job": "7"}, False),
        ({"job": "7", "requeued": 1}, {"job": "7", "requeued": 1}, False),
        ({"requeued": 0}, {"requeued": 1}, False),
    ],
)
def test_a_job_was_queued_again_where_slurm_has_counted_it(
    kept: Kept, first: dict[str, object], second: dict[str, object], same: bool
) -> None:
    chain = [kept.run(0, 99, 100, **first), kept.run(30, 120, 200, **second)]  # type: ignore[arg-type]
    assert kept.joined() == ([chain] if same else [])


@pytest.mark.parametrize(("begins", "same"), [(99, True), (100, True), (101, False)])
def test_a_job_that_was_queued_again_leaves_nothing_out(kept: Kept, begins: int, same: bool) -> None:
    chain = [kept.run(0, 99, 100, job="7"), kept.run(begins, 120, 200, job="7", requeued=1)]
    assert kept.joined() == ([chain] if same else [])
