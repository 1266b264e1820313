"""A line that says that a validation begins is of the bar right below it, however much that looks like the training's."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.epoch_bars.headed import heads_evaluation
from itermon.collectors.log_formats.generic.tqdm import Tqdm
from itermon.events import Iteration, SpanEnd


def bar(total: int, each_s: float) -> list[str]:
    """Its frames."""
    frames = [
        f" {100 * n // total}%|##| {n}/{total} [00:{int(n * each_s):02}<00:00, {each_s:.2f}s/it]"
        for n in range(1, total + 1)
    ]
    return [f"  0%|  | 0/{total} [00:00<?, ?it/s]", *frames]


def read(lines: list[str], sampled: int = 0) -> tuple[int, list[float | None]]:
    """Iterations, and what each evaluation took."""
    parser = Tqdm()
    parser.learn(lines[:sampled])
    events = [event for line in lines for event in parser.line(line, None)] + [*parser.release()]
    ends = [one.duration_s for one in events if isinstance(one, SpanEnd)]
    return sum(isinstance(one, Iteration) for one in events), ends


@pytest.mark.parametrize("heading", ["------Start validation------", "Validating ...", "*** Running test ***"])
def test_a_bar_below_a_heading_evaluates(heading: str) -> None:
    epoch = [*bar(10, 2.0), heading, "", *bar(10, 0.5), "epoch done"]
    assert read(["train", *epoch * 3]) == (30, [5.0] * 3)


@pytest.mark.parametrize("between", ["accuracy 0.5", "learning on"])
def test_what_stands_between_a_heading_and_a_bar_is_of_an_evaluation_without_one(between: str) -> None:
    epoch = [*bar(10, 2.0), "Validating ...", between]
    assert read(["train", *epoch * 3])[0] == 30


def test_of_headings_in_front_of_each_bar_none_is_of_a_bar() -> None:
    lines = ["train", *[*bar(10, 2.0), "Validating ..."] * 4]
    assert read(lines, len(lines))[0] == 40


def test_a_value_is_no_heading() -> None:
    assert heads_evaluation("== Validation ==")
    assert not heads_evaluation("Validation loss: 0.5")
    assert not heads_evaluation("Validation set: 581 images")
