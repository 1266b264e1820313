"""Lightning's metrics.csv: all rows of one step are one; a test's row is no validation's."""

import pytest
from log_examples import format_named, iterations

from itermon.events import EndReason, Message, RunInfo, SpanEnd

HEAD = "epoch,step,test_loss,train_acc_step,train_loss,valid_loss\n"


def events_of(rows):
    parser = format_named("Lightning metrics.csv").parser()
    events = [event for line in (HEAD + rows).splitlines() for event in parser.line(line, None)]
    return [*events, *parser.release(), *parser.end()]


def test_a_step_with_three_rows_has_the_values_of_all_of_them():
    events = events_of("0,49,,0.5,,\n0,49,,,,1.5\n0,49,,,2.5,\n0,99,,0.75,,\n0,99,,,,1.25\n0,99,,,2.25,\n")
    assert [(i.index, i.loss, i.scalars) for i in iterations(events)] == [
        (49, 2.5, {"train_acc_step": 0.5}),
        (99, 2.25, {"train_acc_step": 0.75}),
    ]
    spans = [event for event in events if isinstance(event, SpanEnd)]
    assert [(span.iteration, span.values) for span in spans] == [(49, {"val_loss": 1.5}), (99, {"val_loss": 1.25})]


def test_the_newest_step_is_told_when_no_row_comes_and_not_twice():
    parser = format_named("Lightning metrics.csv").parser()
    assert not [event for line in (HEAD + "0,49,,0.5,2.5,").splitlines() for event in parser.line(line, None)]
    released = parser.release()
    assert isinstance(released[0], RunInfo)
    assert [i.index for i in iterations(released)] == [49]
    assert not parser.release()
    assert [
        i.index for line in ("0,49,,0.5,2.5,", "0,99,,0.5,2.5,") for i in iterations(parser.line(line, None))
    ] == []


def test_a_test_behind_validations_is_an_evaluation_with_its_own_name():
    events = events_of("0,49,,,2.5,\n0,49,,,,1.5\n1,50,1.75,,,\n")
    spans = [event for event in events if isinstance(event, SpanEnd)]
    assert [(span.iteration, span.values) for span in spans] == [
        (49, {"val_loss": 1.5}),
        (50, {"test_loss": 1.75}),
    ]


def test_a_test_alone_is_all_that_there_is():
    events = events_of("0,49,,,2.5,\n1,49,1.75,,,\n")
    assert [event.values for event in events if isinstance(event, SpanEnd)] == [{"val_loss": 1.75}]


@pytest.mark.parametrize(
    ("rows", "over"),
    [
        ("0,49,,,2.5,\n0,49,,,,1.5\n1,50,1.75,,,\n", True),
        ("0,49,,,2.5,\n0,49,,,,1.5\n", False),
        ("0,49,,,2.5,\n1,49,1.75,,,\n", False),  # all that it evaluates are tests: each epoch may have one
        ("0,49,,,2.5,\n0,49,,,,1.5\n0,50,1.75,,,\n1,99,,,2.25,\n1,99,,,,1.25\n1,100,1.5,,,\n", False),  # each has
    ],
)
def test_a_test_that_closes_the_log_says_that_the_training_is_over(rows: str, over: bool):
    said = [one.ending for one in events_of(rows) if isinstance(one, Message)]
    assert (EndReason.FINISHED in said) == over
