"""The trainer of `itermon demo`: an example of the hooks in a loop written by hand, and a real training.

It trains `demo_model` on the sentences of `demo_text`, and does what costs time in real trainings: it tunes its
inner product in the first iteration, accumulates gradients, evaluates on text it does not train on, and saves what
it has learned, synced to disk. It writes a log as nanoGPT's train.py does, without `mfu`: there is no GPU here.

    python -m itermon.launch.demo_trainer FOLDER [--iterations 600] [--silent] [--parent PID]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..trainer_hooks.hooks import Hooks
from .demo_model import CONTEXT, Adam, Model
from .demo_text import demo_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BATCH_SIZE = 4
BLOCK_SIZE = 48
GRADIENT_ACCUMULATION = 4
EVALUATION_ITERATIONS = 20
TUNING_PASSES = 10
LOG = "train.log"
CHECKPOINT = "checkpoint.json"


class Training:
    """The loop and what it needs. `folder` takes the log and the checkpoint; `each` is called every iteration."""

    def __init__(self, folder: Path, iterations: int, hooks: Hooks, each: Callable[[], None]) -> None:
        self.each = each
        self.folder = folder
        self.iterations = iterations
        self.evaluation_interval = max(10, iterations // 12)
        self.hooks = hooks
        self.log = (folder / LOG).open("w", buffering=1)  # a line is there once it is written
        text = demo_text()
        self.characters = sorted(set(text))
        numbers = [self.characters.index(character) for character in text]
        cut = len(numbers) * 9 // 10
        self.train, self.validation = numbers[:cut], numbers[cut:]
        self.random = random.Random(1337)  # noqa: S311 - the same run every time, not a secret
        self.model = Model(len(self.characters), self.random)
        self.optimizer = Adam(self.model)
        self.best = float("inf")

    def run(self) -> None:
        """Train; iteration by iteration, as train.py does, the last one included."""
        self._announce()
        self.hooks.begin()
        began_s = time.perf_counter()
        for iteration in range(self.iterations + 1):
            if iteration % self.evaluation_interval == 0:
                self._evaluate(iteration)
            if iteration == 0:
                self.model.tune(self.train[: 4 * BLOCK_SIZE], TUNING_PASSES)
            loss = self._learn()
            now_s = time.perf_counter()
            self.log.write(f"iter {iteration}: loss {loss:.4f}, time {(now_s - began_s) * 1000:.2f}ms\n")
            self.hooks.iteration(iteration, loss=loss)
            began_s = now_s
            self.each()

    def _announce(self) -> None:
        tokens = BATCH_SIZE * BLOCK_SIZE * GRADIENT_ACCUMULATION
        settings = {
            "batch_size": BATCH_SIZE,
            "block_size": BLOCK_SIZE,
            "gradient_accumulation_steps": GRADIENT_ACCUMULATION,
            "max_iters": self.iterations,
            "eval_interval": self.evaluation_interval,
            "eval_iters": EVALUATION_ITERATIONS,
            "log_interval": 1,
            "always_save_checkpoint": False,
            "device": "cpu",
        }
        for name, value in settings.items():
            self.log.write(f"Overriding: {name} = {value}\n")
        self.log.write(f"tokens per iteration will be: {tokens:,}\n")
        self.log.write(f"number of parameters: {self.model.parameters / 1e6:.2f}M\n")
        self.hooks.config(
            micro_batch_size=BATCH_SIZE,
            block_size=BLOCK_SIZE,
            gradient_accumulation=GRADIENT_ACCUMULATION,
            world_size=1,
            tokens_per_iteration=tokens,
            vocabulary=len(self.characters),
            parameters=self.model.parameters,
            max_iterations=self.iterations,
            evaluation_interval=self.evaluation_interval,
            evaluation_iterations=EVALUATION_ITERATIONS,
            checkpoint_needs_improvement=True,
            log_interval=1,
            dataset="sentences about training machines",
            device="cpu",
        )

    def _learn(self) -> float:
        """One iteration: gradients over all micro-steps, then one step of the optimizer. The last one's loss."""
        loss = 0.0
        for step in range(GRADIENT_ACCUMULATION):
            with self.hooks.data():
                blocks = self._batch(self.train)
            loss = sum(self.model.loss(block, 1 / BATCH_SIZE / GRADIENT_ACCUMULATION) for block in blocks)
            loss /= BATCH_SIZE
            self.hooks.micro_step(step + 1, GRADIENT_ACCUMULATION)
        self.optimizer.step(self.model)
        return loss

    def _batch(self, numbers: Sequence[int]) -> list[Sequence[int]]:
        length = BLOCK_SIZE + CONTEXT
        starts = [self.random.randrange(len(numbers) - length) for _ in range(BATCH_SIZE)]
        return [numbers[start : start + length] for start in starts]

    def _evaluate(self, iteration: int) -> None:
        with self.hooks.evaluation() as found:
            for name, numbers in (("train_loss", self.train), ("val_loss", self.validation)):
                blocks = [block for _ in range(EVALUATION_ITERATIONS) for block in self._batch(numbers)]
                found[name] = sum(map(self.model.loss, blocks)) / len(blocks)
        self.log.write(
            f"step {iteration}: train loss {found['train_loss']:.4f}, val loss {found['val_loss']:.4f}\n"
        )
        if found["val_loss"] < self.best:
            self.best = found["val_loss"]
            if iteration > 0:
                self._save(iteration)

    def _save(self, iteration: int) -> None:
        """All that is needed to go on, whole or not at all: synced to disk before it takes the old one's place."""
        self.log.write(f"saving checkpoint to {self.folder}\n")
        with self.hooks.checkpoint() as found:
            state = {
                "iteration": iteration,
                "characters": self.characters,
                "rows": self.model.rows,
                "first_moments": self.optimizer.first,
                "second_moments": self.optimizer.second,
            }
            part = self.folder / (CHECKPOINT + ".part")
            with part.open("w", encoding="utf-8") as file:
                json.dump(state, file)
                file.flush()
                os.fsync(file.fileno())
            found["bytes"] = part.stat().st_size
            part.replace(self.folder / CHECKPOINT)


def check_parent(parent: int, folder: Path) -> None:
    """End, and remove `folder`, if the process `parent` that started this one is gone: nobody else would."""
    if os.getppid() != parent:
        shutil.rmtree(folder, ignore_errors=True)
        raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> None:
    """Train until it is done or asked to end."""
    parser = argparse.ArgumentParser(description="The little trainer behind `itermon demo`.")
    parser.add_argument("folder", type=Path, help="takes the log and the checkpoint")
    parser.add_argument("--iterations", type=int, default=600)
    parser.add_argument("--silent", action="store_true", help="no socket and no recording: the log alone")
    parser.add_argument("--parent", type=int, help="PID without which to end and to remove FOLDER")
    options = parser.parse_args(arguments)
    folder = options.folder.resolve()
    each = partial(check_parent, options.parent, folder) if options.parent else lambda: None
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the hooks can say good-bye
    with (
        suppress(KeyboardInterrupt),
        Hooks("demo", framework="plain Python", record=not options.silent, serve=not options.silent) as hooks,
    ):
        Training(folder, options.iterations, hooks, each).run()


if __name__ == "__main__":
    main()
