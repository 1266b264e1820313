"""Where a rank stands by its stack: in a collective, perhaps in one, or in none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ...events import Stack

SURE, PERHAPS, NOT = 2, 1, 0
"""How sure it is that a rank waits for others."""

_FRAME = re.compile(r"^(.*?)(?::\d+)? (\S+)$")

_COLLECTIVES = frozenset(
    {
        *("all_reduce", "all_gather", "all_gather_into_tensor", "all_gather_object", "all_gather_single"),
        *("all_to_all", "all_to_all_single", "barrier", "monitored_barrier", "broadcast", "broadcast_object_list"),
        *("gather", "gather_object", "reduce", "reduce_scatter", "reduce_scatter_tensor", "reduce_scatter_single"),
        *("scatter", "scatter_object_list", "recv", "send", "batch_isend_irecv", "all_reduce_coalesced"),
        *("all_gather_coalesced", "init_process_group", "new_group"),
    }
)
"""Functions of torch.distributed that wait for other ranks."""

_IN_BACKWARD = ("_engine_run_backward", "_run_backward", "backward")
_SYNCS = {"_sync_buffers": "buffer sync", "_sync_module_states": "buffer sync", "join": "join"}


class Place(NamedTuple):
    """Where a rank stands."""

    own: str  # the innermost frame of its own code
    waits_in: str  # "all_reduce"; "" for none
    surely: int


def place_of(stack: Stack) -> Place:
    """Where the rank of this stack stands."""
    own = stack.user_place or stack.innermost
    for frame in stack.frames:
        found = _FRAME.match(frame)
        if found is None:
            continue
        file, function = found[1], found[2].rpartition(".")[2]
        if "torch/distributed/" in file and function in _COLLECTIVES:
            return Place(own, function, SURE)
        if "torch/nn/parallel/distributed.py" in file and function in _SYNCS:
            return Place(own, _SYNCS[function], SURE)
        if "torch/autograd/" in file and function in _IN_BACKWARD:
            return Place(own, "gradient sync", PERHAPS)
        if "torch/distributed/fsdp/" in file:
            return Place(own, "FSDP's exchange", PERHAPS)
    return Place(own, "", NOT)
