"""Figures of one report agree with each other, in each example of a format; where they do not, it is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from contradictions import contradictions, read

from itermon.analysis.findings import (
    Cause,
    Eta,
    Findings,
    LedgerRow,
    Level,
    Losses,
    Progress,
    Schedule,
    Shift,
    Spike,
)
from itermon.collectors.log_formats.registry import all_formats

if TYPE_CHECKING:
    from pathlib import Path

PARTS = 4
EXAMPLES = {f"{one.name}, {e.variant}": e.log.strip("\n") + "\n" for one in all_formats() for e in one.examples}


@pytest.mark.parametrize("part", range(PARTS))
def test_no_report_of_an_example_contradicts_itself(part: int, tmp_path: Path) -> None:
    wrong = {}
    for name, text in [*EXAMPLES.items()][part::PARTS]:
        log = tmp_path / "train.log"
        log.write_text(text)
        wrong[name] = [*contradictions(read(log))]
    assert wrong
    assert {name: faults for name, faults in wrong.items() if faults} == {}


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            Findings(progress=Progress(wall_s=10.0), ledger=(LedgerRow("training", 9.0, 1.0, 9),)),
            "the causes' seconds are 9.000, the wall time is 10.000",
        ),
        (
            Findings(ledger=(LedgerRow("evaluation", 9.0, 1.0, 3, False, 1.0, 2.0),)),
            "evaluation: 3 take 3.000 s, from 1.000 to 2.000",
        ),
        (
            Findings(level=Level(shifts=(Shift(5, 1.0, 2.0), Shift(9, 3.0, 4.0)))),
            "the level became 2.0000 s and was 3.0000 before it moved again",
        ),
        (
            Findings(
                progress=Progress(trainings=1),
                level=Level(clean_s=1.0, iterations=8),
                ledger=(LedgerRow("training", 9.0, 0.5, 3), LedgerRow("data", 3.0, 0.5, 3)),
            ),
            "a normal iteration takes 1.0000 s, 3 of them 4.0000 s each",
        ),
        (
            Findings(progress=Progress(evaluations=4), ledger=(LedgerRow("evaluation", 9.0, 1.0, 5),)),
            "5 evaluations have a time, 4 are told of",
        ),
        (Findings(progress=Progress(iteration=8, max_iterations=7)), "iteration 8 of 7"),
        (
            Findings(progress=Progress(iterations_seen=8, newest_seen=9)),
            "9 iterations of the newest training, 8 of all",
        ),
        (
            Findings(
                progress=Progress(iteration=8), eta=Eta(schedules=(Schedule("evaluation", 4, next_iteration=8),))
            ),
            "the next evaluation is at 8, and 8 is over",
        ),
        (
            Findings(losses=Losses(best_validation=2.0, validation=1.0)),
            "the best validation loss is 2.0, the newest 1.0",
        ),
        (
            Findings(losses=Losses(best_validation=1.0, best_validation_at=9, validation=2.0, validation_at=8)),
            "the best validation loss is of 9, the newest of 8",
        ),
        (
            Findings(progress=Progress(max_iterations=7), losses=Losses(validation=2.0, validation_at=8)),
            "a validation loss of iteration 8 of 7",
        ),
        (
            Findings(spikes=(Spike(5, 5, 9.0, 1.0, (Cause("evaluation", 7.0, "log"),)),)),
            "iteration 5 took 9.000 s, its parts 8.000",
        ),
    ],
)
def test_what_cannot_all_be_true_is_found(found: Findings, words: str) -> None:
    assert [*contradictions(found)] == [words]
