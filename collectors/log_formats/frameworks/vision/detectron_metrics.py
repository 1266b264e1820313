"""detectron2's `metrics.json`: JSON Lines.

    {"data_time": 0.001, "eta_seconds": 0.0, "iteration": 19, "time": 0.29, "total_loss": 2.1}
`time` is smoothed over 20 iterations, with data. Who trains something else may have an `iteration` and a `total_loss` too, but
not its `eta_seconds` and `data_time`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from .....events import DATA
from ...base import Example, Specificity
from ...generic.json_lines import JsonLines
from ...parsing.grammar import Line
from ...parsing.lines import LineParser


class DetectronMetrics(JsonLines):
    """`metrics.json`."""

    name = "detectron2 metrics.json"
    about = "time: smoothed over 20 iterations, with data; without evaluation and checkpoint"
    time_includes = (DATA,)
    specificity = Specificity.FRAMEWORK
    guesses = False
    lines: ClassVar[tuple[Line, ...]] = (
        Line(
            '"total_loss"', r"^\s*\{(?=.{0,3000}\"(?:eta_seconds|data_time)\":).{0,3000}\"iteration\":", "object"
        ),
        Line('"iteration"', r"^\s*\{.{0,3000}\"(?:bbox|segm|sem_seg)/AP", "known"),
    )
    examples = (
        Example(
            """
{"data_time": 0.0013, "eta_seconds": 0.0, "iteration": 19, "loss_cls": 1.0, "lr": 0.0002, "rank_data_time": 0.0013, "time": 0.25, "total_loss": 2.5}
""",
            iterations=((19, 0.25, 1, 2.5),),
        ),
    )

    @classmethod
    def match(cls, text: str) -> Any:
        """Its objects are long, and nothing but `{` and two names is looked for."""
        return LineParser.match.__func__(cls, text)  # type: ignore[attr-defined]
