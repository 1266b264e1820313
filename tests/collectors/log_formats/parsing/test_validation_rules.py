"""What a row of the training shows of an evaluation that was made for it."""

import pytest
from log_examples import of, read

from itermon.events import Iteration, SpanEnd


@pytest.mark.parametrize("said", ["val acc {m}%", "test_f1: 0.{m}", "dev mIoU=0.{m}"])
def test_a_row_with_another_figure_of_an_evaluation_each_time_holds_one(said: str) -> None:
    def evaluated(metrics: list[int]) -> list[int | None]:
        rows = [f"Step {100 * n} loss 2.{n} {said.format(m=m)}" for n, m in enumerate(metrics, 1)]
        return [one.iteration for one in of(SpanEnd, read("key: value", "\n".join(rows)))]

    assert evaluated([61, 72, 73]) == [100, 200, 300]
    assert evaluated([61, 61, 73]) == [100, 300], "it is shown once more"


@pytest.mark.parametrize("said", ["best val acc {m}", "val time: 0.{m}", "test size: {m}", "train acc: 0.{m}"])
def test_what_is_no_result_of_an_evaluation_tells_of_none(said: str) -> None:
    rows = [f"Step {100 * n} loss 2.{n} {said.format(m=60 + n)}" for n in (1, 2, 3)]
    assert not of(SpanEnd, read("key: value", "\n".join(rows)))


def test_the_second_epoch_of_a_training_whose_first_one_waits_is_no_row_of_an_evaluation_announced_before_them() -> (
    None
):
    """It is the newest epoch of the training before."""
    epochs = "Epoch {n}/9 - train_loss: 2.{n}"
    lines = [epochs.format(n=1), epochs.format(n=2), "Evaluating ...", *(epochs.format(n=n) for n in (1, 2, 3))]
    assert [one.index for one in of(Iteration, read("key: value", "\n".join(lines)))] == [1, 2, 1, 2, 3]
