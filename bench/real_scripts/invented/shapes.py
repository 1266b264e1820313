"""Small invented loops, each another shape of a training, with a stopwatch inside: see bench/invented_loops.py.

A shape takes the stopwatch and a `random.Random`, which draws its sizes: how many iterations, batches and epochs, how
long its parts take. What it does besides (sleeping) is no work of torch's: only the shape matters.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import torch
from stopwatch_inside import Stopwatch
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset

Shape = Callable[[Stopwatch, Random], None]
SHAPES: dict[str, Shape] = {}


def shape(make: Shape) -> Shape:
    SHAPES[make.__name__] = make
    return make


class Slow(Dataset):
    """Rows that take their time."""

    def __init__(self, rows: int, seconds: float = 0.0) -> None:
        self.rows, self.seconds = torch.randn(rows, 8), seconds

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> Any:
        time.sleep(self.seconds)
        return self.rows[place]


class Endless(IterableDataset):
    def __init__(self, rows: int, seconds: float) -> None:
        self.rows, self.seconds = rows, seconds

    def __iter__(self) -> Iterator[Any]:
        for _ in range(self.rows):
            time.sleep(self.seconds)
            yield torch.randn(8)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.drop, self.head = nn.Linear(8, 8), nn.Dropout(0.1), nn.Linear(8, 1)

    def forward(self, rows: Any) -> Any:
        return self.head(self.drop(torch.relu(self.body(rows))))


def loss_of(model: Any, batch: Any) -> Any:
    time.sleep(0.002)
    return model(batch).pow(2).mean()


def step(watch: Stopwatch, model: Any, optimizer: Any, batch: Any) -> None:
    optimizer.zero_grad()
    loss_of(model, batch).backward()
    optimizer.step()
    watch.iteration()


def evaluate(model: Any, batches: Any) -> None:
    model.eval()
    with torch.no_grad():
        for batch in batches:
            loss_of(model, batch)


def save(watch: Stopwatch, model: Any, name: str = "model.pt", pause: float = 0.02) -> None:
    class Slowly:  # a file system that takes its time
        def __reduce__(self) -> Any:
            time.sleep(pause)
            return (int, ())

    with watch.part("checkpoint"):
        torch.save({"model": model.state_dict(), "slowly": Slowly()}, name)


def usual(draw: Random, kind: str = "") -> tuple[Any, Any]:
    model = Net()
    kinds = {
        "adam": lambda: torch.optim.AdamW(model.parameters()),
        "sgd": lambda: torch.optim.SGD(model.parameters(), lr=0.01),
    }
    return model, kinds[kind or draw.choice(sorted(kinds))]()


def loader(draw: Random, *, slow: float = 0.0, workers: int = 0, rows: int = 0) -> Any:
    return DataLoader(Slow(rows or draw.randrange(24, 72, 4), slow), batch_size=4, num_workers=workers)


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
