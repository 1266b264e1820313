"""Trainings that never were, printed as well known trainers print them: no report says what did not happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from invented_frameworks import trainers
from inventing.strange.judging import judged, read_of

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = 8
_SAMPLES = "iterations add up to more than passed; why is not known: no row of these is slow"
_HIDDEN = "iterations behind an epoch's last row are in what is told of the evaluation"
_SLEEP = "mmcv sleeps between epochs, which is told as part of the evaluation beside it"
_EACH = "each row has a stop, so that nothing tells what training takes"
_UNTOLD = "what passes from the last row to an evaluation that stands apart is put down to it"
_LATE = "what the last validation found stands in a frame that counts no step"
_STOP = "a stall between two rows of a coarse clock is told as the stop beside it, or spread over rows"
_WINDOW = "a stall in the same window is told as the stop beside it"
_IMAGES = "without the options in front images are counted, and an epoch's length is that of its last row"
KNOWN: dict[tuple[str, int], str] = {
    ("keras-bars-2", 3): "a save of which no line tells is in the printed time of a step, as is a long wait",
    ("keras-bars-3", 5): "saves of which no line tells are to come",
    ("detectron2", 1): _SAMPLES,
    ("detectron2", 5): _SAMPLES,
    ("maskrcnn-benchmark", 6): "four saves seem to take half of what each took; why is not known",
    ("mmcv-epochs", 0): _HIDDEN,
    ("mmcv-epochs", 5): _HIDDEN,
    ("mmcv-iterations", 1): _EACH,
    ("mmcv-iterations", 3): _SLEEP,
    ("mmengine-iterations", 7): "fewer checkpoints are counted than were written; why is not known",
    ("paddleseg", 0): "stamps of whole seconds, from which a gap is made",
    ("paddleseg", 2): _UNTOLD,
    ("paddleseg", 7): _UNTOLD,
    ("fairseq-old", 5): "validations between rows of whole seconds are told as training",
    ("lightning-2", 6): "the frame at which the log is cut counts one step more; why is not known",
    ("detectron2", 2): "a few long waits among medians of twenty are told as those of all rows",
    (
        "progress.csv",
        6,
    ): "evaluations have the part of their time by which their rows are longer; why is not known",
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
    ("megatron-new", 6): _WINDOW,
    ("megatron-old", 6): _WINDOW,
    ("pix2pix", 0): "the last save lies behind the last row",
    ("pix2pix", 1): _IMAGES,
    ("pix2pix", 5): _IMAGES,
}
"""Trainers and seeds of which something wrong is said, and why."""


@pytest.mark.parametrize("name", trainers())
def test_nothing_is_said_of_a_known_trainer_that_did_not_happen(name: str, tmp_path: Path) -> None:
    seeds = [seed for seed in range(SEEDS) if (name, seed) not in KNOWN]
    cases = {seed: read_of(trainers()[name](seed), seed, tmp_path) for seed in seeds}
    wrong = {seed: list(map(str, judged(case))) for seed, case in cases.items() if case is not None}
    assert {seed: faults for seed, faults in wrong.items() if faults} == {}
    assert any(case is not None for case in cases.values())


@pytest.mark.parametrize("name", trainers())
def test_logs_are_the_same_for_a_seed(name: str) -> None:
    trainer = trainers()[name]
    assert trainer(7).write().text == trainer(7).write().text != trainer(8).write().text
