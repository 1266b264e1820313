"""What the lines of a hooked trainer say beside losses, at the iterations that they came after."""

import pytest

from itermon.collectors.runs.printed_lines import PrintedLines, _in_iterations
from itermon.events import Config, Event, Iteration, Output, PrintedLoss


def printed(text: str, count: int = 6) -> list[Event]:
    """Iterations, each with its line behind it."""
    events = [(Iteration(n, 0.1, at_s=100.0 + n), Output((text.format(n),), 100.0 + n)) for n in range(count)]
    return [
        one for one in PrintedLines().read([one for pair in events for one in pair]) if type(one) is PrintedLoss
    ]


def test_lines_without_a_loss_are_of_the_iterations_that_they_came_after() -> None:
    found = printed("step: {}, lr: 0.25, tokens/s: 500")
    assert [one.iteration for one in found] == [0, 1, 2, 3, 4, 5]
    assert {(one.loss, *(one.scalars or {}).items()) for one in found} == {
        (None, ("learning_rate", 0.25), ("tokens_per_s", 500.0))
    }


@pytest.mark.parametrize(
    ("said", "each", "total"), [(6, 1, 6), (6, 5, 30), (None, 1, None), (None, 5, None), (1 << 52, 4, None)]
)
def test_epochs_that_settings_name_are_so_many_iterations_each(
    said: int | None, each: int, total: int | None
) -> None:
    found = _in_iterations(Config("log", max_iterations=said, evaluation_interval=2), each)
    assert (found.max_iterations, found.evaluation_interval) == (total, 2 if each == 1 else None)
