"""Which bar of a Hugging Face Trainer trains."""

from __future__ import annotations

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.families.trainers_bar import TrainersBar
from itermon.collectors.log_formats.parsing.bars import Bar
from itermon.events import SpanBegin, SpanEnd

HEAD = "***** Running training *****\n  Num Epochs = 2\n  Total optimization steps = 6\n"


def epoch(number: int, *steps: int, total: int = 3) -> str:
    title = f"epoch {number} loss {2.5 - number:.3f}: "
    return "".join(f"{title}{n}0%|█ | {n}/{total} [00:0{2 * n}<00:02,  2.00s/it]\n" for n in steps)


def test_bars_of_epochs_whose_lengths_add_up_to_the_steps_are_the_training() -> None:
    rows = iterations(read("Hugging Face Trainer", HEAD + epoch(0, 1, 2, 3) + epoch(1, 1, 2, 3, 3)))
    assert [(row.index, row.loss) for row in rows] == [(1, 2.5), (2, 2.5), (3, 2.5), (4, 1.5), (5, 1.5), (6, 1.5)]


def test_bars_whose_lengths_do_not_add_up_are_none() -> None:
    assert iterations(read("Hugging Face Trainer", HEAD + epoch(0, 1, 2, total=4))) == []


def test_results_that_a_script_prints_line_by_line_end_the_evaluation_it_announced() -> None:
    said = "10:00:00 ***** Running evaluation *****\n10:00:30   eval_loss = 0.5\n10:00:30   eval_loss = 0.5\n"
    events = read("Hugging Face Trainer", HEAD + epoch(0, 1, 2, 3) + said + epoch(1, 1, 2))
    begun, over = of(SpanBegin, events), of(SpanEnd, events)
    assert [(one.kind, one.iteration) for one in begun] == [("evaluation", 4)]
    assert [(one.iteration, one.values) for one in over] == [(4, {"val_loss": 0.5})]


def test_an_evaluation_that_no_dictionary_follows_took_what_its_bar_says() -> None:
    def bar(n: int, seconds: int) -> str:
        return f" {n}%|█ | {n}/100 [00:{seconds:02d}<00:40,  1.00s/it]\n"

    logged = "{'loss': 1.5, 'learning_rate': 1e-05, 'epoch': 0.01}\n"
    inner = "".join(f" 50%|█ | {n}/8 [00:{n * 2:02d}<00:04,  2.00s/it][A\n" for n in (2, 5, 8, 8))
    text = bar(1, 1) + logged + bar(1, 1) + bar(2, 2) + inner + bar(2, 18) + bar(3, 19) + bar(4, 20)
    events = read("Hugging Face Trainer", text)
    assert [(one.iteration, one.duration_s) for one in of(SpanEnd, events)] == [(3, 16.0)]
    told = text.replace(bar(2, 18), "{'eval_loss': 0.5, 'eval_runtime': 15.5, 'epoch': 0.02}\n" + bar(2, 18))
    assert [(one.iteration, one.duration_s) for one in of(SpanEnd, read("Hugging Face Trainer", told))] == [
        (3, 15.5)
    ]


@pytest.mark.parametrize(("seconds_each", "trains"), [(0.001, True), (0.0009, False), (None, True)])
def test_what_takes_less_than_a_millisecond_only_prepares(seconds_each: float | None, trains: bool) -> None:
    bars = TrainersBar()
    assert bars.trains(Bar("", 5, 100, 1.0, seconds_each, "")) is trains
    assert bars.trains(Bar("", 100, 100, 2.0, 0.5, "")) is trains, "which is known by its length"
    assert bars.trains(Bar("", 5, 90, 2.0, 0.5, ""))
