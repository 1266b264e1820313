"""Tables that blanks part: which are a training's, and what their columns are."""

import pytest
from log_examples import iterations, of, read

from itermon.collectors.logs.reader import LogReader
from itermon.events import SpanEnd


def events_of(text: str):
    reader = LogReader()
    return [*reader.feed(f"{text}\n".encode()), *reader.end(b"")]


def test_generations_are_counted_and_have_their_time() -> None:
    table = " Gen Ph     Best    Δmed     Time\n" + "-" * 40 + "\n"
    found = iterations(events_of(table + "\n".join(f"   {n}  0   0.4{n}   -0.5     1.5s" for n in range(5))))
    assert [(one.index, one.duration_s) for one in found] == [(n, 1.5) for n in range(5)]


def test_of_stamped_rows_the_stamps_give_the_time_and_not_the_newest_batch_s() -> None:
    lines = ["2021-01-28 11:58:08 [INFO]:    Epoch       Batch       box      conf     total      time"]
    lines += [
        f"2021-01-28 11:59:{n}0 [INFO]:     0/29      {n}0/165     0.25      1.5       1.75      0.5"
        for n in range(4)
    ]
    found = iterations(events_of("\n".join(lines)))
    assert [(one.index, one.loss, one.duration_s) for one in found] == [
        (0, 1.75, None),
        (10, 1.75, 1.0),
        (20, 1.75, 1.0),
        (30, 1.75, 1.0),
    ]


def test_a_table_of_losses_without_a_number_counts_its_rows() -> None:
    rows = "\n".join("0.1\t2.5\t2.25\t18.5" for _ in range(12))
    events = events_of(f"Learning Rate\tTrain Loss\tValid Loss\tTrain Acc\n{rows}")
    assert [(one.index, one.loss) for one in iterations(events)] == [(n, 2.5) for n in range(12)]
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": 2.25}] * 12


def test_the_wall_time_of_awr_is_in_hours() -> None:
    table = "Iteration    Wall_Time    Samples    Critic_Loss    \n"
    found = iterations(
        events_of(table + "\n".join(f"{n}0    {n / 1000:.6f}    {n}000    0.5     " for n in range(9)))
    )
    assert [one.duration_s for one in found[1:]] == [pytest.approx(0.36)] * 8


@pytest.mark.parametrize(
    "text",
    [
        "Epoch  Total Loss\n" + "\n".join("7  2.5" for _ in range(20)),  # nothing counts
        "total loss  score loss\n" + "\n".join("2.5  0.5" for _ in range(9)),  # too few rows
        "a word  b\n" + "\n".join(f"{n}  2.5" for n in range(20)),  # no word of a training
    ],
)
def test_other_tables_are_none(text: str) -> None:
    assert iterations(read("table", text)) == []


def test_a_unit_in_its_place_behind_the_number_is_no_cell() -> None:
    lines = ["Epoch    Train Loss   Test Acc     Time    "] + [
        f"{n}        2.25       0.5       0.4{n}    s" for n in range(1, 9)
    ]
    assert len(iterations(read("table", "\n".join(lines)))) == 8
