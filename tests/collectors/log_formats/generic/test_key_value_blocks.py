"""Blocks of lines between the rows, as an evaluation writes them, and rows of another form."""

import pytest
from log_examples import iterations, of, read

from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, SpanEnd


def test_batches_that_an_evaluation_counts_are_no_place_of_what_it_found() -> None:
    """They stand below the line that announces it, and count from their own beginning."""
    trained = "".join(f"== batch: {n:03} ==\nmean loss: {8 - n / 50}\n" for n in range(50, 401, 50))
    evaluated = "== batch: 050 ==\n== batch: 100 ==\neval mean loss: 0.75\n"
    text = f"== EPOCH 000 ==\n{trained}== EVAL EPOCH 000 START ==\n{evaluated}== EPOCH 001 ==\n{trained}"
    found = of(SpanEnd, read("key: value", text))
    assert [(one.shown_at, one.values) for one in found] == [(400, {"val_loss": 0.75})]


def test_a_place_within_an_epoch_whose_number_stands_before_the_word_is_no_total() -> None:
    text = "epochs=300\n" + "\n".join(
        f"INFO:0-epoch ({n}/44660): total loss {3 - n / 50}, lr 0.5" for n in range(9, 90, 10)
    )
    reader = LogReader()
    events = [*reader.feed(f"{text}\n".encode()), *reader.end(b"")]
    assert [row.index for row in iterations(events)] == list(range(9, 90, 10))
    totals = {one.max_iterations for one in of(Config, events)} - {None}
    assert totals <= {300 * 44_660}


def test_steps_that_few_lines_of_an_epoch_count_are_not_its_rows() -> None:
    """Each of the many without a number is one, and what an epoch took so far is the time of none."""
    lines = [f"Epoch {e} Loss {4 - e / 2 - n / 100} Accuracy 0.5" for e in (1, 2) for n in range(60)]
    for at in (60, 0):
        lines.insert(at, f"Epoch {1 + at // 60} Batch 0 Loss 9.5 Accuracy 0.5")
    text = "\n".join(f"{line}\nTime taken for 1 epoch: {n}.5 secs" for n, line in enumerate(lines, 1))
    reader = LogReader()
    found = iterations([*reader.feed(f"{text}\n".encode()), *reader.end(b"")])
    assert (len(found), found[-1].loss) == (120, pytest.approx(2.41))
    assert {row.duration_s for row in found} == {None}


def test_a_row_of_the_step_just_trained_below_its_heading_is_the_evaluations() -> None:
    """With the same names as the training's; where it counts from its own beginning, the run may have begun again."""
    rows = [f"step {n}, loss {2 / n:.6g}, acc 0.5" for n in range(1, 31)]
    for at in (20, 10):
        rows[at:at] = ["", "Evaluation:", f"step {at}, loss 0.75, acc 0.625", ""]
    events = read("key: value", "\n".join(rows))
    assert [one.index for one in iterations(events)] == list(range(1, 31))
    found = [(one.shown_at, one.values) for one in of(SpanEnd, events)]
    assert [(at, values.get("val_loss")) for at, values in found] == [(10, 0.75), (20, 0.75)]


@pytest.mark.parametrize(
    "heading",
    [
        "Epoch {e}/9 : Tue Feb  3 04:0{e}:06 2026 - 0h {e}m",
        "Epoch {e}/9 - 2026-02-03 04:05:0{e}.125",
        "Epoch {e} started at 04:05:0{e}",
        "Epoch {e}/9 | 03 Feb 2026, 04:05:0{e} PM UTC",
        "Epoch {e} (2026-02-03T04:05:0{e}Z)",
    ],
)
def test_a_heading_may_say_when_its_epoch_began(heading: str) -> None:
    text = "".join(
        f"{heading.format(e=e)}\n----\ntrain Loss: {3 - e / 8}\nval Loss: {3.5 - e / 8}\n" for e in range(1, 7)
    )
    assert [(one.index, one.loss) for one in iterations(read("key: value", text))] == [
        (e, 3 - e / 8) for e in range(1, 7)
    ]


def test_losses_behind_the_end_of_the_training_are_not_its_own() -> None:
    epochs = "".join(
        f"Epoch : {e}\n" + "".join(f"Loss : {4 - e / 2 - n / 64}\n" for n in range(8)) for e in range(1, 4)
    )
    tested = "OK: Finished training for 3 epochs\n" + "".join(f"Acc : {n}\nLoss : 1.{n}5\n" for n in range(5))
    assert len(iterations(read("key: value", epochs + tested))) == 24
    assert len(iterations(read("key: value", epochs + tested + epochs))) == 48
    once = "".join(f"Epoch : {e}\nTraining finished\nLoss : {4 - e / 2}\n" for e in range(1, 5))
    assert len(iterations(read("key: value", once))) == 4


def test_what_an_evaluation_found_announces_none() -> None:
    """... so that rows of a part of an epoch behind it would be its own."""
    lines = []
    for epoch in range(3):
        lines += [f"epoch {epoch + n / 10:.2f}\tLoss={3 - epoch}.{11 - n:02}\tlr 1e-4" for n in range(1, 11)]
        lines.append(f"Test {{'loss': 3.{9 - epoch}, 'acc': 0.5}}")
    events = read("key: value", "\n".join(lines))
    assert [one.loss for one in iterations(events)] == [
        float(f"{3 - epoch}.{11 - n:02}") for epoch in range(3) for n in range(1, 11)
    ]


def test_the_best_so_far_gives_no_column_of_the_rows() -> None:
    lines = []
    for epoch in range(1, 6):
        for n in (0, 5, 10, 15):
            lines += [f"epoch {epoch} batch {n}/20 {name}_loss = {epoch}.{n + 10} 25ms/step" for name in "DG"]
        lines.append(f"Best so far: loss 0.{9 - epoch} (epoch {epoch})")
    events = read("key: value", "\n".join(lines))
    assert [one.loss for one in iterations(events)] == [
        float(f"{epoch}.{n + 10}") for epoch in range(1, 6) for n in (0, 5, 10, 15)
    ]


def test_behind_an_evaluation_a_row_with_a_learning_rate_is_of_a_training() -> None:
    """... though it begins again: what evaluates learns nothing."""
    row = "Epoch: 0, Step: {}, Loss: 2.5, Learning Rate: 0.5\nTesting a sentence: one two\n"
    run = "".join(map(row.format, (0, 50)))
    opened = "== begins ==\nreads 120 words\nreads 240 words\n"
    text = opened + run + "['main.py']\n" + row.format(0) + opened + run
    assert [one.index for one in iterations(read("key: value", text))] == [0, 50, 0, 0, 50]
