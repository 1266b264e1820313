"""Many ranks on many machines, as a server of metrics says they are at a moment, and how they were before it."""

from __future__ import annotations

import msgspec

RankKey = tuple[str, str]
"""A rank's number and what was scraped for it (`instance`): two runs of one name may both have a rank 0."""


class Member(msgspec.Struct, frozen=True):
    """A rank of the run, and where it is. Texts are the server's: to be made harmless where they are shown."""

    rank: str
    instance: str
    host: str = ""
    run_id: str = ""
    gpu: str = ""
    stage: str = ""
    """Of the pipeline, where its trainer says it."""

    @property
    def key(self) -> RankKey:
        """What tells it from all others."""
        return self.rank, self.instance


BY_UUID, BY_PLACE = "UUID", "host and index"


class RankGpu(msgspec.Struct, frozen=True):
    """A rank's GPU: `None` is not measured. `xid`: of the last error that its driver reported; 0 is none.

    `joined`: by what it was found that NVIDIA's exporter speaks of the same GPU; "" where it does not.
    """

    uuid: str = ""
    power_w: float | None = None
    power_limit_w: float | None = None
    clock_hz: float | None = None
    boost_hz: float | None = None
    temperature_c: float | None = None
    xid: int | None = None
    limited: tuple[str, ...] = ()
    joined: str = ""


class FleetReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a server says of one run at `at_s`, its own clock. `None` is not known."""

    at_s: float
    run: str
    members: tuple[Member, ...] = ()
    world_size: int | None = None
    scrape_s: float | None = None
    """Between two looks of the server at an exporter."""

    usual_s: float | None = None
    """A normal iteration: the median of the ranks'."""

    local_s: float | None = None
    """What a rank does by itself in one: the median of the ranks'."""

    waits_s: float | None = None
    """What a rank waits for others, and exchanges with them: the median of the ranks'."""

    iteration: float | None = None
    last_iteration: float | None = None
    eta_s: float | None = None
    mfu: float | None = None
    loss: float | None = None
    late_ranks: int = 0
    """How many do by themselves what takes 5 % of an iteration longer than with the median rank."""

    late_s: dict[RankKey, float] = {}
    """Of the latest few: how much longer than the median rank."""

    still: frozenset[RankKey] = frozenset()
    """Those scraped, whose count of iterations stood still for `still_s`."""

    still_s: float | None = None
    still_ranks: int = 0
    behind: dict[RankKey, float] = {}
    """Of the farthest behind: how many iterations."""

    unscraped_s: dict[RankKey, float] = {}
    """Of those that the server has not reached for more than two scrapes: since when."""

    gone: tuple[Member, ...] = ()
    """Those that were there within the last hour, and are not any more."""

    lost_s: dict[str, float] = {}
    """By cause, of all ranks together, within the last hour."""

    skewed_s: dict[str, float] = {}
    """By host: how far its clock is from the server's, where that is minutes."""

    gpus: dict[RankKey, RankGpu] = {}
    notes: tuple[str, ...] = ()


class FleetCourse(msgspec.Struct, kw_only=True):
    """How the run was, in columns of `step_s`: column `n` is of the time `begin_s + n * step_s`."""

    begin_s: float = 0.0
    step_s: float = 1.0
    columns: int = 0
    rows: dict[str, list[float | None]] = {}
    """By what was scraped (`instance`): the largest local time of its ranks."""

    stages: dict[str, list[float | None]] = {}
    """By stage of the pipeline, where the trainers say it: the largest local time of its ranks."""

    median_s: list[float | None] = []
    """Of all ranks."""

    lost: dict[str, list[float | None]] = {}
    """By cause: the share of all ranks' time."""

    def copied(self) -> FleetCourse:
        """As it is now, whatever comes to it."""
        rows, stages, lost = (
            {name: list(row) for name, row in rows.items()} for rows in (self.rows, self.stages, self.lost)
        )
        return FleetCourse(
            begin_s=self.begin_s,
            step_s=self.step_s,
            columns=self.columns,
            rows=rows,
            stages=stages,
            median_s=list(self.median_s),
            lost=lost,
        )


class FleetRun(msgspec.Struct, frozen=True):
    """A run of the cluster, in one line."""

    name: str
    ranks: int = 0
    hosts: int = 0
    world_size: int | None = None
    framework: str = ""
    iteration: float | None = None
    last_iteration: float | None = None
    usual_s: float | None = None
    seen_at_s: float | None = None
    eta_s: float | None = None
    moves: int = 0
    """How many of its ranks ended an iteration within the last minutes."""

    twice: int = 0
    """How many ranks are there more than once: two runs of one name."""
