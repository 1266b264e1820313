"""How an invented script prints: its words, separators, clock and columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

EPOCHS_AND_BATCHES, BATCHES, EPOCHS, BARS, DICTS, CSV = (
    "epochs+batches",
    "batches",
    "epochs",
    "bars",
    "dicts",
    "csv",
)
JSON, KERAS, HEADED, TITLELESS = "json", "keras", "headed", "titleless bars"
TABLE, BLOCKS, LOGFMT, ESTIMATOR, EPISODES = "table", "blocks", "logfmt", "estimator", "episodes"
PRINTED = "printed dicts"
KINDS = {
    EPOCHS_AND_BATCHES: 8,
    BATCHES: 5,
    EPOCHS: 4,
    BARS: 4,
    DICTS: 2,
    CSV: 2,
    JSON: 3,
    KERAS: 2,
    HEADED: 2,
    TITLELESS: 2,
    TABLE: 3,
    BLOCKS: 3,
    LOGFMT: 2,
    ESTIMATOR: 2,
    EPISODES: 3,
    PRINTED: 3,
}
OF_EPOCHS = (EPOCHS, CSV, HEADED)
OF_BARS = (BARS, TITLELESS)
COUNT_ALL = (BATCHES, DICTS, JSON, KERAS, *OF_BARS, TABLE, BLOCKS, LOGFMT, ESTIMATOR, EPISODES, PRINTED)
"""Their rows say which of all steps they are, not which of an epoch's."""

STAMPS = (
    "",
    "%Y-%m-%d %H:%M:%S,{ms:03d} - INFO - ",
    "[%m/%d %H:%M:%S] ",
    "%H:%M:%S ",
    "I%m%d %H:%M:%S.{ms:03d}000 1234 train.py:88] ",
    "[%Y-%m-%dT%H:%M:%SZ] ",
    "%Y-%m-%d %H:%M:%S | INFO | ",
    "[%Y-%m-%d %H:%M:%S][train.py][line:61][INFO] ",
)
STAMPLESS = (*OF_BARS, CSV, JSON, KERAS, TABLE, BLOCKS, LOGFMT, ESTIMATOR)
PLACES: tuple[tuple[str, bool, bool], ...] = (  # of epoch and batch; says the epochs, says the batches
    ("Epoch [{epoch}/{epochs}]{sep}Step [{batch}/{batches}]", True, True),
    ("Epoch {epoch}/{epochs}{sep}Batch {batch}/{batches}", True, True),
    ("Epoch: [{epoch}][{batch:>3}/{batches}]", False, True),
    ("[Epoch {epoch}/{epochs}] [Batch {batch}/{batches}]", True, True),
    ("Train Epoch: {epoch} [{samples}/{all_samples} ({percent:.0f}%)]", False, True),
    ("epoch {epoch}{sep}iter {batch}", False, False),
    ("epoch: {epoch}{sep}step: {place}", False, False),
    ("({epoch:03d}/{epochs:03d}) ({batch}/{batches})", True, True),
    ("第{epoch}/{epochs}轮{sep}第{batch}/{batches}步", True, True),
    ("[{epoch}, {batch:5d}]", False, False),
    ("epoch={epoch} batch={batch}/{batches}", False, True),
    ("=> Epoch {epoch} ({batch}/{batches})", False, True),
    ("Ep {epoch}/{epochs} It {batch}/{batches}", True, True),
)
GLOBAL: tuple[tuple[str, bool], ...] = (  # the plan's place; says the total
    ("step {place}", False),
    ("Step: {place}/{total}", True),
    ("iter {place}", False),
    ("[{place}/{total}]", True),
    ("Iteration {place:>6} / {total}", True),
    ("global_step={place}", False),
    ("| {place} |", False),
    ("Step {place:,}", False),
    ("Iter: {place:,} / {total:,}", True),
    ("step: {place}/{total} ({percent_all:.1f}%)", True),
)
ONLY_EPOCHS: tuple[tuple[str, bool], ...] = (
    ("Epoch {epoch}", False),
    ("Epoch {epoch}/{epochs}", True),
    ("Epoch: {epoch:03d}", False),
    ("[{epoch}/{epochs}]", True),
    ("epoch {epoch} of {epochs}", True),
)
LOSS_WORDS = ("loss", "Loss", "train_loss", "Train Loss", "training loss", "total_loss", "loss_train", "损失")
VALIDATION_WORDS = ("val_loss", "Val Loss", "valid loss", "validation loss", "test_loss", "dev loss")
JOINS = (": ", " ", "=", " = ")
SEPARATORS = (", ", " | ", "\t", "  ", " - ", " ", "; ")

