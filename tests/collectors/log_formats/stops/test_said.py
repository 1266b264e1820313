"""An evaluation that a line sums up in words of its own, and what stands behind a save, are told of as what they are."""

from __future__ import annotations

import pytest

from itermon.analysis.run import Run
from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, EVALUATION, EVALUATION_AND_CHECKPOINT

from .test_told_stops import told


@pytest.mark.parametrize(
    "result",
    [
        "main.py - train - 56 - [eval] loss:64.25 f1_score=0.75",
        "Validation Summary Epoch: [1]\tAverage CER 85.5",
        "Evaluation on the test set: loss 0.25",
    ],
)
def test_a_line_that_sums_up_an_evaluation_in_words_of_its_own_is_one(result: str) -> None:
    assert told(f"@1:00 {result}") == [(EVALUATION, None)]


@pytest.mark.parametrize(
    "line",
    ["@1:00 main.py - train - 56 - [train] loss:64.25", "@1:00 Validation set: share 0.25", "@1:00 Test 0.5"],
)
def test_what_is_no_evaluations_is_none(line: str) -> None:
    assert told(line) == []


def test_what_passes_behind_the_line_of_a_save_is_not_its_own_where_a_bar_stands_in_between() -> None:
    lines = ("@1:00 Saving checkpoint at 1", "[>>>>] 60/60, 4.5 task/s, elapsed: 13s, ETA: 0s", "@1:20 closed")
    assert told(*lines) == [(CHECKPOINT, None), (CHECKPOINT, -1)]
    assert told(lines[0], "something", lines[2]) == [(CHECKPOINT, 20.0), (CHECKPOINT, -1)]


def test_a_save_does_not_own_the_evaluation_whose_first_part_has_no_stamp() -> None:
    lines = []
    for n in range(1, 41):
        clock = f"2025-03-01 10:{n // 2:02d}:{30 * (n % 2):02d},000 - mmx - INFO - "
        epoch, batch = divmod(n - 1, 10)
        row = f"Epoch [{epoch + 1}][{50 * (batch + 1)}/500]\tlr: 1e-02, eta: 1:00:00, "
        lines.append(f"{clock}{row}time: {0.6 if batch else 0.1}, data_time: 0.01, memory: 100, loss: 0.5")
        if batch == 9:
            save, part, result = (
                f"{clock[:16]}:{s},000{clock[23:]}" for s in ("31" if n % 2 else "01", "20", "23")
            )
            lines += [
                f"{save}Saving checkpoint at {epoch + 1} epochs",
                "[>>>] 60/60, 4.5 task/s, elapsed: 13s, ETA: 0s",
            ]
            lines += [f"{part}Evaluating masks...", f"{result}Epoch(val) [{epoch + 1}][60]\tmAP: 0.5"]
    reader, run = LogReader(lines), Run()
    run.apply([*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")])
    causes = {row.cause for row in run.findings().ledger}
    assert EVALUATION_AND_CHECKPOINT in causes
    assert CHECKPOINT not in causes
