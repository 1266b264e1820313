"""LLaMA-Factory's `trainer_log.jsonl`, which it writes next to its console.

    {"current_steps": 10, "total_steps": 11900, "loss": 3.56, "elapsed_time": "0:00:26"}
The elapsed time is the process's, in whole seconds: its differences have all in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example, Specificity
from ...generic.json_lines import JsonLines
from ...parsing.grammar import Line

if TYPE_CHECKING:
    import re

    from ...parsing.grammar import LineKind


class LlamaFactoryLog(JsonLines):
    """`trainer_log.jsonl`."""

    name = "LLaMA-Factory trainer_log.jsonl"
    about = "difference of the elapsed time, in whole seconds: a mean over logging_steps, all in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    tells_the_rest = True
    specificity = Specificity.FRAMEWORK
    guesses = False
    lines: ClassVar[tuple[Line, ...]] = (Line('"current_steps"', r"^\s*\{\"current_steps\"", "object"),)
    examples = (
        Example(
            """
{"current_steps": 10, "total_steps": 100, "loss": 3.5, "learning_rate": 9.9e-05, "epoch": 0.02, "percentage": 0.08, "elapsed_time": "0:00:26", "remaining_time": "8:45:50"}
{"current_steps": 20, "total_steps": 100, "loss": 1.5, "learning_rate": 9.9e-05, "epoch": 0.04, "percentage": 0.17, "elapsed_time": "0:00:36", "remaining_time": "6:01:18"}
""",
            iterations=((10, None, 1, 3.5), (20, 1.0, 10, 1.5)),
            variant="LLaMA-Factory",
        ),
    )

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:  # noqa: ARG003 - its own lines
        """Each line but an evaluation's, also one without a loss."""
        return '"eval_loss"' not in text
