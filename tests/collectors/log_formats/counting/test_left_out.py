"""Lines like rows with an accuracy and no loss are counted, and said."""

import pytest
from log_examples import of

from itermon.collectors.log_formats.counting.left_out import Closings, LeftOut
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Message


@pytest.mark.parametrize(
    ("text", "epoch"),
    [
        ("Mean training accuracy 0.5 - epoch 3/100", 3.0),
        ("Epoch 4 | train acc: 0.25", 4.0),
        ("Mean testing accuracy 0.5 - epoch 3/100", None),
        ("Epoch 4 | train acc: 0.25, loss: 0.5", None),
        ("training accuracy of epoch 3", None),
    ],
)
def test_an_epoch_with_an_accuracy_and_no_loss_is_like_a_row(text: str, epoch: float | None) -> None:
    assert LeftOut().epoch(text) == epoch


def test_how_many_were_left_out_is_said_and_an_epoch_that_has_its_row_is_none() -> None:
    alone = [f"training accuracy 0.5 - epoch {n}/9" for n in range(1, 10)]
    both = [f"training loss 0.5 - epoch {n}/9\ntraining accuracy 0.5 - epoch {n}/9" for n in range(1, 10)]
    reader = LogReader()
    events = [*reader.feed("".join(f"{line}\n" for line in [*alone, *both]).encode()), *reader.end(b"")]
    assert len(of(Iteration, events)) == 9
    assert [one.text for one in of(Message, events) if "left out" in one.text] == [
        "9 lines with an epoch and its training accuracy, and no loss, left out: no row was read there"
    ]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([f"step {50 * n} | loss: 2.5 | time: 26.{n % 3}1ms" for n in range(1, 9)], "8 rows have a time that is not used: nothing shows whether it is of one step, of all 50, or a clock"),
        ([f"step {50 * n} | loss: 2.5 | time: 26.{n % 3}1ms" for n in range(1, 3)], ""),  # two say nothing of all
        ([f"step {n} | loss: 2.5 | time: 26.{n % 3}1ms" for n in range(1, 9)], ""),  # each is of a step
    ],
)  # fmt: skip
def test_a_time_that_nobody_can_tell_what_it_is_of_is_said_to_be_left_out(rows: list[str], said: str) -> None:
    reader = LogReader()
    events = [*reader.feed("".join(f"{line}\n" for line in [*rows, "Step: 430", "Loss: 2.25"]).encode())]
    events += reader.end(b"")
    found = [one.text for one in of(Message, events) if "not used" in one.text]
    assert [text.partition(";")[0] for text in found] == ([said] if said else [])
    assert any(one.duration_s for one in of(Iteration, events)) is (
        rows[0] == "step 1 | loss: 2.5 | time: 26.11ms"
    )


def closings(*rows: tuple[float | None, bool], took: bool = False) -> bool:
    found = Closings()
    for epoch, timed in rows:
        found.see(epoch, timed=timed)
        if took:
            found.took()
    return found.whole


@pytest.mark.parametrize(
    ("rows", "whole"),
    [
        ([(None, True), (1, True), (None, False), (2, True)], True),
        ([(1, True), (2, True), (3, True)], True),
        ([(1, True)], False),  # one epoch proves nothing
        ([(1, True), (2, False)], False),
        ([(1, True), (2, True), (2, True)], False),  # closed twice
        ([(1, True), (1, True), (2, False)], False),
        ([], False),
    ],
)
def test_epochs_are_whole_that_are_each_closed_once_with_a_time(
    rows: list[tuple[float | None, bool]], whole: bool
) -> None:
    assert closings(*rows) is whole


def test_a_time_on_a_line_of_its_own_is_that_of_the_closing_before_it_and_counts_once() -> None:
    assert closings((1, False), (2, False), took=True)
    assert closings((1, True), (2, True), took=True)
    assert not closings((1, False), (None, False), (2, False))
    found = Closings()
    found.took()
    found.see(1, timed=False)
    found.took()
    found.took()
    found.see(2, timed=False)
    assert not found.whole
    found.see(None, timed=False)
    found.took()
    assert not found.whole, "a row of a step lies between"
