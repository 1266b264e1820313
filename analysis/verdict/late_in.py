"""What is said of a rank that is late, and where to look: by the phase in which it is."""

from __future__ import annotations

from ...events import BACKWARD, BEFORE_FORWARD, BEFORE_STEP, DATA, FORWARD, OPTIMIZER

_ITS_GPU = "Check that rank's GPU (clock, heat, errors) and its host (clock, other jobs)"

LATE_IN = {
    "": (
        "{who} is slower than the others, and all wait for it.",
        f"{_ITS_GPU}; replace the node if it stays slow.",
    ),
    DATA: (
        "{who} is late with its data, and all wait for it.",
        "Check that rank's data loader, disk and host: its workers, where its files are, other jobs.",
    ),
    BEFORE_FORWARD: (
        "{who} is late before the forward pass, and all wait for it.",
        "Check what the script does there on that rank: building the batch without a loader, logging, transfers.",
    ),
    FORWARD: (
        "{who} is late in its forward pass, and all wait for it.",
        f"{_ITS_GPU}, and the length of its samples.",
    ),
    BACKWARD: (
        "{who} is late in its backward pass, and all wait for it.",
        f"{_ITS_GPU}, and the length of its samples.",
    ),
    BEFORE_STEP: (
        "{who} is late after its backward pass, before the step, and all wait for it.",
        "Check what the script does there on that rank only: clipping, logging, metrics, a callback.",
    ),
    OPTIMIZER: (
        "{who} is late in the optimizer step, and all wait for it.",
        f"{_ITS_GPU}, and which optimizer state only that rank holds.",
    ),
}
"""By the phase that the rank is late in: what it is, and where to look."""
