"""Loops whose evaluations or saves are unusual: without `eval()`, batch by batch, several in a row."""

from __future__ import annotations

import io
from random import Random
from typing import TYPE_CHECKING, Any

import torch
from parts import Net, evaluate, loader, loss_of, save, shape, step, usual

if TYPE_CHECKING:
    from stopwatch_inside import Stopwatch


@shape
def without_eval_mode(watch: Stopwatch, draw: Random) -> None:
    """`no_grad` around the loop, and nobody says `eval()`."""
    model, optimizer = usual(draw)
    test = loader(draw, slow=0.001)
    for _ in range(draw.randrange(2, 5)):
        for batch in watch.batches(loader(draw, slow=0.001)):
            step(watch, model, optimizer, batch)
        with watch.part("evaluation"), torch.no_grad():
            for batch in test:
                loss_of(model, batch)


@shape
def no_grad_each_batch(watch: Stopwatch, draw: Random) -> None:
    """`no_grad` for each batch alone, and nobody says `eval()`."""
    model, optimizer = usual(draw)
    test = loader(draw, slow=0.001)
    for _ in range(draw.randrange(2, 5)):
        for batch in watch.batches(loader(draw, slow=0.001)):
            step(watch, model, optimizer, batch)
        with watch.part("evaluation"):
            for batch in test:
                with torch.no_grad():
                    loss_of(model, batch)


@shape
def inference_mode_each_batch(watch: Stopwatch, draw: Random) -> None:
    """`eval()`, and a decorated function for each batch."""
    model, optimizer = usual(draw)

    @torch.inference_mode()
    def one(batch: Any) -> None:
        loss_of(model, batch)

    for _ in range(draw.randrange(2, 5)):
        model.train()
        for batch in watch.batches(loader(draw, slow=0.001)):
            step(watch, model, optimizer, batch)
        with watch.part("evaluation"):
            model.eval()
            for batch in loader(draw):
                one(batch)


@shape
def averaged(watch: Stopwatch, draw: Random) -> None:
    """An average of the weights is kept, evaluated after the model, and saved beside it."""
    model, optimizer = usual(draw)
    average = torch.optim.swa_utils.AveragedModel(model)
    for _ in range(draw.randrange(2, 4)):
        model.train()
        for batch in watch.batches(loader(draw, slow=0.001)):
            step(watch, model, optimizer, batch)
            average.update_parameters(model)
        with watch.part("evaluation"):
            evaluate(model, loader(draw))
            evaluate(average, loader(draw))
        save(watch, model)
        save(watch, average, "average.pt")


@shape
def early_stop(watch: Stopwatch, draw: Random) -> None:
    """The loop is left in the midst of a loader; the best weights are loaded, and tested."""
    model, optimizer = usual(draw)
    last = draw.randrange(5, 9)
    for number, batch in enumerate(watch.batches(loader(draw, slow=0.001, rows=72))):
        step(watch, model, optimizer, batch)
        if number == last:
            break
    save(watch, model)
    model.load_state_dict(torch.load("model.pt", weights_only=False)["model"])
    with watch.part("evaluation"):
        evaluate(model, loader(draw))


@shape
def closure(watch: Stopwatch, draw: Random) -> None:
    """LBFGS: several backwards inside each step."""
    model = Net()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)
    for batch in watch.batches(loader(draw, slow=0.001)):

        def again(batch: Any = batch) -> Any:
            optimizer.zero_grad()
            loss = loss_of(model, batch)
            loss.backward()
            return loss

        optimizer.step(again)
        watch.iteration()
    save(watch, model)


@shape
def saves_in_a_row(watch: Stopwatch, draw: Random) -> None:
    """Model, optimizer and a JSON-like state, one after another; a copy into memory is none."""
    model, optimizer = usual(draw)
    for _ in range(2):
        for batch in watch.batches(loader(draw, slow=0.001)):
            step(watch, model, optimizer, batch)
        save(watch, model)
        save(watch, optimizer, "optimizer.pt")  # a `state_dict` like any other
        torch.save(model.state_dict(), io.BytesIO())


@shape
def validation_first(watch: Stopwatch, draw: Random) -> None:
    """An evaluation before the first step, as a baseline."""
    model, optimizer = usual(draw)
    with watch.part("evaluation"):
        evaluate(model, loader(draw))
        model.train()
    for batch in watch.batches(loader(draw, slow=0.001)):
        step(watch, model, optimizer, batch)
    with watch.part("evaluation"):
        evaluate(model, loader(draw))


@shape
def several_test_sets(watch: Stopwatch, draw: Random) -> None:
    """Two test sets, each with its own `eval()` and `train()`: two evaluations."""
    model, optimizer = usual(draw)
    for _ in range(draw.randrange(2, 4)):
        for batch in watch.batches(loader(draw, slow=0.001)):
            step(watch, model, optimizer, batch)
        for _ in "ab":
            with watch.part("evaluation"):
                evaluate(model, loader(draw))
                model.train()


@shape
def teacher(watch: Stopwatch, draw: Random) -> None:
    """Distillation: another model answers without gradients for every batch, and is no evaluation."""
    model, optimizer = usual(draw)
    other = Net()
    other.eval()
    for batch in watch.batches(loader(draw, slow=0.001)):
        with torch.no_grad():
            wanted = other(batch)
        optimizer.zero_grad()
        (model(batch) - wanted).pow(2).mean().backward()
        optimizer.step()
        watch.iteration()
    with watch.part("evaluation"):
        evaluate(model, loader(draw))


@shape
def reinforcement(watch: Stopwatch, draw: Random) -> None:
    """Acting without gradients between updates, with no loader: no evaluation."""
    model, optimizer = usual(draw)
    for _ in range(draw.randrange(6, 12)):
        with torch.no_grad():
            rows = torch.stack([model(torch.randn(8)) for _ in range(20)])
        for _ in range(2):
            step(watch, model, optimizer, torch.randn(4, 8) + rows.mean())
    save(watch, model)
