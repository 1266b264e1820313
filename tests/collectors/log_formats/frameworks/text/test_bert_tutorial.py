"""The BERT tutorial: its clock is the epoch's, and only what an epoch trains are iterations."""

from __future__ import annotations

import pytest
from log_examples import of, read

from itermon.events import End, Iteration, SpanEnd, Total

EPOCH = """
======== Epoch {0} / 2 ========
Training...
  Batch {1}  of  {2}.    Elapsed: 0:00:40.
  Training epcoh took: 0:01:30

Running Validation...
  Validation Loss: 0.45
  Validation took: 0:00:05
"""


def test_batches_of_a_prediction_are_no_iterations() -> None:
    prediction = "  Batch    50  of    419.    Elapsed: 0:00:07.\n  Batch   100  of    419.    Elapsed: 0:00:13.\n"
    events = read("BERT tutorial", EPOCH.format(1, "   40", "  100") + prediction)
    assert [event.index for event in of(Iteration, events)] == [40, 100]


def test_thousands_have_their_comma() -> None:
    text = EPOCH.format(1, "1,000", "1,832") + EPOCH.format(2, "1,000", "1,832")
    iterations = of(Iteration, read("BERT tutorial", text))
    assert [event.index for event in iterations] == [1000, 1832, 2832, 3664]
    assert [event.duration_s for event in iterations] == [0.04, pytest.approx(50 / 832)] * 2


def test_the_clock_begins_with_the_epoch() -> None:
    """So the validation between two epochs is in no iteration's time."""
    text = (
        EPOCH.format(1, "   40", "  100")
        + EPOCH.format(2, "   40", "  100")
        + "Total training took 0:03:10 (h:mm:ss)\nTraining complete!"
    )
    events = read("BERT tutorial", text)
    assert [event.duration_s for event in of(Iteration, events)] == [1.0, pytest.approx(50 / 60)] * 2
    assert [(event.duration_s, event.values) for event in of(SpanEnd, events)] == [(5.0, {"val_loss": 0.45})] * 2
    assert [event.duration_s for event in of(Total, events)] == [190.0]
    assert len(of(End, events)) == 1
