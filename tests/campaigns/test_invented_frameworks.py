"""Trainings that never were, printed as well known trainers print them: no report says what did not happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from invented_frameworks import trainers
from inventing.strange.judging import judged, read_of

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = 8
NAMES = ("hf-both", "hf-dictionaries", "keras-bars-2", "keras-bars-3", "keras-lines")
KNOWN = {
    ("keras-bars-2", 3): "a save of which no line tells is in the printed time of a step, as is a long wait",
    ("keras-bars-3", 5): "saves of which no line tells are to come",
}
"""Seeds of which something wrong is said, and why."""


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_said_of_a_known_trainer_that_did_not_happen(name: str, tmp_path: Path) -> None:
    seeds = [seed for seed in range(SEEDS) if (name, seed) not in KNOWN]
    cases = {seed: read_of(trainers()[name](seed), seed, tmp_path) for seed in seeds}
    wrong = {seed: list(map(str, judged(case))) for seed, case in cases.items() if case is not None}
    assert {seed: faults for seed, faults in wrong.items() if faults} == {}
    assert any(case is not None for case in cases.values())
