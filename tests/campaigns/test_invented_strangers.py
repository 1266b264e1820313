"""Trainings that never were, printed as strangers' scripts print: no report says what did not happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from inventing.strange.judging import judged, read
from inventing.strange.writer import Writer

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = 40
_BAR = "a bar over data, without a title, is taken for the training"
_TEST = "a test's loss is called the validation's"
KNOWN = {
    0: _BAR,
    4: "a fold has begun behind the one that is called finished",
    5: _TEST,
    10: "rows of each epoch's first batches only",
    12: _BAR,
    30: "an early row of an evaluation is told as its newest",
    34: _BAR,
}
"""Seeds of which something wrong is said, and why."""


@pytest.mark.parametrize("part", range(4))
def test_nothing_is_said_that_did_not_happen(part: int, tmp_path: Path) -> None:
    cases = {seed: read(seed, tmp_path) for seed in range(part, SEEDS, 4) if seed not in KNOWN}
    wrong = {seed: list(map(str, judged(case))) for seed, case in cases.items() if case is not None}
    assert {seed: faults for seed, faults in wrong.items() if faults} == {}


def test_the_judges_see_what_is_false(tmp_path: Path) -> None:
    """Another loss, another number and another usual time than the log's."""
    case = read(7, tmp_path)
    assert case is not None
    assert judged(case) == []
    found = case.found
    progress = msgspec.structs.replace(found.progress, iteration=7_777, rows=100_000)
    losses = msgspec.structs.replace(found.losses, train=77.0, validation=78.0)
    level = msgspec.structs.replace(found.level, clean_s=1e3, iterations=64)
    case.found = msgspec.structs.replace(found, progress=progress, losses=losses, level=level, ended="failed")
    assert {fault.kind for fault in judged(case)} >= {"count", "row", "newest loss", "validation", "usual", "end"}


def test_logs_are_the_same_for_a_seed_and_of_every_style() -> None:
    assert Writer(7).write().text == Writer(7).write().text != Writer(8).write().text
    assert len({Writer(seed).script.style for seed in range(60)}) == 7
