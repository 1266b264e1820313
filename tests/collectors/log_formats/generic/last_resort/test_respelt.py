"""Rows whose place or names are written in an uncommon way; and lines like them that are no training's."""

import pytest
from log_examples import iterations

from itermon.collectors.log_formats.generic.last_resort.respelt import Respelt, spelt
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, SpanEnd


def rows(*lines: str) -> list[Iteration]:
    reader = LogReader()
    return iterations([*reader.feed("".join(f"{one}\n" for one in lines).encode()), *reader.end(b"")])


def test_two_numbers_in_brackets_are_the_epoch_and_the_step_of_so_many() -> None:
    steps = [f"[{n // 4} {n * 50}/900] loss {9 - n / 8:.4f} lr 2.5e-05 {n}.5m" for n in range(1, 13)]
    found = rows("[train] params 4.5M", *steps)
    assert [one.index for one in found] == [*range(50, 601, 50)]
    assert found[-1].loss == 7.5
    assert Respelt.name == "other spellings"


def test_a_step_within_its_epoch_begins_again_with_the_next() -> None:
    steps = [f"({epoch}, {n}/40) - train_loss: {9 - n / 8:.4f}" for epoch in (1, 2, 3) for n in (10, 20, 30, 40)]
    assert [one.index for one in rows(*steps)] == [*range(10, 121, 10)]


def test_nobody_knows_of_a_number_that_never_rises_that_it_is_an_epoch() -> None:
    assert rows(*(f"[0 {n * 50}/900] loss {9 - n / 8:.4f} lr 2.5e-05" for n in range(1, 13))) == []


@pytest.mark.parametrize(
    "line",
    [
        "epoch is [{epoch}/30], mini-batch is [{n}/4], batch_loss is {x}",
        "Train epoch is {epoch}/30, iter is {n}/4, loss is {x}, time used is 0.25",
        "Epoch is: {epoch} step is: {n}/4 the loss is: {x}",
    ],
)
def test_a_value_may_stand_behind_is(line: str) -> None:
    found = rows(*(line.format(epoch=epoch, n=n, x=f"{9 - n}.125") for epoch in (1, 2, 3) for n in (1, 2, 3, 4)))
    assert [one.index for one in found] == [*range(1, 13)]
    assert found[-1].loss == 5.125


@pytest.mark.parametrize(
    ("line", "loss"),
    [
        ("INFO - Epoch {n}   [Avg. Loss, Loss]: [{x}, 7.25], 0", 7.25),
        ("epoch {n}/30 - (loss, acc) = ({x}, 0.5)", 5.125),
        ("Step: {n} train [loss/kl]: [{x}/0.5]", 5.125),
    ],
)
def test_names_in_a_bracket_have_the_values_of_the_next(line: str, loss: float) -> None:
    found = rows(*(line.format(n=n, x=f"{9 - n}.125") for n in range(1, 5)))
    assert [(one.index, one.loss) for one in found][-1] == (4, loss)


@pytest.mark.parametrize(
    "line",
    [
        "[{n} 20/90] packets sent, loss 2.5%",
        "[{n} 20/90] heat loss 2.5 kW",
        "[{n}, 20/90] val loss: {x}",
        "The next step is {n}, and the loss is 2",
        "batch is {n} of 40, heat loss is {x} dB",
    ],
)
def test_what_loses_something_else_or_evaluates_is_none(line: str) -> None:
    assert rows(*(line.format(n=n, x=f"{40 - n}.125") for n in range(1, 21))) == []


def test_any_other_line_stays_as_it_is() -> None:
    for line in ("Epoch 3 loss: 2.5", "[1,2,3] loss", "what is [2] is lost", "(a, b): (2.5, 3.5) of a loss"):
        assert spelt(line) == line


def test_samples_that_a_row_has_processed_do_not_make_it_a_preparation() -> None:
    found = rows(
        *(
            f"epoch {1 + n // 5} batch {1 + n % 5}/5 processed {n + 1},024 batch-loss {9 - n / 8} grad-norm 2.5 total-elapsed 0h{n:02}m19s"
            for n in range(12)
        )
    )
    assert [one.index for one in found] == [*range(1, 13)]
    assert (found[-1].loss, found[-1].duration_s) == (7.625, 60.0)


