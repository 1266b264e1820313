"""Which column is what: a guess by names and values, which is shown, and which `--column` corrects."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ...patterns import lazy_pattern
from ..counting.falls import Falls, Waning, no_counters
from ..families.bare_names import (
    NAMED_PARTS,
    BareNames,
    ClosingLosses,
    IdleLosses,
    Wholes,
    beside_others,
    is_no_loss,
    is_whole,
    may_be_loss,
    names_training,
)
from ..other_languages import COUNTING, EVALUATED_LOSSES, TRAINING_LOSSES
from ..sets.of_a_test import rank_of
from . import phases
from .values import UNIT_FACTORS, as_number, is_clock, is_timed, scalars

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Names as trainers print them, the best first; compared in lower case, with `_` for blanks, slashes, dots and dashes.
_NAMES: dict[str, tuple[str, ...]] = {
    "iteration": ("global_step", "trainer_global_step", "current_steps", "num_updates", "step", "steps", "iteration",
                  "iterations", "iter", "iters", "it", "train_step", "training_step", "n_iter", "iter_num", "update",
                  "_step", "batch", "batch_id", "batch_idx", "i", "episode", "train_steps",
                  *(word for word, english in COUNTING.items() if english != "epoch")),
    "total": ("total_steps", "max_steps", "max_iters", "num_steps", "total_iters"),
    "epoch": ("epoch", "epch", "ep", "epochs", *(word for word, english in COUNTING.items() if english == "epoch")),
    "loss": ("loss_train", "loss", "train_loss", "training_loss", "total_loss", "train_total_loss", "loss_total", "tot_loss",
             "loss_tot", "overall_loss", "loss_overall", "all_loss", "loss_all", "loss_sum", "sum_loss", "lm_loss", "train_loss_step", "batch_loss",
             "epoch_loss", "mean_loss", "avg_loss",
             "average_loss", "step_loss", *sorted(NAMED_PARTS), *TRAINING_LOSSES),
    "duration_s": (),  # what a person says is the time of a step
    "step_s": ("step_time", "iter_time", "iteration_time", "time_per_step", "time_per_iter", "time_per_iteration",
               "time_per_batch", "batch_time", "step_duration", "train_step_time", "step_time_s", "sec_per_step",
               "seconds_per_step", "s_per_step", "sec_per_iter", "time_iter", "time_step", "time_batch", "dt",
               "timing_s_step", "avg_batch_cost", "batch_cost", "batch_time_cost", "elapsed_per_step", "delta_t",
               "sec_step", "s_step", "s_it", "step_s", "iter_s", "iter_dt", "step_dt", "btime", "train_time_per_step"),
    "time_s": ("time", "timer", "duration", "took", "time_taken", "time_cost", "cost_time", "running_time", "time_used", "used_time",
               "time_consumed", "time_consumption", "total_used_time", "cost_times", "spend_time", "time_spent",
               "training_time", "dur", "training_duration", "train_duration", "fit_time", "用时", "耗时", "total_step_time", "total_iter_time", "total_batch_time"),
    "epoch_s": ("epoch_time", "time_per_epoch", "time_epoch", "epoch_duration", "epoch_time_s", "sec_per_epoch",
                "seconds_per_epoch", "s_epoch", "sec_epoch", "epoch_took", "epoch_cost_time", "time_of_epoch"),
    "steps_per_s": ("steps_per_sec", "steps_per_second", "train_steps_per_second", "iter_per_sec", "it_per_sec",
                    "iterations_per_second", "iters_per_sec", "batches_per_sec", "batches_per_second", "batch_per_sec",
                    "step_per_sec", "its_per_sec", "iterations_per_sec"),
    "elapsed_s": ("elapsed_time", "elapsed", "wall", "wall_time", "walltime", "wall_clock", "total_time", "_runtime",
                  "runtime", "time_elapsed", "total_elapsed", "elapsed_time_total", "time_since_start", "train_time", "cumulative_time", "time_total", "time_total_s"),
    "stamp_s": ("timestamp", "_timestamp", "ts", "datetime", "created_at", "unix_time", "time_unix", "date"),
    "tokens_per_s": ("tokens_per_sec", "tokens_per_second", "tok_per_sec", "tok_sec", "tok_s", "tokens_s", "tps",
                     "tokens_sec", "throughput_tokens_per_sec", "token_per_sec", "toks_per_sec", "tokens_per_s"),
    "tokens": ("tokens_per_update", "tokens_per_step", "tokens_per_iteration", "tokens_per_iter"),
    "mfu": ("mfu", "train_mfu", "bf16_mfu", "mfu_percent"),
    "gradient_norm": ("grad_norm", "gradient_norm", "gnorm", "grad", "gn", "norm", "total_grad_norm",
                      "train_grad_norm", "global_grad_norm"),
    "learning_rate": ("lr", "learning_rate", "train_lr", "lr_0", "base_lr", "lr_pg0", "lr_adamw", "学习率"),
    "val_loss": ("val_loss", "vali_loss", "valid_loss", "validation_loss", "eval_loss", "test_loss", "loss_val", "val_loss_epoch",
                 "val_epoch_loss", *EVALUATED_LOSSES),
    "data_wait_s": ("data_time", "data_wait", "data_load_time", "dataloader_time", "avg_reader_cost", "data_loading_time", "reader_cost"),
}  # fmt: skip
_RANKS = {name: (field, rank) for field, names in _NAMES.items() for rank, name in enumerate(names)}
_GUESSED_TIMES = ("step_s", "time_s", "epoch_s")
FIELDS = tuple(field for field in _NAMES if field not in _GUESSED_TIMES)
"""What `--column FIELD=NAME` can name."""
_STEP = r"(?:it|iter|iters|its|iteration|iterations|step|steps|batch|batches|update|updates|b)"
_RATE_NAME = lazy_pattern(rf"(?:.*\W)?{_STEP} ?/ ?(?:s|secs?|seconds?)")
_PER_STEP_NAME = lazy_pattern(rf"(?:.*\W)?(ms|s|secs?|seconds?) ?/ ?{_STEP}")

_TIMES = ("duration_s", "elapsed_s", "data_wait_s", *_GUESSED_TIMES)
_SPOKEN_GUESSES = {"step_s": "duration", "time_s": "time", "epoch_s": "duration of an epoch"}
SPOKEN = {"duration": "duration_s", "elapsed": "elapsed_s", "stamp": "stamp_s", "data_wait": "data_wait_s"}
_UNIX_S = 1e9  # more seconds than any run: a time stamp
_NAMED_UNIT = lazy_pattern(r"(.*?)[ _]?[(\[](\w{1,12}|%)[)\]]")
_CAMEL = lazy_pattern(r"(?<=[a-z])(?=[A-Z][a-z])")


class Role(NamedTuple):
    """What a column is taken for: its field, how well its name fits (0 best), and the factor to SI."""

    field: str
    rank: int
    factor: float
    why: str = ""  # the unit, as far as it had to be assumed

    @property
    def shows_a_training(self) -> bool:
        """Would a name like it stand in no other table?"""
        return self.rank < _ERROR_RANK


_MAY_BE_TIMES = ("tokens_per_s", "iteration")


def _refined(role: Role, name: str, value: object, read: float) -> Role:
    """What a value shows of its column: its own unit, or that it is a time."""
    if role.field in _MAY_BE_TIMES and _is_time(role, name, value, read):
        return role._replace(field="step_s")
    own = isinstance(value, str) and (value[-1:].isalpha() or ":" in value)  # `18.9min`, `0:12:30`
    return role._replace(why="") if own else role


def _is_time(role: Role, name: str, value: object, read: float) -> bool:
    """`tps: 2.93s` is a time per step, and so is `batch: 0.4709`: no rate has a unit of time, no count a fraction."""
    if role.rank < 0 or role.field == "tokens_per_s":  # of what a person chose nothing is doubted
        return role.rank >= 0 and is_timed(value)
    return name == "batch" and 0 < read < 1 and "." in str(value)


class Columns:
    """The roles of columns by name, each decided once; `chosen` are those that the user decided."""

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        self._roles: dict[str, Role | None] = dict(chosen or {})
        self._taken = {role.field for role in (chosen or {}).values()}
        self.called: dict[str, str] = {}  # how the log calls a column that was given a name of ours
        self.game = ""  # of the losses of two that play against each other the one that a row has as its loss
        self.val_part = ""  # of the parts of an evaluation's loss the one that the newest row has in its place
        self.lesser = ""  # what the newest row has as its loss, where rows of another shape name the training's
        self._loss_rank = _ERROR_RANK  # of the best named loss so far
        self._mfu_factor: float | None = None
        self.bare_names, self._idle = BareNames(), IdleLosses()
        self._closing, self._left, self._wholes = ClosingLosses(), Waning(), Wholes()
        self.counters: dict[str, Falls] | None = None  # where it is watched whether a column counts
        self._epoch: float | None = None
        self._of_rows, self._sure = set[str](), set[str]()  # columns of rows, for settings have others; that count

    def watch(self) -> None:
        """From now on find out which columns that are named like a counter do not count."""
        self.counters = {}

    def leave_out(self, other: Columns) -> None:
        """What did not count for `other` is no place of an iteration: the steps that each episode took, say."""
        self.bare_names.learn(other.bare_names)
        self._loss_rank = min(self._loss_rank, other._loss_rank)
        self._roles |= dict.fromkeys((*other._idle.names(), *other._left.names()))
        self._roles |= dict.fromkeys(no_counters(other.counters or {}, self._sure))

    def _see(self, found: Mapping[str, tuple[int, float]], counters: list[tuple[str, float]]) -> None:
        epoch = found["epoch"][1] if "epoch" in found else None
        same, self._epoch, of = epoch == self._epoch, epoch, found.get("total", (0, None))[1]
        for name, value in counters:
            assert self.counters is not None  # noqa: S101 - for the type checker
            self.counters.setdefault(name, Falls()).see(value, same_epoch=same, of=of)

    def read(self, row: Iterable[tuple[str, object]]) -> dict[str, float]:
        """The fields of one row, in SI; of several columns for one field the best named one."""
        return self.read_all(row)[0]

    def read_all(
        self, row: Iterable[tuple[str, object]], *, trains: bool = True
    ) -> tuple[dict[str, float], dict[str, float]]:
        """The fields, and by their names the numbers that are none: other metrics, parts of a loss.

        What counts in a row that does not train, an evaluation's, is no counter of the training's.
        """
        found: dict[str, tuple[int, float]] = {}
        names: dict[str, str] = {}
        others, counters = list[tuple[str, object]](), list[tuple[str, float]]()
        for name, value in row:
            role = self.role(name)
            if role is None or (role.rank == _ERROR_RANK and isinstance(value, str) and value.endswith("%")):
                others.append((name, value))
                continue
            read = as_number(value)
            if read is None or (role.field not in _CLOCKED and is_clock(value)):
                continue
            if role.why or role.field in _MAY_BE_TIMES:
                role = self._roles[name] = _refined(role, name, value, read)
            field, rank = role.field, rank_of(role.field, name, role.rank)
            if self.counters is not None and field in ("iteration", "loss", *_GUESSED_TIMES):
                self._watch(name, role, read, counters)
            if field in _TIMES and read > _UNIX_S:
                field, read = "stamp_s", read / (1e3 if read > _UNIX_S * 1e2 else 1.0)
            elif field == "mfu":
                read *= self._mfu(value, read)
            else:
                read *= role.factor
            if field in _TIMES and read < 0:
                continue
            if field in _METRICS and field in found:
                others.append((names[field], found[field][1]) if rank < found[field][0] else (name, read))
            if field not in found or rank < found[field][0]:
                found[field], names[field] = (rank, read), name
        if counters and trains:
            self._see(found, counters)
        self._see_game(found, names, others)
        self._see_lesser(found["loss"][0] if trains and "loss" in found else None, names)
        self._of_rows.update(() if _ROW.isdisjoint(found) else names.values())
        fields = {field: value for field, (_, value) in found.items()}
        return fields, self._without_losses(fields, others, trains=trains)

    def _watch(self, name: str, role: Role, read: float, counters: list[tuple[str, float]]) -> None:
        if role.field == "iteration":
            counters.append((name, read))
        elif role.rank >= (0 if role.field in _TIMES else _LEAST_RANK):  # nothing that a person chose
            (self._left if role.field in _TIMES else self._idle).see(name, read)

    def _without_losses(
        self, fields: dict[str, float], others: Sequence[tuple[str, object]], *, trains: bool
    ) -> dict[str, float]:
        """Other numbers by their names, but those that are losses though no word says it: they are added to `fields`."""
        metrics = scalars(others) if others else {}
        if "loss" in fields or "val_loss" in fields:
            self.bare_names.loss_is_named()
        elif trains and metrics and (pair := self.bare_names.of(metrics, others)) is not None:
            fields["loss"] = metrics.pop(pair.train)
            fields |= {"val_loss": metrics.pop(pair.evaluated)} if pair.evaluated else {}
        return metrics

    def _see_lesser(self, rank: int | None, names: Mapping[str, str]) -> None:
        """Did rows of another shape name a loss as the training's? Then one that is merely some loss is none."""
        if rank is not None:
            closes = self._closing.see(names["loss"], evaluated="val_loss" in names)
            self.lesser = names["loss"] if closes or (rank >= _LEAST_RANK and rank > self._loss_rank) else ""
            self._loss_rank = min(rank, self._loss_rank)

    def _see_game(
        self, found: dict[str, tuple[int, float]], names: Mapping[str, str], others: list[tuple[str, object]]
    ) -> None:
        beside = [name for name, _ in others if not (self.role(name) is None and guess(name))]  # no idle one
        if loss := names.get("loss"):
            self.game = loss if self._wholes.is_apart(loss, _are_apart((loss, *beside))) else ""
        validation, self.val_part = names.get("val_loss", ""), ""
        if validation and _are_apart((validation, *filter(phases.validates, beside))):
            if loss:
                others.append((validation, found.pop("val_loss")[1]))
            self.val_part = validation

    def _is_part(self, name: str, role: Role) -> bool:
        part = {"loss": self.game, "val_loss": self.val_part}.get(role.field)
        return bool(part) and (role.rank == _LEAST_RANK or name == part)

    def describe(self) -> str:
        """The decision in words: "step is the iteration, dt_ms the time (ms)"."""
        best: dict[str, tuple[int, str]] = {}
        for name, role in self._roles.items():
            if role is None or role.field == "total" or self._is_part(name, role):
                continue
            rank = role.rank + (0 if name in self._of_rows else _MOST_COLUMNS)
            if role.field not in best or rank < best[role.field][0]:
                called = self.called.get(name, name[:60])
                best[role.field] = rank, f"{spoken(role.field)} = {called}{role.why}"
        if (pair := self.bare_names.are) is not None:
            best |= {"loss": (0, f"loss = {pair.train}"), "val_loss": (0, f"val_loss = {pair.evaluated}")}
        return ", ".join(best[field][1] for field in _NAMES if field in best)

    def keep_apart(self, names: Iterable[str]) -> None:
        """They are metrics, whatever their names say, unless the user says otherwise."""
        self._roles = dict.fromkeys(names) | self._roles

    def is_loss(self, name: str) -> bool:
        """Is it a loss, of the training's or of an evaluation's?"""
        return (role := self.role(name)) is not None and role.field in ("loss", "val_loss")

    def role(self, name: str) -> Role | None:
        """What the column `name` is taken for; `None`: for nothing that is known."""
        if name not in self._roles:
            role = guess(name) if len(self._roles) < _MOST_COLUMNS else None
            self._roles[name] = None if role is not None and role.field in self._taken else role
        return self._roles[name]

    def _mfu(self, value: object, read: float) -> float:
        """A share of 1 or percent? The first value decides, few are under 1.5 %; or one that no share can be: 400 %."""
        if isinstance(value, str) and "%" in value:
            return 1.0  # the sign is read with the value
        if read > 4.0 or (self._mfu_factor is None and read > 0):
            self._mfu_factor = 0.01 if read > 1.5 else 1.0
        return self._mfu_factor or 1.0


