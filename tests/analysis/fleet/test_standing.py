"""Who stands where among many: the worst first, nobody named without evidence."""

from itermon.analysis.fleet.standing import BEHIND, GONE, IN_STEP, LATE, STILL, UNSCRAPED, standing
from itermon.events.fleet import FleetCourse, FleetReading, Member, RankGpu

MEMBERS = tuple(Member(str(rank), f"host-{rank // 2}:9464", f"host-{rank // 2}") for rank in range(8))
KEYS = [member.key for member in MEMBERS]


def reading(**said: object) -> FleetReading:
    known = {"at_s": 1_000.0, "run": "gpt2", "members": MEMBERS, "world_size": 8, "usual_s": 0.5, "local_s": 0.4}
    return FleetReading(**{**known, **said})


def test_each_state_has_its_place_and_the_worst_is_first() -> None:
    stands = standing(
        reading(
            still=frozenset([KEYS[1]]),
            still_ranks=1,
            gone=(Member("9", "host-9:9464"),),
            behind={KEYS[2]: 40.0},
            unscraped_s={KEYS[3]: 90.0},
            late_s={KEYS[4]: 0.03, KEYS[5]: 0.02},
            gpus={KEYS[4]: RankGpu(power_w=700.0)},
        ),
        FleetCourse(),
    )
    assert [(row.member.rank, row.state) for row in stands.rows[:6]] == [
        ("1", STILL), ("9", GONE), ("2", BEHIND), ("3", UNSCRAPED), ("4", LATE), ("5", IN_STEP),
    ]  # fmt: skip
    assert stands.rows[4].late_share == 0.06
    assert stands.rows[4].gpu == RankGpu(power_w=700.0)
    assert len(stands.rows) == 9


def test_where_all_stand_still_none_of_them_is_named_for_it() -> None:
    stands = standing(reading(still=frozenset(KEYS), still_ranks=8), FleetCourse())
    assert stands.all_still
    assert {row.state for row in stands.rows} == {IN_STEP}


def test_where_many_are_late_the_work_is_uneven() -> None:
    assert not standing(reading(late_ranks=2), FleetCourse()).uneven
    assert standing(reading(late_ranks=3), FleetCourse()).uneven


def test_ranks_that_are_missing_or_there_twice_are_counted() -> None:
    twice = (*MEMBERS[:6], Member("0", "other:9464", "other"))
    stands = standing(reading(members=twice), FleetCourse())
    assert stands.missing == 2
    assert stands.twice == (("0", "host-0", "other"),)
    assert standing(reading(members=(), world_size=8), FleetCourse()).missing == 0


def test_without_local_times_nobody_knows_who_is_late() -> None:
    assert not standing(reading(local_s=None), FleetCourse()).knows_late
    assert {
        row.late_share for row in standing(reading(usual_s=None, late_s={KEYS[0]: 1.0}), FleetCourse()).rows
    } == {None}


def test_of_one_state_the_farthest_behind_is_first_then_the_latest_then_by_number() -> None:
    stands = standing(
        reading(
            behind={KEYS[1]: 10.0, KEYS[2]: 40.0},
            late_s={KEYS[3]: 0.1, KEYS[4]: 0.2, KEYS[6]: 0.01},
            members=(Member("x", "b:1"), *reversed(MEMBERS), Member("7", "a:1")),
        ),
        FleetCourse(),
    )
    found = [(row.member.rank, row.member.instance) for row in stands.rows]
    assert [rank for rank, _ in found] == ["2", "1", "4", "3", "6", "0", "5", "7", "7", "x"]
    assert found[7:9] == [("7", "a:1"), ("7", "host-3:9464")]
