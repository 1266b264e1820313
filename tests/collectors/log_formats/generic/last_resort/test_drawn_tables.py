"""Tables with drawn lines between their columns."""

import pytest
from log_examples import iterations

from itermon.collectors.log_formats.generic.last_resort.drawn_tables import DrawnTable, undrawn
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration


def rows(heading: str, row: str, count: int = 6) -> list[Iteration]:
    lines = [heading, "\u2500" * 40]
    for n in range(1, count + 1):
        lines += [row.format(n=n, x=f"{9 - n}.125"), "      \u21b3 new best: saved to best.pt"]
    reader = LogReader()
    return iterations([*reader.feed("\n".join([*lines, ""]).encode()), *reader.end(b"")])


@pytest.mark.parametrize(
    ("heading", "row", "seconds"),
    [
        (" Ep │ TrainLoss  MSE │  ValLoss │   LR  Time  ETA", " {n} │ {x} 0.25 │ 2.500 │ 1e-4 3{x}s 1.5h", 33.125),
        ("│ Epoch │ Train Loss │ Val Loss │", "│ {n} │ {x} │ 2.500 │", None),
        ("Step ┃ Loss ┃ Grad Norm", "{n} ┃ {x} ┃ 0.125", None),
        ("epoch ║ loss ║ acc ║ epoch time", "{n}/6 ║ {x} ║ 0.5 ║ 2.5m", 150.0),
    ],
)
def test_the_lines_between_the_columns_are_no_cells(heading: str, row: str, seconds: float | None) -> None:
    found = rows(heading, row)
    assert [one.index for one in found] == [1, 2, 3, 4, 5, 6]
    assert found[-1].loss == 3.125
    assert found[-1].duration_s == seconds
    assert DrawnTable.name == "drawn table"


@pytest.mark.parametrize(
    ("heading", "row"),
    [
        (" Step │ Pressure │ Temperature", " {n} │ {x} │ 2.500"),
        (" Round │ Player │ Score", " {n} │ {x} │ 2.500"),
        (" Room │ Heat Loss [kW]", " {n} │ {x}"),
        (" epoch │ loss │ acc", " 3 │ {x} │ 0.5"),
    ],
)
def test_what_is_no_training_or_does_not_count_on_is_none(heading: str, row: str) -> None:
    assert rows(heading, row) == []


def test_minutes_and_hours_are_seconds() -> None:
    assert undrawn("1 │ 2.5m │ 1h │ 57m │ 5ms │ 2M").split() == ["1", "150s", "3600s", "3420s", "5ms", "2M"]


def test_tensors_in_cells_are_numbers() -> None:
    lines = [
        "epoch\tbatch\titer\tloss\tacc",
        *(
            f"2\t{n}\t{40 + n}\ttensor({9 - n}.125, device='cuda:0')\ttensor(0., device='cuda:0')"
            for n in range(1, 7)
        ),
    ]
    reader = LogReader()
    found = iterations([*reader.feed("\n".join([*lines, ""]).encode()), *reader.end(b"")])
    assert [(one.index, one.loss) for one in found] == [(40 + n, 9.125 - n) for n in range(1, 7)]