_MOST_COLUMNS = 2_000
_ROW = frozenset(("iteration", "epoch", "loss", "val_loss"))
_METRICS = frozenset(("loss", "val_loss", "gradient_norm", "learning_rate"))
"""Of these a row may have several: each of the others is a metric of its own."""
_CLOCKED = (*_TIMES, "stamp_s")
_LEAST_RANK = 99
_ERROR_RANK = _LEAST_RANK + 1
_ERRORS = frozenset(("error", "train_error", "training_error"))
"""`Error: 0.25` is the loss where nothing else is; alone it tells of no training."""


@lru_cache(maxsize=64)
def _are_apart(names: tuple[str, ...]) -> str:
    """Is the first of these losses one of two players', or a part? It does not say how well the training goes."""
    plains, role = [_plain(name)[0] for name in names], guess(names[0])
    if role is None or "loss" not in plains[0] or (role.rank != _LEAST_RANK and plains[0] not in NAMED_PARTS):
        return ""
    own = [plain for plain in plains if (other := guess(plain)) is not None and other.field == role.field]
    return beside_others([plain for plain in plains if "loss" in plain], own)


def guess(name: str) -> Role | None:
    """What a column of this name is, and in which unit."""
    plain, factor, why = _plain(name)
    lower = name.strip().lower()[:80]
    if _RATE_NAME.fullmatch(lower):
        return Role("steps_per_s", 0, 1.0)
    if found := _PER_STEP_NAME.fullmatch(lower):
        return Role("step_s", 0, UNIT_FACTORS[found[1]], f" ({found[1]})")
    for candidate in (plain, plain.removeprefix("train_"), plain.removeprefix("perf_"), plain.removesuffix("_is")):
        if candidate in _RANKS:
            field, rank = _RANKS[candidate]
            return Role(field, rank, factor, (why or " (taken as seconds)") if field in _TIMES else "")
    whole = 2 * (plain.endswith(("overall_loss", "total_loss")) or is_whole(plain))  # beside its parts
    if "loss" in plain and ((no_loss := is_no_loss(plain)) or phases.validates(name)):
        return None if no_loss else Role("val_loss", _LEAST_RANK - whole, 1.0)
    if may_be_loss(plain):
        return Role("loss", _LEAST_RANK - names_training(plain) - whole, 1.0)  # of several, the row's first
    return Role("loss", _ERROR_RANK, 1.0) if plain in _ERRORS else None


