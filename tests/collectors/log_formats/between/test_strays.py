"""Where each epoch has a heading and a row, a row without a heading is of no epoch that anybody knows."""

import pytest
from log_examples import iterations, of

from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, Event, Iteration, Message, RunInfo, SpanEnd


def read(text: str) -> list[Event]:
    reader = LogReader(name="x")
    return [*reader.feed(text.encode()), *reader.end(b"")]


def pair(n: float) -> str:
    return f"Train Loss: {9 - n / 8} | Train Acc: 50.5%\nVal. Loss: {9.5 - n / 8} | Val. Acc: 40.5%\n\n"


def epochs(first: int, last: int) -> str:
    return "".join(f"Epoch: {n}/10\n{pair(n)}" for n in range(first, last + 1))


def indices(events: list[Event]) -> list[int]:
    return [one.index for one in of(Iteration, events)]


def said(events: list[Event]) -> list[str]:
    return [one.text for one in of(Message, events) if "left out" in one.text]


def test_rows_without_a_heading_are_left_out_and_counted() -> None:
    events = read(pair(0) * 3 + epochs(10, 10) + pair(11) * 2 + "another model\n" + epochs(1, 10) + pair(12))
    assert indices(events) == [10, *range(1, 11)]
    assert said(events) == [
        "6 rows have no line with an epoch: left out, so that there were at least as many iterations more"
    ]
    assert len(of(RunInfo, events)) == 3


def test_the_same_heading_once_more_is_another_trainings() -> None:
    events = read(epochs(10, 10) + "another model\n" + epochs(10, 10) + epochs(1, 10))
    assert indices(events) == [10, 10, *range(1, 11)]
    assert said(events) == []
    assert len(of(RunInfo, events)) == 4


def test_where_epochs_have_several_rows_none_is_left_out() -> None:
    events = read("".join(f"Epoch: {n}/10\n{pair(n) * 3}" for n in range(1, 11)))
    assert len(indices(events)) == 30
    assert said(events) == []


def test_a_heading_may_show_its_learning_rate_but_behind_its_rows_it_is_none() -> None:
    heads = ["Epoch: 1/2 | Learning Rate: 2.000e-04", "Epoch: 2/2 | Learning Rate: 1.000e-04"]
    rows = ["[10/20] loss: 2.5", "[20/20] loss: 2.25"]
    below, behind = [heads[0], *rows, heads[1], *rows], [*rows, heads[0], *rows, heads[1]]
    for log, totals in ((below, {40}), (behind, set[int]())):  # of a counter that begins again 20 is no total
        events = read("".join(f"{line}\n" for line in log))
        assert indices(events)[:2] == [10, 20]
        assert {one.max_iterations for one in of(Config, events)} == totals


@pytest.mark.parametrize("same", ["batch = 48", "---- batch: 048 ----", "step: 48"])
def test_a_number_below_each_epoch_s_heading_that_never_moves_counts_nothing(same: str) -> None:
    """It is the size of a batch, or how many an epoch has: the headings count."""
    epoch = "Epoch {e}/6\n--------\n" + same + "\ntrain Loss: {loss:.4f} Acc: 0.5000\n\n"
    text = "".join(epoch.format(e=e, loss=2 / (e + 1)) for e in range(7))
    assert [one.index for one in iterations(read(text))] == [*range(7)]


def test_a_batch_that_moves_within_its_epoch_is_a_place() -> None:
    rows = "batch: {}\nmean loss: 2.5\n"
    text = "".join(f"EPOCH {e}\n" + "".join(rows.format(n) for n in (20, 40)) for e in range(5))
    assert [one.index for one in iterations(read(text))] == [*range(20, 201, 20)]


def evaluated(*lines: str) -> list[float]:
    """The validation's losses, of the same `lines` behind each of eight epochs."""
    epochs = (f"Epoch: {n}/8\nTrain Loss: {9 - n / 8}\n" + "\n".join(lines) + "\n" for n in range(1, 9))
    return [one.values["val_loss"] for one in of(SpanEnd, read("".join(epochs))) if "val_loss" in one.values]


def test_a_part_of_an_evaluation_s_loss_on_a_line_of_its_own_is_not_the_whole() -> None:
    found = evaluated("eval mean mask_loss: 0.25", "eval mean loss: 4.5", "eval mean edge_loss: 0.125")
    assert set(found[1:]) == {4.5}
    assert set(evaluated("eval mask_loss: 0.25", "eval edge_loss: 0.125")[1:]) <= {0.25}


def test_the_only_loss_of_an_evaluation_is_its_loss_whatever_its_name() -> None:
    assert evaluated("val ce_loss: 0.25") == [0.25] * 8
