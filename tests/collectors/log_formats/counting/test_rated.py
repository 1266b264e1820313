"""Rows without a learning rate, where most rows have one."""

import re

import pytest
from log_examples import iterations, of, read_to_end

from itermon.collectors.log_formats.counting.rated import Lossless, Rated
from itermon.collectors.logs.reader import LogReader
from itermon.events import Message, RunInfo, SpanEnd


def row(step: float, *, rated: bool) -> dict[str, object]:
    return {"iteration": step, "loss": 2.5} | ({"learning_rate": 0.1} if rated else {})


def test_it_takes_two_rows_of_one_step_to_know_that_one_without_a_rate_is_of_an_evaluation() -> None:
    rates = Rated()
    assert not any(rates.lacks(row(n, rated=True)) for n in (1, 2, 3))
    assert not rates.lacks(row(4, rated=False)), "it may be the training's"
    rates.lacks(row(5, rated=True))
    assert rates.lacks(row(5, rated=False))
    assert rates.lacks(row(9, rated=False))
    pupil = Rated()
    pupil.learn(rates)
    assert pupil.lacks(row(1, rated=False)) is False, "a row without one was the pupil's first"
    assert not rates.lacks({"iteration": 1.0})


BOTH = {"loss": 0.75, "val_loss": 0.875}
COLUMNS = [("Iter", 1), ("Train Loss", 1), ("Dev Loss", 1), ("F1", 1)]
"""Their values are not looked at."""


def lossless(cells: list[tuple[str, object]], read: dict[str, float], rows: Lossless) -> bool:
    return rows.trains(cells, read, lambda name: "Loss" in name)


def test_rows_that_lack_the_training_s_loss_alone_and_fall_back_are_another_training_s() -> None:
    rows, without = Lossless(), [("Iter", 1), ("Dev Loss", 1), ("F1", 1)]
    assert not lossless(without, {"iteration": 0, "val_loss": 2.5}, rows), "no row had both"
    assert not lossless(COLUMNS, {"iteration": 400} | BOTH, rows)
    assert not lossless(without, {"iteration": 400, "val_loss": 2.5}, rows), "it is told of once more"
    assert not lossless(without, {"val_loss": 2.5}, rows), "it has no place"
    assert not lossless([*without, ("BLEU", 1)], {"iteration": 0, "val_loss": 2.5}, rows), "of another kind"
    assert not lossless(without[:2], {"iteration": 0, "val_loss": 2.5}, rows), "it lacks more"
    assert [lossless(without, {"iteration": n, "val_loss": 2.5}, rows) for n in (0, 100, 400, 500)] == [True] * 4
    assert not lossless(COLUMNS, {"iteration": 600} | BOTH, rows)
    assert not lossless(without, {"iteration": 700, "val_loss": 2.5}, rows)
    assert lossless(without, {"epoch": 2, "val_loss": 2.5}, rows) is False, "a later epoch"


ALONE = """Step {n}00: Val Loss 2.{n} | LR: 0.5\n"""


@pytest.mark.parametrize(
    ("log", "indices"),
    [
        ("".join(ALONE.format(n=n) for n in range(1, 9)), [100 * n for n in range(1, 9)]),
        ("".join(ALONE.format(n=n) for n in (1, 1, 1, 1, 1, 2, 2, 2)), []),  # nothing counts on
        ("".join(f"Step {n}00: Train Loss 2.5\n" + ALONE.format(n=n) * (n % 4 == 0) for n in range(1, 9)),
         [100 * n for n in range(1, 9)]),
    ],
)  # fmt: skip
def test_where_no_row_has_a_training_s_loss_those_of_evaluations_count(log: str, indices: list[int]) -> None:
    events = LogReader().feed(log.encode())
    assert [one.index for one in iterations(events)] == indices
    evaluated = [one.values["val_loss"] for one in of(SpanEnd, events)]
    assert evaluated == [float(text) for text in re.findall(r"Val Loss ([\d.]+)", log)]


EVALUATED: list[tuple[str, object]] = [("Step", 1), ("Val Loss", 1)]


def proven(cells: list[tuple[str, object]]) -> Lossless:
    pupil, rows = Lossless(), Lossless()
    for step in range(100, 900, 100):
        lossless(cells, {"iteration": step, "val_loss": 2.5}, pupil)
    rows.learn(pupil)
    rows.learn(Lossless())  # what comes of a log that is written takes nothing back
    return rows


def test_beside_a_row_of_the_training_without_a_loss_they_are_none_of_its_rows() -> None:
    place = {"iteration": 1000.0, "val_loss": 2.5}
    assert lossless(EVALUATED, place, proven(EVALUATED))
    for other in ({"iteration": 950.0}, {"epoch": 1.0}):
        rows = proven(EVALUATED)
        assert not lossless(EVALUATED, other, rows)
        assert not lossless(EVALUATED, place, rows)


def test_how_many_epochs_each_of_several_models_had_counts_nothing() -> None:
    cells: list[tuple[str, object]] = [("epochs", 1), ("val_loss", 1)]
    assert not lossless(cells, {"epoch": 1000.0, "val_loss": 2.5}, proven(cells))