PER_STEP, INTERVAL, EPOCH_SO_FAR, SO_FAR, RATE, NOTHING = (
    "per step",
    "interval",
    "epoch",
    "so far",
    "rate",
    "nothing",
)
MEAN, EPOCH_MEAN = "mean so far", "mean of epoch"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"


TIMES: tuple[tuple[str, Callable[[float], str]], ...] = (
    (PER_STEP, lambda one: f"{one * 1e3:.1f} ms/it"),
    (PER_STEP, lambda one: f"time/iter {one:.3f}s"),
    (PER_STEP, lambda one: f"batch_time: {one:.4f}"),
    (PER_STEP, lambda one: f"{1 / one:.2f} it/s"),
    (PER_STEP, lambda one: f"step_time {one:.4f}s"),
    (PER_STEP, lambda one: f"{one:.3f} sec/batch"),
    (INTERVAL, lambda one: f"({one:.3f} sec)"),
    (INTERVAL, lambda one: f"interval {one:.2f}s"),
    (INTERVAL, lambda one: f"Time: {one:.2f}s"),
    (INTERVAL, lambda one: f"time {one:.2f}"),
    (EPOCH_SO_FAR, lambda one: f"time: {one:.2f}s"),
    (EPOCH_SO_FAR, lambda one: f"elapsed {_clock(one)}"),
    (SO_FAR, lambda one: f"elapsed: {one:.1f}s"),
    (SO_FAR, lambda one: f"time: {one:.1f}"),
    (SO_FAR, lambda one: f"elapsed time {_clock(one)}"),
    (SO_FAR, lambda one: f"Time {one / 60:.2f} min"),
    (RATE, lambda one: f"{one:.1f} samples/s"),
    (RATE, lambda one: f"Speed: {one:.2f} samples/sec"),
    (RATE, lambda one: f"{one:.1f} img/s"),
    (MEAN, lambda one: f"time: {one:.4f}"),
    (MEAN, lambda one: f"iter_time={one:.3f}s"),
    (EPOCH_MEAN, lambda one: f"batch_time: {one:.3f}"),
    (EPOCH_MEAN, lambda one: f"Time {one:.4f}"),
    *((NOTHING, lambda _: ""),) * 5,
)
EXTRAS: tuple[Callable[[Random, float], str], ...] = (
    lambda _, done: f"lr: {1e-3 * (1 - done) + 1e-6:.2e}",
    lambda random, done: f"acc {50 * done + random.random():.2f} ({48 * done:.2f})",
    lambda random, _: f"grad_norm: {random.uniform(0.5, 3):.3f}",
    lambda random, _: f"mem {random.randint(9_000, 9_010)}MB",
    lambda random, _: f"len {random.randint(10, 900)}",
    lambda _, done: f"eta {_clock(4_000 * (1 - done))}",
    lambda random, done: f"reward {300 * done - 150 + random.random():.2f}",
    lambda _, done: f"progress {100 * done:.1f}%",
    lambda random, done: f"D_loss {0.7 - 0.2 * done + random.random() / 50:.4f}",
    lambda random, done: f"tokens {int(9e6 * done) + random.randint(0, 99):,}",
    lambda random, done: f"rew/step {3 + done + random.random():.4f}",
    lambda random, _: f"loss/batch {random.uniform(0.01, 0.02):.4f}",
    lambda random, done: f"best epoch {int(9 * done)} ({random.uniform(60, 61):.1f})",
)
HEADS = (
    "Loaded 50000 training and 10000 validation samples",
    "Validation set: 581 images",
    "Test dataset size: 10000",
    "Test label distribution -> 1:61, 2:79, 3:109, 4:142",
    "Eval dataset loaded",
    "Test loader: 20 batches",
    "Number of validation examples = 500",
    "Evaluating every 100 steps",
    "Train size 50000, val size 10000, test size 10000",
    "Warm-up steps: 100, early stopping after 20 epochs",
    "Loss: CrossEntropyLoss(label_smoothing=0.1)",
    "train_loss_weight: 1.0, val_loss_weight: 0.5",
    "Model checkpoint will be saved to checkpoints/best.pt",
    "Step size of the schedule: 30 epochs, gamma 0.1",
)
"""What scripts say before they train; the last of them stands right above the first row."""


