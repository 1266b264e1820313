"""What a row of the training shows of an evaluation that was made for it."""

import pytest
from log_examples import of, read

from itermon.collectors.log_formats.parsing.validation import Validation
from itermon.collectors.log_formats.parsing.values import LogLine
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


@pytest.mark.parametrize(("last", "values"), [(4.25, {}), (5.0, {"val_loss": 5.0})])
def test_the_last_batch_of_an_evaluation_is_not_its_result(last: float, values: dict[str, float]) -> None:
    one, ends = Validation(), []
    for n, loss in ((0.0, 5.5), (100.0, 5.25), (105.0, last)):
        part = {"iteration": n, "length": 105.0}
        ends += [e for e in one.part(part, LogLine("", None), 51, {"val_loss": loss}) if isinstance(e, SpanEnd)]
    assert [end.values for end in ends] == [values]


@pytest.mark.parametrize(("first_s", "last_s", "lasted_s"), [(100.0, 101.0, None), (100.25, 101.25, 1.0)])
def test_whole_seconds_do_not_tell_what_a_short_evaluation_took(
    first_s: float, last_s: float, lasted_s: float | None
) -> None:
    one = Validation()
    for n, at_s in ((1.0, first_s), (2.0, last_s)):
        one.part({"iteration": n}, LogLine("", at_s, stamped=True), 51, {})
    assert [event.duration_s for event in one.over()] == [lasted_s]


def test_an_evaluation_that_names_the_epoch_alone_is_of_its_end() -> None:
    lines = [
        f"10:00:{30 * epoch + place:02} INFO Epoch: {epoch}, {said}"
        for epoch in (0, 1)
        for place, said in enumerate(
            (
                "Iter: 50/140, Loss: 2.5, Acc: 0.25",
                "Iter: 100/140, Loss: 2.25, Acc: 0.5",
                "Valid, Loss: 2.125, Acc: 0.5, Best: 0.5",
            )
        )
    ]
    found = of(SpanEnd, read("key: value", "\n".join(lines)))
    assert [(one.after, one.iteration) for one in found] == [(end, end + 1) for end in (140, 280)]


@pytest.mark.parametrize(("epoch", "at"), [(8, 8), (7, 9), (3, 3)])
def test_an_evaluation_that_names_an_epoch_well_before_the_newest_is_of_that_one(epoch: int, at: int) -> None:
    """One that names the epoch before may count from another number."""
    rows = [f"Training: Epoch: {n} Time: 2.5{n} Training Loss: 0.{9 - n}5" for n in range(9)]
    said = f"RESULT: Epoch: {epoch} Dev loss: 0.75 Dev acc: 62.5"
    ends = of(SpanEnd, read("key: value", "\n".join([*rows, said])))
    assert [(one.iteration, one.values["val_loss"]) for one in ends] == [(at, 0.75)]
