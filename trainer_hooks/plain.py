"""Hooks for a training loop written by hand.

    import itermon

    hooks = itermon.Hooks("gpt2", micro_batch_size=16, block_size=1024, max_iterations=10_000)
    for i in range(10_000):
        for k in range(accumulation):
            with hooks.data():
                batch = next(batches)
            loss = step(batch)
            hooks.micro_step(k + 1, accumulation)
        if i % 250 == 0:
            with hooks.evaluation() as found:
                found["val_loss"] = evaluate()
        hooks.iteration(i, loss=loss.item())

Every call costs an append to a deque, none blocks, none raises, and none waits for the GPU: give a loss as a
number only where the loop has one already.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import msgspec

from .. import places
from ..events import CHECKPOINT, DATA, EVALUATION, SAMPLING, Config, Message
from .emitter import Emitter, run_info
from .timeline import BEGIN, END, LOOP, PROGRESS

if TYPE_CHECKING:
    from collections.abc import Collection
    from types import TracebackType

_RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
_NOTHING: dict[str, float] = {}
_SETTINGS = frozenset(Config.__struct_fields__) - {"origin", "extra"}


class Span:
    """A `with` block that is told when it begins and when it ends; what it is given to hold goes with its end."""

    __slots__ = ("_detail", "_emitter", "_kind")

    def __init__(self, emitter: Emitter, kind: str, detail: str = "") -> None:
        self._emitter = emitter
        self._kind = kind
        self._detail = detail

    def __enter__(self) -> dict[str, float]:
        self._emitter.mark(BEGIN, self._kind, self._detail)
        return {}

    def __exit__(self, *_: object) -> None:
        self._emitter.mark(END, self._kind, self._detail)


class _Wait(Span):
    """The same for data, told for every batch: as cheap as it can be."""

    __slots__ = ()

    def __enter__(self) -> dict[str, float]:
        self._emitter.mark(BEGIN, DATA)
        return _NOTHING

    def __exit__(self, *_: object) -> None:
        self._emitter.mark(END, DATA)


class _ValuesSpan(Span):
    __slots__ = ("_values",)

    def __enter__(self) -> dict[str, float]:
        self._values: dict[str, float] = super().__enter__()
        return self._values

    def __exit__(self, *_: object) -> None:
        self._emitter.mark(END, self._kind, self._detail, self._values)


class Hooks(Emitter):
    """What a loop written by hand tells. One object per run and process.

    `settings` are fields of `events.Config` (others are kept as text, for comparing runs). Only `ranks` serve and
    record; in the others every call does nothing. `$ITERMON_RANKS` ("0,8" or "all") overrides it.
    """

    def __init__(
        self,
        name: str = "",
        *,
        framework: str = "",
        ranks: Collection[int] = (0,),
        record: bool = True,
        serve: bool = True,
        **settings: Any,
    ) -> None:
        rank = own_rank()
        info = run_info(name, rank, framework)
        here = is_asked(rank, ranks)
        stem = places.stem(f"{info.name}-rank{rank}" if rank else info.name, os.getpid(), time.time())
        super().__init__(
            info,
            as_config(settings),
            record=places.runs_dir() / (stem + places.RECORDING) if record and here else None,
            serve=places.sockets_dir() / (stem + places.SOCKET) if serve and here else None,
        )
        self._data = _Wait(self, DATA)

    def begin(self) -> None:
        """The loop begins now: the first iteration's time counts from here."""
        self.mark(LOOP)

    def micro_step(self, done: int, of: int | None = None) -> None:
        """Micro-step `done` (from 1) of `of` in the running iteration has been submitted."""
        self.mark(PROGRESS, done, of)

    def data(self) -> Span:
        """A `with` block around waiting for a batch."""
        return self._data

    def evaluation(self, detail: str = "") -> Span:
        """A `with` block around an evaluation; put `val_loss` and `train_loss` into the dict it gives."""
        return _ValuesSpan(self, EVALUATION, detail)

    def checkpoint(self, detail: str = "") -> Span:
        """A `with` block around saving; put `bytes` into the dict it gives, where it is known."""
        return _ValuesSpan(self, CHECKPOINT, detail)

    def sampling(self, detail: str = "") -> Span:
        """A `with` block around generating samples."""
        return _ValuesSpan(self, SAMPLING, detail)

    def config(self, **settings: Any) -> None:
        """Tell settings that were not known at the start."""
        self.event(as_config(settings))

    def message(self, text: str, level: str = "info") -> None:
        """Tell something that a person should see beside the run."""
        self.event(Message(text=str(text)[:2000], level=level))

    def __enter__(self) -> Hooks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if isinstance(error, KeyboardInterrupt):
            self.close("interrupted")
        else:
            self.close("failed" if error is not None else "finished")


def as_config(settings: dict[str, Any], origin: str = "hook") -> Config:
    """Known settings as fields, the rest as text: a value of a wrong type too, rather than an error."""
    fields: dict[str, Any] = {"origin": origin}
    extra: dict[str, str] = {}
    for name, value in settings.items():
        if name in _SETTINGS and _fits(name, value):
            fields[name] = value
        elif value is not None:
            extra[name] = str(value)[:500]
    return Config(extra=extra, **fields)


def _fits(name: str, value: Any) -> bool:
    try:
        msgspec.convert({name: value}, Config)
    except msgspec.ValidationError:
        return False
    return True


def own_rank() -> int | None:
    """This process's rank, as its launcher has set it; `None` where there is no launcher."""
    for variable in _RANKS:
        text = os.environ.get(variable, "")
        if text.isdecimal():
            return int(text)
    return None


def is_asked(rank: int | None, ranks: Collection[int]) -> bool:
    """Is this rank one of those that record and serve?"""
    told = os.environ.get("ITERMON_RANKS", "")
    if told == "all":
        return True
    if told:
        ranks = [int(part) for part in told.split(",") if part.strip().isdecimal()]
    return (rank or 0) in ranks
