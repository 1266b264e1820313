"""The names that a group of a pattern may have: one table for built-in formats and for those that users describe.

`(?P<duration_ms>N)` is a duration printed in milliseconds. A name stands alone where the log prints it in the unit of
the table, and with a unit behind it (`_ms`, `_percent`, `_k`) where the log prints another one. In a line of a kind,
only that kind's names mean something; a metric of an evaluation or an iteration that the table lacks is called
`metric_NAME`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ....words import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TIME, SHARE, COUNT, NUMBER, TEXT = "s", "share of 1", "count", "number", "text"
"""Quantities, by the unit in which a value without a unit is taken."""

UNITS: dict[str, dict[str, float]] = {
    TIME: {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0},
    SHARE: {"percent": 0.01, "%": 0.01},
    COUNT: {"k": 1e3, "m": 1e6, "M": 1e6, "G": 1e9, "T": 1e12},
    NUMBER: {},
    TEXT: {},
}
"""The units that a log may print a quantity in instead, each with its factor."""

METRIC = "metric_"
_EVERY_KIND = ("iteration", "evaluation", "checkpoint", "checkpoint_written")


class Word(NamedTuple):
    """One legal name: what it means, in which quantity, and in lines of which kinds."""

    name: str
    quantity: str
    meaning: str
    kinds: tuple[str, ...] = ("config",)

    @property
    def field(self) -> str:
        """What a value is called once it is read: with its unit, as in `events.py`."""
        return f"{self.name}_s" if self.quantity == TIME else self.name


class Group(NamedTuple):
    """What a group of a pattern is read as: the field, and the factor to its unit; `None`: text."""

    field: str
    factor: float | None


class GrammarError(ValueError):
    """A format that cannot mean what it says. The message names the line, and what would be right."""


WORDS = (
    Word("iteration", NUMBER, "number of the iteration (or step)", _EVERY_KIND),
    Word("total", NUMBER, "number of iterations of the whole run", ("iteration", "evaluation")),
    Word("epoch", NUMBER, "number of the epoch", ("iteration",)),
    Word("epochs", NUMBER, "number of epochs of the whole run", ("iteration",)),
    Word("batch", NUMBER, "number of the iteration within its epoch", ("iteration",)),
    Word("batches", NUMBER, "iterations in an epoch", ("iteration",)),
    Word("loss", NUMBER, "training loss", ("iteration",)),
    Word("duration", TIME, "time of an iteration, an evaluation, the writing of a checkpoint or the whole training",
         ("iteration", "evaluation", "checkpoint_written", "took")),
    Word("data_wait", TIME, "part of the time in which the iteration waited for data", ("iteration",)),
    Word("mfu", SHARE, "model FLOPs utilization", ("iteration",)),
    Word("tokens", COUNT, "tokens of this iteration, of all ranks", ("iteration",)),
    Word("tokens_per_s", COUNT, "tokens per second, of all ranks", ("iteration",)),
    Word("gradient_norm", NUMBER, "norm of the gradient", ("iteration",)),
    Word("learning_rate", NUMBER, "learning rate", ("iteration",)),
    Word("rank", NUMBER, "rank that printed the line; only the first one seen is read", ("iteration",)),
    Word("val_loss", NUMBER, "validation loss", ("evaluation",)),
    Word("train_loss", NUMBER, "training loss, as the evaluation measured it", ("evaluation",)),
    Word("val_bpb", NUMBER, "validation loss in bits per byte", ("evaluation",)),
    Word("perplexity", NUMBER, "validation perplexity", ("evaluation",)),
    Word("accuracy", SHARE, "validation accuracy", ("evaluation",)),
    Word("detail", TEXT, "path of the checkpoint", ("checkpoint", "checkpoint_written")),
    Word("micro_batch_size", COUNT, "sequences (or samples) in a micro-batch"),
    Word("block_size", COUNT, "tokens of a sequence"),
    Word("gradient_accumulation", COUNT, "micro-steps of an iteration on one rank"),
    Word("world_size", COUNT, "number of ranks"),
    Word("tokens_per_iteration", COUNT, "tokens of an iteration, of all ranks"),
    Word("layers", COUNT, "layers of the model"),
    Word("heads", COUNT, "attention heads of a layer"),
    Word("embedding", COUNT, "width of the model"),
    Word("vocabulary", COUNT, "tokens in the vocabulary"),
    Word("parameters", COUNT, "parameters of the model"),
    Word("active_parameters", COUNT, "parameters that one token passes through (mixture of experts)"),
    Word("trained_parameters", COUNT, "parameters that are trained (fewer with LoRA)"),
    Word("flops_per_token", COUNT, "FLOPs of forward and backward pass for one token"),
    Word("max_iterations", COUNT, "iterations of the whole run"),
    Word("iterations_per_epoch", COUNT, "iterations of an epoch"),
    Word("warmup_iterations", COUNT, "iterations in which the learning rate rises"),
    Word("evaluation_interval", COUNT, "iterations from one evaluation to the next"),
    Word("evaluation_iterations", COUNT, "batches of an evaluation"),
    Word("checkpoint_interval", COUNT, "iterations from one checkpoint to the next"),
    Word("log_interval", COUNT, "iterations from one printed line to the next"),
    Word("peak_flops", COUNT, "peak FLOP/s of one GPU"),
    Word("logged_mfu_peak_flops", COUNT, "peak FLOP/s behind the MFU that the log prints"),
    Word("cost_per_hour", NUMBER, "cost of the run per hour"),
    Word("gpu_name", TEXT, "name of the GPU"),
    Word("precision", TEXT, "number format: bf16, fp16, ..."),
    Word("dataset", TEXT, "name of the data set"),
)  # fmt: skip

KINDS = {
    "iteration": "an iteration (a training step)",
    "evaluation": "the end of an evaluation, with its results",
    "checkpoint": "a checkpoint begins to be written",
    "checkpoint_written": "a checkpoint has been written",
    "took": "how long the whole training took",
    "done": "the trainer says that it is done",
    "config": "a part of the run's configuration",
    "known": "belongs to the format, and says nothing that is read",
}
"""The kinds of lines that every format may have. Formats in Python may have others, with a handler each."""


@cache
def words_of(kind: str) -> dict[str, Word]:
    """The legal names in lines of this kind, by name; in lines of a Python format's own kind all of them."""
    return {word.name: word for word in WORDS if kind not in KINDS or kind in word.kinds}


