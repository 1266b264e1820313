"""A language model in plain Python, gradients and optimizer included: what `itermon demo` trains.

It predicts a character from the `CONTEXT` before it: each of those looks up a row of its position's table, the
rows add up to a hidden layer of tanh units, and a linear layer gives the logits (a neural language model as in
Bengio et al., 2003, with the embedding and the first layer in one table). About 14,000 parameters: enough to
learn spelling within a minute, small enough for a Python without any library.
"""

from __future__ import annotations

import time
from math import exp, log, sqrt, tanh
from operator import add, mul
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    Vector = list[float]
    Dot = Callable[[Vector, Vector], float]

CONTEXT = 8
HIDDEN = 32


def dot_map(a: Vector, b: Vector) -> float:
    """The inner product, by `map`."""
    total: float = sum(map(mul, a, b))
    return total


def dot_list(a: Vector, b: Vector) -> float:
    """The inner product, by a list."""
    return sum([x * y for x, y in zip(a, b, strict=True)])


def dots() -> dict[str, Dot]:
    """The ways this Python has to compute an inner product; which one is the fastest depends on its version."""
    import math  # noqa: PLC0415 - sumprod is there from 3.12 on

    found: dict[str, Dot] = {"map": dot_map, "list": dot_list}
    if hasattr(math, "sumprod"):
        found["sumprod"] = math.sumprod
    return found


class Model:
    """The parameters, as rows, with a gradient for each: first the tables, then the output layer, then biases."""

    def __init__(self, vocabulary: int, source: random.Random) -> None:
        def rows(count: int, width: int, spread: float) -> list[Vector]:
            return [[source.gauss(0.0, spread) for _ in range(width)] for _ in range(count)]

        self.vocabulary = vocabulary
        self.tables = [rows(vocabulary, HIDDEN, 0.1) for _ in range(CONTEXT)]
        self.output = rows(vocabulary, HIDDEN, 0.1)
        self.biases = [[0.0] * HIDDEN, [0.0] * vocabulary]
        self.rows: list[Vector] = [*(row for table in self.tables for row in table), *self.output, *self.biases]
        self.gradients: list[Vector] = [[0.0] * len(row) for row in self.rows]
        self.dot: Dot = dot_map

    @property
    def parameters(self) -> int:
        """How many numbers are learned."""
        return sum(map(len, self.rows))

    def time_of(self, text: Sequence[int], passes: int = 3) -> float:
        """Seconds of one forward and backward pass over `text`, undisturbed: the least of `passes`."""
        took_s = []
        for _ in range(passes):
            began_s = time.perf_counter()
            self.loss(text, learn=1.0)
            took_s.append(time.perf_counter() - began_s)
        self.forget()
        return min(took_s)

    def tune(self, text: Sequence[int], passes: int) -> str:
        """Time `passes` forward and backward passes over `text` with each inner product, and keep the fastest.

        What `torch.compile(mode="max-autotune")` and cuDNN's benchmark mode do before their first iteration.
        """
        took_s: dict[str, float] = {}
        for name, self.dot in dots().items():
            began_s = time.perf_counter()
            for _ in range(passes):
                self.loss(text, learn=1.0)
            took_s[name] = time.perf_counter() - began_s
        best = min(took_s, key=lambda name: took_s[name])
        self.dot = dots()[best]
        self.forget()
        return best

    def forget(self) -> None:
        """Set all gradients to zero."""
        for gradient in self.gradients:
            gradient[:] = [0.0] * len(gradient)

    def loss(self, text: Sequence[int], learn: float = 0.0) -> float:
        """The mean cross-entropy in nats over all characters of `text` that have a whole context before them.

        With `learn`, the gradients of `learn` times this mean are added to those that wait for the optimizer.
        """
        count = len(text) - CONTEXT
        total = 0.0
        for at in range(CONTEXT, len(text)):
            total += self._one(text[at - CONTEXT : at], text[at], learn / count)
        return total / count

    def _one(self, context: Sequence[int], target: int, learn: float) -> float:
        dot = self.dot
        found = [table[character] for table, character in zip(self.tables, context, strict=True)]
        hidden = list(map(tanh, map(sum, zip(self.biases[0], *found, strict=True))))
        logits = [dot(row, hidden) + bias for row, bias in zip(self.output, self.biases[1], strict=True)]
        top = max(logits)
        powers = [exp(logit - top) for logit in logits]
        total = sum(powers)
        if learn:
            slopes = [power * learn / total for power in powers]
            slopes[target] -= learn
            self._backward(context, hidden, slopes)
        return log(total) + top - logits[target]

    def _backward(self, context: Sequence[int], hidden: Vector, slopes: Vector) -> None:
        """Add the gradients for one character; `slopes` are those of its logits."""
        first = CONTEXT * self.vocabulary
        below = [0.0] * HIDDEN
        for i, slope in enumerate(slopes):
            gradient = self.gradients[first + i]
            gradient[:] = [g + slope * h for g, h in zip(gradient, hidden, strict=True)]
            below = [b + slope * w for b, w in zip(below, self.output[i], strict=True)]
        slopes_hidden = [b * (1.0 - h * h) for b, h in zip(below, hidden, strict=True)]
        for place, character in enumerate(context):
            gradient = self.gradients[place * self.vocabulary + character]
            gradient[:] = map(add, gradient, slopes_hidden)
        self.gradients[-2][:] = map(add, self.gradients[-2], slopes_hidden)
        self.gradients[-1][:] = map(add, self.gradients[-1], slopes)


class Adam:
    """The optimizer (Kingma and Ba, 2014), with a moment of each order per parameter."""

    def __init__(self, model: Model, rate: float = 4e-3) -> None:
        self.rate = rate
        self.steps = 0
        self.first: list[Vector] = [[0.0] * len(row) for row in model.rows]
        self.second: list[Vector] = [[0.0] * len(row) for row in model.rows]

    def step(self, model: Model) -> None:
        """Change the model's parameters by its gradients, and forget these."""
        self.steps += 1
        rate = self.rate * sqrt(1 - 0.99**self.steps) / (1 - 0.9**self.steps)
        for row, gradient, first, second in zip(model.rows, model.gradients, self.first, self.second, strict=True):
            first[:] = [0.9 * m + 0.1 * g for m, g in zip(first, gradient, strict=True)]
            second[:] = [0.99 * v + 0.01 * g * g for v, g in zip(second, gradient, strict=True)]
            row[:] = [w - rate * m / (sqrt(v) + 1e-8) for w, m, v in zip(row, first, second, strict=True)]
        model.forget()
