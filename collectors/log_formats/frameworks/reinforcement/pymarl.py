"""PyMARL and its many children: a block of statistics behind the step of the environment.

    [INFO 19:44:26] my_main Recent Stats | t_env:      10012 | Episode:      300
    epsilon:                   1.0000   grad_norm:                 0.4896   q_loss:                    0.1174
    [INFO 19:44:26] my_main t_env: 10084 / 2050000
The stamps are whole seconds. What is learned and what is tested lies between two blocks. No loss says how well it learns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, EVALUATION
from ....patterns import lazy_pattern
from ...base import Example
from ...families.elapsed import ElapsedParser, clock_seconds
from ...parsing.grammar import Line, handler
from ...parsing.values import scalars

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_CELL = lazy_pattern(r"([\w/.-]{1,60}): {1,40}(-?\d[\d.eE+-]{0,30}|-?nan|-?inf)(?= |$)")
_MOST_VALUES, _DAY_S = 200, 86_400.0


class PyMarl(ElapsedParser):
    """Steps of the environment, by the stamps of their blocks."""

    name = "PyMARL"
    about = (
        "difference of the blocks' time stamps, a mean over the environment steps of 20 s or more; tests are in it"
    )
    time_includes = (EVALUATION, CHECKPOINT)
    lines = (
        Line("Recent Stats | t_env:", r"(?:\[[A-Z]{4,8} (?P<clock>\d\d:\d\d:\d\d)\] \w{1,40} )?Recent Stats \| t_env: {1,20}(?P<iteration>\d+) \| Episode: {1,20}\d+", "block"),
        Line("t_env: ", r"\bt_env: (?P<step>\d+) / (?P<total>\d+)\s{0,4}$", "place"),
        Line("Finished Training", r"Finished Training\s{0,4}$", "done"),
        Line(": ", r"^(?:[\w/.-]{1,60}: {1,40}-?(?:\d[\d.eE+-]{0,30}|nan|inf)(?: +|$)){1,8}$", "value", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
[INFO 10:00:00] my_main t_env: 60 / 50000
[INFO 10:01:40] my_main Recent Stats | t_env:      10000 | Episode:      300
epsilon:                   1.0000   grad_norm:                 0.5000   q_loss:                    0.1250
return_mean:               2.2500
[INFO 10:01:40] my_main t_env: 10060 / 50000
[INFO 10:03:20] my_main Recent Stats | t_env:      20000 | Episode:      647
epsilon:                   0.8000   grad_norm:                 0.2500   q_loss:                    0.0625
return_mean:               2.5000
[INFO 10:03:21] my_main t_env: 20060 / 50000
""",
            iterations=((10000, None, 1, None), (20000, 0.01, 10000, None)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._block: tuple[Fields, LogLine] | None = None  # whose values still come
        self._values: dict[str, str] = {}
        self._clock_s, self._days_s = 0.0, 0.0  # of the newest block; the midnights since the first
        self._all: float | None = None  # steps, as the newest line that tells them has it

    @handler(iterations=True, texts=("clock",))
    def block(self, fields: Fields, line: LogLine) -> list[Event]:
        """A block begins: the one before it is whole."""
        events = self._close()
        self._block, self._values = (fields, line), {}
        return events

    @handler(numbers=("step",))
    def place(self, fields: Fields, _line: LogLine) -> list[Event]:
        """How far it is, and of how many."""
        self._all = fields["total"]
        return self._close()

    @handler()
    def value(self, _fields: Fields, line: LogLine) -> list[Event]:
        """Values of the block."""
        if self._block is not None and len(self._values) < _MOST_VALUES:
            self._values |= dict(_CELL.findall(line.text[:2000]))
        return []

    def release(self) -> list[Event]:
        """The newest block is whole: the log has been silent for long, or is over."""
        return [*self._close(), *super().release()]

    def _close(self) -> list[Event]:
        block, self._block = self._block, None
        if block is None:
            return []
        fields, line = block
        clock_s = clock_seconds(fields.pop("clock")) if "clock" in fields else None
        if clock_s is not None:
            self._days_s += _DAY_S if clock_s < self._clock_s else 0.0
            self._clock_s, clock_s = clock_s, clock_s + self._days_s
        row = fields | {"scalars": scalars(self._values.items()) or None}
        return self.timed(row | ({"total": self._all} if self._all else {}), line, clock_s, 1.0)
