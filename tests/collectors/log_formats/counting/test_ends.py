"""Counts of an epoch that nobody names: where they end says whether it is one."""

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.counting.counter import Counter
from itermon.collectors.log_formats.counting.ends import MOST, NO_LENGTH, UNKNOWN_LENGTH, Ends, OpenEpochs
from itermon.collectors.log_formats.counting.standing import RowContext, Standing
from itermon.events import Message


@pytest.mark.parametrize(
    ("ends", "apart", "trainings"),
    [
        ((80, 80, 80), 10, [False, False, False]),
        ((80, 90, 70), 10, [False, False, False]),  # as far as two rows lie apart
        ((100, 110, 89), 1, [False, False, True]),  # a tenth of the end
        ((80, 40, 80, 80), 10, [False, True, False, False]),  # one broke off
        ((70, 90, 50, 70), 10, [False, True, True, True]),  # no two are alike
    ],
)
def test_what_ends_elsewhere_broke_off(ends: tuple[int, ...], apart: float, trainings: list[bool]) -> None:
    found = Ends()
    assert [found.breaks_off(step, apart) for step in ends] == trainings


def test_so_many_ends_are_kept_and_what_they_said_stays() -> None:
    found = Ends()
    assert [found.breaks_off(1.5**n, 1) for n in range(100)][2:] == [True] * 98
    assert len(found._seen) == MOST


def batches(*segments: int) -> list[tuple]:
    """Rows each ten batches, of an epoch that nobody names; `segments`: as far as each count goes."""
    return [(n, None, RowContext(within=True)) for end in segments for n in range(10, end + 1, 10)]


def beginnings(counter: Counter, rows: list[tuple]) -> int:
    return [counter.see(*row) for row in rows].count(Standing.AGAIN)


def test_nameless_epochs_end_alike_and_what_broke_off_elsewhere_is_another_training() -> None:
    assert beginnings(Counter(), batches(80, 80, 90, 80)) == 0
    assert beginnings(Counter(), batches(80, 80, 40, 80, 80)) == 1
    counter = Counter()
    assert (beginnings(counter, batches(80, 80, 40, 30)), counter.index) == (1, 30)


def test_where_no_two_ends_are_alike_each_is_a_training() -> None:
    counter, pupil = Counter(), Counter()
    assert beginnings(pupil, batches(70, 90, 50, 30)) == 2  # the first alone may have been an epoch
    counter.learn(pupil)
    assert beginnings(counter, batches(70, 90, 50, 30)) == 3


def test_an_epoch_without_a_length_may_have_been_longer_than_its_highest_batch() -> None:
    """Rows of each 500th batch: behind the one of 1,500 up to 499 follow, which no row counts."""
    epochs, found = OpenEpochs(first=0), []
    for epoch, batch in ((0, 0), (0, 500), (0, 1_500), (1, 0), (1, 500), (0, 0)):
        place = epochs.place(epoch, batch)
        found.append((place["iteration"], place.get("uncounted"), epochs.turned, epochs.word()))
    assert found == [
        (0, None, False, ""),
        (500, None, False, ""),
        (1_500, None, False, ""),
        (1_501, 999, True, UNKNOWN_LENGTH),
        (2_001, None, False, ""),
        (0, None, True, ""),  # another run begins
    ]


def test_a_process_that_goes_back_to_an_epoch_goes_on_where_that_began() -> None:
    epochs = OpenEpochs(first=0)
    rows = [(epoch, batch) for epoch in (0, 1, 2, 1, 2, 3, 0, 1, 2) for batch in (0, 50)]
    assert [epochs.place(*row)["iteration"] for row in rows] == [
        *(0, 50, 51, 101, 102, 152),
        *(51, 101, 102, 152, 153, 203),  # from a checkpoint of the first epoch's end
        *(0, 50, 51, 101, 102, 152),  # another training
    ]


