"""MaxText (Google), JAX on TPUs and GPUs.

    completed step: 9, seconds: 5.653, TFLOP/s/device: 135.29, Tokens/s/device: 8695.3, total_weights: 196608, loss: 10.3
`seconds` is the host's time between two dispatches of a step. Dispatch is asynchronous: step 0 compiles, and step 1 often
takes no time at all (0.3 s, 2400 TFLOP/s) because step 0 is still running; both are warm-up. Tokens/s is per device.
`total_weights` is the number of tokens that counted in the batch, of all devices.
"""

from __future__ import annotations

from .....events import DATA
from ...base import Example
from ...parsing.grammar import Line
from ...parsing.lines import LineParser


class MaxText(LineParser):
    """Seconds between dispatches."""

    name = "MaxText"
    synchronised = False
    about = "seconds between two dispatches, with data; asynchronous: the first two steps are artefacts"
    time_includes = (DATA,)
    lines = (
        Line("completed step:", r"completed step: (?P<iteration>\d+), seconds: (?P<duration_s>N), TFLOP/s/device: \S+ "
             r"Tokens/s/device: \S+(?: total_weights: (?P<tokens>N),)?(?:.{0,80}?\bloss: (?P<loss>N))?"),
        Line("eval metrics after step:", r"eval metrics after step: (?P<iteration>\d+), loss=(?P<val_loss>N)", "evaluation"),
        Line("Config param steps:", r"Config param steps: (?P<max_iterations>\d+)", "config"),
        Line("Config param", r"Config param max_target_length: (?P<block_size>\d+)", "config"),
        Line("Config param", r"Config param \w+:", "known"),
        Line("saved a checkpoint at step", r"[Ss]aved a checkpoint at step (?P<iteration>\d+)", "checkpoint_written"),
    )  # fmt: skip
    examples = (
        Example(
            """
completed step: 0, seconds: 44.5, TFLOP/s/device: 17.022, Tokens/s/device: 1094.129, total_weights: 196608, loss: 12.0
I0706 16:51:00.995285 140110937163584 metric_logger.py:214] completed step: 1, seconds: 5.25, TFLOP/s/device: 86.213, Tokens/s/device: 16460.308, total_weights: 6260, loss: 11.5, lm_loss: 0.000
""",
            iterations=((0, 44.5, 1, 12.0), (1, 5.25, 1, 11.5)),
        ),
    )