def resolve(name: str, unit: str | None, legal: Mapping[str, Word], *, iterations: bool = False) -> Group:
    """What a group called `name` is read as.

    Args:
        name: the name in the pattern, with or without a unit behind it: `duration_ms`.
        unit: the unit said apart from the name, `%`; `None` if none was.
        legal: the names that mean something in this line.
        iterations: whether it carries an iteration: its metrics keep their prefix, which tells them from its fields.

    Raises:
        GrammarError: the name or the unit means nothing here; the message lists what does.
    """
    word = legal.get(name)
    if word is None and unit is None and "_" in name:
        bare, _, behind = name.rpartition("_")
        if (known := legal.get(bare)) is not None and behind in UNITS[known.quantity]:
            word, unit = known, behind
    if word is None and name.startswith(METRIC) and {"val_loss", "loss"} & {*legal}:
        word = Word(name if iterations else name.removeprefix(METRIC), NUMBER, "")
    if word is None:
        near = did_you_mean(name, legal)
        raise GrammarError(f"a group {name!r} means nothing here{near}: legal are {_listed(legal)}")
    if unit is None:
        return Group(word.field, None if word.quantity == TEXT else 1.0)
    units = UNITS[word.quantity]
    if unit not in units:
        raise GrammarError(
            f"units: {unit!r} is none of {', '.join(units)}" if units else f"units: {word.name} has no unit"
        )
    return Group(word.field, units[unit])


def _listed(legal: Iterable[str]) -> str:
    names = [*legal, *([f"{METRIC}NAME"] if {"val_loss", "loss"} & {*legal} else [])]
    return ", ".join(names) or "none: a line of this kind reads nothing"
