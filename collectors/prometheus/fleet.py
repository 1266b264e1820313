"""One run, read again and again: where its ranks are, who is late, and how it was, column by column."""

from __future__ import annotations

from collections import Counter
from math import floor
from typing import TYPE_CHECKING, Any

from ...events.fleet import FleetCourse, FleetReading, Member, RankKey
from .client import step_for
from .questions import PART, OfRun
from .rank_gpus import rank_gpus
from .runs import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...events.fleet import RankGpu
    from .answers import Answer, Series
    from .client import Client

FIRST_SCRAPE_S = 60.0
"""Taken for the time between two scrapes until it is known: Prometheus' own default."""

_SCRAPES_OVER_S = 300.0  # the window of the question that counts them
_STILL_ITERATIONS = 3.0
_APART = 2.0  # iterations
_LOST_OVER_S = 3_600.0
_MEMBERS_EVERY_S = 300.0
_GPUS_OF = 16  # ranks: those that the table shows first
_MOST_COLUMNS = 2_000


class FleetReader:
    """Reads one run.

    Args:
        client: the server.
        run: its name.
        window_s: how far back the course goes.
        columns: how many of them there are to be.
    """

    def __init__(self, client: Client, run: str, *, window_s: float = 3_600.0, columns: int = 160) -> None:
        self._client, self._run, self._ask = client, run, OfRun(run)
        self._window_s, self._columns = window_s, min(columns, _MOST_COLUMNS)
        self._members: tuple[Member, ...] = ()
        self._world_size: int | None = None
        self._members_at_s: float | None = None
        self._scrape_s: float | None = None
        self._usual_s: float | None = None
        self._notes: list[str] = []
        self.course = FleetCourse()
        """How the run was, as far as it was read."""

    def read(self, at_s: float | None = None) -> FleetReading:
        """How the run is now, or was at a time; the course grows with it. Raises `AskingError`."""
        self._notes = []
        still_s = self._still_s()
        said = self._parts(self._ask.summary(still_s), at_s)
        numbers: dict[str, Any] = {part: series[0].value for part, series in said.items()}
        now_s = next((one.points[-1][0] for series in said.values() for one in series), at_s)
        if now_s is None:  # nothing is known of the run: the server's clock neither
            return FleetReading(at_s=0.0, run=self._run, notes=tuple(self._notes))
        if scrapes := numbers.pop("scrapes", 0):
            self._scrape_s = max(1.0, _SCRAPES_OVER_S / scrapes)
        self._usual_s = numbers.get("usual_s")
        ranks, late_ranks, still_ranks = (int(numbers.pop(f"{name}ranks", 0)) for name in ("", "late_", "still_"))
        self._know_members(ranks, now_s, at_s)
        known: dict[str, Any] = {name: numbers.get(name) for name in _NUMBERS}
        known |= self._named(still_s, at_s, exactly=still_ranks >= ranks)
        lost = self._client.query(self._ask.lost(_LOST_OVER_S), at_s).series
        self._go_on(now_s, at_s)
        return FleetReading(
            at_s=now_s,
            run=self._run,
            members=self._members,
            world_size=self._world_size,
            scrape_s=self._scrape_s,
            late_ranks=late_ranks,
            still_s=still_s,
            still_ranks=still_ranks,
            lost_s={one.labels.get("cause", ""): one.value for one in lost if one.value > 0},
            notes=tuple(dict.fromkeys(self._notes)),
            **known,
        )

    def _named(self, still_s: float, at_s: float | None, *, exactly: bool) -> dict[str, Any]:
        """The ranks of which there is something to say, by the fields of a reading.

        Exporters are scraped at different moments: ranks that are in step are as far apart as that makes them.
        Where nothing moves the figures are exact.
        """
        scrape_s = self._scrape_s or FIRST_SCRAPE_S
        apart = 0.0 if exactly else _APART + scrape_s / (self._usual_s or scrape_s)
        said = self._parts(self._ask.troubles(still_s, scrape_s, apart), at_s)
        late_s = self._by_rank(self._client.query(self._ask.latest(), at_s))
        wrong = [_key(one) for part in ("still", "behind", "unscraped") for one in said.get(part, ())]
        return {
            "late_s": late_s,
            "still": frozenset(map(_key, said.get("still", ()))),
            "behind": {_key(one): one.value for one in said.get("behind", ())},
            "unscraped_s": {_key(one): one.value for one in said.get("unscraped", ())},
            "gone": tuple(_member(one.labels) for one in said.get("gone", ())),
            "skewed_s": {one.labels.get("instance", ""): one.value for one in said.get("skewed", ())},
            "gpus": self._gpus([*dict.fromkeys([*wrong, *late_s])], at_s),
        }

    def _still_s(self) -> float:
        """How long a count that stands still is no accident: three iterations, and two scrapes."""
        return _STILL_ITERATIONS * (self._usual_s or 0.0) + 2.0 * (self._scrape_s or FIRST_SCRAPE_S)

    def _know_members(self, ranks: int, now_s: float, at_s: float | None) -> None:
        """Ask where the ranks are, if there are others than before, and every five minutes."""
        known_s = self._members_at_s
        if known_s is not None and ranks == len(self._members) and now_s - known_s < _MEMBERS_EVERY_S:
            return
        answer = self._noted(self._client.query(self._ask.members(), at_s))
        self._members = tuple(sorted((_member(one.labels) for one in answer.series), key=_in_order))
        sizes = Counter(size for one in answer.series if (size := whole(one.labels.get("world_size", ""))))
        self._world_size = sizes.most_common(1)[0][0] if sizes else None
        self._members_at_s = now_s

    def _parts(self, question: str, at_s: float | None) -> dict[str, list[Series]]:
        parts: dict[str, list[Series]] = {}
        for one in self._noted(self._client.query(question, at_s)).series:
            parts.setdefault(one.labels.get(PART, ""), []).append(one)
        return parts

    def _noted(self, answer: Answer) -> Answer:
        self._notes += answer.notes
        return answer

    def _by_rank(self, answer: Answer) -> dict[RankKey, float]:
        """The latest first."""
        series = sorted(self._noted(answer).series, key=lambda one: -one.value)
        return {_key(one): one.value for one in series}

    def _gpus(self, keys: Sequence[RankKey], at_s: float | None) -> dict[RankKey, RankGpu]:
        hosts = {member.key: member.host for member in self._members}
        wanted = {key: hosts.get(key, "") for key in keys[:_GPUS_OF]}
        return rank_gpus(self._asking(at_s), self._ask, wanted) if wanted else {}

    def _asking(self, at_s: float | None) -> Callable[[str], list[Series]]:
        return lambda question: list(self._noted(self._client.query(question, at_s)).series)

    # The course

    def _go_on(self, now_s: float, at_s: float | None) -> None:
        """The columns up to now: all of them at first and after a pause, else the newest alone."""
        course = self.course
        newest = floor((now_s - course.begin_s) / course.step_s)
        if not course.columns or not 0 <= newest <= course.columns:
            self._begin(now_s)
            return
        for one in self._noted(self._client.query(self._column(), at_s)).series:
            _put(self._row_of(one), newest, one.value)
        for one in self._noted(self._client.query(self._ask.lanes(self._lane_s(course.step_s)), at_s)).series:
            _put(course.lost.setdefault(one.labels.get("cause", ""), []), newest, one.value)
        course.columns = newest + 1
        if course.columns > self._columns:
            self._forget(self._columns)

    def _begin(self, now_s: float) -> None:
        """Ask for the whole window."""
        step_s = step_for(self._window_s, self._columns)
        end_s = floor(now_s / step_s) * step_s
        begin_s = end_s - (self._columns - 1) * step_s
        answer, step_s = self._client.query_range(self._column(), begin_s, end_s, step_s)
        self.course = course = FleetCourse(begin_s=begin_s, step_s=step_s)
        course.columns = floor((end_s - begin_s) / step_s) + 1
        for one in self._noted(answer).series:
            self._fill(self._row_of(one), one)
        lanes, _ = self._client.query_range(self._ask.lanes(self._lane_s(step_s)), begin_s, end_s, step_s)
        for one in self._noted(lanes).series:
            self._fill(course.lost.setdefault(one.labels.get("cause", ""), []), one)

    def _column(self) -> str:
        return self._ask.column(stages=any(member.stage for member in self._members))

    def _fill(self, row: list[float | None], series: Series) -> None:
        for at_s, value in series.points:
            column = round((at_s - self.course.begin_s) / self.course.step_s)
            if 0 <= column < self.course.columns:
                _put(row, column, value)

    def _row_of(self, series: Series) -> list[float | None]:
        course = self.course
        if series.labels.get(PART) == "median":
            return course.median_s
        if series.labels.get(PART) == "stage":
            return course.stages.setdefault(series.labels.get("stage", ""), [])
        return course.rows.setdefault(series.labels.get("instance", ""), [])

    def _lane_s(self, step_s: float) -> float:
        """A rate needs two points: a column that is narrower than that shows what was around it."""
        return max(step_s, 4.0 * (self._scrape_s or FIRST_SCRAPE_S))

    def _forget(self, columns: int) -> None:
        """Keep the newest."""
        course = self.course
        gone = course.columns - columns
        for row in (*course.rows.values(), *course.stages.values(), course.median_s, *course.lost.values()):
            del row[:gone]
        course.begin_s += gone * course.step_s
        course.columns = columns


_NUMBERS = ("usual_s", "local_s", "waits_s", "iteration", "last_iteration", "eta_s", "mfu", "loss")
"""Those of the summary that stand in a reading as they are."""


def _put(row: list[float | None], column: int, value: float) -> None:
    """The larger one, where a column is read twice."""
    row.extend([None] * (column + 1 - len(row)))
    before = row[column]
    row[column] = value if before is None else max(before, value)


def _key(series: Series) -> RankKey:
    return series.labels.get("rank", ""), series.labels.get("instance", "")


def _member(labels: dict[str, str]) -> Member:
    return Member(*(labels.get(name, "") for name in ("rank", "instance", "host", "run_id", "gpu", "stage")))


def _in_order(member: Member) -> tuple[int, str, str]:
    return whole(member.rank) or 0, member.rank, member.instance