def table(*rows: str) -> list[tuple[int, float | None]]:
    events = LogReader().feed("".join(f"{row}\n" for row in rows).encode())
    return [(one.index, one.loss) for one in iterations(events)]


@pytest.mark.parametrize("every", [1, 5, 30, 100])
def test_in_a_table_an_empty_loss_is_a_missing_value_and_no_missing_row(every: int) -> None:
    rows = [f"a,{n},{2.5 if n % every == 1 else ''},{n / 64}" for n in range(1, 31)]
    found = table("run,Epoch,Training Loss,F1", *rows)
    assert [index for index, _ in found] == [*range(1, 31)]


def test_trainings_one_after_the_other_whose_first_epoch_alone_has_a_loss_are_all_counted() -> None:
    rows = [f"{name},{n},{2.5 if n == 1 else ''},{n / 64}" for name in "abc" for n in range(1, 9)]
    events = LogReader().feed("".join(f"{row}\n" for row in ["run,epoch,loss,f1", *rows]).encode())
    assert [one.index for one in iterations(events)] == [*range(1, 9)] * 3
    assert sum(isinstance(event, RunInfo) for event in events) == 1 + 3, "the source's, and one each"


def test_the_loss_of_an_evaluation_beside_an_empty_one_is_shown_in_its_row() -> None:
    rows = [f"{n},{2.5 if n % 5 == 1 else ''},{2.75 - n / 64},{n / 64}" for n in range(1, 31)]
    events = LogReader().feed("".join(f"{row}\n" for row in ["epoch,loss,val_loss,f1", *rows]).encode())
    assert [one.index for one in iterations(events)] == [*range(1, 31)]
    assert len(of(SpanEnd, events)) == 30


@pytest.mark.parametrize(
    ("heading", "train", "other"),
    [
        ("epoch,loss,val_acc", "{n},2.5,", "{n},,0.5"),
        ("epoch,loss,acc", "{n},2.5,0.25", "{n},,0.5"),
        ("epoch,loss,val_loss", "{n},2.5,", "{n},,2.75"),
    ],
)
def test_a_second_row_of_an_epoch_without_a_loss_is_none_of_the_training_s(
    heading: str, train: str, other: str
) -> None:
    rows = [row.format(n=n) for n in range(1, 21) for row in (train, other)]
    assert table(heading, *rows) == [(n, 2.5) for n in range(1, 21)]


def test_an_evaluation_s_row_of_an_epoch_that_has_no_other_is_none_of_the_training_s() -> None:
    rows = [f"{n},2.5," if n % 4 else f"{n},,0.5" for n in range(1, 21)]
    assert [index for index, _ in table("epoch,loss,val_acc", *rows)] == [n for n in range(1, 21) if n % 4]


def test_objects_without_a_loss_are_rows_where_they_go_on_with_the_same_names() -> None:
    rows = [f'{{"epoch": {n}, "f1": 0.5{", " if n % 5 == 1 else ""}' for n in range(1, 31)]
    lines = [f'{row}"loss": 2.5}}' if row.endswith(", ") else f"{row}}}" for row in rows]
    assert [index for index, _ in table(*lines)] == [*range(1, 31)]
    twice = [
        f'{{"epoch": {n}, "f1": 0.5{end}}}' for n in range(1, 31) for end in ("", ', "loss": 2.5')
    ]  # the first of the two is of something else
    assert table(*twice) == [(n, 2.5) for n in range(1, 31)]
    events = [*lines[:12], '{"epoch": 13, "lr": 0.5, "note": "halved"}']
    assert [index for index, _ in table(*events)] == [*range(1, 13)], "of another kind"


def test_rows_that_nothing_counts_are_all_numbered_whether_they_have_a_loss_or_not() -> None:
    rows = [f"{n / 4},{n / 64},{2.5 - n / 64 if 12 <= n < 40 else ''}" for n in range(100)]
    assert [index for index, _ in table("reward,q_value,loss", *rows)] == [*range(100)]


def test_how_many_rows_without_a_loss_are_left_out_is_said() -> None:
    rows = [row for n in range(1, 21) for row in (f"{n},2.5,0.25", f"{n},,0.5")]
    reader = LogReader()
    events = reader.feed("".join(f"{row}\n" for row in ["epoch,loss,acc", *rows]).encode())
    found = [one.text for one in of(Message, [*events, *reader.end(b"")])]
    assert found.count("20 rows without a loss: left out") == 1


def test_a_loss_that_is_a_whole_number_alone_is_no_count() -> None:
    assert table("loss,acc", *(row for n in range(30) for row in (f"{n}.0,", f",{n / 4}"))) == []


def test_the_loss_of_a_model_that_is_trained_behind_another_is_named_when_it_comes() -> None:
    lines = [f"[encoder][Epoch {n}] encoder training loss: 0.{n + 10}" for n in range(9)]
    lines += [f"[flow][Epoch {n}] flow training loss: 2.{n + 10}" for n in range(9)]
    words = [one.text for one in of(Message, read_to_end("key: value", "\n".join(lines)))]
    assert [word for word in words if "in its place" in word] == [
        "newer rows have another loss in its place: flow training loss"
    ]
    assert (
        sum("in its place" in one.text for one in of(Message, read_to_end("key: value", "\n".join(lines[:9]))))
        == 0
    )
