"""What an iteration must compute: parameters, FLOPs, checkpoint bytes, from the model's dimensions.

The convention of every figure is PaLM's (Chowdhery et al. 2022, appendix B), which nanoGPT follows:
6 N + 12 L H Q T FLOPs a token for forward and backward, N without position embeddings, attention counted
without the causal half, recomputation not counted. Other conventions stand next to it, by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ...words import si

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...events import Config

PALM = "6N + 12LHQT (PaLM, nanoGPT)"
LOWER_BOUND = "attention is missing: a lower bound"
"""What is said of a count of FLOPs without attention."""

NO_ATTENTION = "6N (dimensions unknown: attention not counted)"
FROZEN = "4N + 2T (T of N parameters trained; attention not counted)"
"""A frozen weight has no gradient of its own: of its 6 FLOPs a token 4 remain, forward and to its input."""

EXPERTS = "6A (A of all parameters active; attention not counted)"

GIVEN = "given per token"

CHECKPOINT_BYTES_PER_PARAMETER = 12
"""fp32 parameters and AdamW's two fp32 moments: 4 + 4 + 4 bytes (nanoGPT's `torch.save`)."""

# nanoGPT prints the count in millions with two digits: a match is one within half of the last digit.
PRINTED_TOLERANCE = 5_001

VOCABULARIES = (50_304, 50_257, 65)
"""GPT-2's padded to a multiple of 64 (nanoGPT from scratch), GPT-2's own, and Shakespeare by characters."""

PADDED_TO = 128
"""llm.c prints the plain vocabulary and pads the embedding to a multiple of this."""

KNOWN_SIZES = ((12, 768), (24, 1024), (36, 1280), (48, 1600), (6, 384))
"""Layers and width: GPT-2 small to XL, and nanoGPT's small character model."""


class Model(msgspec.Struct, frozen=True, gc=False):
    """A GPT-2-like transformer: tied embeddings, learned positions, 4 × wide feed-forward layers."""

    layers: int
    embedding: int
    block_size: int
    vocabulary: int = 50_304
    bias: bool = False

    @property
    def parameters(self) -> int:
        """Without position embeddings, as nanoGPT prints them; the head shares its weights with the embedding."""
        width, biases = self.embedding, self.bias
        per_layer = 12 * width**2 + (13 if biases else 2) * width
        return self.vocabulary * width + self.layers * per_layer + (2 if biases else 1) * width

    @property
    def parameters_total(self) -> int:
        """With position embeddings: what a checkpoint holds."""
        return self.parameters + self.block_size * self.embedding

    @property
    def attention_flops_per_token(self) -> int:
        """12 L H Q T, as H × Q is the width."""
        return 12 * self.layers * self.embedding * self.block_size

    @property
    def flops_per_token(self) -> int:
        """6N + 12LHQT, forward and backward."""
        return 6 * self.parameters + self.attention_flops_per_token

    @property
    def flops_per_token_llm_c(self) -> int:
        """llm.c's 6N + 6LCT: causal attention counted half, N with position embeddings."""
        return 6 * self.parameters_total + self.attention_flops_per_token // 2

    @property
    def hardware_flops_per_token(self) -> int:
        """With full activation recomputation the forward pass is done twice: 8N + 16LHQT (for HFU)."""
        return 8 * self.parameters + self.attention_flops_per_token * 4 // 3


class Flops(msgspec.Struct, frozen=True, gc=False):
    """What is known of a run's FLOPs. `estimated` says what was assumed for it; empty: nothing."""

    per_token: float
    convention: str
    parameters: int | None = None  # without position embeddings
    parameters_total: int | None = None
    parameters_trained: int | None = None  # where it is not all of them
    model: Model | None = None
    estimated: str = ""


def flops(config: Config) -> Flops | None:
    """FLOPs per token by the best that `config` offers; `None` where it offers nothing."""
    if config.flops_per_token is not None:
        return Flops(config.flops_per_token, GIVEN, config.parameters)
    if config.layers and config.embedding and config.block_size:
        return _from_dimensions(config, config.layers, config.embedding, config.block_size)
    if config.parameters is None:
        return None
    return _from_part(config, config.parameters) or _from_count(config, config.parameters)


def _from_part(config: Config, whole: int) -> Flops | None:
    """Where a token does not pass through all parameters, or not all of them are trained; else `None`."""
    active, trained = config.active_parameters, config.trained_parameters
    if trained is not None and trained < whole:
        per_token = 4.0 * (active or whole) + 2.0 * trained
        return Flops(per_token, FROZEN, whole, parameters_trained=trained, estimated=LOWER_BOUND)
    if active is not None and active < whole:
        return Flops(6.0 * active, EXPERTS, whole, estimated=LOWER_BOUND)
    return None


def _from_dimensions(config: Config, layers: int, embedding: int, block_size: int) -> Flops:
    candidates = list(_variants(config, layers, embedding, block_size))
    printed = config.parameters
    if printed is None:
        model = candidates[0]
        assumed = _assumed(config, model)
    else:
        fitting = [m for m in candidates if _counts(m, printed)]
        if not fitting:  # another architecture: its own count, with the attention of its dimensions
            model = Model(layers, embedding, block_size)
            per_token = 6 * printed + model.attention_flops_per_token
            return Flops(per_token, PALM, printed)
        model, assumed = fitting[0], ""
    return Flops(
        model.flops_per_token,
        PALM,
        model.parameters,
        model.parameters_total,
        model=model,
        estimated=assumed,
    )


def _from_count(config: Config, printed: int) -> Flops:
    """A model of known size is recognised by its printed number of parameters, and marked as estimated."""
    for layers, embedding in KNOWN_SIZES:
        for model in _variants(config, layers, embedding, config.block_size or 1024):
            if _counts(model, printed):
                guess = f"{layers} layers of width {embedding}, from {si(printed)} parameters"
                return Flops(
                    model.flops_per_token,
                    PALM,
                    model.parameters,
                    model.parameters_total,
                    model=model,
                    estimated=guess,
                )
    return Flops(6.0 * printed, NO_ATTENTION, printed, estimated=LOWER_BOUND)


def _variants(config: Config, layers: int, embedding: int, block_size: int) -> Iterator[Model]:
    """The models that these dimensions may mean, likeliest first: vocabulary and bias are rarely printed."""
    given = config.vocabulary
    for vocabulary in VOCABULARIES if given is None else (given, -(-given // PADDED_TO) * PADDED_TO):
        for bias in (False, True) if config.bias is None else (config.bias,):
            yield Model(layers, embedding, block_size, vocabulary, bias)


def _counts(model: Model, printed: int) -> bool:
    """Is `printed` the model's count? nanoGPT leaves out position embeddings, llm.c counts them."""
    return min(abs(n - printed) for n in (model.parameters, model.parameters_total)) < PRINTED_TOLERANCE


def _assumed(config: Config, model: Model) -> str:
    parts = []
    if config.vocabulary is None:
        parts.append(f"a vocabulary of {model.vocabulary:,}")
    if config.bias is None:
        parts.append("no biases")
    return f"{' and '.join(parts)} assumed (nanoGPT's defaults)" if parts else ""


def checkpoint_bytes(flops: Flops | None) -> float | None:
    """A checkpoint with its optimizer: 12 bytes × all parameters. `None` for an unknown model."""
    if flops is None:
        return None
    total = flops.parameters_trained or flops.parameters_total or flops.parameters
    return None if total is None else float(CHECKPOINT_BYTES_PER_PARAMETER * total)
