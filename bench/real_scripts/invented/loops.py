"""Loops as people write them: epochs, several models and loaders, accumulation, exceptions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING, Any

import torch
from parts import Endless, Net, Slow, evaluate, loader, loss_of, save, shape, step, usual
from torch import nn
from torch.utils.data import DataLoader

if TYPE_CHECKING:
    from stopwatch_inside import Stopwatch


@shape
def epochs(watch: Stopwatch, draw: Random) -> None:
    """Evaluation and save at the end of each epoch."""
    model, optimizer = usual(draw)
    train, test = loader(draw, slow=0.001), loader(draw)
    for _ in range(draw.randrange(2, 4)):
        model.train()
        for batch in watch.batches(train):
            step(watch, model, optimizer, batch)
        with watch.part("evaluation"):
            evaluate(model, test)
        save(watch, model)


@shape
def every_few_steps(watch: Stopwatch, draw: Random) -> None:
    """nanoGPT's: evaluation of two splits, without a loader, at each n-th step; a save after some."""
    model, optimizer = usual(draw)
    every = draw.randrange(4, 9)
    for number in range(draw.randrange(20, 40)):
        if number % every == 0:
            with watch.part("evaluation"):
                model.eval()
                with torch.no_grad():
                    for _ in ("train", "val"):
                        for _ in range(4):
                            loss_of(model, torch.randn(4, 8))
                model.train()
            if number:
                save(watch, model)
        step(watch, model, optimizer, torch.randn(4, 8))


@shape
def nested_loaders(watch: Stopwatch, draw: Random) -> None:
    """A second training loader inside the first one's loop."""
    model, optimizer = usual(draw)
    outer, inner = loader(draw, rows=16, slow=0.002), loader(draw, rows=12, slow=0.002)
    for rows in watch.batches(outer):
        for batch in watch.batches(inner):
            step(watch, model, optimizer, rows + batch)


@shape
def save_in_evaluation(watch: Stopwatch, draw: Random) -> None:
    """minGPT's: the best model is saved in the midst of its evaluation."""
    model, optimizer = usual(draw)
    for _ in range(draw.randrange(2, 5)):
        model.train()
        for batch in watch.batches(loader(draw, slow=0.001)):
            step(watch, model, optimizer, batch)
        with watch.part("evaluation"):
            evaluate(model, loader(draw))
            save(watch, model)
            with torch.no_grad():
                loss_of(model, torch.randn(4, 8))
            model.train()


@shape
def evaluation_in_evaluation(watch: Stopwatch, draw: Random) -> None:
    """A validation that calls another function which evaluates too: one evaluation."""
    model, optimizer = usual(draw)
    for _ in range(draw.randrange(2, 4)):
        for batch in watch.batches(loader(draw, slow=0.001)):
            step(watch, model, optimizer, batch)
        with watch.part("evaluation"):
            model.eval()
            with torch.no_grad():
                loss_of(model, torch.randn(4, 8))
                evaluate(model, loader(draw))
                loss_of(model, torch.randn(4, 8))
            model.train()


@shape
def two_models(watch: Stopwatch, draw: Random) -> None:
    """A GAN: each iteration steps both, the evaluation is of the generator."""
    one, other = Net(), Net()
    first, second = torch.optim.Adam(one.parameters()), torch.optim.Adam(other.parameters())
    for _ in range(draw.randrange(2, 4)):
        for batch in watch.batches(loader(draw, slow=0.001)):
            first.zero_grad()
            loss_of(one, batch).backward()
            first.step()
            second.zero_grad()
            loss_of(other, batch).backward()
            second.step()
            watch.iteration()
        save(watch, one)


@shape
def two_evaluated(watch: Stopwatch, draw: Random) -> None:
    """Encoder and decoder under one optimizer, both told to evaluate."""
    one, other = Net(), nn.Linear(1, 1)
    optimizer = torch.optim.Adam([*one.parameters(), *other.parameters()])
    for _ in range(draw.randrange(2, 4)):
        one.train()
        other.train()
        for batch in watch.batches(loader(draw, slow=0.001)):
            optimizer.zero_grad()
            loss_of(lambda rows: other(one(rows)), batch).backward()
            optimizer.step()
            watch.iteration()
        with watch.part("evaluation"):
            one.eval()
            other.eval()
            with torch.no_grad():
                for batch in loader(draw):
                    loss_of(lambda rows: other(one(rows)), batch)


