"""rsl_rl, the agents of legged_gym and of Isaac Lab: a block each iteration.

    ################################################################################
                           Learning iteration 1/1500

                           Computation: 80000 steps/s (collection: 1.000s, learning 0.250s)
                   Value function loss: 0.2500
                        Surrogate loss: -0.0125
                           Mean reward: 2.50
    --------------------------------------------------------------------------------
                       Total timesteps: 196608
                        Iteration time: 1.25s
                            Total time: 2.50s
                                   ETA: 1872.5s
An iteration collects, and learns from what it has collected; its time has both in it, and no save. No loss says how well it learns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import scalars

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_MOST_VALUES = 200


class RslRl(LineParser):
    """Iterations of collecting and learning."""

    name = "rsl_rl"
    about = "Iteration time: collecting and learning, without saves"
    lines = (
        Line("Learning iteration ", r"^(?:\x1b\[\dm|\s){0,80}Learning iteration (?P<iteration>\d+)/(?P<total>\d+)", "begins"),
        Line("Iteration time: ", r"^\s{1,80}Iteration time: (?P<duration>N)s\b", "whole"),
        Line("Computation: ", r"^\s{1,80}Computation: \d+ steps/s \(", "known", distinctive=False),
        Line(": ", r"^ {3,80}(?P<key>[A-Z][\w /]{1,60}|Mean episode \S{1,60}): {1,20}(?P<value>-?\d\S{0,20}|nan)\s*$", "value", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
################################################################################
                       Learning iteration 0/1500

                       Computation: 65536 steps/s (collection: 1.250s, learning 0.250s)
               Value function loss: 0.5000
                    Surrogate loss: -0.0125
                       Mean reward: 1.25
--------------------------------------------------------------------------------
                   Total timesteps: 98304
                    Iteration time: 1.50s
                        Total time: 1.50s
                               ETA: 2248.5s

################################################################################
                       Learning iteration 1/1500

                       Computation: 78643 steps/s (collection: 1.000s, learning 0.250s)
               Value function loss: 0.2500
                    Surrogate loss: -0.0125
                       Mean reward: 2.50
--------------------------------------------------------------------------------
                   Total timesteps: 196608
                    Iteration time: 1.25s
                        Total time: 2.75s
                               ETA: 1872.5s
""",
            iterations=((0, 1.5, 1, None), (1, 1.25, 1, None)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._place: Fields = {}  # of the block that is read
        self._values: dict[str, str] = {}

    @handler()
    def begins(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A block."""
        self._place, self._values = fields, {}
        return []

    @handler(texts=("key", "value"))
    def value(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A value of the block."""
        if self._place and len(self._values) < _MOST_VALUES:
            self._values[fields["key"].strip()] = fields["value"]
        return []

    @handler(iterations=True)
    def whole(self, fields: Fields, line: LogLine) -> list[Event]:
        """All of an iteration but its clock."""
        place, self._place = self._place, {}
        if not place:
            return []
        return self.iteration(place | fields | {"scalars": scalars(self._values.items())}, line)
