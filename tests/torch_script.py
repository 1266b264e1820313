"""What scripts that train with torch begin with, and what is asked of their recordings."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from itermon.events import Event, Iteration, SpanEnd

Train = Callable[..., list[Event]]


HEAD = """
import os, time
import itermon
hooks = itermon.watch("auto", block_size=8)
import torch
from torch.utils.data import DataLoader, Dataset
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.25)
def step(micro_steps=1, batch=4):
    for _ in range(micro_steps):
        model(torch.randn(batch, 8)).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def script(body: str) -> str:
    return HEAD + textwrap.dedent(body)


def iterations(events: list[Event]) -> list[Iteration]:
    return [event for event in events if isinstance(event, Iteration)]


def ends(events: list[Event], kind: str) -> list[SpanEnd]:
    return [event for event in events if isinstance(event, SpanEnd) and event.kind == kind]