@dataclass
class Script:
    """One way to print a training."""

    kind: str
    stamp: str
    place: str
    says_epochs: bool
    says_batches: bool
    epoch_from: int
    batch_from: int
    every: int
    separator: str
    join: str
    loss_word: str
    mean_loss: bool  # in brackets behind it
    times: str
    time: Callable[[float], str]
    extras: list[Callable[[Random, float], str]]
    evaluation: str
    validation_word: str
    summary: bool  # a line at an epoch's end
    says_saves: bool
    head: bool
    says_end: bool
    step_name: str
    named_time: str  # in JSON
    epochs_in_rows: bool
    ranks: int  # that print each row
    folds: bool  # in place of a head, where one begins anew

    def line(self, text: str, at_s: float) -> str:
        """A line of the log, with its stamp."""
        stamp = datetime.fromtimestamp(at_s, timezone.utc).strftime(self.stamp)
        return stamp.replace("{ms:03d}", f"{int(at_s * 1e3) % 1000:03d}") + text


EVALUATIONS = ("silent", "line", "announced", "rows", "same rows", "bar")


def invent(random: Random) -> Script:
    """A script as the seed wants it."""
    kind = random.choices(list(KINDS), list(KINDS.values()))[0]
    place, says_epochs, says_batches = random.choice(PLACES)
    if kind == BATCHES:
        place, says_epochs = random.choice(GLOBAL)
        says_batches = says_epochs
    elif kind == EPOCHS:
        place, says_epochs = random.choice(ONLY_EPOCHS)
    times, time = random.choice(TIMES)
    if kind in (BLOCKS, EPISODES) and times in (EPOCH_SO_FAR, EPOCH_MEAN):  # of an epoch nothing else is said
        times, time = NOTHING, TIMES[-1][1]
    if kind in (EPOCHS, CSV, DICTS, HEADED) and times in (PER_STEP, RATE, EPOCH_SO_FAR, MEAN, EPOCH_MEAN):
        times, time = NOTHING, TIMES[-1][1]
    return Script(
        kind=kind,
        stamp=random.choice(STAMPS) if kind not in STAMPLESS else "",
        place=place,
        says_epochs=says_epochs,
        says_batches=says_batches,
        epoch_from=random.choice([0, 1, 1]),
        batch_from=random.choice([0, 1]),
        every=random.choice([1, 2, 5, 10, 20]),
        separator=random.choice(SEPARATORS),
        join=random.choice(JOINS),
        loss_word=random.choice(LOSS_WORDS),
        mean_loss=random.random() < 0.2,
        times=times,
        time=time,
        extras=random.sample(EXTRAS, random.choice([0, 0, 1, 2, 3])),
        evaluation=random.choice(EVALUATIONS),
        validation_word=random.choice(VALIDATION_WORDS),
        summary=random.random() < 0.5,
        says_saves=random.random() < 0.6,
        head=random.random() < 0.6,
        says_end=random.random() < 0.5,
        step_name=random.choice(["step", "global_step", "iteration", "iter"]),
        named_time=random.choice(["", "step_time", "timestamp", "elapsed", "time"]),
        epochs_in_rows=random.random() < 0.5,
        ranks=random.choice([2, 4, 8]) if kind in (EPOCHS_AND_BATCHES, BATCHES) and random.random() < 0.12 else 1,
        folds=random.random() < 0.5,
    )
