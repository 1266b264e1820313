"""All log formats. The order decides only between formats that read the same lines equally well."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from . import (
    build_nanogpt,
    composer,
    deepspeed,
    detectron,
    epoch_meters,
    fairseq,
    hf_trainer,
    json_files,
    keras,
    lightning,
    litgpt,
    llm_c,
    maxtext,
    megatron,
    metric_logger,
    mingpt,
    mlperf,
    modded_nanogpt,
    nanochat,
    nanogpt,
    nemo,
    olmo,
    openmmlab,
    others,
    own,
    progress,
    recording,
    tables,
    torchtitan,
    ultralytics,
    verl,
)
from .columns import choose

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
