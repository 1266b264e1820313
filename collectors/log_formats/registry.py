"""All log formats. The order decides only between formats that read the same lines equally well."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from . import user_formats as own
from .frameworks.gpt import (
    build_nanogpt,
    litgpt,
    llm_c,
    mingpt,
    modded_nanogpt,
    nanochat,
    nanogpt,
)
from .frameworks.pretraining import (
    composer,
    deepspeed,
    fairseq,
    maxtext,
    megatron,
    mlperf,
    nemo,
    olmo,
    torchtitan,
)
from .frameworks.trainers import (
    hf_trainer,
    keras,
    lightning,
    others,
    verl,
)
from .frameworks.vision import (
    detectron,
    epoch_meters,
    metric_logger,
    openmmlab,
    ultralytics,
)
from .generic import (
    json_files,
    progress,
    recording,
    tables,
)
from .parsing.columns import choose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .base import LogFormat


@cache
def all_formats() -> tuple[LogFormat, ...]:
    """Every format: a person's own first, then those that most people use first, the guesses last."""
    modules = (
        nanogpt,
        build_nanogpt,
        modded_nanogpt,
        llm_c,
        nanochat,
        mingpt,
        torchtitan,
        megatron,
        hf_trainer,
        nemo,
        lightning,
        deepspeed,
        olmo,
        composer,
        litgpt,
        fairseq,
        detectron,
        openmmlab,
        epoch_meters,
        metric_logger,
        ultralytics,
        keras,
        verl,
        maxtext,
        mlperf,
        recording,
        json_files,
        others,
        progress,
    )
    own_ones = own.own_formats().formats
    return (*own_ones, *(one for module in modules for one in module.FORMATS), *tables.FORMATS)


def formats_with_columns(chosen: Sequence[str]) -> tuple[LogFormat, ...]:
    """Every format, where those that guess take `chosen` columns (`duration=dt:ms`) for what a person says they are.

    Raises `ValueError`, with what would be right.
    """
    guesses = tables.guessing_formats(dict(map(choose, chosen)))
    names = {one.name for one in guesses}
    return (*(one for one in all_formats() if one.name not in names), *guesses)
