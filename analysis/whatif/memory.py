"""Does a micro-batch fit into a GPU's memory? A sample of the run tells it, else formulas, with their range."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...words import si

if TYPE_CHECKING:
    from ...events import Config
    from ..findings import Findings

TRAINING_BYTES_PER_PARAMETER = (16, 20)
"""fp32 parameter, gradient and two moments of Adam; at most 16-bit copies of weights and gradients beside them."""

FROZEN_BYTES_PER_PARAMETER = (2, 4)
"""A weight that is not trained, in 16 or 32 bits."""

ACTIVATION_BYTES = 34
"""Of a token, a layer and a unit of its width, at 16 bits (Korthikanti et al. 2022, equation 2) ..."""

ATTENTION_BYTES = 5
"""... and of each score of attention, where those are kept: with FlashAttention none."""

LOGIT_BYTES = (6, 14)
"""Of each logit: 16 bits and fp32; at most with gradients of both and their soft-max."""

ROOM = 0.92
"""Of the memory: the rest goes to CUDA's context, buffers and fragments."""


class Need(NamedTuple):
    """Bytes on one GPU: at least `low`, at most `high`."""

    low: float
    high: float


def estimated(config: Config, parameters: int | None, micro_batch_size: int | None) -> Need | None:
    """Weights, gradients, optimizer and activations; `None` where the model's dimensions are not known."""
    layers, width, tokens, heads = config.layers, config.embedding, config.block_size, config.heads
    if not (parameters and micro_batch_size and layers and width and tokens and heads):
        return None
    trained = min(config.trained_parameters or parameters, parameters)
    frozen = parameters - trained
    batch = micro_batch_size * tokens
    wide = 2 if config.precision == "fp32" else 1
    inner = ACTIVATION_BYTES * batch * width * layers
    scores = ATTENTION_BYTES * micro_batch_size * heads * tokens**2 * layers
    logits = batch * (config.vocabulary or 0)
    states = [
        trained * t + frozen * f
        for t, f in zip(TRAINING_BYTES_PER_PARAMETER, FROZEN_BYTES_PER_PARAMETER, strict=True)
    ]
    low = states[0] + wide * inner + LOGIT_BYTES[0] * logits
    return Need(low, states[1] + wide * (inner + scores) + LOGIT_BYTES[1] * logits)


def fits(
    findings: Findings, micro_batch_size: int | None, now: int | None, memory_bytes: float | None = None
) -> str:
    """One sentence: whether a micro-batch fits `memory_bytes` of one GPU (`None`: of the run's), and by what.

    `now` is the micro-batch of the run, which its samples show.
    """
    gpu = next(iter(findings.gpus), None)
    room = memory_bytes or (gpu.memory_total_bytes if gpu else None)
    parameters = findings.audit.parameters
    if room and gpu and gpu.memory_used_bytes and parameters and now and micro_batch_size:
        return _by_sample(gpu.memory_used_bytes, room, parameters, micro_batch_size / now)
    need = estimated(findings.config, parameters, micro_batch_size)
    if need is None or room is None:
        why = "there is no sample of the GPU's memory" if memory_bytes is None else "give the model with --config"
        return f"Whether it fits is not known: {why}."
    usable = ROOM * room
    said = "fits" if need.high < usable else "does not fit" if need.low > usable else "may fit or not"
    return (
        f"By formula it {said}: {si(need.low, 'B')} to {si(need.high, 'B')} of {si(room, 'B')} for weights, "
        "gradients, AdamW and activations (an estimate: recomputing, sharding or another optimizer need less)."
    )


def _by_sample(used: float, room: float, parameters: int, growth: float) -> str:
    """What is used beside weights and optimizer grows with the micro-batch."""
    fixed = min(TRAINING_BYTES_PER_PARAMETER[0] * parameters, used)
    guess = fixed + growth * (used - fixed)
    fits = "probably fits" if guess < 0.95 * room else "probably does not fit"
    return (
        f"It {fits}: about {si(guess, 'B')} of {si(room, 'B')}, if activations grow with the "
        "micro-batch; torch.cuda.max_memory_allocated() shows how much."
    )
