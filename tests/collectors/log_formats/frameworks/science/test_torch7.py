"""Rows of Torch7, and names in one word with the loss."""

from __future__ import annotations

from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration


def iterations(text: str) -> list[Iteration]:
    reader = LogReader()
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    return [one for one in events if isinstance(one, Iteration)]


def rows(epochs: int, form: str) -> str:
    return "".join(
        f"<trainer> online epoch # {e} [batchSize = 10 lr = 0.001]\n"
        + "".join(form.format(e=e, n=n) + "\n" for n in range(1, 31))
        for e in range(1, epochs + 1)
    )


def test_rows_of_batches_are_read_and_not_the_heading_above_them() -> None:
    found = iterations(rows(3, "Epoch: [{e}][{n}/30]\tTime 0.5 DataTime 0.25 TrainingLoss 2.{n}"))
    assert [one.index for one in found] == [*range(1, 91)]
    assert {(one.duration_s, one.data_wait_s) for one in found} == {(0.75, 0.25)}
    assert found[-1].loss == 2.30


def test_a_loss_whose_name_is_one_word_makes_a_row() -> None:
    found = iterations(rows(3, "Epoch: [{e}][{n}/30]\tTimer 0.5 TrainLoss 2.{n}"))
    assert len(found) == 90
    assert found[-1].loss == 2.30
