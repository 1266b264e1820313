"""Rows whose brackets hold the epoch and the batch of so many."""

from __future__ import annotations

import pytest

from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration


def rows(text: str) -> list[Iteration]:
    reader = LogReader()
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    return [one for one in events if isinstance(one, Iteration)]


def log(form: str) -> str:
    return "".join(f"INFO:root:{form.format(e, n)}\nINFO:root:[{e}, {n}] grad_stats: [4.8e-01 5.9e-02]\n" for e in (1, 2) for n in range(0, 100, 25))  # fmt: skip


@pytest.mark.parametrize(
    ("form", "loss"),
    [
        ("[{},  {:4d}/  100] - train_losses - Class: 3.5 - Encoder Loss (total): 89.5 - Loss of two: [0.25 / 89.25] - [wd: 7.5e-02] [lr: 2.5e-04] (1228.6 ms)", None),
        ("[{}, {:5d}/100] loss: 2.5 masks: 24.5 [wd: 4.0e-02] [lr: 2.5e-04] [mem: 5.6e+04] (1234.5 ms)", 2.5),
        ("[{}, {}/100] train_loss: 2.5 | pred_loss: 1.5 | reg: 0.25 | [lr: 2.5e-04] [gpu: 850.5 ms][wall: 901.5 ms]", 2.5),
    ],
)  # fmt: skip
def test_batches_count_through_the_epochs_and_only_a_plain_loss_is_the_loss(form: str, loss: float | None) -> None:
    found = rows(log(form))
    assert [one.index for one in found] == [0, 25, 50, 75, 100, 125, 150, 175]
    assert {one.loss for one in found} == {loss}
    assert {one.learning_rate for one in found} == {2.5e-4}
    assert {one.duration_s for one in found} == {None}  # a mean so far, or of parts of it
    assert all("Loss of two" not in (one.scalars or {}) for one in found)


def test_without_a_loss_or_a_learning_rate_they_are_of_something_else() -> None:
    assert rows(log("[{}, {}/100] copied: 3.5 MB, speed: 12.5")) == []
    assert rows(log("[{}, {}/100] - test_losses - loss: 3.5 - acc: 12.5")) == []
