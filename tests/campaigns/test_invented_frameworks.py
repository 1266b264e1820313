"""Trainings that never were, printed as well known trainers print them: no report says what did not happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from invented_frameworks import trainers
from inventing.strange.judging import judged, read_of

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = 8
_LATE = "what the last validation found stands in a frame that counts no step"
_STOP = "a stall between two rows of a coarse clock is told as the stop beside it, or spread over rows"
KNOWN = {
    ("fairseq-simple", 5): "of what an evaluation took a row of a coarse clock shows a part",
    ("lightning-1", 5): _LATE,
    ("lightning-1", 7): _LATE,
    ("lightning-2", 0): "a level that moved early in the run is called its warm-up",
    ("lightning-2", 5): "the first window with a slow first step is as long as the warm-up is said to be",
    ("lightning-2", 7): "an epoch that ended within its first seconds has no time, and the sum is called all",
    ("opennmt", 0): _STOP,
    ("opennmt", 2): _STOP,
    ("opennmt", 3): "a stall is told as a silence, which it was",
    ("opennmt", 6): _STOP,
    ("yolov8-csv", 6): "three epochs before a change are called a warm-up",
    ("yolov8-csv", 7): "the time of a table's row has saves in it that no line names",
}
"""Logs of which something wrong is said, and why."""

NAMES = (
    "espnet2",
    "fairseq-json",
    "fairseq-old",
    "fairseq-simple",
    "lightning-1",
    "lightning-2",
    "opennmt",
    "yolov5",
    "yolov8",
    "yolov8-csv",
    "yolov8-own",
    "yolov8-words",
)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_said_that_did_not_happen(name: str, tmp_path: Path) -> None:
    trainer = trainers()[name]
    cases = {seed: read_of(trainer(seed), seed, tmp_path) for seed in range(SEEDS) if (name, seed) not in KNOWN}
    wrong = {seed: list(map(str, judged(case))) for seed, case in cases.items() if case is not None}
    assert {seed: faults for seed, faults in wrong.items() if faults} == {}
