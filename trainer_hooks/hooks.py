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

Every call runs on the training thread and costs an append to a deque at most; none blocks, raises, or waits for
the GPU: give a loss as a number only where the loop has one already.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

from .. import run_files
from ..events import (
    CHECKPOINT,
    EVALUATION,
    PHASES,
    SAMPLING,
    Config,
    EndReason,
    Message,
    Severity,
    holds,
)
from . import one_run
from .emitter import Emitter
from .identity import is_asked, own_rank, run_info, unused_run_id, world_size
from .mark_queue import MarkQueue
from .output.lines import Lines
from .output.notice import Notice
from .output.taps import Taps
from .spans import Phase, Span, Wait
from .values import as_text, meant

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path
    from types import TracebackType

_SETTINGS = frozenset(Config.__struct_fields__) - {"origin", "extra"}


class Hooks(MarkQueue):
    """What a training loop reports of itself: one object for each run and process.

    Usable as a `with` block, which closes it with the reason why the block ended.

    Args:
        name: of the run; without one `$ITERMON_NAME`, or the script's name.
        framework: what trains, in words: "PyTorch".
        ranks: the ranks that record and serve; in the others every call does nothing. `$ITERMON_RANKS` ("0,8" or
            "all") overrides it.
        record: write the run to a file in `run_files.runs_dir()`.
        serve: let viewers attach through a socket in `run_files.sockets_dir()`.
        settings: fields of `events.Config`, in its units; others are kept as text, for comparing runs.

    Raises:
        Nothing, nor does any method: what goes wrong with disk, socket or values becomes a warning in the run.
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
        super().__init__()
        rank = own_rank()
        self._info = info = run_info(name, rank, framework)
        here = is_asked(rank, ranks)
        run_id = unused_run_id(f"{info.name}-rank{rank}" if rank else info.name)
        self.wait = Wait(self)
        self.given = set(settings)  # what the script says itself
        self._config = as_config({"world_size": world_size(), **settings})
        head = [info, self._config]
        begun = one_run.begins(self) if record or serve else None
        if begun is not None:
            begun.follow(self, head)
        self._emitter = begun or Emitter(
            self,
            head,
            record=run_files.runs_dir() / (run_id + run_files.RECORDING) if record and here else None,
            serve=run_files.sockets_dir() / (run_id + run_files.SOCKET) if serve and here else None,
        )

        if here:
            self.name_odd(settings)

    def name_odd(self, settings: dict[str, Any]) -> None:
        """Say which settings have no effect, though they look as if they should: in the run, and on stderr."""
        for text in odd_settings(settings):
            self.message(text, Severity.WARNING)
            if self.alive and not is_quiet() and sys.stderr is not None:
                with contextlib.suppress(OSError, ValueError):  # a stream that is closed, or full
                    print(f"itermon: {text}", file=sys.stderr)  # noqa: T201 - where the script's author looks

    def data(self) -> Wait:
        """A wait for a batch begins.

        Returns:
            A `with` block around it; the same object for every wait.
        """
        return self.wait

    def evaluation(self, detail: str = "") -> Span:
        """An evaluation begins.

        Args:
            detail: shown next to it.

        Returns:
            A `with` block around it, which gives a dict for what came out: numbers, `val_loss` and `train_loss`.
        """
        return Span(self, EVALUATION, detail)

    def checkpoint(self, detail: str = "") -> Span:
        """A checkpoint is to be written.

        Args:
            detail: the file's name, which is shown.

        Returns:
            A `with` block around it, which gives a dict for what came out: `bytes`, the size that was written.
        """
        return Span(self, CHECKPOINT, detail)

    def sampling(self, detail: str = "") -> Span:
        """Samples are to be generated.

        Args:
            detail: shown next to it.

        Returns:
            A `with` block around it.
        """
        return Span(self, SAMPLING, detail)

    def phase(self, name: str) -> Phase:
        """A phase of the iteration begins, which is timed apart: what no hook finds, "logging" as a rule.

        Args:
            name: of `events.PHASES`: "host to device", "logging", "forward" and so on; another is told, once,
                and shown nowhere.

        Returns:
            A `with` block around it. On a GPU it is the host's time, which does not wait for it.
        """
        if name not in PHASES:
            self.message(f"phase {as_text(name, 40)!r} is none of {', '.join(PHASES)}", Severity.WARNING)
        return Phase(self, name)

    def config(self, **settings: Any) -> None:
        """Report settings that were not known at the start.

        Args:
            settings: fields of `events.Config`, in its units; others are kept as text.
        """
        self.given |= settings.keys()
        self.emit(as_config(settings))

    def message(self, text: str, level: Severity | str = Severity.INFO) -> None:
        """Report something that a person should see. The same text is shown once, errors apart.

        Args:
            text: in one line, of which 2,000 characters are kept.
            level: "info", "warning" or "error".
        """
        self.emit(Message(text=as_text(text, 2000), level=Severity(as_text(level))))

    def read_output(self) -> None:
        """Read what this process prints from now on: losses and settings are found in it, as in a log.

        What is printed stays as it is. Nothing is read where `itermon run` keeps it already. One line on stderr
        says, once, what was found of the training and what was not; with `$ITERMON_QUIET` none does.
        """
        if self.alive and not self._info.output and not self._emitter.reads_output:
            lines = Lines(Taps())
            notice = Notice(self._info.name, self._config, _nobody if is_quiet() else lines.say)
            self._emitter.read_output(lines, notice)

    @property
    def recording(self) -> Path | None:
        """The file that this run is recorded in; `None` where it is not."""
        return self._emitter.delivery.recording.path

    @property
    def address(self) -> Path | None:
        """The socket that viewers attach to; `None` where there is none."""
        return self._emitter.delivery.server.path

    @property
    def emitter(self) -> Emitter:
        """Who takes the marks."""
        return self._emitter

    def close(self, reason: EndReason | str = EndReason.FINISHED) -> None:
        """End the run; a second call does nothing. Waits a second or so for what is still to be written and sent.

        Args:
            reason: "finished", "failed" or "interrupted".
        """
        self._emitter.close(reason)

    def __enter__(self) -> Hooks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if isinstance(error, KeyboardInterrupt):
            self.close(EndReason.INTERRUPTED)
        elif error is None or (isinstance(error, SystemExit) and not error.code):
            self.close(EndReason.FINISHED)
        else:
            self.close(EndReason.FAILED)


def as_config(settings: dict[str, Any], origin: str = "hook") -> Config:
    """Known settings as fields, the rest as text: a value of a wrong type too, rather than an error."""
    fields: dict[str, Any] = {"origin": origin}
    extra: dict[str, str] = {}
    for name, value in settings.items():
        if name in _SETTINGS and holds(name, value):
            fields[name] = as_text(value) if isinstance(value, str) else value
        elif value is not None:
            extra[as_text(name)] = as_text(value)
    return Config(extra=extra, **fields)


def odd_settings(settings: dict[str, Any]) -> list[str]:
    """A sentence for each of the settings that is kept as text only, and was probably to be more."""
    said = []
    for name, value in settings.items():
        if name in _SETTINGS:
            if value is not None and not holds(name, value):
                said.append(f"{name}={as_text(value, 40)!r} has no effect: it is of another type, or out of range")
        elif other := meant(as_text(name, 80), _SETTINGS):
            said.append(f"{as_text(name, 80)} is kept as text only: did you mean {other}?")
    return said


def is_quiet() -> bool:
    """Is nothing to be said on stderr?"""
    return os.environ.get("ITERMON_QUIET", "") not in ("", "0")


def _nobody(_line: str) -> None:
    """Who hears what is said to a quiet terminal."""
