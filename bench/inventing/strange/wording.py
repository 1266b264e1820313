"""The words of a stranger's script: how it counts, which losses and times a row has, what follows an epoch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .plans import TEST, TRAIN, VALID

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

ROWS, TURNS, FIRST, BAR, NESTED, EPOCH_LINE, EPOCH_LINES = (
    "rows",
    "turns",
    "first rows",
    "bar",
    "nested bars",
    "epoch line",
    "epoch lines",
)
STYLES = {ROWS: 8, TURNS: 2, FIRST: 1, BAR: 3, NESTED: 2, EPOCH_LINE: 3, EPOCH_LINES: 3}
OF_EPOCHS = (EPOCH_LINE, EPOCH_LINES)
OF_BARS = (BAR, NESTED)

PLACES: tuple[tuple[str, str, tuple[str, ...]], ...] = (  # text; headline of an epoch; what counts in the text
    ("Epoch [{epoch}/{epochs}] Step [{batch}/{batches}]", "", ("batch",)),
    ("epoch {epoch} batch {batch}/{batches}", "", ("batch",)),
    ("[{epoch}][{batch}/{batches}]", "", ("batch",)),
    ("E{epoch:02d} | B{batch:04d}", "", ("batch",)),
    ("step {batch}", "", ("batch",)),
    ("[{batch}/{batches}]", "", ("batch",)),
    ("batch {batch} of {batches}:", "Epoch {epoch}/{epochs}", ("batch",)),
    ("  Batch {batch:>5,}  of  {batches:>5,}.", "======== Epoch {epoch} / {epochs} ========", ("batch",)),
    ("iter {step}", "", ("step",)),
    ("step {step}/{steps}", "", ("step",)),
    ("Iteration {step}:", "---- epoch {epoch} ----", ("step",)),
    ("Train Epoch: {epoch} [{samples}/{all_samples} ({percent:.0f}%)]", "", ("samples", "batch")),
    ("samples {seen_samples}", "", ("seen_samples",)),
    ("tokens: {tokens:,}", "", ("tokens",)),
    ("epoch {fraction:.2f}", "", ("epoch",)),
    ("epoch: {epoch:d}, iter: {step:,d},", "", ("step",)),
)
LOSSES: tuple[tuple[str, ...], ...] = (  # the first is the sum of the others, where there are more
    ("loss",),
    ("Loss",),
    ("train_loss",),
    ("total_loss", "cls_loss", "box_loss"),
    ("loss", "ce", "kl"),
    ("Loss", "rec", "reg"),
)


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 3600}:{int(seconds) // 60 % 60:02d}:{int(seconds) % 60:02d}"


TIMES: dict[str, tuple[Callable[[float], str], ...]] = {
    "epoch so far": (
        lambda s: f"elapsed {s:.1f}s",
        lambda s: f"epoch time {_clock(s)}",
        lambda s: f"Elapsed: {_clock(s)}.",
    ),
    "last rows": (lambda s: f"time {s:.2f}s", lambda s: f"({s:.3f} sec)", lambda s: f"took {s:.2f} s"),
    "so far": (
        lambda s: f"total time {_clock(s)}",
        lambda s: f"{s:.0f}s elapsed",
        lambda s: f"({s / 60:.1f} min)",
    ),
    "data": (lambda s: f"data {s:.4f}", lambda s: f"data_time: {s:.3f}", lambda s: f"load {1e3 * s:.1f}ms"),
    "step": (lambda s: f"batch_time {s:.3f}", lambda s: f"{1e3 * s:.0f}ms/step", lambda s: f"sec/iter: {s:.4f}"),
    "left": (lambda s: f"eta {_clock(s)}", lambda s: f"ETA: {_clock(s)}", lambda s: f"remaining {s / 60:.1f}m"),
    "forward": (lambda s: f"fwd {s:.3f}s", lambda s: f"forward time: {s:.3f}"),
    "rate": (lambda s: f"{s:.1f} samples/s", lambda s: f"speed: {s:.2f} img/sec"),
}
EXTRAS: tuple[Callable[[Random, float], str], ...] = (
    lambda _, done: f"lr {1e-3 * (1 - done) + 1e-6:.2e}",
    lambda random, done: f"acc {0.2 + 0.6 * done + random.random() / 50:.3f}",
    lambda random, _: f"grad_norm {random.uniform(0.5, 3):.3f}",
    lambda random, _: f"mem {random.randint(9000, 9010)}M",
    lambda random, _: f"len {random.randint(10, 900)}",
)
SET_WORDS = {
    TRAIN: ("train", "Train", "training"),
    VALID: ("valid", "Val", "val", "dev", "validation"),
    TEST: ("test", "Test", "testing"),
}
STAMPS = (
    *("",) * 6,
    "%Y-%m-%d %H:%M:%S,{ms:03d} - INFO - ",
    "[%m/%d %H:%M:%S] ",
    "%H:%M:%S ",
    "%Y-%m-%d %H:%M:%S | INFO | ",
    "INFO:root:",
)

BEST_LINES = (
    "",
    "",
    "Best so far: {metric} {value:.4f} (epoch {epoch})",
    "new best {metric}: {value:.4f}, saving model",
)
SAVE_LINES = (
    "",
    "Saved model to out/model_{epoch}.pt",
    "=> saving checkpoint 'ckpt/epoch_{epoch}.pth.tar'",
)
EPOCH_TIMES = (
    "",
    "",
    "Epoch {epoch} took {train:.2f}s",
    "epoch time: {all:.1f}s",
    "train time {train:.1f}s, eval time {evaluation:.1f}s",
    "Training epoch took: {train_clock}",
)
END_LINES = (
    "",
    "",
    "Training finished in {all:.1f} seconds",
    "Done! Total time: {clock}",
    "Best valid result at epoch {best}: total {iterations} iterations, {epochs} epochs",
)


@dataclass
class Script:
    """One stranger's way to print."""

    style: str
    stamp: str
    place: str
    headline: str
    counts: tuple[str, ...]
    epoch_from: int
    batch_from: int
    every: int
    separator: str
    join: str
    losses: tuple[str, ...]
    mean_loss: bool
    times: list[tuple[str, Callable[[float], str]]]
    extras: list[Callable[[Random, float], str]]
    set_words: dict[str, str]
    evaluation_shape: str
    evaluation_rows: str
    metrics: tuple[str, ...]
    best_line: str
    save_line: str
    epoch_time: str
    end_line: str
    warns: bool
    noisy_bar: bool

    @property
    def has_whole_seconds(self) -> bool:
        """Is its only clock one of whole seconds?"""
        return "%S" in self.stamp and "ms" not in self.stamp


