"""What a head tells of a run's length: sentences before settings; doubtful names only where rows come to them."""

from __future__ import annotations

import pytest

from itermon.collectors.logs.head import settings
from itermon.collectors.logs.planned import ends, totals
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config


@pytest.mark.parametrize(
    ("sentence", "total"),
    [
        ("Training is set to a maximum of 40000 steps", 40_000),
        ("the model will be trained for 40,000 iterations", 40_000),
        ("Will train until step 40k steps", 40_000),
        ("  Total optimization steps = 40000", 40_000),
        ("Warmup: a maximum of 40000 steps", None),
        ("will train for 500 more steps", None),
        ("will train for 500 steps per epoch", None),
        ("the maximum of 0.75 steps", None),
    ],
)
def test_a_sentence_tells_the_total(sentence: str, total: int | None) -> None:
    assert totals.told([(7, sentence)]) == ({} if total is None else {total: 7})


def test_a_sentence_goes_before_a_setting_that_sounds_alike_and_two_tell_nothing() -> None:
    lines = [(1, "max_iters: 1000"), (2, "Training is set to a maximum of 40000 steps")]
    assert settings(lines, counts_steps=True)["max_iterations"] == ends.Setting(40_000, 2)
    assert totals.told([*lines, (3, "It will run for 50000 steps")]) == {}


def test_a_total_within_the_last_epoch_is_that_of_all_epochs() -> None:
    lines = [(1, "Iters per epoch: 300"), (2, "Total epochs: 4; iters: 1000.")]
    assert settings(lines, counts_steps=True)["max_iterations"].value == 1_000
    lines[1] = (2, "Total epochs: 4; iters: 800.")
    assert "max_iterations" not in settings(lines, counts_steps=True)


@pytest.mark.parametrize(("head", "rows", "total"), [
    ("  total_iter: 300", 300, 300),
    ("  iters: 300", 300, 300),
    ("Training with 300 steps", 300, 300),
    ("  total_iter: 300", 290, None),
    ("  val_iters: 300", 300, None),
    ("  iters: 300/400", 300, None),
])  # fmt: skip
def test_a_doubtful_name_tells_the_total_where_the_rows_come_to_it(
    head: str, rows: int, total: int | None
) -> None:
    reader = LogReader()
    lines = [
        head,
        "MAX_ITER: 90",
        "MAX_ITER: 80",
        *(f"step {n}: loss 2.5, lr 0.25" for n in range(10, rows + 1, 10)),
    ]
    events = [*reader.feed("".join(f"{one}\n" for one in lines).encode()), *reader.end(b"")]
    assert [one.max_iterations for one in events if isinstance(one, Config) and one.max_iterations] == (
        [] if total is None else [total]
    )
