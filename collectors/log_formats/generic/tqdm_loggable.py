"""tqdm's bar as lines of a log, by tqdm-loggable (Levanter, openpi): a line each ten or sixty seconds.

    2024-05-01T12:00:00 - 0 - tqdm_loggable.tqdm_logging - tqdm_logging.py:145 - INFO :: Progress on:train 120it/10.0kit rate:1.2it/s
        remaining:2:15:00 elapsed:01:40 postfix:loss=4.32                                                                     (on one line)
The elapsed time is the bar's, in whole seconds, with all in it. From a thousand on the count has three digits: `1.23kit`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ....events import CHECKPOINT, DATA, EVALUATION
from ..base import Example, Specificity
from ..families.elapsed import ElapsedParser, clock_seconds, resolution
from ..parsing.bars import LOSSES, RATES, UNDERSTOOD, Bar, postfix_scalars, postfix_value
from ..parsing.grammar import Line, handler
from ..parsing.values import number

if TYPE_CHECKING:
    from ....events import Event
    from ..parsing.values import Fields, LogLine

_COUNT = r"(\d{1,12}(?:\.\d{1,3})?)([kMGT]?)[A-Za-z]{0,20}"
_SCALE = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_ROUNDED = 20.0  # so many of its smallest steps make a difference of two rounded counts right to 5 %


class TqdmLoggable(ElapsedParser):
    """The training's bar in lines."""

    name = "tqdm-loggable"
    specificity = Specificity.COMMON
    about = "difference of the bar's elapsed time, a mean over 20 s or more; all in it; counts have three digits"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        Line("Progress on:", r"\bProgress on:(?P<title>[^:]{0,80}?):? (?P<done>\d[\d.]{0,16}[kMGT]?[A-Za-z]{0,20})/(?P<of>\S{1,20}) rate:\S{1,24} "
             r"remaining:.{1,24}? elapsed:(?P<stamp>[\d:]{4,12}) postfix:(?P<rest>.{0,400})$", "progress"),
        Line("Progress on:", r"\bProgress on:", "known"),
    )  # fmt: skip
    examples = (
        Example(
            """
2024-05-01T12:00:00 - 0 - tqdm_loggable.tqdm_logging - tqdm_logging.py:145 - INFO :: Progress on:train 100it/10.0kit rate:1.0it/s remaining:2:15:00 elapsed:01:40 postfix:loss=4.25
2024-05-01T12:01:00 - 0 - tqdm_loggable.tqdm_logging - tqdm_logging.py:145 - INFO :: Progress on:train 220it/10.0kit rate:2.0it/s remaining:2:15:00 elapsed:02:40 postfix:loss=4.125
2024-05-01T12:02:00 - 0 - tqdm_loggable.tqdm_logging - tqdm_logging.py:145 - INFO :: Progress on:eval 12.0it/100it rate:2.0it/s remaining:00:50 elapsed:00:10 postfix:loss=4.125
""",
            iterations=((100, None, 1, 4.25), (220, 0.5, 120, 4.125)),
        ),
    )

    @classmethod
    def carries_iteration(cls, text: str, kind: object, found: re.Match[str]) -> bool:  # noqa: ARG003 - its title decides
        """Bars of evaluations and caches carry none."""
        return "title" in found.re.groupindex and _trains(found["title"])

    @handler(iterations=True, texts=("title", "done", "of", "stamp", "rest"))
    def progress(self, fields: Fields, line: LogLine) -> list[Event]:
        """A frame of some bar."""
        done, of = _count(fields["done"]), _count(fields["of"])
        if not _trains(fields["title"]) or done is None:
            return []
        index, unsure = done
        elapsed_s = clock_seconds(fields["stamp"])
        read: Fields = {
            "iteration": index,
            "total": of[0] if of and of[1] <= 1 else None,
            "loss": postfix_value(fields["rest"], *LOSSES),
            "learning_rate": postfix_value(fields["rest"], *RATES),
            "elapsed_s": elapsed_s,
            "scalars": postfix_scalars(fields["rest"], UNDERSTOOD),
        }
        passed = 0.0 if elapsed_s is None or self._began is None else elapsed_s - self._began[1]
        steps = 0.0 if self._began is None else index - self._began[0]
        blurred = 0 < steps < _ROUNDED * unsure and unsure > 1  # the count is too rounded for this window
        return self.timed(read, line, elapsed_s, passed if blurred else 1.0)


def _trains(title: str) -> bool:
    bar = Bar(title, 0, None, 0.0, None, "")
    return not (bar.evaluates or bar.prepares)


def _count(text: str) -> tuple[float, float] | None:
    """`1.23kit`: the count, and how far it is from its neighbours."""
    found = re.fullmatch(_COUNT, text)
    value = number(found[1]) if found else None
    if found is None or value is None:
        return None
    scale = _SCALE[found[2]]
    return round(value * scale), resolution(found[1]) * scale
