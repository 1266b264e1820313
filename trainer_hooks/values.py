"""Values that a user's loop gave, as numbers and texts that JSON can hold. Nothing raises or waits for a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

TOO_MANY = 1 << 53
"""No reader takes an index or a count as large as this (`events.Index`)."""

MOST = 3.4e38
"""Nor a loss or a gradient norm as large as this (`events.Number`): float32 holds no more."""

MOST_SHARE = 1e4
"""Nor a share (`events.Share`)."""


_ALSO_CALLED = {
    "micro_batch_size": ("batch_size", "per_device_train_batch_size", "device_batch_size"),
    "block_size": ("seq_len", "seq_length", "sequence_length", "context_length", "max_seq_len", "max_seq_length"),
    "gradient_accumulation": ("gradient_accumulation_steps", "grad_accum", "accumulate_grad_batches"),
    "max_iterations": ("max_iters", "max_steps", "total_steps", "num_steps", "num_iterations", "train_steps"),
    "world_size": ("num_gpus", "n_gpus", "gpus"),
    "tokens_per_iteration": ("tokens_per_step", "tokens_per_batch", "total_batch_size"),
    "evaluation_interval": ("eval_interval", "eval_every", "eval_steps", "val_interval"),
    "checkpoint_interval": ("save_interval", "save_every", "save_steps", "checkpoint_every"),
    "layers": ("n_layer", "n_layers", "num_layers", "num_hidden_layers"),
    "heads": ("n_head", "n_heads", "num_heads", "num_attention_heads"),
    "embedding": ("n_embd", "d_model", "hidden_size"),
    "vocabulary": ("vocab_size",),
    "parameters": ("num_params", "n_params", "num_parameters"),
    "precision": ("dtype",),
    "gpu_name": ("gpu",),
}
_MEANT = {other: name for name, others in _ALSO_CALLED.items() for other in others}
"""What other trainers call a setting. It is not taken for ours: their batch may be that of all GPUs."""

_ALIKE = 0.85  # of `difflib`: one letter more, less or another of a long name


def meant(name: str, known: Collection[str]) -> str:
    """Which of the `known` settings `name` may be meant to be; "" where it is none of them."""
    if name in known:
        return ""
    import difflib  # noqa: PLC0415 - 4 ms, of those alone who give another setting

    near = difflib.get_close_matches(name, known, n=1, cutoff=_ALIKE)
    return _MEANT.get(name.casefold()) or next(iter(near), "")


def as_text(value: Any, most: int = 500) -> str:
    """`value` as text of at most `most` characters that JSON can hold: a path may have bytes that are no UTF-8."""
    try:
        text = str(value)
    except Exception as error:  # noqa: BLE001 - the user's own class, or an integer of 5,000 digits
        text = f"no text of {type(value).__name__}: {type(error).__name__}"
    return text[:most].encode(errors="replace").decode()


def as_number(value: Any) -> float | None:
    """A float of whatever number the user gave; `None` for what would make us wait for a GPU, or is no number."""
    if value is None or value.__class__ is float:
        return value
    if not getattr(value, "is_cpu", True):  # a tensor on any device, not CUDA's alone
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None


def bounded(number: float | None, least: float = -MOST, most: float = MOST) -> float | None:
    """The number; `None` for nan, and for one that readers refuse, together with all else that the event says."""
    return number if number is not None and least <= number <= most else None


def as_count(value: Any) -> int | None:
    """How many, of whatever number the user gave; `None` for what is none."""
    if value is None or value.__class__ is int:  # nearly always: no float is made of it
        return value if value is None or 0 <= value < TOO_MANY else None
    number = as_number(value)
    return int(number) if number is not None and 0 <= number < TOO_MANY else None


def held(value: Any) -> Any:
    """`value` as it is now: a tensor may be added to in place before the daemon thread reads it."""
    try:
        return value.item() if value.is_cpu else None
    except Exception:  # noqa: BLE001 - not a tensor: the daemon thread reads it as it is
        return value
