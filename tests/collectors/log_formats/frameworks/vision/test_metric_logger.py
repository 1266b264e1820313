"""torchvision's MetricLogger: its headers say what is trained and what is evaluated."""

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.frameworks.vision.metric_logger import MetricLogger
from itermon.collectors.log_formats.recognition import recognise
from itermon.events import Iteration, SpanEnd


@pytest.mark.parametrize(
    ("header", "is_training"),
    [
        ("Epoch: [0]", True),
        ("Epoch: [0/100]", True),
        ("Training", True),
        ("Train:", True),
        ("Test:", False),
        ("Val:", False),
        ("  eval ", False),
        ("Test: Epoch: [3]", False),
        ("Test: [52]", False),
        ("Finetune Epoch: [3]", True),
    ],
)
def test_a_header_that_names_an_evaluation_is_no_training_whether_or_not_it_names_an_epoch(
    header: str, is_training: bool
) -> None:
    line = f"{header}  [  10/1562]  eta: 0:30:15  loss: 10.875 (10.88)  time: 1.1719  data: 0.4049"
    assert [one.loss for one in iterations(read("torchvision MetricLogger", line))] == [10.875] * is_training


@pytest.mark.parametrize(
    ("title", "evaluates"),
    [("Test: ", True), ("[rank0]: Evaluation of epoch 3: ", True), ("[rank0]: ", False), ("Train: ", False)],
)
def test_a_total_time_is_an_evaluations_only_where_its_title_says_so(title: str, evaluates: bool) -> None:
    log = f"Epoch: [0]  [  10/1562]  eta: 0:30:15  loss: 10.5 (10.5)  time: 1.125  data: 0.5\n{title} Total time: 0:01:01"
    spans = [one for one in read("torchvision MetricLogger", log) if isinstance(one, SpanEnd)]
    assert len(spans) == evaluates


def rows(*means: tuple[int, int, float, float]) -> list[Iteration]:
    """Of these epochs, batches of 45, times and waits."""
    lines = (
        f"Epoch: [{epoch}]  [{batch:>2}/45]  eta: 0:30:15  loss: 1.5 (1.5)  time: {time_s:.4f}  data: {wait_s:.4f}"
        for epoch, batch, time_s, wait_s in means
    )
    return iterations(read("torchvision MetricLogger", "\n".join(lines)))


def test_a_row_covers_what_passed_since_the_row_before_of_its_epoch():
    found = rows(*((epoch, batch, 0.5, 0.25) for epoch in (0, 1) for batch in (0, 10, 20, 30, 40)))
    assert [i.averaged_over for i in found] == [1, 10, 10, 10, 10] * 2
    assert [i.averaged_over for i in rows(*((0, batch, 0.5, 0.25) for batch in (0, 15, 40, 44)))] == [1, 15, 20, 4]


def test_the_first_batch_is_in_the_mean_of_the_next_row_and_counts_once():
    found = rows((0, 0, 12.0, 2.5), (0, 10, 2.0, 0.25), (0, 20, 1.5, 0.25), (1, 0, 3.5, 1.0), (1, 10, 2.5, 0.5))
    assert [i.duration_s for i in found] == [12.0, 1.0, 2.0, 3.5, pytest.approx(2.4)]
    assert [i.data_wait_s for i in found] == pytest.approx([2.5, 0.025, 0.475, 1.0, 0.45])


def test_a_slow_batch_is_in_one_row_though_the_means_of_two_hold_it() -> None:
    times = [0.5] * 14 + [5.0] + [0.5] * 30
    means = [(n, times[max(0, n - 19) : n + 1]) for n in (0, 10, 20, 30, 40, 44)]
    found = rows(*((0, n, round(sum(newest) / len(newest), 4), 0.125) for n, newest in means))
    assert [(i.averaged_over, i.duration_s) for i in found[1:]] == [
        (10, 0.5),
        (10, pytest.approx(0.95, abs=1e-3)),
        (10, pytest.approx(0.5, abs=1e-3)),
        (10, pytest.approx(0.5, abs=1e-3)),
        (4, 0.5),  # the mean begins within the batches of a row
    ]


@pytest.mark.parametrize(
    "next_row",
    [
        (0, 10, 0.5, 0.5),  # a mean without the first batch: eleven of it are less than that one
        (0, 25, 2.0, 0.25),  # twenty batches ago it was not among them
        (1, 0, 2.0, 0.25),
    ],
)
def test_what_cannot_hold_the_first_batch_is_taken_as_printed(next_row: tuple[int, int, float, float]):
    assert [i.duration_s for i in rows((0, 0, 12.0, 2.5), next_row)] == [12.0, next_row[2]]


