"""PyTorch's example of a language model: means within an epoch, and what all epochs took."""

from __future__ import annotations

import pytest
from log_examples import iterations, of, read

from itermon.events import End, SpanEnd, Total

NAME = "PyTorch language model example"


def row(epoch: int, batch: int, ms: float = 40.0) -> str:
    return (
        f"| epoch {epoch:3d} | {batch:5d}/  250 batches | lr 5.00 | ms/batch {ms:5.2f} | loss  4.50 | ppl    90.02"
    )


def over(epoch: int, took_s: float) -> str:
    return f"| end of epoch {epoch:3d} | time: {took_s:5.2f}s | valid loss  4.25 | valid ppl    70.11"


END = "| End of training | test loss  4.12 | test ppl    61.56"


def training(epochs: range) -> list[str]:
    return [line for n in epochs for line in (row(n, 100), row(n, 200, 44.0), over(n, 12.5))]


def test_a_first_mean_of_an_epoch_has_nothing_of_the_epoch_before() -> None:
    events = read(NAME, "\n".join(training(range(1, 3))))
    means = [(one.index, one.duration_s, one.averaged_over) for one in iterations(events)]
    assert means == [(100, 0.04, 100), (200, 0.044, 100), (350, 0.04, 100), (450, 0.044, 100)]
    validations = of(SpanEnd, events)
    assert [(one.iteration, one.duration_s, one.apart) for one in validations] == [
        (250, None, True),
        (500, None, True),
    ]
    assert validations[0].values == {"val_loss": 4.25, "perplexity": 70.11}


def test_epochs_may_be_counted_from_0() -> None:
    events = read(NAME, "\n".join([*training(range(2)), END]))
    assert [one.index for one in iterations(events)] == [100, 200, 350, 450]
    assert [one.iteration for one in of(SpanEnd, events)] == [250, 500]
    assert [one.duration_s for one in of(Total, events)] == [25.0]


@pytest.mark.parametrize(
    ("lines", "took_s"),
    [
        (training(range(1, 4)), [37.5]),
        (training(range(3, 5)), []),  # the first epochs are elsewhere
        ([*training(range(1, 3)), *training(range(4, 5))], []),  # one is missing
        ([*training(range(1, 3)), row(3, 100)], []),  # it was left within an epoch
        ([*training(range(1, 3)), END, *training(range(1, 2))], [25.0, 12.5]),
    ],
)
def test_a_training_took_what_its_epochs_took_where_each_of_them_is_said(
    lines: list[str], took_s: list[float]
) -> None:
    events = read(NAME, "\n".join([*lines, END]))
    assert [one.duration_s for one in of(Total, events)] == took_s
    assert of(End, events)[-1].detail == END


def test_epochs_that_took_longer_than_the_world_is_old_add_up_to_no_total() -> None:
    lines = [row(1, 100), row(1, 200), over(1, 1e30), END]
    assert of(Total, read(NAME, "\n".join(lines))) == []
