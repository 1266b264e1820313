"""Hooks for a training loop that stays as it is: one call, `itermon.watch()`, finds its parts by itself.

    steps/          where an iteration ends: an optimizer's step, or that of several in turn; GradScaler's skipped
                    steps; the learning rate; what is the model
    backward.py     calls of `Tensor.backward`
    gpu_phases.py   with CUDA, the GPU's time by phase
    stamps.py       how many micro-steps an iteration has and, on the CPU, the wall time by phase
    other_ranks.py  waiting for other ranks: collectives, and the end of a backward
    device.py       on what it trains, in which precision, and with how many others
    dataloader.py   waiting for a batch of a `DataLoader`
    evaluation.py   from `model.eval()` to `model.train()`
    without_eval.py a loader's batches without gradients
    trainers.py     evaluations, waits and rehearsals of a framework's own trainer
    saving.py       `torch.save`, `torch.distributed.checkpoint`, safetensors, and the frameworks' own
    compilation.py  `torch.compile` at work, and why it compiled again
    timed_calls.py  logging, and copying a batch to its device
    gc_pauses.py    pauses of Python's garbage collection

Each takes hold when the trainer imports what it is about; none imports it. What runs in the trainer's calls never
raises: a fault of ours becomes a warning in the run, and the call goes on as if we were not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import one_run
from . import (
    backward,
    compilation,
    dataloader,
    device,
    evaluation,
    gc_pauses,
    other_ranks,
    saving,
    timed_calls,
    trainers,
)
from .steps import calls
from .watcher import Watcher

if TYPE_CHECKING:
    from collections.abc import Collection
    from types import ModuleType

    from ..hooks import Hooks

_LOOP = (calls, backward, other_ranks, evaluation, device)
_REST = (timed_calls, dataloader, trainers, saving, compilation, gc_pauses)  # no callback is told of these

_watcher: Watcher | None = None


def watch(name: str = "", *, ranks: Collection[int] = (0,), read_output: bool = True, **settings: Any) -> Hooks:
    """Watch this process's training by itself. Call it once, before the loop; again, it only reports its settings.

    The loss is read from what the script prints: the tensor that `backward` is called on lies on the GPU, for
    which nobody waits, and is divided and scaled by who knows what. The callbacks for Hugging Face and Lightning
    report it.

    Args:
        name: of the run; without one `$ITERMON_NAME`, or the script's name.
        ranks: the ranks that record and serve, as in `Hooks`.
        read_output: keep what the script prints in the run's recording, for its losses: see `Hooks.read_output`.
        settings: those of `Hooks`; `block_size` and `micro_batch_size` (in sequences) are what it cannot find out.

    Returns:
        The hooks, to report more: `with hooks.evaluation():`, `hooks.config(...)`. Where the script has `Hooks`
        already, these: they tell of the loop then.

    Raises:
        Nothing; in the trainer's calls that it watches, nothing either.
    """
    watcher = _the_watcher()
    is_first = not watcher.started  # `itermon run --hooks` may have come before, and knew less
    if is_first:
        watcher.make(name, ranks=ranks, **settings)
    elif settings:
        watcher.hooks.config(**settings)
        watcher.hooks.name_odd(settings)
    install(watcher)
    if is_first and read_output:  # after the streams' writing is timed: only the last that wraps it can unwrap it
        watcher.hooks.read_output()
    return watcher.hooks


def watch_when_it_trains() -> None:
    """`watch`, for a process of which nobody knows yet whether it trains (`itermon run --hooks`)."""
    install(_the_watcher())


def watch_for_callback(hooks: Hooks, iteration: int) -> None:
    """For a callback, whose `hooks` report the loop, `iteration` next: watch what no callback is told."""
    watcher = _the_watcher()
    watcher.take(hooks)
    watcher.number_from(iteration)
    install(watcher, _REST)


def install(watcher: Watcher, parts: Collection[ModuleType] = _LOOP + _REST) -> None:
    """Take hold of all there is to watch; again, of what is new among `parts`."""
    for part in parts:
        if part not in watcher.parts:
            watcher.parts.append(part)
            part.install(watcher)


def _the_watcher() -> Watcher:
    global _watcher  # noqa: PLW0603 - torch's hooks are per process, and so are we
    if _watcher is None:
        _watcher = Watcher()
        one_run.watch(_watcher.take)
    return _watcher
