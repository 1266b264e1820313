"""Many ranks in words: nobody is accused without evidence, and what is wrong with the answer is one line each."""

from __future__ import annotations

import pytest

from itermon.analysis.fleet.standing import standing
from itermon.events.fleet import FleetCourse, FleetReading, FleetRun, Member, RankGpu
from itermon.reports.fleet import fleet_json, fleet_text, gpu_words, run_words, troubles, verdict

MEMBERS = tuple(Member(str(rank), f"host-{rank}:9464", f"host-{rank}", f"gpt2.{rank}") for rank in range(4))
KEYS = [member.key for member in MEMBERS]


def said(**more: object) -> tuple[str, str, bool]:
    known = {"at_s": 1_000.0, "run": "gpt2", "members": MEMBERS, "world_size": 4, "usual_s": 0.5, "local_s": 0.4}
    reading = FleetReading(**{**known, **more})
    words = verdict(standing(reading, FleetCourse()), reading)
    return words.what, words.evidence, words.well


@pytest.mark.parametrize(
    ("more", "what", "well"),
    [
        ({}, "in step: no rank is late by 5 % of an iteration.", True),
        ({"late_s": {KEYS[2]: 0.06}}, "rank 2 on host-2: late.", False),
        (
            {"late_s": {KEYS[2]: 0.06}, "late_ranks": 3},
            "uneven: 3 of 4 ranks do more than the median rank.",
            False,
        ),
        ({"local_s": None}, "all ranks go on; who is late is not known.", True),
        ({"still": frozenset([KEYS[1]]), "still_ranks": 1}, "rank 1 on host-1: standing still.", False),
        ({"still_ranks": 4}, "nothing moves.", False),
        ({"still_ranks": 4, "behind": {KEYS[3]: 1.0}}, "nothing moves, and rank 3 on host-3: 1 behind.", False),
        ({"gone": (Member("9", "x:1"),)}, "rank 9 on x:1: gone.", False),
        ({"members": ()}, "no rank of this run is exported now.", False),
    ],
)
def test_the_one_thing_that_matters_most(more: dict[str, object], what: str, well: bool) -> None:
    assert (said(**more)[0], said(**more)[2]) == (what, well)


def test_a_late_rank_has_its_figures() -> None:
    assert said(late_s={KEYS[2]: 0.06})[1] == "60.0 ms more by itself than the median rank, 12 % of an iteration"


def test_the_text_has_a_line_a_rank_and_nothing_that_a_terminal_obeys() -> None:
    evil = Member("1\x1b[2J", "a\nb", "host\x1b]0;x\x07", "r")
    reading = FleetReading(
        at_s=0.0, run="g\x1b[31m", members=(evil,), usual_s=0.5, local_s=0.4, late_s={evil.key: 0.1},
        gpus={evil.key: RankGpu(power_w=700.0, clock_hz=1.41e9, temperature_c=71.0, xid=79, limited=("hot",))},
        notes=("half of the stores",),
    )  # fmt: skip
    text = fleet_text(standing(reading, FleetCourse()), reading)
    assert "\x1b" not in text
    assert "the server warns: half of the stores" in text
    row = " ".join(text.splitlines()[-1].split())
    assert row.endswith("late +100 ms 700 W 1,410 MHz 71 °C Xid 79, hot")


def test_the_answer_for_programs_has_none_for_what_is_not_known() -> None:
    reading = FleetReading(at_s=1.0, run="gpt2", members=MEMBERS)
    whole = fleet_json(standing(reading, FleetCourse()), reading)
    assert whole["usual_s"] is None
    assert whole["schema_version"] == 1
    ranks = whole["ranks"]
    assert isinstance(ranks, list)
    assert [row["rank"] for row in ranks] == ["0", "1", "2", "3"]


def test_what_is_not_measured_of_a_gpu_is_a_dash() -> None:
    assert gpu_words(None) == ("–", "–", "–", "")
    assert gpu_words(RankGpu(xid=0, clock_hz=1e9)) == ("–", "1,000 MHz", "–", "")
    assert gpu_words(RankGpu(xid=79, joined="host and index"))[-1] == "Xid 79, DCGM by host and index"


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (FleetRun("a", seen_at_s=990.0, moves=1), ("running", "10 s ago")),
        (FleetRun("a", seen_at_s=990.0), ("stands still", "10 s ago")),
        (FleetRun("a", seen_at_s=4_600.0, moves=1), ("running", "clock off by 60 m")),
        (FleetRun("a"), ("–", "–")),
    ],
)
def test_a_run_is_told_by_what_moves_and_not_by_its_clock(run: FleetRun, words: tuple[str, str]) -> None:
    assert run_words(run, 1_000.0) == words


def test_clocks_that_differ_are_said_and_so_are_ranks_that_nobody_exports() -> None:
    reading = FleetReading(at_s=1.0, run="a", members=MEMBERS, world_size=8, skewed_s={"h": 3_600.0})
    assert troubles(standing(reading, FleetCourse()), reading) == [
        "4 ranks of 8 not exported: itermon export has to run on each host",
        "h: its clock and the server's differ by 60 m",
    ]
