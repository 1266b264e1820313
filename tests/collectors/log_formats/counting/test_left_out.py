"""Lines like rows with an accuracy and no loss are counted, and said."""

import pytest
from log_examples import of

from itermon.collectors.log_formats.counting.left_out import Closings, LeftOut, Misfits
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
        ([f"step {50 * n} | loss: 2.5 | time: 26.{n % 3}1ms" for n in range(1, 9)], "8 rows have a time that is not used: nothing shows whether it is of one of the 50 that a row stands for, of all of them, or a clock"),
        ([f"step {50 * n} | loss: 2.5 | time: 26.{n % 3}1ms" for n in range(1, 10) if n != 6], "8 rows have a time that is not used: nothing shows whether it is of one of the 50 that a row stands for, of all of them, or a clock"),
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


HEADING = "seconds,run,step,reward,loss,lr"
OURS = [f"{20.5 * n:.2f},0,{10 * n},1.{n:03},0.{900 - n},0.001" for n in range(1, 13)]
WIDER = [f"{21.5 * n:.2f},0,{10 * n},1.{n:03},0.{800 - n},0.75,0.001" for n in range(1, 5)]
OTHERS = [f"0,{10 * n},1.{n:03},0.{700 - n},6.{n}5,0.001" for n in range(1, 13)]
"""Without the seconds, and with another value: as wide as the heading."""
SAID = "rows have other columns than the heading: left out"


def read_table(*lines: str) -> tuple[list[tuple[int, float | None]], list[str]]:
    reader = LogReader()
    events = [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]
    found = [(one.index, one.loss) for one in of(Iteration, events)]
    return found, [one.text for one in of(Message, events) if "other columns" in one.text]


def expected(rows: list[str]) -> list[tuple[int, float]]:
    return [(int(row.split(",")[2]), float(row.split(",")[4])) for row in rows]


def test_rows_behind_such_of_another_width_are_read_only_if_their_columns_go_on() -> None:
    found, said = read_table(HEADING, *OURS, *WIDER, *OTHERS)
    assert found == expected(OURS)
    assert said == [f"16 {SAID}"]


def test_rows_that_go_on_behind_others_are_read() -> None:
    """Also those of another process, with its own number and from the beginning on."""
    again = [row.replace(",0,", ",1,", 1) for row in OURS]
    found, said = read_table(HEADING, *OURS, *WIDER, *again)
    assert found == expected(OURS) + expected(again)
    assert said == [f"4 {SAID}"]


def test_a_heading_that_comes_again_ends_what_was_left_out() -> None:
    found, said = read_table(HEADING, *OURS, *WIDER, *OTHERS, HEADING, *OURS)
    assert found == expected(OURS) * 2
    assert said == [f"16 {SAID}"]


def test_a_counter_that_begins_again_counts() -> None:
    found, said = read_table(HEADING, *OURS, *OURS)
    assert (found, said) == (expected(OURS) * 2, [])


def test_behind_a_broken_line_rows_go_on() -> None:
    rows = [f"0.{900 - n},0.001,0.5" for n in range(1, 9)]
    found, said = read_table("loss,lr,accuracy", *rows[:4], "0.895,0.0", *rows[4:])
    assert [loss for _, loss in found] == [float(row.split(",")[0]) for row in rows]
    assert said == ["1 row has other columns than the heading: left out"]


def test_of_columns_without_a_kind_nobody_knows_whether_they_go_on_behind_a_block_of_others() -> None:
    rows = [f"0.{900 - n},0.001,0.5" for n in range(1, 9)]
    found, said = read_table("loss,lr,accuracy", *rows, *(f"{row},0.25" for row in rows[:3]), *rows)
    assert len(found) == len(rows)
    assert said == [f"11 {SAID}"]


@pytest.mark.parametrize(
    ("before", "cells", "fits"),
    [
        (["1,a,0.5", "2,b,0.25"], "3,c,1", True),
        (["1,a,0.5", "2,b,0.25"], "3,c,", True),
        (["1,a,0.5", "2,b,0.25"], "3.5,c,0.5", False),
        (["1,a,0.5", "2,b,0.25"], "3,4,0.5", False),
        (["1,a,0.5", "2,b,0.25"], "3,c,d", False),
        (["0,a,0", "0,b,0"], "0.5,c,0.5", True),  # what was 0 was no number of anything
    ],
)
def test_a_column_keeps_its_kind(before: list[str], cells: str, fits: bool) -> None:
    found = Misfits()
    assert all(found.fits(row.split(",")) for row in before)
    found.other(["1"])
    assert found.fits(cells.split(",")) is fits
    assert found.rows == 2 - fits


def test_an_epoch_whose_step_0_has_a_row_besides_is_one_epoch() -> None:
    rows = "".join(f"Epoch {n} Batch 0 Loss 2.5\nEpoch {n} Loss 2.25\ntook 5 s\n" for n in range(1, 20))
    reader = LogReader()
    events = [*reader.feed(rows.encode()), *reader.end(b"")]
    assert [one.index for one in of(Iteration, events)] == [*range(1, 20)]
    assert "iteration = " not in of(Message, events)[0].text
    steps = "".join(f"Epoch {n} Batch {b} Loss 2.5\n" for n in range(1, 9) for b in (0, 50))
    assert len(of(Iteration, LogReader().feed(steps.encode()))) == 16


def test_rows_at_the_place_of_the_one_before_them_are_not_left_out_without_a_word() -> None:
    def words(*losses: str, row: str = "Epoch 0 Batch 0 train_loss {}") -> list[str]:
        rows = [row.format(loss) for loss in losses]
        rows += [f"Epoch 0 Batch {n} train_loss 2.5" for n in range(100, 2000, 100)]
        reader = LogReader()
        events = [*reader.feed("".join(f"{one}\n" for one in rows).encode()), *reader.end(b"")]
        return [one.text for one in of(Message, events) if "left out" in one.text]

    assert words("2.5", "2.25", "1.5") == ["2 rows at the place of the row before, with another loss: left out"]
    assert words("2.5", "2.5") == [], "it says the same"
    assert words("2.5") == []
