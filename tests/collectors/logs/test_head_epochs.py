"""Epochs that a head names, and bars of which nobody says whether each is one of them."""

import pytest

from itermon.collectors.logs.head import Head, settings
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, Iteration, RunInfo

STEPS = 40


def a_bar(rest: str = "") -> list[str]:
    return [
        f"training: {100 * n // STEPS}%|█ | {n}/{STEPS} [00:{n:02d}<00:40,  1.00s/it, loss=0.5]{rest}"
        for n in range(10, STEPS + 1, 10)
    ]


def totals(*lines: str) -> set[int]:
    reader = LogReader()
    events = [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]
    return {event.max_iterations for event in events if isinstance(event, Config) and event.max_iterations}


@pytest.mark.parametrize(
    ("said", "index", "total"),
    [(320, 41, 320), (320, 40, None), (330, 41, None), (80, 90, None)],  # of 330 a bar's 40 are no part
)
def test_a_total_that_the_head_tells_is_taken_where_the_rows_pass_that_of_their_bar(
    said: int, index: int, total: int | None
) -> None:
    """A bar is of one epoch then."""
    head = Head()
    head.add(7, f"Total optimization steps = {said}")
    assert Config(origin="log line 7", max_iterations=said) not in head.complete(
        [RunInfo(), Config(max_iterations=STEPS), Iteration(1)], "step 1"
    )
    told = [event for event in head.complete([Iteration(index)], "a row") if isinstance(event, Config)]
    assert told == ([] if total is None else [Config(origin="log line 7", max_iterations=total)])


@pytest.mark.parametrize(
    ("head", "between", "known"),
    [
        ("epochs: 8", "saved", True),
        ("epochs: 40", "saved", False),  # the bar has as many: it may count them
        ("config: lr=0.1 epochs=8", "config: lr=0.1 epochs=8", False),  # each bar has all epochs for itself
        ("epochs: 8", "config: epochs=9", True),
    ],
)
def test_epochs_times_a_bar_is_a_total_where_the_bar_is_of_one_epoch(head: str, between: str, known: bool) -> None:
    found = totals(head, *a_bar(), between, *a_bar(), between, *a_bar())
    assert (8 * STEPS in found) is known
    assert STEPS * STEPS not in found


def test_the_batch_is_that_of_the_loader_that_trains() -> None:
    loaders = (
        "test_dataloader = dict(",
        "    batch_size=1,",
        ")",
        "train_dataloader = dict(",
        "    batch_size=6,",
        ")",
    )
    lines = "world size: 1", *loaders, "val_dataloader = dict(", "    batch_size=1,", ")"
    assert settings(list(enumerate(lines, 1)), counts_steps=True)["micro_batch_size"].value == 6
