"""Apache MXNet's Speedometer: a line for each window of batches.

    INFO Node[0] Epoch[13] Batch [760-780]  Speed: 5536.07 samples/sec  accuracy=0.001683
No time is printed: that of a window is the difference of two lines' time stamps. An epoch's number of batches is never
printed either: the highest seen in the epoch before stands for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class MxNet(LineParser):
    """Apache MXNet's Speedometer: a window of batches; its time is that between two lines. An epoch's number of batches is
    never printed: the highest seen in the epoch before stands for it."""

    name = "MXNet"
    about = (
        "time stamps' difference over the batches of a window, with data; the first window of an epoch has no time"
    )
    time_includes = (DATA,)
    from_stamps = True
    lines = (
        Line("Speed:", r"(?:Node\[(?P<rank>\d+)\] )?Epoch\[(?P<epoch>\d+)\] Batch \[(?:\d+-)?(?P<batch>\d+)\]\s+Speed: [\d.]+ samples/sec",
             "window"),
        Line("Time cost=", r"Epoch\[\d+\] Time cost=", "known"),
        Line("Validation-", r"Epoch\[\d+\] Validation-", "known"),
    )  # fmt: skip
    examples = (
        Example(
            """
2020-06-24 23:54:53,000 Node[0] Epoch[0] Batch [0-20]\tSpeed: 5178.65 samples/sec\taccuracy=0.0
2020-06-24 23:54:56,000 Node[0] Epoch[0] Batch [20-40]\tSpeed: 5573.90 samples/sec\taccuracy=0.0
2020-06-24 23:55:56,000 Node[0] Epoch[1] Batch [0-20]\tSpeed: 5573.90 samples/sec\taccuracy=0.0
""",
            iterations=((20, None, 1, None), (40, 0.15, 20, None), (60, None, 1, None)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._epoch: float | None = None
        self._before = 0.0

    @handler(iterations=True)
    def window(self, fields: Fields, line: LogLine) -> list[Event]:
        """Some batches; between epochs lie evaluation and checkpoint, so the first window's time is left open."""
        if self._another_rank(fields, line):
            return []
        if self._epoch is not None and fields["epoch"] != self._epoch:
            before = float(self.last or 0) if fields["epoch"] > self._epoch else 0.0  # it goes back: another run
            self._before, self.last_at_s = before, None
        self._epoch = fields["epoch"]
        fields["iteration"] = self._before + fields["batch"]
        return self.iteration(fields, line)