def whole_loss(row: Mapping[str, object]) -> float | None:
    """Of the losses of a row the whole one, by its name; of parts alone the first."""
    best: tuple[int, float] | None = None
    for name, value in row.items():
        role = guess(name)
        if role is not None and role.field in ("loss", "val_loss") and (read := as_number(value)) is not None:
            rank = role.rank if role.field == "loss" else rank_of("val_loss", name, role.rank) - 10 * _MOST_COLUMNS
            best = (rank, read) if best is None or rank < best[0] else best
    return None if best is None else best[1]


def spoken(field: str) -> str:
    """How a person says it."""
    return _SPOKEN_GUESSES.get(field, field.removesuffix("_s") if field in SPOKEN.values() else field)


def _plain(name: str) -> tuple[str, float, str]:
    """The name without its unit, the unit's factor, and the unit in words."""
    text, factor, why = _CAMEL.sub("_", name.strip()[:80]).lower(), 1.0, ""
    if (found := _NAMED_UNIT.fullmatch(text)) and found[2] in UNIT_FACTORS:
        text, factor, why = found[1], UNIT_FACTORS[found[2]], f" ({found[2]})"
    plain = phases.apart(re.sub(r"[\s/.\-:]+", "_", text).strip("_") or text)
    if not text.startswith("_") or plain in _RANKS:
        body, _, unit = plain.rpartition("_")
        if plain not in _RANKS and body and unit in UNIT_FACTORS and not body.endswith("loss"):
            return body, UNIT_FACTORS[unit], f" ({unit})"
        if plain.startswith("ms_per_"):
            return "time_per_step", 1e-3, " (ms)"
    return (f"_{plain}" if text.startswith("_") else plain), factor, why
