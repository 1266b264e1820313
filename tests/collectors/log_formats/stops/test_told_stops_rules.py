"""What is told of behind the last row."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.parsing.stamps import stamp
from itermon.collectors.log_formats.stops.told_stops import ToldStops
from itermon.events import CHECKPOINT, Iteration, SpanEnd, Witness


def last_told(*lines: str) -> list[float | None]:
    stops = ToldStops()
    assert stops.before([Iteration(1, at_s=stamp("2025-03-01 10:00:00 x"))], None) == []
    for line in lines:
        text = line.replace("@", "2025-03-01 10:")
        stops.hear(text, stamp(text))
    return [one.duration_s for one in stops.end() if isinstance(one, SpanEnd)]


def test_of_several_evaluations_the_time_of_the_first_is_not_that_of_all() -> None:
    first = ("@00:01 Start evaluation", "@05:00 Evaluation done.")
    assert last_told(*first, "@05:00 mAP: 0.5") == [299.0]
    assert last_told(*first, "@05:01 loading the model", "@09:00 Evaluation done.") == [None]
    assert last_told(*first, "@05:01 loading the model", "@09:00 val mAP: 0.5", "@12:00 val mAP: 0.75") == [None]


def test_an_evaluation_keeps_its_time_beside_a_save_of_which_the_begin_is_told() -> None:
    evaluated = ("@00:02 Start to evaluate in the validation set.", "@00:40 Start to evaluate in the test set.")
    saved = ("@01:42 val_score: 0.5", "@01:50 Saving checkpoint: a/b.pth ...", "@01:50 Epoch 3 begins")
    assert last_told(*evaluated, *saved) == [100.0, None, None]


@pytest.mark.parametrize(("line", "known"), [("", True), ("Shuffled", False)])
def test_an_empty_line_printed_together_with_a_result_leaves_the_save_behind_it_its_time(
    line: str, known: bool
) -> None:
    stops = ToldStops()
    stops.before([Iteration(1, at_s=stamp("2025-03-01 10:00:00 x"))], None)
    for said in (
        ":10 INFO Evaluation:",
        ":12 INFO Val loss: 0.5",
        f":12 INFO {line}",
        ":15 INFO Saved model to a.pt",
    ):
        stops.hear(f"2025-03-01 10:00{said}", stamp(f"2025-03-01 10:00{said}"))
    row = Iteration(2, at_s=stamp("2025-03-01 10:01:00 x"), witness=Witness.STAMPS)
    told = [e.duration_s for e in stops.before([row], None) if isinstance(e, SpanEnd) and e.kind == CHECKPOINT]
    assert (3.0 in told) is known
