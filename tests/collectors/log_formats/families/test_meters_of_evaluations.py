"""Rows of evaluations that look like those of the training: a word in front of them, or a line before them, says whose they are."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.parsing.phases import Phase, evaluates_behind, of_line
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, RunInfo, SpanEnd


def _log(train: str, evaluates: str, announced: str = "") -> bytes:
    lines = []
    for epoch in range(3):
        for front, batches in ((train, 60), (evaluates, 30)):
            lines += [announced] if announced and batches == 30 else []
            meters = (
                f"Time 0.100 (0.100)\tData 0.010 (0.010)\tLoss {batches / 10 - epoch} ({batches / 10 - epoch})"
            )
            lines += [f"{front}Epoch: [{epoch}][{batch}/{batches}]\t{meters}" for batch in range(0, batches, 10)]
    return "\n".join([*lines, ""]).encode()


@pytest.mark.parametrize(
    ("train", "evaluates", "announced"),
    [
        ("", "EVALUATING - ", ""),
        ("2024-05-01 10:00:00,100 - INFO - TRAINING - ", "2024-05-01 10:00:00,100 - INFO - EVALUATING - ", ""),
        ("[train] ", "[Validate] ", ""),
        ("train: ", "inference: ", ""),
        ("", "", "Evaluating on the validation set..."),
    ],
)
def test_the_batches_of_an_evaluation_are_no_rows(train: str, evaluates: str, announced: str) -> None:
    reader = LogReader()
    events = [*reader.feed(_log(train, evaluates, announced)), *reader.end(b"")]
    rows = [event.index for event in events if isinstance(event, Iteration)]
    assert rows == [*range(0, 180, 10)]
    assert sum(isinstance(event, RunInfo) for event in events) <= 2  # nothing begins anew
    found = [event.values["val_loss"] for event in events if isinstance(event, SpanEnd) and event.values]
    assert found == [3.0, 2.0, 1.0]


def test_what_stands_in_front() -> None:
    assert evaluates_behind("2024-05-01 10:00:00,100 - INFO - Testing: ")
    for front in ("TRAINING - ", "test.py: ", "2024-05-01 10:00:00,100 - test - INFO - ", "latest ", "run/eval/"):
        assert not evaluates_behind(front), front


def test_inference_in_front_of_a_counter() -> None:
    assert of_line("Epoch 3 infer [10/50] loss 0.5") is Phase.EVALUATION
    assert of_line("Epoch 3 [10/50] loss 0.5 inference 0.25 s") is None
