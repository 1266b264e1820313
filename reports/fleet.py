"""Many ranks in words: what it is, the evidence, what to do; what is wrong with the answer itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..analysis.fleet.pattern import FIXED, ROTATING
from ..analysis.fleet.standing import BEHIND, GONE, LATE, STILL, UNSCRAPED, place
from ..collectors.clean import clean
from ..events import Severity
from ..events.fleet import BY_PLACE
from ..words import DASH, count, duration, in_unit, listed, percent, plural, rough_duration
from .run_line import RUNNING, RunLine

if TYPE_CHECKING:
    from ..analysis.fleet.standing import RankStanding, Standing
    from ..events.fleet import FleetReading, FleetRun, RankGpu

_NAMED = 4
_MOST = 40  # characters of a name


class Said(NamedTuple):
    """A verdict: what it is, the evidence, what to do; whether it is well."""

    what: str
    evidence: str = ""
    action: str = ""
    well: bool = False


def verdict(standing: Standing, reading: FleetReading) -> Said:
    """The one thing that matters most."""
    if not standing.ranks:
        gone = f"{plural(len(reading.gone), 'rank')} of it ended within the last hour" if reading.gone else ""
        return Said("no rank of this run is exported now.", gone)
    if standing.all_still:
        return _hangs(standing, reading)
    for state, words in (
        (STILL, "standing still"),
        (GONE, "gone"),
        (BEHIND, "behind"),
        (UNSCRAPED, "not reached"),
    ):
        if rows := standing.of(state):
            return Said(f"{_names(rows)}: {words}.", why(rows[0]), _ADVICE[state])
    return _late(standing, reading)


def _late(standing: Standing, reading: FleetReading) -> Said:
    """All go on."""
    if not standing.knows_late:
        nobody = "no rank says what it does by itself: hooks do, a log does not"
        return Said("all ranks go on; who is late is not known.", nobody, well=True)
    if standing.uneven:
        ranks = f"{count(reading.late_ranks)} of {count(standing.ranks)} ranks"
        return Said(
            f"uneven: {ranks} do more than the median rank.",
            "so many are late by 5 % of an iteration that none of them is the cause",
            "look at how the work is divided: lengths of sequences, stages, experts",
        )
    if late := standing.of(LATE):
        return Said(f"{_names(late)}: late.", f"{why(late[0])}{_pattern(standing)}", _ADVICE[LATE])
    words = _pattern(standing).removeprefix("; ")
    return Said("in step: no rank is late by 5 % of an iteration.", words, well=True)


_ADVICE = {
    GONE: "the server knew it within the last hour: look at its host and its log",
    BEHIND: "itermon stack RUN on its host says where it is",
    STILL: "itermon stack RUN on its host says where it is",
    UNSCRAPED: "its figures are old: is the exporter there, is the host?",
    LATE: "its own screen shows its waits for data, its clock and its slow iterations: itermon attach ssh://HOST/RUN",
}


def _hangs(standing: Standing, reading: FleetReading) -> Said:
    since = f"no rank has ended an iteration for {rough_duration(reading.still_s)}"
    if behind := standing.of(BEHIND):
        what = f"nothing moves, and {_names(behind)}: {count(behind[0].behind)} behind."
        return Said(what, f"{since}; the others may wait for it", _ADVICE[BEHIND])
    why = f"{since}: a stop of all (evaluation, checkpoint), a hang, or the end"
    return Said("nothing moves.", why, "all are at the same iteration: no rank is named")


def _pattern(standing: Standing) -> str:
    found = standing.pattern
    who = clean(found.instance, _MOST)
    if found.kind == FIXED:
        return f"; fixed: {who} was the slowest in {percent(found.share)} of {count(found.columns)} columns"
    if found.kind == ROTATING:
        return f"; rotating: {plural(found.slowest, 'exporter')} took turns in {count(found.columns)} columns"
    return ""


def _names(rows: list[RankStanding]) -> str:
    named = [f"{clean(row.member.rank, _MOST)} on {clean(place(row.member), _MOST)}" for row in rows[:_NAMED]]
    more = [f"{count(len(rows) - _NAMED)} more"] if len(rows) > _NAMED else []
    return f"{'rank' if len(rows) == 1 else 'ranks'} {listed([*named, *more])}"


def why(row: RankStanding) -> str:
    """What is known of a rank that is not in step."""
    if row.state == GONE:
        return "exported within the last hour, and not any more"
    if row.state == BEHIND:
        return f"{count(row.behind)} iterations behind the first"
    if row.state == STILL:
        return "its count of iterations stands still while others go on" + (
            f", {count(row.behind)} behind the first" if row.behind else ""
        )
    if row.state == UNSCRAPED:
        return f"the server has not reached it for {rough_duration(row.unscraped_s)}"
    if row.state == LATE:
        more = f"{duration(row.late_s)} more by itself than the median rank"
        return f"{more}, {percent(row.late_share)} of an iteration"
    return ""


def troubles(standing: Standing, reading: FleetReading) -> list[str]:
    """What is wrong with the answer: each in one line."""
    lines = []
    if standing.twice:
        rank, one, other = (clean(text, _MOST) for text in standing.twice[0])
        lines.append(
            f"{plural(len(standing.twice), 'rank')} twice: rank {rank} on {one} and on {other}."
            " Two runs of one name? Give each its own."
        )
    if standing.missing:
        lines.append(
            f"{plural(standing.missing, 'rank')} of {count(reading.world_size)} not exported:"
            " itermon export has to run on each host"
        )
    lines += [f"{clean(host, _MOST)}: its clock and the server's differ by {rough_duration(abs(by_s))}"
              for host, by_s in reading.skewed_s.items()]  # fmt: skip
    return [*lines, *(f"the server warns: {clean(note, 200)}" for note in reading.notes)]


def gpu_words(gpu: RankGpu | None) -> tuple[str, str, str, str]:
    """Power, clock, temperature, and what is wrong with it."""
    if gpu is None:
        return DASH, DASH, DASH, ""
    clock = DASH if gpu.clock_hz is None else in_unit(gpu.clock_hz / 1e6, "MHz")
    wrong = [f"Xid {gpu.xid}"] if gpu.xid else []
    how = [f"DCGM by {BY_PLACE}"] if gpu.joined == BY_PLACE else []  # no UUID speaks for it
    return (
        in_unit(gpu.power_w, "W"),
        clock,
        in_unit(gpu.temperature_c, "°C"),
        ", ".join([*wrong, *(clean(reason, _MOST) for reason in gpu.limited[:3]), *how]),
    )


def figures(reading: FleetReading, ranks: int) -> list[tuple[str, str]]:
    """The run in figures, with what they are called."""
    place = count(reading.iteration)
    if reading.last_iteration:
        place = f"{place} of {count(reading.last_iteration)}"
    left_s = None if reading.eta_s is None else reading.eta_s - reading.at_s
    return [
        ("ranks", count(ranks)),
        ("iteration", place),
        ("usual", duration(reading.usual_s)),
        ("own part", duration(reading.local_s)),
        ("waits", duration(reading.waits_s)),
        ("mfu", percent(reading.mfu)),
        ("left", rough_duration(left_s)),
    ]


def fleet_text(standing: Standing, reading: FleetReading, rows: int = 16) -> str:
    """The run as lines."""
    said = verdict(standing, reading)
    lines = [f"{clean(reading.run, 200)}: {said.what}"]
    lines += [f"  {words}" for words in (said.evidence, said.action) if words]
    lines.append("  ".join(f"{name} {value}" for name, value in figures(reading, standing.ranks)))
    lines += troubles(standing, reading)
    if standing.rows:
        lines.append("")
    for row in standing.rows[:rows]:
        power, clock, heat, wrong = gpu_words(row.gpu)
        late = DASH if row.late_s is None else f"+{duration(row.late_s)}"
        cells = (clean(row.member.rank, 8).rjust(6), clean(place(row.member), 24).ljust(24), row.state.ljust(11),
                 late.rjust(9), power.rjust(6), clock.rjust(9), heat.rjust(6), wrong)  # fmt: skip
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def run_words(run: FleetRun, at_s: float) -> tuple[str, str]:
    """How a run of the cluster is: its state, and when it was last heard of."""
    if run.seen_at_s is None or not at_s:
        return DASH, DASH
    age_s = at_s - run.seen_at_s
    if run.moves and abs(age_s) > CLOCKS_S:
        return RUNNING, f"clock off by {rough_duration(abs(age_s))}"
    age = f"{rough_duration(max(0.0, age_s))} ago"
    return (RUNNING if run.moves else "stands still"), age


CLOCKS_S = 150.0
"""Between clocks: more is no scrape that came late."""


def fleet_json(standing: Standing, reading: FleetReading) -> dict[str, object]:
    """The run for programs: what is not known is null, and texts are the server's own."""
    said = verdict(standing, reading)
    rows = [
        {
            "rank": row.member.rank,
            "host": row.member.host,
            "instance": row.member.instance,
            "run_id": row.member.run_id,
            "stage": row.member.stage or None,
            "state": row.state or "in step",
            "late_s": row.late_s,
            "late_share": row.late_share,
            "iterations_behind": row.behind,
            "not_reached_for_s": row.unscraped_s,
            "gpu": row.gpu,
        }
        for row in standing.rows
    ]
    names = (
        *("run", "at_s", "world_size", "scrape_s", "usual_s", "local_s", "waits_s", "iteration", "last_iteration"),
        *("eta_s", "mfu", "loss", "late_ranks", "still_ranks", "lost_s"),
    )

    return {
        "schema_version": 1,
        **{name: getattr(reading, name) for name in names},
        "verdict": said._asdict(),
        "pattern": standing.pattern,
        "problems": troubles(standing, reading),
        "ranks": rows,
    }


def run_line(run: FleetRun, at_s: float) -> RunLine:
    """A run of the cluster as any list of runs shows one."""
    ranks = f"{count(run.ranks)} of {plural(run.world_size or run.ranks, 'rank')}"
    whole = run.ranks >= (run.world_size or 0) and not run.twice
    last = run.last_iteration
    return RunLine(
        state=run_words(run, at_s)[0],
        iteration=None if run.iteration is None else int(run.iteration),
        fraction=run.iteration / last if run.iteration is not None and last else None,
        remaining_s=None if run.eta_s is None else max(0.0, run.eta_s - at_s),
        iteration_s=run.usual_s,
        said=f"{ranks}, {count(run.twice)} twice: two runs of one name?" if run.twice else ranks,
        severity=Severity.INFO if whole else Severity.WARNING,
    )
