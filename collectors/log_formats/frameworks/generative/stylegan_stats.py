"""`stats.jsonl` of StyleGAN2-ADA, StyleGAN3, EDM and what was made from them: a tick of some thousand images a row.

    {"Loss/G/loss": {"num": 8, "mean": 6.5, "std": 1.8}, "Progress/tick": {"num": 1, "mean": 0.0, "std": 0.0}, "timestamp": 1653489051.7}
A value is how often it was reported, its mean and its deviation. `Timing/sec_per_tick` leaves out what stands in
`Timing/maintenance_sec`: snapshots, and metrics of them, before the tick. The other `Timing/` are of the GPU, in milliseconds.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any, ClassVar

from .....events import DATA
from ...base import Example, Specificity
from ...generic.json_lines import JsonLines, parse_object
from ...parsing.grammar import Line, handler
from ...parsing.values import Fields, LogLine, as_float, scalars, unix_time

if TYPE_CHECKING:
    import re

    from .....events import Event
    from ...parsing.grammar import LineKind

_LOSS = "Loss/loss"
"""Of a diffusion model. Of two networks that play against each other neither loss says how well it goes."""
_PROGRESS, _NO_METRICS = "Progress/", ("Progress/tick", "Timing/", "Resources/")


class StyleGanStats(JsonLines):
    """`stats.jsonl`."""

    name = "StyleGAN stats.jsonl"
    unit = "tick"
    about = "ticks; sec_per_tick, without snapshots and metrics; the time stamp of each row"
    time_includes = (DATA,)
    specificity = Specificity.FRAMEWORK
    guesses = False
    lines: ClassVar[tuple[Line, ...]] = (
        Line('"Progress/tick"', r"^\s*\{(?=.{0,4000}\"Progress/tick\" ?: ?\{)(?=.{0,4000}\"mean\" ?:)", "tick"),
    )
    examples = (
        Example(
            """
{"Loss/G/loss": {"num": 8, "mean": 6.5, "std": 1.75}, "Loss/D/loss": {"num": 8, "mean": 1.125, "std": 0.5}, "Progress/tick": {"num": 1, "mean": 0.0, "std": 0.0}, "Progress/kimg": {"num": 1, "mean": 0.008, "std": 0.0}, "Timing/total_sec": {"num": 1, "mean": 45.25, "std": 0.0}, "Timing/sec_per_tick": {"num": 1, "mean": 10.5, "std": 0.0}, "Timing/Gmain": {"num": 1, "mean": 2337.5, "std": 0.0}, "timestamp": 1653489051.5}
{"Loss/G/loss": {"num": 4000, "mean": 12.5, "std": 4.5}, "Loss/D/loss": {"num": 4000, "mean": 0.25, "std": 0.25}, "Progress/tick": {"num": 1, "mean": 1.0, "std": 0.0}, "Progress/kimg": {"num": 1, "mean": 4.008, "std": 0.0}, "Timing/total_sec": {"num": 1, "mean": 345.25, "std": 0.0}, "Timing/sec_per_tick": {"num": 1, "mean": 299.5, "std": 0.0}, "Timing/Gmain": {"num": 1, "mean": 215.5, "std": 0.0}, "timestamp": 1653489351.5}
""",
            iterations=((0, 10.5, 1, None), (1, 299.5, 1, None)),
        ),
        Example(
            """
{"Loss/loss": {"num": 512, "mean": 1.0625, "std": 0.5}, "Progress/tick": {"num": 1, "mean": 0.0, "std": 0.0}, "Timing/sec_per_tick": {"num": 1, "mean": 24.5, "std": 0.0}, "timestamp": 1653489051.5}
{"Loss/loss": {"num": 50176, "mean": 0.25, "std": 0.25}, "Progress/tick": {"num": 1, "mean": 1.0, "std": 0.0}, "Timing/sec_per_tick": {"num": 1, "mean": 200.5, "std": 0.0}, "timestamp": 1653489252.5}
""",
            iterations=((0, 24.5, 1, 1.0625), (1, 200.5, 1, 0.25)),
            variant="EDM stats.jsonl",
        ),
    )

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:  # noqa: ARG003 - its own lines
        """Each does."""
        return True

    @handler(iterations=True)
    def tick(self, _fields: Fields, line: LogLine) -> list[Event]:
        """A row."""
        said = {name[:80]: _mean(one) for name, one in (parse_object(line.text, words=True) or {}).items()}
        if said.get("Progress/tick") is None:
            return []
        at_s = unix_time(said.pop("timestamp", None))
        metrics = [
            (name.removeprefix(_PROGRESS), value)
            for name, value in said.items()
            if name != _LOSS and not name.startswith(_NO_METRICS)
        ]
        fields: Fields = {
            "iteration": said["Progress/tick"],
            "duration_s": said.get("Timing/sec_per_tick"),
            "elapsed_s": said.get("Timing/total_sec"),
            "loss": said.get(_LOSS),
            "scalars": scalars(metrics) or None,
        }
        return self.iteration(
            {name: one for name, one in fields.items() if one is not None}, line if at_s is None else line.at(at_s)
        )


def _mean(value: Any) -> float | None:
    """`nan` only where something was reported: else there is no mean."""
    if not isinstance(value, dict):
        return as_float(value)
    mean, reported = value.get("mean"), as_float(value.get("num"))
    return nan if isinstance(mean, str) and mean.lower() == "nan" and reported else as_float(mean)
