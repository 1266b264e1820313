"""The bar of lonePatient's classifiers and taggers (BERT-NER-Pytorch, TorchBlocks and what was made of them), one for each epoch:

    [Training] 3/10 [========>.....................] - ETA: 2:24  loss: 2.2026
    [Training] 10/10 [==============================] 17.0s/step  loss: 1.9674
    [Evaluating] 3/3 [==============================] 11.3s/step
Only a full one says what its steps took: a mean since it began, with all that happened in it. Epochs have no number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....patterns import lazy_pattern
from ...base import Example
from ...generic.tqdm import Tqdm
from ...parsing.bars import Bar
from ...parsing.grammar import Line, handler
from ...parsing.values import number

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.grammar import LineKind
    from ...parsing.values import Fields, LogLine

_VALUE = lazy_pattern(r"([A-Za-z_]\w{0,30}): (-?\d{1,12}(?:\.\d{1,12})?|nan)(?![\w.])")
_UNKNOWN_S = 1e-3
"""A step, in a bar that is not full: it has begun, and nobody knows for how long it has run."""
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}


class TitledBars(Tqdm):
    """A step a frame; an epoch's time at its end."""

    name = "[Training] bar"
    about = "an epoch's bar says at its end what a step took: a mean since it began, with all in it"
    lines = (
        Line("] ", r"^ ?\[(?P<title>[A-Z][A-Za-z ]{1,30})\] (?P<n>\d{1,9})/(?P<of>\d{1,9}) \[[=>.]{1,60}\]"
             r"(?: - ETA: [\d:]{1,12}s?| (?P<each>\d{1,9}(?:\.\d{1,3})?)(?P<unit>s|ms|us)/step)(?P<rest>(?:[ -]{1,4}[A-Za-z_]\w{0,30}: [\w.-]{1,30}){0,16}) {0,4}$", "frame_of_it"),
        Line("Num Epochs = ", r"\bNum Epochs = (?P<epochs>\d{1,6})$", "planned", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
[Training] 1/3 [=========>....................] - ETA: 3:25  loss: 2.5000
[Training] 2/3 [===================>..........] - ETA: 15s  loss: 2.2500
[Training] 3/3 [==============================] 1.5s/step  loss: 2.1250
[Evaluating] 1/2 [==============>...............] - ETA: 4s
[Evaluating] 2/2 [==============================] 250.0ms/step
[Training] 1/3 [=========>....................] - ETA: 3:25  loss: 1.5000
[Training] 2/3 [===================>..........] - ETA: 15s  loss: 1.2500
""",
            iterations=(
                (1, None, 0, 2.5),
                (2, None, 0, 2.25),
                (3, 1.5, 3, 2.125),
                (4, None, 0, 1.5),
                (5, None, 0, 1.25),
            ),
            evaluations=((4, {}),),
        ),
    )

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:  # noqa: ARG003 - its title decides
        """Bars of evaluations carry none."""
        return kind.name == "frame_of_it" and Bar(found["title"], 0, None, 0.0, None, "").phase is None

    def __init__(self) -> None:
        super().__init__()
        self._epochs: int | None = None

    @handler()
    def planned(self, fields: Fields, _line: LogLine) -> list[Event]:
        """How many epochs there are to be."""
        self._epochs = int(fields["epochs"])
        return []

    @handler(iterations=True, texts=("title", "n", "of", "each", "unit", "rest"))
    def frame_of_it(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """A frame of some bar."""
        n, total, each = int(fields["n"]), int(fields["of"]), number(fields.get("each", ""))
        each_s = each * _SECONDS[fields["unit"]] if each else None
        values = ", ".join(f"{name}={value}" for name, value in _VALUE.findall(fields.get("rest", "")))
        return self.frame(Bar(fields["title"], n, total, n * (each_s or _UNKNOWN_S), each_s, values), line)

    def _time_of(self, bar: Bar) -> Fields:
        """All of its steps, at its end."""
        if not bar.full or not bar.seconds_each:
            return {"averaged_over": 0}
        return {"duration_s": bar.seconds_each, "averaged_over": bar.n}

    def _is_next_pass(self, bar: Bar, newest: Bar) -> bool:
        """No frame is drawn twice: of each epoch the end alone may be left."""
        return bar.full and newest.full

    def step(self, fields: Fields, bar: Bar, line: LogLine) -> Sequence[Event]:
        """A bar's clock and length are none of the run's."""
        del fields["elapsed_s"]
        fields["total"] = self._epochs * bar.total if self._epochs and bar.total else None
        return super().step(fields, bar, line)
