"""The settings that a tracker keeps: words mean what they mean in the heads of logs; nanoGPT's are its own."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from ...events import Config, holds
from ..clean import clean
from ..logs.head import TEXT_FIELDS, settings
from ..nanogpt_config import as_config

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NANOGPT = {"n_layer", "n_head", "n_embd", "block_size", "gradient_accumulation_steps", "max_iters"}
_MOST = 500  # settings that are kept as text
_LONGEST = 200
_DEPTH = 2  # a group in a group is a part's own


def config_of(values: Mapping[str, Any], origin: str, *, counts_steps: bool) -> Config | None:
    """What the config `values` say, as far as it is certain, and all of it as text, to compare runs by.

    Args:
        values: by the names that the script gave.
        origin: where they stand: "W&B config".
        counts_steps: do the run's iterations count steps? See `head.settings`.
    """
    flat = dict(islice(_flat(values, "", _DEPTH), _MOST))
    if not flat:
        return None
    if flat.keys() >= _NANOGPT:
        return as_config(flat, origin)
    texts = {clean(name, _LONGEST): clean(str(value), _LONGEST) for name, value in flat.items()}
    found = settings([(1, f"{name}: {value}") for name, value in texts.items()], counts_steps=counts_steps)
    fields = {field: said.value for field, said in found.items() if holds(field, said.value)}
    extra = texts | {field: str(found[field].value) for field in TEXT_FIELDS if field in found}
    return Config(origin=origin, extra=extra, **fields)  # type: ignore[arg-type]


def _flat(values: Mapping[str, Any], before: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Numbers, words and switches; those of a group as `group.name`."""
    for name, value in values.items():
        if isinstance(value, dict):
            if depth > 1:
                yield from _flat(value, f"{before}{name}.", depth - 1)
        elif isinstance(value, str | int | float) and value != "":
            yield f"{before}{name}", value
