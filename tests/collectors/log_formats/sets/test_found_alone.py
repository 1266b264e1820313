"""What lines of their own behind a row say that an evaluation found."""

import pytest
from log_examples import iterations, of

from itermon.collectors.logs.reader import LogReader
from itermon.events import SpanEnd


def found(*behind: str, rows: int = 6) -> list[tuple[int | None, dict[str, float]]]:
    lines = [
        line.format(n=n)
        for n in range(1, rows + 1)
        for line in (f"Epoch {n}, loss 0.{n}25, train accuracy: 4{n}.50%", *behind)
    ]
    reader = LogReader()
    events = [*reader.feed(("\n".join(lines) + "\n").encode()), *reader.end(b"")]
    assert [one.index for one in iterations(events)] == [*range(1, rows + 1)]
    return [(one.after, one.values) for one in of(SpanEnd, events)]


@pytest.mark.parametrize(
    ("said", "name"),
    [("Validation accuracy: 3{n}.25%", "Validation accuracy %"), ("  dev_F1 = 3{n}.25", "dev_F1")],
)
def test_a_metric_alone_is_of_the_row_before_it(said: str, name: str) -> None:
    assert found(said) == [(n, {name: 30.25 + n}) for n in range(1, 7)]


@pytest.mark.parametrize(
    "said",
    ["Best Valid accuracy: 3{n}.25%", "Validation accuracy: 3{n}.25% at epoch 1", "Validation set: 3{n}.25"],
)
def test_one_of_another_row_or_of_nothing_known_is_none(said: str) -> None:
    assert found(said) == []


@pytest.mark.parametrize("first", [True, False])
def test_an_evaluation_whose_loss_is_told_of_counts_once(first: bool) -> None:
    behind = ["Validation accuracy: 3{n}.25%", "Validation loss: 0.{n}75"]
    told = found(*(behind if first else behind[::-1]))
    assert [values.get("val_loss") for _, values in told] == [0.175, 0.275, 0.375, 0.475, 0.575, 0.675]
