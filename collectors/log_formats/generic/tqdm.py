"""A progress bar of tqdm, and nothing else that we know.

Downloads, inference and renderings have such bars, too: the log must say somewhere that it trains, and the bar's title nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...patterns import lazy_pattern
from ..base import Example, Specificity
from ..parsing.bar_parser import BarParser
from ..parsing.bars import BAR, BAR_START, ENDLESS_BAR, bar_of
from ..parsing.grammar import LONGEST, Line
from ..parsing.phases import Phase, announced

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from ....events import Event
    from ..parsing.bars import Bar
    from ..parsing.grammar import LineKind
    from ..parsing.values import LogLine

_SAYS = r"(?i:(?<![a-z])(?:train(?!ed|able)|epochs?(?![a-z])|learning[ _]rate|optimi[sz]er|gradients?(?![a-z]))|loss(?![a-z]))|^\W*[A-Za-z]\w{0,15}: ?-?\d+\.\d+[;,] ?[A-Za-z]\w{0,15}: ?-?\d+\.\d+.{0,400}?\d/\d"
"""What a log has that trains, somewhere."""
_TITLED = lazy_pattern(r"(?i)[^\d=]*[a-z]{3}[^\d=]*")
_COUNTS = lazy_pattern(
    r"(?i)train|epoch|step|iter|batch|episode|generation|update|optim|fit|learn|round|loss|acc|reward|^\W*progress\W*$"
)

_SHORT = 80
_VALUE = lazy_pattern(r"\d\.\d|[=:] ?\d")
"""What an evaluation found: no heading."""


class Tqdm(BarParser):
    """Steps and times of the bar."""

    name = "tqdm"
    about = "a progress bar's steps; times from its smoothed rate, undone; all between two frames is in them"
    specificity = Specificity.COMMON
    lines = (
        BAR._replace(pattern=rf"(?=^.{{0,{LONGEST}}}?(?:{_SAYS})).{{0,{LONGEST}}}?{BAR.pattern}", distinctive=True),
        BAR, BAR_START, ENDLESS_BAR,
        *(Line(part, _SAYS, "known", distinctive=True) for part in ("rain", "poch", "oss", "earning", "ptimi", "radient")),
    )  # fmt: skip

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:
        """A bar with a title of words counts what they say."""
        if not super().carries_iteration(text, kind, found):
            return False
        if kind.name != "bar":
            return True
        bar = bar_of(text, kind.read(found))
        return bar.trains or not _TITLED.fullmatch(bar.title) or _COUNTS.search(bar.title) is not None

    def __init__(self) -> None:
        super().__init__()
        self._heading = ""  # of an evaluation that a line announced, until the training goes on

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """`Evaluating ...`, on a line of its own, is the title of the bars below it that have none."""
        if len(text) < _SHORT and " [" not in text and not _VALUE.search(text):
            lower = text.lower()
            if ("val" in lower or "test" in lower) and announced(text) is Phase.EVALUATION:
                self._heading = text.strip()
        return super().line(text, at_s)

    def frame(self, bar: Bar, line: LogLine) -> Sequence[Event]:
        """A bar below a heading is an evaluation's where it is none of the training's length."""
        newest = self.newest
        if self._heading and not bar.title and newest is not None and bar.total not in (None, newest.total):
            return self._evaluation_bar(bar._replace(title=self._heading), line)
        if newest is not None and bar.total == newest.total:
            self._heading = ""
        return super().frame(bar, line)

    examples = (
        Example(
            """
Loading checkpoint shards: 100%|██████████| 4/4 [00:03<00:00,  1.26it/s]
  0%|          | 0/3 [00:00<?, ?it/s]
 33%|███▎      | 1/3 [00:02<00:04,  2.00s/it, loss=2.5]
 67%|██████▋   | 2/3 [00:04<00:02,  2.00s/it, loss=2.25]
""",
            iterations=((1, 2.0, 1, 2.5), (2, 2.0, 1, 2.25)),
        ),
        Example(
            """
Epoch 1/2: 100%|██████████| 50/50 [00:10<00:00,  5.00it/s, loss=1.5]
Epoch 2/2: 100%|██████████| 50/50 [00:20<00:00,  2.50it/s, loss=1.25]
""",
            iterations=((50, 0.2, 50, 1.5), (100, 0.4, 50, 1.25)),
            variant="tqdm by epochs",
        ),
    )
