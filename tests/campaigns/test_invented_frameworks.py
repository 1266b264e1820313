"""Trainings that never were, printed as well known trainers print them: no report says what did not happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from invented_frameworks import trainers
from inventing.strange.judging import judged, read_of

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = 8
_STOP = "a stall in the same window is told as the stop beside it"
_IMAGES = "without the options in front images are counted, and an epoch's length is that of its last row"
KNOWN = {
    ("megatron-new", 6): _STOP,
    ("megatron-old", 6): _STOP,
    ("pix2pix", 0): "the last save lies behind the last row",
    ("pix2pix", 1): _IMAGES,
    ("pix2pix", 5): _IMAGES,
}
"""Logs of which something wrong is said, and why."""

NAMES = (
    "caffe",
    "estimator",
    "gluon",
    "imagenet",
    "megatron-new",
    "megatron-old",
    "mxnet",
    "pix2pix",
    "progress.csv",
    "sb3",
    "timm",
)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_said_that_did_not_happen(name: str, tmp_path: Path) -> None:
    trainer = trainers()[name]
    cases = {seed: read_of(trainer(seed), seed, tmp_path) for seed in range(SEEDS) if (name, seed) not in KNOWN}
    wrong = {seed: list(map(str, judged(case))) for seed, case in cases.items() if case is not None}
    assert {seed: faults for seed, faults in wrong.items() if faults} == {}