def script(random: Random) -> Script:
    """A script as the seed wants it."""
    style = random.choices(list(STYLES), list(STYLES.values()))[0]
    place, headline, counts = random.choice(PLACES)
    names = random.sample(list(TIMES), random.choice([0, 0, 1, 1, 2, 3, 4]))
    return Script(
        style=style,
        stamp="" if style in OF_BARS else random.choice(STAMPS),
        place=place,
        headline=headline,
        counts=counts,
        epoch_from=random.choice([0, 1, 1]),
        batch_from=random.choice([0, 1]),
        every=random.choice([1, 2, 5, 10, 20]),
        separator=random.choice([", ", " | ", "\t", "  ", " - ", " "]),
        join=random.choice([": ", " ", "=", " = "]),
        losses=random.choice(LOSSES),
        mean_loss=random.random() < 0.15,
        times=[(name, random.choice(TIMES[name])) for name in names],
        extras=random.sample(EXTRAS, random.choice([0, 0, 1, 2])),
        set_words={name: random.choice(words) for name, words in SET_WORDS.items()},
        evaluation_shape=random.choice(["line", "lines", "block", "silent", "dict"]),
        evaluation_rows=random.choice(["", "", "", "same words", "bar", "count"]),
        metrics=random.choice([("loss",), ("loss", "acc"), ("loss", "acc", "f1"), ("acc",)]),
        best_line=random.choice(BEST_LINES),
        save_line=random.choice(SAVE_LINES),
        epoch_time=random.choice(EPOCH_TIMES),
        end_line=random.choice(END_LINES),
        warns=random.random() < 0.25,
        noisy_bar=random.random() < 0.4,
    )
