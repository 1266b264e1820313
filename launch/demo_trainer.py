"""The trainer of `itermon demo`: an example of the hooks in a loop written by hand, and a real training.

It trains `demo_model` on the sentences of `demo_text`, and does what costs time in real trainings: it tunes its
inner product in the first iteration, accumulates gradients, evaluates on text it does not train on, saves what it
has learned, synced to disk, waits for its next shard of sentences, and collects its garbage. Twice it stands still
and tells nobody. The batch is as large as this machine can take in `ITERATION_S`, so that all of it is seen within
a minute. It writes a log as nanoGPT's train.py does, without `mfu`: there is no GPU here.

    python -m itermon.launch.demo_trainer FOLDER [--iterations 200] [--batch-size 1] [--silent] [--parent PID]
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import shutil
import signal
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..events import GC
from ..trainer_hooks.hooks import Hooks
from .demo_model import CONTEXT, Adam, Model
from .demo_text import Sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ITERATION_S = 0.1
MOST_BATCH = 8
BLOCK_SIZE = 48
GRADIENT_ACCUMULATION = 2
EVALUATION_BLOCKS = 16
TUNING_S = 1.0
SHARD_SENTENCES = 8_000
GARBAGE = 500_000  # objects between two collections; they refer to themselves, so that nothing else finds them
STALL_S = 0.6
LOG = "train.log"
CHECKPOINT = "checkpoint.json"


class Schedule:
    """At which of `iterations` what happens: each thing several times, and most of them alone."""

    def __init__(self, iterations: int) -> None:
        def every(parts: int) -> int:
            return max(1, iterations // parts)

        self.evaluation = every(8)
        self.checkpoint = every(6)
        self.shard = every(5)
        self.collection = every(7)
        self.stalls = {iterations * 3 // 10 + 1, iterations * 7 // 10 + 1}

    def due(self, interval: int, iteration: int) -> bool:
        """At the end of each interval; the first iteration has enough to do."""
        return iteration > 0 and iteration % interval == 0


class Training:
    """The loop and what it needs. `folder` takes the log and the checkpoint; `each` is called every iteration."""

    def __init__(
        self, folder: Path, iterations: int, hooks: Hooks, each: Callable[[], None], batch_size: int | None = None
    ) -> None:
        self.each = each
        self.folder = folder
        self.iterations = iterations
        self.schedule = Schedule(iterations)
        self.hooks = hooks
        self.log = (folder / LOG).open("w", buffering=1)  # a line is there once it is written
        self.text = Sentences()
        self.random = random.Random(1337)  # noqa: S311 - the same run every time, not a secret
        self.model = Model(len(self.text.characters), self.random)
        self.optimizer = Adam(self.model)
        self.block_s = self.model.time_of(self.text.train[: BLOCK_SIZE + CONTEXT])
        fitting = int(ITERATION_S / GRADIENT_ACCUMULATION / self.block_s)
        self.batch_size = batch_size or min(max(1, fitting), MOST_BATCH)

    def run(self) -> None:
        """Train; iteration by iteration, as train.py does, the last one included."""
        self._announce()
        gc.disable()  # as large trainings do: it is collected when the loop says so
        self.hooks.begin()
        began_s = time.perf_counter()
        for iteration in range(self.iterations + 1):
            if iteration == 0:
                self.model.tune(self.text.train[: BLOCK_SIZE + CONTEXT], max(1, int(TUNING_S / 2 / self.block_s)))
            loss = self._iterate(iteration)
            now_s = time.perf_counter()
            self.log.write(f"iter {iteration}: loss {loss:.4f}, time {(now_s - began_s) * 1000:.2f}ms\n")
            self.hooks.iteration(iteration, loss=loss)
            began_s = now_s
            self.each()

    def _iterate(self, iteration: int) -> float:
        """One iteration, with what is due before it. Returns the loss."""
        due = self.schedule.due
        if due(self.schedule.evaluation, iteration):
            self._evaluate(iteration)
        if due(self.schedule.checkpoint, iteration):
            self._save(iteration)
        if due(self.schedule.collection, iteration):
            self._collect()
        if iteration in self.schedule.stalls:
            time.sleep(STALL_S)
        return self._learn(iteration)

    def _announce(self) -> None:
        tokens = self.batch_size * BLOCK_SIZE * GRADIENT_ACCUMULATION
        settings = {
            "batch_size": self.batch_size,
            "block_size": BLOCK_SIZE,
            "gradient_accumulation_steps": GRADIENT_ACCUMULATION,
            "max_iters": self.iterations,
            "eval_interval": self.schedule.evaluation,
            "log_interval": 1,
            "device": "cpu",
        }
        for name, value in settings.items():
            self.log.write(f"Overriding: {name} = {value}\n")
        self.log.write(f"tokens per iteration will be: {tokens:,}\n")
        self.log.write(f"number of parameters: {self.model.parameters / 1e6:.2f}M\n")
        self.hooks.config(
            micro_batch_size=self.batch_size,
            block_size=BLOCK_SIZE,
            gradient_accumulation=GRADIENT_ACCUMULATION,
            world_size=1,
            tokens_per_iteration=tokens,
            vocabulary=len(self.text.characters),
            parameters=self.model.parameters,
            max_iterations=self.iterations,
            evaluation_interval=self.schedule.evaluation,
            checkpoint_interval=self.schedule.checkpoint,
            log_interval=1,
            dataset="sentences about training machines",
            device="cpu",
        )

    def _learn(self, iteration: int) -> float:
        """Gradients over all micro-steps, then one step of the optimizer. Returns the last one's loss."""
        loss = 0.0
        for step in range(GRADIENT_ACCUMULATION):
            with self.hooks.data():
                if step == 0 and self.schedule.due(self.schedule.shard, iteration):
                    self.text.next_shard(iteration, SHARD_SENTENCES)
                blocks = self._blocks(self.text.train, self.batch_size)
            loss = sum(self.model.loss(block, 1 / len(blocks) / GRADIENT_ACCUMULATION) for block in blocks)
            loss /= len(blocks)
            self.hooks.micro_step(step + 1, GRADIENT_ACCUMULATION)
        self.optimizer.step(self.model)
        self._leave_garbage()
        return loss

    def _blocks(self, numbers: Sequence[int], count: int) -> list[Sequence[int]]:
        length = BLOCK_SIZE + CONTEXT
        starts = [self.random.randrange(len(numbers) - length) for _ in range(count)]
        return [numbers[start : start + length] for start in starts]

    def _evaluate(self, iteration: int) -> None:
        with self.hooks.evaluation() as found:
            for name, numbers in (("train_loss", self.text.train), ("val_loss", self.text.validation)):
                blocks = self._blocks(numbers, EVALUATION_BLOCKS * self.batch_size)
                found[name] = sum(map(self.model.loss, blocks)) / len(blocks)
        self.log.write(
            f"step {iteration}: train loss {found['train_loss']:.4f}, val loss {found['val_loss']:.4f}\n"
        )

    def _leave_garbage(self) -> None:
        """As graphs and caches do."""
        for _ in range(GARBAGE // self.schedule.collection):
            garbage: list[Any] = []
            garbage.append(garbage)

    def _collect(self) -> None:
        began_ns = time.perf_counter_ns()
        freed = gc.collect()
        self.hooks.past_span(GC, time.perf_counter_ns() - began_ns, f"{freed:,} objects freed")

    def _save(self, iteration: int) -> None:
        """All that is needed to go on, whole or not at all: synced to disk before it takes the old one's place."""
        self.log.write(f"saving checkpoint to {self.folder}\n")
        with self.hooks.checkpoint() as found:
            state = {
                "iteration": iteration,
                "characters": self.text.characters,
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
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument(
        "--batch-size", type=int, help="sequences in a micro-step; as this machine can if not given"
    )
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
        Training(folder, options.iterations, hooks, each, options.batch_size).run()


if __name__ == "__main__":
    main()
