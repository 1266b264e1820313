"""CleanRL: an episode's end, and the steps of the environment a second.

    global_step=476, episodic_return=[13.]
    SPS: 2411
`global_step` counts steps of all environments, and nothing else is counted. `SPS` is the mean since the training began, as a whole
number, at a step that is not printed: between the episodes before and after it. From both follows how far the clock was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA
from ...base import Example
from ...between.late_values import late_fields
from ...families.elapsed import OF_A_MEAN, ElapsedParser
from ...parsing.grammar import Line, handler
from ...parsing.values import finite

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class CleanRl(ElapsedParser):
    """Steps of the environment."""

    window = OF_A_MEAN

    name = "CleanRL"
    about = "steps of the environment, not updates: nothing else is counted; times from SPS, which is a mean since the beginning"
    time_includes = (DATA,)
    lines = (
        Line(
            "episodic",
            r"^global[_ ]step=(?P<iteration>\d+), episodic[_ ]return=\[?(?P<metric_episodic_return>N)",
            "episode",
        ),
        Line("SPS: ", r"^SPS: (?P<rate>\d+)$", "rate"),
    )
    examples = (
        Example(
            """
global_step=1000, episodic_return=[13.]
SPS: 1000
global_step=1010, episodic_return=[15.]
global_step=5000, episodic_return=[15.]
SPS: 1000
global_step=5010, episodic_return=[17.]
""",
            iterations=(
                (1000, None, 1, None), (1010, None, 1, None), (5000, None, 0, None), (5010, 0.001, 4000, None),
            ),
        ),
        Example(
            """
global step=112, episodic return=3.0
global step=228, episodic return=5.0
""",
            iterations=((112, None, 1, None), (228, None, 1, None)),
            variant="CleanRL with blanks",
        ),
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._rate: float | None = None  # printed since the last episode
        self._rated_at = self._episode = 0.0  # steps: of the last episode before it, of the newest
        self._ended_at: float | None = None  # the newest episode's, once there is one

    @handler(numbers=("rate",))
    def rate(self, fields: Fields, _line: LogLine) -> list[Event]:
        """Steps a second, up to now."""
        self._rate, self._rated_at = finite(fields["rate"]), self._episode
        return []

    @handler(iterations=True)
    def episode(self, fields: Fields, line: LogLine) -> list[Event]:
        """An episode ended at this step. Where several environments end theirs at one, the newest line counts."""
        step, rate = finite(fields["iteration"]), self._rate
        if step is not None and step == self._ended_at:
            return self.in_order([late_fields(fields, int(step))])
        self._ended_at = step
        self._rate, self._episode = None, step or 0.0
        if not rate or step is None or step < self._rated_at:
            return self.timed(fields, line, None)
        unsure_s = (step - self._rated_at) / rate + step / rate**2
        return self.timed(fields, line, step / rate, unsure_s)