@pytest.mark.parametrize(
    "line",
    [
        "out/first_run| {set}: [{epoch}][{n}/40]|Tot: 0:00:04 |ETA: 0:00:00 |loss {x} |hm_loss 0.5 |Net 0.5s",
        "{set} [{epoch}][{n}/40] loss: {x} acc: 0.5",
        "2024-05-01 10:00:00 {set}: [ {epoch} ] [ {n}/40 ] - loss = {x}",
    ],
)
def test_two_brackets_behind_the_name_of_the_set_are_the_epoch_and_the_step(line: str) -> None:
    places = [(one, epoch, n) for epoch in (1, 2, 3) for one in ("train", "val") for n in (0, 20)]
    lines = [line.format(set=one, epoch=epoch, n=n, x=f"{9 - epoch}.{n:02}") for one, epoch, n in places]
    reader = LogReader()
    events = [*reader.feed("".join(f"{one}\n" for one in lines).encode()), *reader.end(b"")]
    assert [(one.index, one.loss) for one in iterations(events)] == [
        (0, 8.0), (20, 8.2), (40, 7.0), (60, 7.2), (80, 6.0), (100, 6.2),
    ]  # fmt: skip
    ends = [one for one in events if isinstance(one, SpanEnd)]
    assert [one.kind for one in ends] == ["evaluation"] * 3


@pytest.mark.parametrize(
    "line",
    [
        "host| test: [{n}][20/90]|loss {x} % |",
        "log| backup: [{n}][20/90]|loss {x} |",
        "val: [{n}][20/90] loss {x}",
    ],
)
def test_two_brackets_of_an_evaluation_or_of_anything_else_are_none(line: str) -> None:
    assert rows(*(line.format(n=n, x=f"{40 - n}.125") for n in range(1, 21))) == []


@pytest.mark.parametrize(
    "line",
    [
        "[train full {n} 0.010000 ] time elapsed: 27.5 \ttrain loss: {x} \tval loss: 0.75 \tval score: 0.5",
        "[phase two {n}] train_loss={x}, valid_loss=0.75",
        "2024-05-01 10:00:00 [Stage {n} 1e-04] - training loss: {x} - validation loss: 0.75",
    ],
)
def test_a_number_in_brackets_counts_rows_that_have_both_losses(line: str) -> None:
    found = rows(*(line.format(n=n, x=f"{40 - n}.125") for n in range(8)))
    assert [(one.index, one.loss) for one in found] == [(n, 40.125 - n) for n in range(8)]


@pytest.mark.parametrize(
    "line",
    [
        "[train full 3 0.01] train loss: {x} val loss: 0.5",
        "[box {n}] train loss: {x}",
        "[box {n}] loss: {x}",
        "[fold {n}] train loss: {x} val loss: 0.5",
        "[client {n} 0.01] train loss: {x} val loss: 0.5",
    ],
)
def test_a_number_in_brackets_is_no_count_where_it_stays_or_is_of_something_else(line: str) -> None:
    assert rows(*(line.format(n=n, x=f"{40 - n}.125") for n in range(8))) == []


def test_a_value_may_stand_right_behind_its_name() -> None:
    each = "Train {0} ====\nEPOCH[{0}/40] loss0.{1}\ntrain time: {2}\nsaved..."
    found = rows(*(each.format(n, 90 - n, 120.5 - n % 3) for n in range(1, 13)))
    assert [(one.index, one.loss, one.duration_s) for one in found[-2:]] == [(11, 0.79, 118.5), (12, 0.78, 120.5)]
    assert spelt("Epoch[3/40] - train_loss0.5 acc0.75") == "Epoch[3/40] - train_loss: 0.5 acc0.75"
    for other in ("EPOCH[3/40] val loss0.5", "EPOCH[3/40] loss12", "loss0.5", "node[3/40] loss0.5 dB"):
        assert spelt(other) == other


@pytest.mark.parametrize(
    "line",
    [
        "| {n:6d}/   9000 steps| 980.{n} words/s| loss {x:7.3f}| acc: 0.1",
        "[{n}/9000 iterations] loss: {x}",
        "{n} / 9000 epochs - train_loss: {x} - val_loss: 9.5",
    ],
)
def test_a_word_may_stand_behind_what_it_counts(line: str) -> None:
    found = rows("[train] params 4.5M", *(line.format(n=50 * n, x=9 - n / 8) for n in range(1, 121)))
    assert [one.index for one in found] == [*range(50, 6001, 50)]
    assert found[7].loss == 8.0


@pytest.mark.parametrize(
    "line", ["{n}/9000 steps: val loss {x}", "test: {n}/90 batches, loss: {x}", "{n} / 9 apples, loss {x}"]
)
def test_what_else_is_counted_so_is_no_training(line: str) -> None:
    assert rows(*(line.format(n=50 * n, x=9 - n / 8) for n in range(1, 13))) == []
