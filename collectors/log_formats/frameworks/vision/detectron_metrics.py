"""detectron2's `metrics.json`: JSON Lines.

    {"data_time": 0.001, "eta_seconds": 0.0, "iteration": 19, "time": 0.29, "total_loss": 2.1}
`time` is smoothed over 20 iterations, with data. What is left, `eta_seconds`, is 0 at the last iteration alone: how many there are
is known then, and what begins again behind it is another training, in the same folder. Who trains something else may have an `iteration` and a `total_loss` too, but
not its `eta_seconds` and `data_time`.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec.structs import replace

from .....events import DATA, Config, Iteration, RunInfo
from ....patterns import lazy_pattern
from ...base import Example, Specificity
from ...generic.json_lines import JsonLines
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .....events import Event
    from ...parsing.columns import Role
    from ...parsing.values import Fields, LogLine

_NOTHING_LEFT = lazy_pattern(r"\"eta_seconds\": 0(?:\.0)?[,}]")
_PLACE = lazy_pattern(r"\"iteration\": (\d{1,15})[,}]")
_MOST_HELD = 64


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

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._last_ones = deque[int](maxlen=_MOST_HELD)  # rows of those that may still be held back
        self._is_over = False  # was the newest row the last of its training?

    @handler(iterations=True)
    def object(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """A row, and how many iterations there are, where it is the last one."""
        if _NOTHING_LEFT.search(line.text) and (place := _PLACE.search(line.text)):
            self._last_ones.append(int(place[1]))
        return [*self._with_ends(super().object(fields, line))]

    def release(self) -> list[Event]:
        """The newest row may be the last one."""
        return [*self._with_ends(super().release())]

    def _with_ends(self, events: Iterable[Event]) -> Iterable[Event]:
        for event in events:
            if isinstance(event, RunInfo) and self._is_over:
                yield replace(event, resumed=False)
                continue
            if isinstance(event, Iteration):
                self._is_over = event.index in self._last_ones
                if self._is_over:
                    self._last_ones.remove(event.index)
                    yield Config(origin="log", max_iterations=event.index + 1)
            yield event

    @classmethod
    def match(cls, text: str) -> Any:
        """Its objects are long, and nothing but `{` and two names is looked for."""
        return LineParser.match.__func__(cls, text)  # type: ignore[attr-defined]
