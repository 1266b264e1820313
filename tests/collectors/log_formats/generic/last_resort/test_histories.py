"""A history of epochs in one line; and dictionaries of lists that are none."""

import pytest
from log_examples import iterations, of

from itermon.collectors.logs.reader import LogReader
from itermon.events import SpanEnd


@pytest.mark.parametrize(
    ("line", "losses"),
    [
        ("{'loss': [2.5, 2.25], 'val_loss': [2.75, 2.5]}", [2.5, 2.25]),
        (
            '2024-05-01 10:00:00,123 - fit - INFO - history: {"acc": [0.25, 0.5], "loss": [1e-1, 5e-2]}',
            [0.1, 0.05],
        ),
        ("{'loss': [2.5], 'val_loss': [2.75]}", []),
        ("{'loss': [2.5, 2.25], 'weights': [0.5, 0.25, 0.25]}", []),
        ("{'loss': ['mse', 'mae']}", []),
    ],
)
def test_the_lists_of_a_history_have_an_entry_an_epoch(line: str, losses: list[float]) -> None:
    reader = LogReader()
    found = iterations([*reader.feed(f"building the model\n{line}\n".encode()), *reader.end(b"")])
    assert [(one.index, one.loss, one.duration_s) for one in found] == [
        (n, loss, None) for n, loss in enumerate(losses, 1)
    ]


def test_the_losses_of_validations_are_evaluations_of_their_epochs() -> None:
    reader = LogReader()
    events = [
        *reader.feed(b"{'val_loss': [2.75, 2.5], 'loss': [2.5, 2.25], 'lr': [0.5, 0.25]}\n"),
        *reader.end(b""),
    ]
    found = of(SpanEnd, events)
    assert [(one.iteration, one.values) for one in found] == [(1, {"val_loss": 2.75}), (2, {"val_loss": 2.5})]
    assert [one.scalars for one in iterations(events)] == [{"lr": 0.5}, {"lr": 0.25}]
