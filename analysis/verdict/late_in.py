"""What is said of a rank that is late, and where to look: by the phase in which it is."""

from __future__ import annotations

from ...events import BACKWARD, BEFORE_FORWARD, BEFORE_STEP, DATA, FORWARD, OPTIMIZER

_ITS_GPU = "Look at that rank's GPU (clock, heat, errors) and at its host (clock, other work on its cores)"

LATE_IN = {
    "": (
        "{who} is slower than the others, and all wait for it.",
        f"{_ITS_GPU}; exchange the node if it stays.",
    ),
    DATA: (
        "{who} is late in data, and all wait for it.",
        "Look at that rank's loader, disk and host: its workers, where its files lie, other work on its cores.",
    ),
    BEFORE_FORWARD: (
        "{who} is late before the forward pass, and all wait for it.",
        "Look at what the script does there on that rank: making the batch without a loader, logging, transfers.",
    ),
    FORWARD: (
        "{who} is late in its forward pass, and all wait for it.",
        f"{_ITS_GPU}, and at the length of its samples.",
    ),
    BACKWARD: (
        "{who} is late in its backward pass, and all wait for it.",
        f"{_ITS_GPU}, and at the length of its samples.",
    ),
    BEFORE_STEP: (
        "{who} is late before the step, after its backward pass, and all wait for it.",
        "Look at what the script does there on that rank alone: clipping, logging, metrics, a callback.",
    ),
    OPTIMIZER: (
        "{who} is late in the optimizer's step, and all wait for it.",
        f"{_ITS_GPU}, and at what of the optimizer's state that rank alone holds.",
    ),
}
"""By the phase that the rank is late in: what it is, and where to look."""