@shape
def generator_batches(watch: Stopwatch, draw: Random) -> None:
    """A generator over the loader that goes on for ever, as many trainers have it."""
    model, optimizer = usual(draw)
    data = loader(draw, slow=0.001)

    def endless() -> Iterator[Any]:
        while True:
            yield from watch.batches(data)

    batches = endless()
    for number in range(draw.randrange(30, 60)):
        step(watch, model, optimizer, next(batches))
        if number % 15 == 14:
            with watch.part("evaluation"):
                evaluate(model, loader(draw))
                model.train()


@shape
def iterable(watch: Stopwatch, draw: Random) -> None:
    model, optimizer = usual(draw)
    for _ in range(draw.randrange(1, 4)):
        for batch in watch.batches(DataLoader(Endless(draw.randrange(24, 60), 0.001), batch_size=4)):
            step(watch, model, optimizer, batch)
        with watch.part("evaluation"):
            evaluate(model, DataLoader(Endless(16, 0.001), batch_size=4))
            model.train()


@shape
def persistent_workers(watch: Stopwatch, draw: Random) -> None:
    model, optimizer = usual(draw)
    train = DataLoader(Slow(48, 0.001), batch_size=4, num_workers=1, persistent_workers=True)
    for _ in range(draw.randrange(2, 4)):
        for batch in watch.batches(train):
            step(watch, model, optimizer, batch)
        with watch.part("evaluation"):
            evaluate(model, loader(draw))
            model.train()


@shape
def accumulation(watch: Stopwatch, draw: Random) -> None:
    """Several backwards a step; a save in the midst of an accumulation."""
    model, optimizer = usual(draw)
    each = draw.randrange(2, 6)
    for number, batch in enumerate(watch.batches(loader(draw, slow=0.001, rows=120)), 1):
        (loss_of(model, batch) / each).backward()
        if number == each + 1:
            save(watch, model)
        if number % each == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            watch.iteration()


@shape
def autocast(watch: Stopwatch, draw: Random) -> None:
    """bfloat16 on the CPU, with a scaler that is switched off, and one that is on."""
    model, optimizer = usual(draw)
    scaler = torch.amp.GradScaler("cpu", enabled=draw.random() < 0.5)
    for _ in range(draw.randrange(2, 4)):
        model.train()
        for batch in watch.batches(loader(draw, slow=0.001)):
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16):
                loss = loss_of(model, batch)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            watch.iteration()
        with watch.part("evaluation"), torch.autocast("cpu", torch.bfloat16):
            evaluate(model, loader(draw))


@shape
def exception_in_evaluation(watch: Stopwatch, draw: Random) -> None:
    """An evaluation fails half way, somebody catches it, and the training goes on."""
    model, optimizer = usual(draw)
    for turn in range(3):
        model.train()
        for batch in watch.batches(loader(draw, slow=0.001)):
            step(watch, model, optimizer, batch)
        with watch.part("evaluation"), contextlib.suppress(ValueError):
            model.eval()
            with torch.no_grad():
                loss_of(model, torch.randn(4, 8))
                if turn == 1:
                    raise ValueError
                loss_of(model, torch.randn(4, 8))


@shape
def exception_in_save(watch: Stopwatch, draw: Random) -> None:
    """The first save fails (a folder that is not there), the next is written."""
    model, optimizer = usual(draw)
    for name in ("missing/model.pt", "model.pt"):
        for batch in watch.batches(loader(draw, slow=0.001)):
            step(watch, model, optimizer, batch)
        with watch.part("checkpoint"), contextlib.suppress(RuntimeError, OSError):
            torch.save(model.state_dict(), name)
        save(watch, model)