def test_epochs_of_which_each_batch_is_printed_are_complete() -> None:
    epochs, found = OpenEpochs(first=1), []
    for epoch in range(3):
        for batch in range(1, 4):
            found.append(epochs.place(epoch, batch))
            assert epochs.word() == ""
    assert found == [{"iteration": n} for n in range(1, 10)]


def placed(*rows: tuple[float, float]) -> list[float | None]:
    """Where each second of these rows stands, `(epoch, step)`: a run that goes back needs two to prove it."""
    counter, found = Counter(), []
    for epoch, step in rows:
        if counter.see(step, epoch, RowContext(within=True)) is not Standing.WAITS:
            found.append(counter.index)
    return found


def test_a_process_that_is_resumed_goes_on_where_its_epoch_began() -> None:
    whole = [(epoch, step) for epoch in (1, 2, 3) for step in (0, 10, 20)]
    assert placed(*whole, (3, 0), (3, 10))[-1] == 52  # epochs of 21 steps
    assert placed(*whole, (4, 0), (4, 20), (3, 0), (3, 10))[-1] == 52
    assert placed(*whole, (1, 0), (1, 10), (2, 0), (7, 0), (7, 10), (5, 0), (5, 10))[-1] == 4 * 21 + 10


def test_what_begins_in_a_late_epoch_is_counted_from_there_and_that_is_said() -> None:
    rows = "".join(f"[{epoch}, {step:5d}] loss: 2.{step}\n" for epoch in (30, 31) for step in (0, 10, 20))
    events = read("key: value", rows)
    said = f"iterations are counted from epoch 30 on: {NO_LENGTH}"
    assert [one.text for one in events if isinstance(one, Message)].count(said) == 1
    assert [one.index for one in iterations(events)] == [0, 10, 20, 21, 31, 41]
    first = read("key: value", rows.replace("[30", "[0").replace("[31", "[1"))
    assert not any(NO_LENGTH in one.text for one in first if isinstance(one, Message))


def steps_of(epochs: int) -> list[int]:
    return list(range(0, 50, 10)) * epochs


@pytest.mark.parametrize(
    ("above", "row", "below"),
    [
        ("===> Epoch: {}, lr: 0.1, best so far: 0.5", "Iters: {}, loss: 0.75", ""),
        ("[2024-01-02 03:04:05,678][    INFO] Starting epoch {} (lr 0.1)", "iter {} | loss 0.75", ""),
        ("", "step {} loss 0.75", "epoch {} finished, dice 0.5"),
        ("", "step {} loss 0.75", "Epoch {} done: train loss 0.5, val loss 0.25"),
    ],
)
def test_epochs_that_stand_on_lines_of_their_own_are_no_trainings(above: str, row: str, below: str) -> None:
    lines: list[str] = []
    for epoch in range(4):
        rows = [row.format(step) for step in range(0, 50, 10)]
        lines += filter(None, [above.format(epoch), *rows, below.format(epoch)])
    found = [one.index for one in iterations(read("key: value", "\n".join(lines)))]
    assert found == sorted(found)
    assert len(found) == 20


@pytest.mark.parametrize("said", ["Best epoch: {}", "Epoch {}: early stopping", "Epoch 1/1, lr: {}"])
def test_what_names_no_next_epoch_makes_a_step_that_begins_again_no_epoch(said: str) -> None:
    lines: list[str] = []
    for training in range(2, 5):
        lines += [said.format(training), *(f"step {step} loss 0.75" for step in range(0, 50, 10))]
    assert [one.index for one in iterations(read("key: value", "\n".join(lines)))] == steps_of(3)


def test_an_epoch_may_have_another_name_in_the_row() -> None:
    lines = [f"round: {n // 5} iter: {step} loss: 0.75" for n, step in enumerate(steps_of(3))]
    found = [one.index for one in iterations(read("key: value", "\n".join(lines)))]
    assert found == sorted(found)
