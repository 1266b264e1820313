"""What counts the rows of a table, where no column is named as those that mostly do."""

from __future__ import annotations

import pytest
from log_examples import iterations, of

from itermon.collectors.log_formats.between.split_rows import UNNUMBERED
from itermon.collectors.log_formats.between.table_counts import TableCounts
from itermon.collectors.log_formats.parsing.columns import Columns
from itermon.collectors.logs.reader import LogReader
from itermon.events import Event, Message


def read(lines: list[str]) -> list[Event]:
    reader = LogReader()
    return [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]


def taught(names: list[str], rows: list[list[str]]) -> list[str]:
    pupil, counts = TableCounts(Columns()), TableCounts(Columns())
    for cells in rows:
        pupil.see(names, cells)
    counts.learn(pupil)
    return counts.renamed(names)


@pytest.mark.parametrize("name", ["timestep", "game", "frame", "idx", "n", ""])
def test_a_column_that_rises_by_one_with_each_row_counts_them_whatever_its_name(name: str) -> None:
    rows = [[str(n), str(n / 4), "7"] for n in range(3, 12)]
    assert taught([name, "loss", "seed"], rows) == ["step", "loss", "seed"]


def test_what_counts_may_stand_behind_other_columns() -> None:
    assert taught(["loss", "game"], [[str(n / 4), str(n)] for n in range(9)]) == ["loss", "step"]


@pytest.mark.parametrize(
    "values",
    [
        [0, 1, 2, 0, 1, 2, 3, 4, 5, 6],  # of one of several
        [0, 1, 2, 3, 4],  # too few
        [0, 1, 3, 4, 7, 9, 12, 13, 18],
        [7] * 12,
        [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000],  # samples that it has seen: no iterations
        [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5],
    ],
)
def test_other_numbers_count_no_rows(values: list[float]) -> None:
    rows = [[str(n), "2.5"] for n in values]
    assert taught(["layer", "loss"], rows) == ["layer", "loss"]


def test_timesteps_may_have_a_row_every_so_many_and_rows_may_not_have_been_looked_at() -> None:
    rows = [[str(n), "2.5"] for n in [*range(0, 800, 20), *range(4000, 5200, 20)]]
    assert taught(["Timesteps", "loss"], rows) == ["step", "loss"]


def test_where_a_column_is_named_as_what_counts_another_one_is_not_looked_for() -> None:
    rows = [[str(n), str(n), "2.5"] for n in range(9)]
    assert taught(["game", "epoch", "loss"], rows) == ["game", "epoch", "loss"]


def test_rows_whose_loss_is_empty_count_on_and_so_does_one_of_its_number_alone() -> None:
    rows = [f"{n},{200 + n / 4 if n % 9 else ''},{2.5 - n / 64 if 12 <= n < 20 else ''}" for n in range(60)]
    events = read(["timestep,reward,loss", *rows])
    found = iterations(events)
    assert [one.index for one in found] == [*range(60)]
    assert found[-1].scalars == {"reward": 214.75}
    assert {one.index for one in found if one.loss is not None} == {*range(12, 20)}
    (guess,) = (one.text for one in of(Message, events) if "guessed" in one.text)
    assert "iteration = timestep" in guess


def test_a_first_column_without_a_name_is_called_so() -> None:
    events = read([",Loss,Accuracy", *(f"{n},{2.5 - n / 64},0.5" for n in range(4, 24))])
    assert [one.index for one in iterations(events)] == [*range(4, 24)]
    assert any("iteration = the first column, which has no name" in one.text for one in of(Message, events))


def test_that_nothing_counts_the_rows_is_said() -> None:
    events = read(["loss,val_loss,acc", *(f"{2.5 - n / 64},2.5,0.5" for n in range(20))])
    assert [one.index for one in iterations(events)] == [*range(20)]
    assert [one.text for one in of(Message, events)].count(UNNUMBERED) == 1


@pytest.mark.parametrize("heading", ["epoch,loss,acc", "game,loss,acc", "step,loss,acc", ",loss,acc"])
@pytest.mark.parametrize("first", [0, 1])
def test_where_something_counts_that_is_not_said(heading: str, first: int) -> None:
    events = read([heading, *(f"{n},{2.5 - n / 64},0.5" for n in range(first, 20))])
    assert not any(one.text == UNNUMBERED for one in of(Message, events))
    assert [one.index for one in iterations(events)] == [*range(first, 20)]
