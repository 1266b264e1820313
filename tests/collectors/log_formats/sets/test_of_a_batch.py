"""Lines of an evaluation that count its batches tell of one each; those that count epochs tell of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from itermon.collectors.logs.reader import LogReader
from itermon.events import EVALUATION, SpanEnd

if TYPE_CHECKING:
    from collections.abc import Iterable


def found_in(lines: Iterable[str]) -> list[float]:
    """Losses of validations, as a reader tells of them."""
    reader = LogReader()
    events = [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]
    ends = [one for one in events if isinstance(one, SpanEnd) and one.kind == EVALUATION]
    return [one.values["val_loss"] for one in ends if "val_loss" in one.values]


def rows(epoch: int) -> list[str]:
    return [f"epoch {epoch} step {n} loss: {3.0 - n / 10:.4f}" for n in range(8 * epoch, 8 * epoch + 8)]


def test_the_loss_of_one_batch_is_no_validation_s() -> None:
    lines: list[str] = []
    for epoch in range(3):
        batches = [2.5, 0.5, 1.75, 3.25]
        lines += [*rows(epoch), *(f"Val [{n}/4]  loss: {loss:.4f}" for n, loss in enumerate(batches, 1))]
        lines += [f"validation loss: {2.0 - epoch / 4:.4f}"]
    assert found_in(lines) == [2.0, 1.75, 1.5]


def test_of_means_so_far_the_last_is_of_all() -> None:
    lines: list[str] = []
    for epoch in range(3):
        means = [2.0, 1.75, 1.5, 1.625 - epoch / 8]
        lines += [*rows(epoch), *(f"Val [{n}/4]  loss: {loss:.4f}" for n, loss in enumerate(means, 1))]
    assert found_in(lines) == [1.625, 1.5, 1.375]


def test_lines_that_count_epochs_tell_of_all() -> None:
    lines = [line for n in range(3) for line in [*rows(n), f"Val [{n + 1}/50]  loss: {2.0 - n / 4:.4f}"]]
    assert found_in(lines) == [2.0, 1.75, 1.5]
