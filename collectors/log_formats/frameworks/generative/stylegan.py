"""What StyleGAN, its successors, EDM and what was made of them print: a tick of some thousand images a line.

    tick 2     kimg 8.0      time 34m 17s      sec/tick 926.4   sec/kimg 231.60  maintenance 0.0    cpumem 6.2
`sec/tick` leaves out `maintenance`: snapshots, and metrics of them, before the tick. `time` runs since the start; from a
day on it has no seconds: the tick's own tell where in the minute it is. What is resumed counts on from its `kimg`, with tick 0. What a metric found, and the seconds that took, stand in a line of JSON behind the tick.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from .....events import DATA, EVALUATION, MAINTENANCE
from ....patterns import lazy_pattern
from ...base import Example
from ...generic.json_lines import parse_object
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.validation import of_the_newest
from ...parsing.values import Fields, LogLine, as_float, ended, scalars, whole

if TYPE_CHECKING:
    from .....events import Event

_PART = lazy_pattern(r"(\d{1,6})([dhms])")
_UNIT_S = {"d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0}


class StyleGan(LineParser):
    """The lines of ticks."""

    name = "StyleGAN"
    unit = "tick"
    about = "ticks; sec/tick, without snapshots and metrics; a clock since the start"
    time_includes = (DATA,)
    lines = (
        Line(
            "sec/tick",
            r"(?<![\w-])tick (?P<iteration>\d+) +kimg (?P<kimg>N) +(?:[a-z]{1,12} +[\d.]{1,12} +){0,4}time (?P<clock>[\ddhms ]{2,20}?) +sec/tick (?P<duration_s>N) +sec/kimg (?:.{0,120}? maintenance (?P<maintenance>N))?",
            "tick",
        ),
        Line('"metric"', r"^\s*\{\"results\": ?\{", "metric", distinctive=False),
        Line("Training for", r"^Training for (?P<most>\d+) kimg", "length", distinctive=False),
    )
    examples = (
        Example(
            """
tick 0     kimg 0.0      time 56s          sec/tick 9.5     sec/kimg 1187.50 maintenance 46.5   cpumem 4.90   gpumem 23.99  augment 0.000
{"results": {"fid50k_full": 241.5}, "metric": "fid50k_full", "total_time": 130.5, "total_time_str": "2m 10s", "num_gpus": 2}
tick 1     kimg 4.0      time 18m 40s      sec/tick 920.5   sec/kimg 230.12  maintenance 143.5  cpumem 6.25   gpumem 19.25  augment 0.000
tick 2     kimg 8.0      time 33m 58s      sec/tick 918.0   sec/kimg 229.50  maintenance 0.0    cpumem 6.25   gpumem 17.25  augment 0.000
""",
            iterations=((0, 9.5, 1, None), (1, 920.5, 1, None), (2, 918.0, 1, None)),
            evaluations=((1, {"fid50k_full": 241.5}),),
        ),
        Example(
            """
tick 1     kimg 140.5    lod 0.00  minibatch 512  time 17m 56s     sec/tick 1022.5  sec/kimg 7.28    maintenance 53.5   gpumem 7.5
tick 2     kimg 280.5    lod 0.00  minibatch 512  time 1d 02h 33m  sec/tick 1020.5  sec/kimg 7.25    maintenance 0.0    gpumem 7.5
""",
            iterations=((1, 1022.5, 1, None), (2, 1020.5, 1, None)),
            variant="StyleGAN of TensorFlow",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._most_kimg: float | None = None  # of which there are to be so many
        self._first: tuple[float, float] | None = None  # tick of the training, and its thousand images
        self._clock_s: float | None = None  # at the newest
        self._metrics_s = 0.0  # what those of the newest tick took: they are part of the next one's maintenance

    @handler(numbers=("most",))
    def length(self, fields: Fields, _line: LogLine) -> list[Event]:
        """How many thousand images there are to be."""
        self._most_kimg = fields["most"]
        return []

    @handler(iterations=True, numbers=("kimg", "maintenance"), texts=("clock",))
    def tick(self, fields: Fields, line: LogLine) -> list[Event]:
        """A tick, by the clock of its training."""
        kimg, clock, tick = fields.pop("kimg"), fields.pop("clock"), fields["iteration"]
        stopped_s = fields.pop("maintenance", None) or 0.0
        if self._first is None or tick <= self._first[0] or (self.last is not None and tick < self.last):
            self._first, self._clock_s = (tick, kimg), None
        fields["total"] = self._ticks(tick, kimg)
        fields["elapsed_s"] = self._clock_s = self._read(clock, fields["duration_s"] + stopped_s)
        spent_s, self._metrics_s = stopped_s - self._metrics_s, 0.0
        stop = [ended(MAINTENANCE, line.at_s, whole(tick), spent_s)] if spent_s > 0 else []
        return [*stop, *self.iteration(fields | {"scalars": scalars([("kimg", kimg)]) or None}, line)]

    def _ticks(self, tick: float, kimg: float) -> float | None:
        """How many there are to be, where each has had the same whole number of thousand images: the rest is to come."""
        first_tick, first_kimg = self._first or (tick, kimg)
        each = round((kimg - first_kimg) / (tick - first_tick), 9) if tick > first_tick else 0.0
        if not self._most_kimg or each < 1 or each % 1:
            return None
        return max(tick, tick + ceil(round((self._most_kimg - kimg) / each, 9)))

    def _read(self, clock: str, took_s: float) -> float:
        """Seconds since the start. From a day on the clock tells the minute, and what the tick `took_s` where in it."""
        read_s = sum(float(n) * _UNIT_S[unit] for n, unit in _PART.findall(clock))
        if "s" in clock:
            return read_s
        return read_s if self._clock_s is None else min(max(self._clock_s + took_s, read_s), read_s + 59.0)

    @handler()
    def metric(self, _fields: Fields, line: LogLine) -> list[Event]:
        """What a metric found of the snapshot of the newest tick."""
        said = parse_object(line.text) or {}
        found = said.get("results")
        if not isinstance(found, dict) or self.last is None:
            return []
        values = scalars((name[:80], value) for name, value in found.items())
        self._metrics_s += as_float(said.get("total_time")) or 0.0
        end = ended(EVALUATION, line.at_s, self.next_index, as_float(said.get("total_time")), values=values)
        return [of_the_newest(end, self.last)]
