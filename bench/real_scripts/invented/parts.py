"""What the invented loops are made of: models, data, a step, an evaluation, a save; and the list of all shapes.

A shape takes the stopwatch and a `random.Random`, which draws its sizes: how many iterations, batches and epochs, how
long its parts take. What it does besides (sleeping) is no work of torch's: only the shape matters.
"""

from __future__ import annotations

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
