"""Hooks for a training loop that stays as it is: one call, `itermon.watch()`, finds its parts by itself.

    optimizer.py    where an iteration ends: an optimizer's step, or that of several in turn; GradScaler's skipped
                    steps; the learning rate; what is the model
    backward.py     micro-steps: calls of `Tensor.backward`
    gpu_phases.py   with CUDA, the GPU's time by phase
    dataloader.py   waiting for a batch of a `DataLoader`
    evaluation.py   from `model.eval()` to `model.train()`
    saving.py       `torch.save`, `torch.distributed.checkpoint`, safetensors
    compilation.py  `torch.compile` at work, and why it compiled again
    gc_pauses.py    pauses of Python's garbage collection

Each takes hold when the trainer imports what it is about; none imports it. What runs in the trainer's calls never
raises: a fault of ours becomes a warning in the run, and the call goes on as if we were not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..hooks import Hooks
from . import backward, compilation, dataloader, evaluation, gc_pauses, optimizer, saving
from .watcher import Watcher

if TYPE_CHECKING:
    from collections.abc import Collection

_PARTS = (optimizer, backward, dataloader, evaluation, saving, compilation, gc_pauses)

_watcher: Watcher | None = None


def watch(name: str = "", *, ranks: Collection[int] = (0,), **settings: Any) -> Hooks:
    """Watch this process's training by itself. Call it once, before the loop; again, it only reports its settings.

    The loss is not among what it finds: the tensor that `backward` is called on lies on the GPU, for which nobody
    waits, and is divided and scaled by who knows what. The callbacks for Hugging Face and Lightning report it.

    Args:
        name: of the run; without one `$ITERMON_NAME`, or the script's name.
        ranks: the ranks that record and serve, as in `Hooks`.
        settings: those of `Hooks`; `block_size` and `micro_batch_size` (in sequences) are what it cannot find out.

    Returns:
        The hooks, to report more: `with hooks.evaluation():`, `hooks.config(...)`.

    Raises:
        Nothing; in the trainer's calls that it watches, nothing either.
    """
    global _watcher  # noqa: PLW0603 - torch's hooks are per process, and so are we
    if _watcher is None:
        _watcher = Watcher(Hooks(name, framework="torch", ranks=ranks, **settings))
        install(_watcher)
    elif not _watcher.started:  # `itermon run --hooks` came first, and knew less
        _watcher.begin(Hooks(name, framework="torch", ranks=ranks, **settings))
    elif settings:
        _watcher.hooks.config(**settings)
    return _watcher.hooks


def watch_when_it_trains() -> None:
    """`watch`, for a process of which nobody knows yet whether it trains (`itermon run --hooks`)."""
    global _watcher  # noqa: PLW0603
    if _watcher is None:
        _watcher = Watcher()
        install(_watcher)


def install(watcher: Watcher) -> None:
    """Take hold of all there is to watch."""
    for part in _PARTS:
        part.install(watcher)
