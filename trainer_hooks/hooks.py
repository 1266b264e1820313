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

Every call costs an append to a deque at most, none blocks, none raises, and none waits for the GPU: give a loss
as a number only where the loop has one already.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

import msgspec

from .. import run_files
from ..events import (
    CHECKPOINT,
    EVALUATION,
    SAMPLING,
    Config,
    Message,
)
from .emitter import Emitter, run_info
from .spans import Span, Wait
from .timeline import as_text

if TYPE_CHECKING:
    from collections.abc import Collection
    from types import TracebackType

_RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
_SETTINGS = frozenset(Config.__struct_fields__) - {"origin", "extra"}


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
        run_id = _unused_run_id(f"{info.name}-rank{rank}" if rank else info.name)
        super().__init__(
            info,
            as_config(settings),
            record=run_files.runs_dir() / (run_id + run_files.RECORDING) if record and here else None,
            serve=run_files.sockets_dir() / (run_id + run_files.SOCKET) if serve and here else None,
        )

    def data(self) -> Wait:
        """A `with` block around waiting for a batch."""
        return self.wait

    def evaluation(self, detail: str = "") -> Span:
        """A `with` block around an evaluation; put `val_loss` and `train_loss` into the dict it gives."""
        return Span(self, EVALUATION, detail)

    def checkpoint(self, detail: str = "") -> Span:
        """A `with` block around saving; put `bytes` into the dict it gives, where it is known."""
        return Span(self, CHECKPOINT, detail)

    def sampling(self, detail: str = "") -> Span:
        """A `with` block around generating samples."""
        return Span(self, SAMPLING, detail)

    def config(self, **settings: Any) -> None:
        """Tell settings that were not known at the start."""
        self.event(as_config(settings))

    def message(self, text: str, level: str = "info") -> None:
        """Tell something that a person should see beside the run."""
        self.event(Message(text=as_text(text, 2000), level=as_text(level)))

    def __enter__(self) -> Hooks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if isinstance(error, KeyboardInterrupt):
            self.close("interrupted")
        elif error is None or (isinstance(error, SystemExit) and not error.code):
            self.close("finished")
        else:
            self.close("failed")


def as_config(settings: dict[str, Any], origin: str = "hook") -> Config:
    """Known settings as fields, the rest as text: a value of a wrong type too, rather than an error."""
    fields: dict[str, Any] = {"origin": origin}
    extra: dict[str, str] = {}
    for name, value in settings.items():
        if name in _SETTINGS and _fits(name, value):
            fields[name] = as_text(value) if isinstance(value, str) else value
        elif value is not None:
            extra[as_text(name)] = as_text(value)
    return Config(extra=extra, **fields)


def _unused_run_id(name: str) -> str:
    """For a second run of one name in one process within a second: that of the next second."""
    started_at_s = time.time()
    while True:
        run_id = run_files.run_id(name, os.getpid(), started_at_s)
        files = (
            run_files.runs_dir() / (run_id + run_files.RECORDING),
            run_files.sockets_dir() / (run_id + run_files.SOCKET),
        )
        if not any(map(os.path.lexists, files)):
            return run_id
        started_at_s += 1.0


def _fits(name: str, value: Any) -> bool:
    try:
        msgspec.convert({name: value}, Config)
    except msgspec.ValidationError:
        return False
    return True


def own_rank() -> int | None:
    """This process's rank, as its launcher or torch has set it; `None` where there is no other."""
    for variable in _RANKS:
        text = os.environ.get(variable, "")
        if text.isdecimal():
            return int(text)
    torch: Any = sys.modules.get("torch.distributed")  # of processes that the script itself has spawned
    if torch is not None and torch.is_available() and torch.is_initialized():
        return int(torch.get_rank())
    return None


def is_asked(rank: int | None, ranks: Collection[int]) -> bool:
    """Is this rank one of those that record and serve?"""
    told = os.environ.get("ITERMON_RANKS", "")
    if told == "all":
        return True
    if told:
        ranks = [int(part) for part in told.split(",") if part.strip().isdecimal()]
    return (rank or 0) in ranks
