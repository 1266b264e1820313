"""Of each training the Informer's lines say anew how long its epochs are."""

from __future__ import annotations

from itermon.collectors.log_formats.frameworks.science.informer import Informer
from itermon.events import Iteration, SpanEnd


def training(steps: int, *, said: bool, epochs: int = 2) -> list[str]:
    """Rows each hundred of an epoch's steps."""
    lines = []
    for epoch in range(1, epochs + 1):
        for batch in range(100, steps + 1, 100):
            lines += [f"\titers: {batch}, epoch: {epoch} | loss: 0.5", "\tspeed: 0.0500s/iter; left time: 125.0s"]
        lines += (
            [f"Epoch: {epoch}, Steps: {steps} | Vali Loss: 0.75 Test Loss: 0.5"]
            if said
            else ["EarlyStopping counter: 1"]
        )
    return lines


def read(lines: list[str]) -> tuple[list[int], bool]:
    """Iterations of the rows, and whether they are no more than a lower bound."""
    parser = Informer()
    events = [event for line in lines for event in parser.line(line, None)] + [*parser.release()]
    return [one.index for one in events if isinstance(one, Iteration)], parser.at_least


def test_an_epoch_is_as_long_as_the_line_behind_it_says() -> None:
    assert read(training(250, said=True)) == ([100, 200, 350, 450], False)


def test_a_shorter_training_behind_a_longer_one_has_epochs_of_its_own() -> None:
    longer, shorter = training(450, said=True), training(150, said=True)
    assert read([*longer, *shorter])[0][-2:] == [100, 250]
    assert read([*training(450, said=False), *training(150, said=False)])[0][-2:] == [100, 200]


def test_a_length_that_no_line_says_is_a_lower_bound() -> None:
    assert read(training(250, said=False, epochs=1)) == ([100, 200], False)
    assert read(training(250, said=False))[1]


def test_numbers_may_be_padded() -> None:
    plain = training(250, said=True)
    assert read([line.replace(": ", ":   ") for line in plain]) == read(plain)


def test_what_was_found_may_stand_in_brackets() -> None:
    line = "Epoch: 1, Steps: 250 | Vali Loss: [0.75] Test Loss: [0.5]"
    parser = Informer()
    told = [event for one in [*training(250, said=False, epochs=1), line] for event in parser.line(one, None)]
    assert [one.values for one in told if isinstance(one, SpanEnd)] == [{"val_loss": 0.75, "test_loss": 0.5}]
