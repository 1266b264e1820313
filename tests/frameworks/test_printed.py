"""What a script alone prints with real torch (`print`, `logging`, tqdm, an error) is in its run, without a log."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest

from itermon.collectors.runs.printed_lines import PrintedLines
from itermon.events import (
    BACKWARD,
    FORWARD,
    NO_ITERATION,
    Config,
    Event,
    Iteration,
    Message,
    Output,
    Phases,
    PrintedLoss,
)

pytest.importorskip("torch", reason="torch is not installed: make test-frameworks runs this")

Train = Callable[..., list[Event]]
Kind = TypeVar("Kind", bound=Event)

HEAD = """
import logging, time
import itermon
itermon.watch("alone")
import torch
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
def step():
    loss = model(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()
"""


def told(train: Train, body: str, *, check: bool = True) -> list[Event]:
    return list(PrintedLines().read(train(HEAD + textwrap.dedent(body), check=check)))


def of(kind: type[Kind], events: Sequence[Event]) -> list[Kind]:
    return [event for event in events if isinstance(event, kind)]


def total(events: Sequence[Event]) -> int | None:
    return next((c.max_iterations for c in reversed(of(Config, events)) if c.max_iterations is not None), None)


def test_nanogpts_lines_by_print(train: Train) -> None:
    events = told(
        train,
        """
        print("Overriding: max_iters = 40")
        for i in range(40):
            if i % 20 == 0: print(f"step {i}: train loss 4.2000, val loss {4 - i / 20:.4f}")
            step()
            if i % 10 == 0: print(f"iter {i}: loss {i / 10:.4f}, time 10.00ms, mfu -100.00%")
        """,
    )
    losses = {e.iteration: e.loss for e in of(PrintedLoss, events) if e.loss is not None}
    assert losses == {0: 0.0, 10: 1.0, 20: 2.0, 30: 3.0}
    found = {e.iteration: e.validation_loss for e in of(PrintedLoss, events) if e.validation_loss is not None}
    assert found == {0: 4.0, 20: 3.0}
    assert total(events) == 40
    assert not of(Output, events)


def test_logging_that_held_stderr_before(train: Train) -> None:
    events = told(
        train,
        """
        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
        for i in range(1, 41):
            loss = step()
            if i % 10 == 0: logging.info("step %d/%d loss %.4f lr 0.01", i, 40, i / 10)
        """,
    )
    assert {e.iteration: e.loss for e in of(PrintedLoss, events)} == {9: 1.0, 19: 2.0, 29: 3.0, 39: 4.0}
    assert total(events) == 40


def test_a_bar_of_tqdm(train: Train) -> None:
    pytest.importorskip("tqdm")
    events = told(
        train,
        """
        from tqdm import tqdm
        bar = tqdm(range(60))
        for i in bar:
            step()
            time.sleep(0.04)
            bar.set_postfix(loss=i / 10)
        """,
    )
    losses = of(PrintedLoss, events)
    assert 2 <= len(losses) <= 10, "a state a second"
    assert all(abs((e.loss or 0.0) * 10 - e.iteration) <= 4 for e in losses)
    assert total(events) == 60


def test_epochs_give_the_total_in_iterations(train: Train) -> None:
    events = told(
        train,
        """
        for epoch in range(1, 5):
            for _ in range(7): loss = step()
            print(f"Epoch {epoch}/9: train loss {epoch / 4:.2f}")
        """,
    )
    assert {e.iteration: e.loss for e in of(PrintedLoss, events)} == {6: 0.25, 13: 0.5, 20: 0.75, 27: 1.0}
    assert total(events) == 63


def test_the_words_of_the_error_that_ends_it(train: Train) -> None:
    events = told(train, "step()\nraise RuntimeError('CUDA error: unspecified launch failure')", check=False)
    (message,) = of(Message, events)
    assert message.text == "RuntimeError: CUDA error: unspecified launch failure"


OWN = """
import itermon
from itermon.trainer_hooks.output import notice
notice.NOTHING_S, notice.BACKWARDS = 0.0, 8
hooks = itermon.watch("auto")
import time, torch
weight = torch.ones(4, requires_grad=True)
for i in range(60):
    loss = weight.pow(2).mean()
    loss.backward()
    with torch.no_grad(): weight -= 0.1 * weight.grad
    weight.grad = None
    time.sleep(0.01)
"""


def test_an_optimizer_of_the_scripts_own_leaves_the_iterations_to_its_lines(train: Train) -> None:
    line = 'f"iter {i}: loss {loss.item():.4f}, time 10.00ms, mfu -100.00%"'
    events = train(f"{OWN}    if i % 2 == 0: print({line}, flush=True)")
    assert any(message.text.startswith(NO_ITERATION) for message in of(Message, events))
    assert [event.index for event in of(Iteration, PrintedLines().read(events))] == list(range(0, 60, 2))


def test_an_optimizer_of_the_scripts_own_has_the_iterations_that_it_says(train: Train) -> None:
    events = train(f"{OWN}    hooks.iteration(i)")
    assert [event.index for event in of(Iteration, events)] == list(range(60))
    assert of(Message, events) == []
    assert {FORWARD, BACKWARD} <= of(Phases, events)[-1].phases.keys()