def test_a_row_of_an_epoch_whose_first_is_not_in_the_log_covers_what_passed_in_it():
    found = rows((0, 0, 12.0, 2.5), (0, 40, 1.0, 0.5), (1, 5, 1.0, 0.5))
    assert [(i.duration_s, i.averaged_over) for i in found] == [(12.0, 1), (1.0, 20), (1.0, 6)]


def epoch(times: list[float], *, whole_s: float) -> str:
    """An epoch of rows that stand ten batches apart, and the line at its end."""
    lines = (
        f"Epoch: [0]  [{n:>2}/{len(times)}]  eta: 0:00:15  loss: 1.5 (1.5)  time: {times[n]:.4f}  data: 0.0000"
        for n in [*range(0, len(times) - 1, 10), len(times) - 1]
    )
    return "\n".join((*lines, f"Epoch: [0] Total time: 0:00:30 ({whole_s:.4f} s / it)"))


READINGS = [0.25] * 41
READINGS[20] = (
    1.5  # of twenty batches: they would have taken 30 s, and the ten before 2.5 s of them; the next ones less than nothing
)


def learned(log: str) -> list[Iteration]:
    """The iterations of a log whose lines were looked at before."""
    parser = MetricLogger()
    parser.learn(log.splitlines())
    return [one for text in log.splitlines() for one in parser.line(text, None) if isinstance(one, Iteration)]


@pytest.mark.parametrize(
    ("times", "whole_s"),
    [
        (READINGS, 0.0),  # less than nothing is left of the row behind the slow one
        ([0.25] * 20 + [0.3] * 21, 0.4),  # the epoch took longer than its rows
    ],
)
def test_times_that_cannot_be_means_of_twenty_are_those_of_one_batch_from_the_first_row_on(
    times: list[float], whole_s: float
) -> None:
    found = learned(epoch(times, whole_s=whole_s))
    assert [(i.duration_s, i.averaged_over) for i in found] == [(times[n], 1) for n in (0, 10, 20, 30, 40)]


def test_means_that_add_up_to_the_time_of_their_epoch_are_taken_apart() -> None:
    times = [0.5] * 14 + [5.0] + [0.5] * 26
    newest = [times[max(0, n - 19) : n + 1] for n in range(41)]
    found = learned(epoch([sum(some) / len(some) for some in newest], whole_s=sum(times) / 41))
    assert [i.averaged_over for i in found] == [1, 10, 10, 10, 10]
    assert found[2].duration_s == pytest.approx(0.95, abs=1e-3)


def test_an_evaluations_total_is_no_witness_of_the_epochs_rows() -> None:
    log = epoch([0.25] * 41, whole_s=9.0).replace("Epoch: [0] Total", "Test: Total")
    assert [i.averaged_over for i in learned(log)] == [1, 10, 10, 10, 10]


def test_of_two_epochs_in_front_the_batches_are_those_of_the_inner_one():
    row = "Train: data epoch: [0]; inner epoch [{}]  [{:>2}/40]  eta: 0:00:15  lr: 0.5  loss: 1.5  time: 0.25  data: 0.0"
    found = learned("\n".join(row.format(epoch, batch) for epoch in (0, 1) for batch in (0, 20, 39)))
    assert [one.index for one in found] == [0, 20, 39, 40, 60, 79]


@pytest.mark.parametrize("title", ["Test:", "Val", "Evaluation"])
def test_rows_of_evaluations_alone_leave_the_log_to_the_bar_that_trains(title: str) -> None:
    bars = [f"Task 1 (1/4) training:  10%|#   | {n}/200 [00:{n:02}<02:00,  1.05s/it]" for n in range(1, 31)]
    rows = [f"{title}  [ {n}/32]  eta: 0:00:38  model_time: 0.5 (0.5)  time: 1.5  data: 0.5" for n in range(32)]
    found = recognise([*bars, *rows, f"{title} Total time: 0:00:35 (1.5 s / it)"])
    assert found.format is not None
    assert found.format.name == "tqdm"


def test_short_epochs_that_take_more_than_their_batches_refute_no_means() -> None:
    """Of 6 and 1 s: their mean is 3.5 s, and the epoch has another 0.6 s. As times of their own they would be 9.5 s."""
    row = "Epoch: [{0}]  [{1}/2]  eta: 0:00:05  loss: 1.5 (1.5)  time: {2:.4f}  data: {3:.4f}"
    end = "Epoch: [{0}] Total time: 0:00:07 (3.8000 s / it)"
    epochs = [(row.format(n, 0, 6.0, 4.5), row.format(n, 1, 3.5, 2.3), end.format(n)) for n in range(3)]
    found = learned("\n".join(line for lines in epochs for line in lines))
    assert [one.duration_s for one in found] == pytest.approx([6.0, 1.0] * 3)
    assert [one.data_wait_s for one in found] == pytest.approx([4.5, 0.1] * 3)
