"""An evaluation without an iteration of its own is of the model of the newest one."""

from __future__ import annotations

import pytest

from itermon.analysis.run import Run
from itermon.collectors.logs.evaluated import of_the_newest
from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, EVALUATION, Event, Iteration, RunInfo, SpanEnd

FOUND = SpanEnd(EVALUATION, iteration=15, values={"val_loss": 0.5})
OF_THE_ONE_BEFORE = SpanEnd(EVALUATION, iteration=15, values={"val_loss": 0.5}, after=14)


@pytest.mark.parametrize(
    ("event", "newest", "text", "after"),
    [
        (FOUND, 14, "validation loss: 0.5", 14),
        (FOUND, 14, "epoch 15: validation loss 0.5", None),  # it is named
        (FOUND, 14, "epoch 0015: validation loss 0.5", None),
        (FOUND, 14, "validation loss: 0.15, accuracy 15.5 of 150", 14),
        (FOUND, 14, "15,17.25,0.5", None),
        (SpanEnd(EVALUATION, iteration=1_500, values={"val_loss": 0.5}), 1_499, "step 1,500: 0.5", None),
        (FOUND, 10, "validation loss: 0.5", None),  # another's word
        (FOUND, None, "validation loss: 0.5", None),
        (SpanEnd(EVALUATION, iteration=15), 14, "evaluated", None),
        (SpanEnd(CHECKPOINT, iteration=15, values={"bytes": 9.0}), 14, "saved", None),
    ],
)
def test_it_lies_behind_the_newest_unless_its_line_says_where(
    event: SpanEnd, newest: int | None, text: str, after: int | None
) -> None:
    (placed,) = of_the_newest([event], newest, text)
    assert isinstance(placed, SpanEnd)
    assert (placed.after, placed.iteration) == (after, event.iteration)


def test_on_the_line_of_its_iteration_it_is_of_that() -> None:
    placed = of_the_newest([Iteration(14), FOUND], 13, "225s - loss: 0.06 - val_loss: 0.5")
    assert [event.after for event in placed if isinstance(event, SpanEnd)] == [14]


def test_before_its_own_row_it_is_of_that() -> None:
    placed = of_the_newest([FOUND, Iteration(15)], 14, "0.5 in some row")
    assert [event.after for event in placed if isinstance(event, SpanEnd)] == [None]


def test_the_report_names_an_iteration_that_the_run_has() -> None:
    run, reader = Run(), LogReader()
    log = "\n".join(f"Epoch {n}/9\n225s - loss: 0.0{n} - val_loss: 0.1{n}" for n in range(1, 10)) + "\n"
    run.apply([*reader.feed(log.encode()), *reader.end(b"")])
    losses = run.findings().losses
    assert (losses.validation, losses.validation_at, losses.best_validation_at) == (pytest.approx(0.19), 9, 1)


def test_with_the_row_that_begins_another_run_it_is_of_that_run() -> None:
    first = SpanEnd(EVALUATION, iteration=1, values={"val_loss": 9.5})
    begun: list[Event] = [FOUND, RunInfo(), Iteration(1)]
    assert of_the_newest([first, *begun], 14, "1,9.5") == [OF_THE_ONE_BEFORE, RunInfo(), first, Iteration(1)]
    held: list[Event] = [Iteration(1), first, RunInfo(), Iteration(1)]
    assert of_the_newest(held, 14, "a row of one more") == held, "its own row stands before it"
    assert of_the_newest([first, RunInfo()], None, "no row yet") == [first, RunInfo()]


@pytest.mark.parametrize(
    ("line", "evaluations"),
    [
        ("  Checkpoint: epoch=7  val_loss=0.375", 0),
        ("Best checkpoint: epoch=7 val_loss=0.375", 0),
        ("epoch=7 val_loss=0.375", 1),  # of whichever model: of none of the rows that come
    ],
)
def test_what_was_found_before_the_first_row_is_not_of_that(line: str, evaluations: int) -> None:
    rows = "".join(f"step {n} loss {2 + 1 / n}\n" for n in range(20, 200, 20))
    reader = LogReader()
    events = [*reader.feed(f"Resuming from run/last.pt\n{line}\n{rows}".encode()), *reader.end(b"")]
    assert sum(isinstance(event, SpanEnd) and event.kind == EVALUATION for event in events) == evaluations
    run = Run()
    run.apply(events)
    losses = run.findings().losses
    assert (losses.validation, losses.best_validation) == (None, None)


def losses_of(log: str) -> tuple[object, ...]:
    reader, run = LogReader(), Run()
    run.apply([*reader.feed(log.encode()), *reader.end(b"")])
    losses = run.findings().losses
    return losses.validation, losses.validation_at


OWN = "".join(f"Epoch {n} | Train Loss: 1.{90 - n} | Test Loss: 2.{90 - n}\n" for n in range(20, 81, 20))
ALONE = "".join(f"Epoch {n} | Train Loss: 1.{90 - n}\n" for n in range(20, 81, 20))


@pytest.mark.parametrize(
    ("log", "found"),
    [
        (f"{OWN}Evaluating the best model\n  Test Loss: 2.0625\n", (2.10, 80)),  # of another epoch's
        (f"{OWN}  Test Loss: 2.10\n", (2.10, 80)),
        (f"{OWN}Early stopping at epoch 93\n  Test Loss: 2.0625\n", (2.10, 80)),
        (f"{ALONE}Early stopping at epoch 93\nTest Loss: 2.0625\n", (None, None)),
        (f"{ALONE}Early stopping at epoch 80\nTest Loss: 2.0625\n", (2.0625, 80)),
        (f"{ALONE}Test Loss: 2.0625\n", (2.0625, 80)),
    ],
)
def test_what_is_found_at_the_end_is_of_the_newest_row_where_nothing_speaks_against_it(log, found) -> None:
    assert losses_of(log) == found


def test_an_evaluation_in_parts_at_the_end_of_a_log_is_of_the_newest_row() -> None:
    rows = "".join(
        f"Epoch {n} | Training | Steps: 400 | Loss: 3.5{n}\nEpoch {n} | Validation | Steps: 20 | Loss: 4.2{n}\n"
        for n in range(6)
    )
    assert losses_of(rows) == (4.25, 2400)


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("step 250: val loss 0.5", True),
        ("step 0250: val loss 0.5", True),
        ("| 250/1000 |", True),
        ("12,250 rows and 250,", True),
        ("step 1250: val loss 0.250", False),
        ("250.5 s", False),
        ("no number", False),
    ],
)
def test_an_evaluation_that_names_the_next_iteration_is_of_that(text: str, does: bool) -> None:
    event = SpanEnd(EVALUATION, iteration=250, values={"val_loss": 0.5})
    (placed,) = of_the_newest([event], 249, text)
    assert (placed.after is None) is does  # type: ignore[attr-defined]


def test_numbers_in_thousands_are_named_with_a_comma_as_well() -> None:
    event = SpanEnd(EVALUATION, iteration=12_500, values={"val_loss": 0.5})
    assert of_the_newest([event], 12_499, "step 12,500 of 20,000") == [event]
