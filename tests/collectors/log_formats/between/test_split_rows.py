"""Rows of one step that are told one by one are one iteration; evaluations and steps of one row stay as they are."""

from __future__ import annotations

import json

import pytest
from log_examples import iterations, of

from itermon.collectors.logs.reader import LogReader
from itermon.events import Alive, End, Event, SpanEnd


def events_of(rows: list[dict[str, object]]) -> list[Event]:
    reader = LogReader()
    events = reader.feed("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    return [*events, *reader.end(b"")]


STEPS = (20, 40, 60, 80)


def test_parts_of_a_step_are_one_iteration() -> None:
    rows = [
        row
        for n in STEPS
        for row in ({"step": n, "lr": 0.125}, {"step": n, "train/loss": 200.5 - n}, {"step": n, "gnorm": n / 4})
    ]
    found = iterations(events_of(rows))
    assert [(one.index, one.loss, one.learning_rate, one.gradient_norm) for one in found] == [
        (n, 200.5 - n, 0.125, n / 4) for n in STEPS
    ]


def test_what_was_evaluated_at_a_step_is_a_row_of_its_own() -> None:
    rows = [
        row
        for n in STEPS
        for row in (
            {"step": n, "lr": 0.125},
            {"step": n, "train/loss": 200.5 - n},
            {"step": n, "eval/loss": n / 4},
        )
    ]
    events = events_of(rows)
    assert [one.loss for one in iterations(events)] == [200.5 - n for n in STEPS]
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": n / 4} for n in STEPS]


@pytest.mark.parametrize(
    "second",
    [
        {"step": 20, "loss": 2.25},  # of another rank
        {"step": 21, "gnorm": 0.5},
        {"step": 20, "epoch": 3, "gnorm": 0.5},  # of another epoch
    ],
)
def test_other_rows_are_none_of_the_step(second: dict[str, object]) -> None:
    rows = [{"step": 19, "loss": 2.75}, {"step": 20, "loss": 2.5}, second, {"step": 22, "loss": 2.0}]
    found = iterations(events_of(rows))
    assert next(one for one in found if one.index == 20).gradient_norm is None


def test_a_log_whose_steps_have_one_row_each_holds_none_back() -> None:
    reader = LogReader()
    rows = [{"step": n, "loss": 2.5 - n / 8} for n in range(6)]
    events = reader.feed("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    assert len(iterations(events)) == len(rows)


def test_a_silence_ends_with_the_first_row_of_the_next_step() -> None:
    """Its last one comes seconds later: the iteration is read then."""
    at_s = 1_900_000_000.0
    rows = [
        {"step": n, "timestamp": at_s + pause_s + n + later_s} | values
        for n, pause_s in ((20, 0.0), (40, 0.0), (60, 700.0), (80, 700.0))
        for later_s, values in ((0.0, {"lr": 0.125}), (3.0, {"train/loss": 200.5 - n}))
    ]
    assert [one.at_s - at_s for one in of(Alive, events_of(rows))] == [760.0]


def test_a_row_of_nothing_but_a_summary_closes_the_run() -> None:
    rows = [
        row
        for n in STEPS
        for row in ({"step": n, "lr": 0.125, "final_lr": 0.0}, {"step": n, "train/loss": 200.5 - n})
    ]
    over = {"step": 80, "summary/total_iterations": 80, "summary/final_loss": 0.5}
    assert not of(End, events_of(rows))
    assert len(of(End, events_of([*rows, over]))) == 1
    assert len(iterations(events_of([*rows, over]))) == len(STEPS)


@pytest.mark.parametrize(
    ("row", "measured"),
    [
        ({"train_loss": 2.5, "val_loss": 0, "val_acc": 0}, False),
        ({"train_loss": 2.5, "val_loss": 0.0}, False),
        ({"train_loss": 2.5, "val_loss": "0.0000", "val_f1": "0.0000"}, False),  # without a loss all is right
        ({"train_loss": 2.5, "val_loss": "0.0000", "val_error": "0.0000"}, True),  # rounded
        ({"train_loss": 2.5, "val_loss": 0, "val_acc": 1}, True),
        ({"train_loss": 0.0, "val_loss": 0.0}, True),
        ({"train_loss": 2.5, "val_loss": 2.25, "val_acc": 0}, True),
    ],
)
def test_zeros_alone_are_no_evaluation(row: dict[str, object], measured: bool) -> None:
    rows = [{"epoch": n} | row for n in range(1, 6)] + [{"epoch": 6, "train_loss": 2.0, "val_loss": 1.75}]
    events = events_of(rows)
    assert [one.index for one in iterations(events)] == [1, 2, 3, 4, 5, 6]
    found = [(one.iteration, one.values["val_loss"]) for one in of(SpanEnd, events)]
    assert found == [*((n, float(str(row["val_loss"]))) for n in range(1, 6) if measured), (6, 1.75)]


def test_zeros_of_a_column_of_a_table_are_none_either() -> None:
    lines = ["epoch,loss,val_loss,val_acc", *(f"{n},2.{n},0,0" for n in range(1, 7)), "7,1.5,1.25,0.5"]
    events = LogReader().feed("".join(f"{line}\n" for line in lines).encode())
    assert len(iterations(events)) == 7
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": 1.25}]
