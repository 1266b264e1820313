"""What a row of the training shows of an evaluation that was made for it."""

import pytest
from log_examples import of, read

from itermon.events import SpanEnd


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
