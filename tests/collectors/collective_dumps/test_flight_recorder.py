"""Where each rank stands by its flight recorder: the first collective in which ranks differ."""

from __future__ import annotations

import pytest

from itermon.analysis.ranks.collectives import Collectives
from itermon.analysis.ranks.why import BEHIND, DIFFERENT
from itermon.collectors.collective_dumps import flight_recorder
from itermon.collectors.collective_dumps.flight_recorder import states
from itermon.events import Collective, CollectiveWitness

FRAMES = [
    {"name": "all_reduce", "filename": "/opt/py/site-packages/torch/distributed/distributed_c10d.py", "line": 2},
    {"name": "step", "filename": "/home/me/train.py", "line": 48},
]


def entry(
    number: int, name: str = "nccl:all_reduce", state: str = "completed", **more: object
) -> dict[str, object]:
    return {
        "process_group": ("0", "default_pg"),
        "collective_seq_id": number,
        "profiling_name": name,
        "input_sizes": [[4, 2]],
        "state": state,
        "frames": FRAMES,
        **more,
    }


def dump(*entries: dict[str, object], enqueued: int | str = -1, completed: int = -1) -> dict[str, object]:
    status = {"0": {"last_enqueued_collective": enqueued, "last_completed_collective": completed}}
    return {"version": "2.4", "pg_config": {}, "pg_status": status, "entries": list(entries)}


def accused(found: list[Collective]) -> dict[int, str]:
    collectives = Collectives()
    for state in found:
        collectives.add(state)
    judged = collectives.judged(None)
    return {} if judged is None else {suspect.rank: suspect.why for suspect in judged.suspects}


def test_a_rank_waits_in_its_first_collective_that_has_not_completed() -> None:
    (found,) = states(
        {3: dump(entry(7), entry(8, state="started"), entry(9, state="scheduled"), enqueued="9", completed=7)}
    )
    assert found == Collective(
        3,
        group="0 default_pg",
        sequence=8,
        operation="all_reduce",
        elements=(4, 2),
        enqueued=9,
        completed=7,
        witness=CollectiveWitness.RECORDER,
        place="train.py:48 step",
    )


def test_the_rank_that_did_not_call_what_the_others_wait_in_is_behind() -> None:
    waits = dump(entry(7), entry(8, state="scheduled"), enqueued=8, completed=7)
    found = states({0: waits, 1: waits, 2: dump(entry(7), enqueued=7, completed=7)})
    assert accused(found) == {2: BEHIND}
    assert [state.place for state in found] == ["train.py:48 step", "train.py:48 step", ""]


@pytest.mark.parametrize("other", [entry(8, "nccl:broadcast"), entry(8, input_sizes=[[4, 3]])])
def test_the_rank_that_called_another_one_is_named_at_the_first_difference(other: dict[str, object]) -> None:
    usual = dump(entry(7), entry(8), entry(9, state="scheduled"))
    found = states({0: usual, 1: dump(entry(7), other, entry(9, "nccl:barrier", "scheduled")), 2: usual})
    assert {state.sequence for state in found} == {8}
    assert accused(found) == {1: DIFFERENT}


def test_uneven_exchanges_and_point_to_point_calls_are_no_difference() -> None:
    uneven = [dump(entry(7, "nccl:all_to_all", input_sizes=[[n]])) for n in (3, 5)]
    assert accused(states(dict(enumerate(uneven)))) == {}
    assert states({0: dump(entry(7, is_p2p=True))}) == []


def test_groups_are_told_apart() -> None:
    tensor = entry(2, state="scheduled", process_group=("5", "tp"))
    found = states({0: dump(entry(7), tensor), 1: dump(entry(7))})
    assert [(state.rank, state.group, state.sequence) for state in found] == [
        (0, "0 default_pg", None),
        (1, "0 default_pg", None),
        (0, "5 tp", 2),
    ]


@pytest.mark.parametrize(
    "odd",
    [
        None,
        [],
        {"entries": 5},
        {"entries": [None, 5, {}, {"collective_seq_id": "x"}, {"collective_seq_id": True}]},
        {"entries": [{"collective_seq_id": 1 << 60}], "pg_status": [1]},
        {"entries": [{"collective_seq_id": 0}], "pg_status": {"0": 5}},
    ],
)
def test_what_is_no_dump_says_nothing(odd: object) -> None:
    assert states({0: odd}) == []


def test_odd_fields_of_an_entry_are_unknown() -> None:
    odd = entry(1, input_sizes=[3, None, ["x"]], process_group=7, frames=[5, {"filename": "a.so"}], state=None)
    (found,) = states({0: {"entries": [odd]}})
    assert (found.group, found.elements, found.place, found.sequence) == ("", (3,), "", 1)


def test_the_place_is_the_first_frame_of_the_users_own_code() -> None:
    """Frames that are none are passed over, and so are torch's."""
    library = {"filename": "/site-packages/torch/distributed.py", "line": 3, "name": "all_reduce"}
    own = {"filename": "/home/me/train.py", "line": 7, "name": "step"}
    for frames in ([own], [None, own], [library, "odd", own], [library, own, {**own, "line": 9}]):
        found = states({0: dump({**entry(1), "frames": frames, "state": "started"})})
        assert [one.place for one in found] == ["train.py:7 step"]
    assert [one.place for one in states({0: dump({**entry(1), "frames": [library], "state": "started"})})] == [""]


def waiting(**more: object) -> Collective:
    (found,) = states({0: dump(entry(1, state="started", **more))})
    return found


@pytest.mark.parametrize(
    ("sizes", "elements"),
    [
        ([[4, 2], [3]], (4, 2, 3)),
        ([5, [6]], (5, 6)),
        (((7,),), (7,)),
        ([[1] * 9], (1,) * 8),  # of a tensor eight parts,
        ([[1]] * 17, (1,) * 16),  # of tensors sixteen
        (["12", "-3", "x", True, None, 1.5], (12, 0)),
        ([(1 << 53) - 1], ((1 << 53) - 1,)),
        ([1 << 53], ()),
        (["9" * 19], ()),
        (5, ()),
    ],
)
def test_sizes_are_whole_numbers_in_lists_of_lists(sizes: object, elements: tuple[int, ...]) -> None:
    assert waiting(input_sizes=sizes).elements == elements


@pytest.mark.parametrize(
    "name", ["all_to_all", "alltoall_base", "reduce_scatter", "all_gather", "coalesced", "send"]
)
def test_of_calls_that_may_be_uneven_no_size_is_said(name: str) -> None:
    assert (waiting(profiling_name=f"nccl:{name}").operation, waiting(profiling_name=f"nccl:{name}").elements) == (
        name, ()
    )  # fmt: skip


def test_a_call_is_done_where_it_completed_or_was_retired() -> None:
    done = states({0: dump(entry(1), entry(2, state="x", retired=True), entry(3, state="started", retired=1))})
    assert [(one.sequence, one.completed, one.enqueued) for one in done] == [(3, 0, 0)]
    status = {"entries": [entry(1), entry(2, state="x", retired=True), entry(3, state="started")]}
    (unknown,) = states({0: status})
    assert (unknown.sequence, unknown.completed, unknown.enqueued) == (3, 2, 3), "by the entries, without a status"


def test_one_rank_alone_differs_from_nobody_and_two_may() -> None:
    first, other = dump(entry(7), entry(8)), dump(entry(7), entry(8, "nccl:barrier"))
    assert [one.sequence for one in states({0: first})] == [None]
    assert [one.sequence for one in states({0: first, 1: other})] == [8, 8]
    assert [one.sequence for one in states({0: dump(entry(8)), 1: other})] == [8, 8], "the last that both hold"
    assert [one.sequence for one in states({0: dump(entry(9)), 1: other})] == [None, None]


def test_of_many_entries_the_newest_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flight_recorder, "MOST_ENTRIES", 3)
    (found,) = states({0: {"entries": [entry(n, state="started") for n in range(1, 6)]}})
    assert (found.sequence, found.enqueued) == (3, 5)


@pytest.mark.parametrize(("at", "place"), [(63, "train.py:48 step"), (64, "")])
def test_of_a_deep_stack_sixty_four_frames_are_looked_at(at: int, place: str) -> None:
    assert waiting(frames=[FRAMES[0]] * at + [FRAMES[1]]).place == place


@pytest.mark.parametrize(
    ("frame", "place"),
    [
        ({"filename": "a.py"}, "a.py:0 "),
        ({"filename": "/x/a.py", "line": "12", "name": "f"}, "a.py:12 f"),
        ({"filename": "/usr/lib/python3.12/a.py", "line": 1, "name": "f"}, ""),
        ({"filename": "a.so", "line": 1, "name": "f"}, ""),
        ({"filename": "a.py", "line": 1, "name": "n" * 200}, "a.py:1 " + "n" * 113),
    ],
)
def test_a_place_is_a_file_its_line_and_a_function(frame: dict[str, object], place: str) -> None:
    assert waiting(frames=[frame]).place == place


def test_names_are_short_and_a_group_is_its_first_two_words() -> None:
    found = waiting(process_group=("5", "t" * 100, "more"), profiling_name="nccl:" + "x" * 100)
    assert (found.group, found.operation) == ("5 " + "t" * 78, "x" * 55)


@pytest.mark.parametrize(
    ("said", "enqueued"),
    [
        ("7", 7),
        ("-1", 0),
        ("0" * 18 + "7", 7),
        ("0" * 19 + "7", 1),
        (2**53 - 1, 2**53 - 1),
        (2**53, 1),
        ("x", 1),
        (True, 1),
    ],
)
def test_a_count_may_be_a_text_and_is_one_that_can_be(said: int | str, enqueued: int) -> None:
    """Else the entries count."""
    (found,) = states({0: dump(entry(1, state="started"), enqueued=said)})
    assert found.enqueued == enqueued


def test_of_a_thousand_groups_the_counts_are_read() -> None:
    groups = [entry(1, state="started", process_group=(str(n), "tp")) for n in (999, 1_000)]
    status = {str(n): {"last_enqueued_collective": 7, "last_completed_collective": 5} for n in range(1_001)}
    found = {
        one.group: (one.enqueued, one.completed) for one in states({0: dump(*groups) | {"pg_status": status}})
    }
    assert found == {"999 tp": (7, 5), "1000 tp": (1, 0)}, "the last one's are those of its entries"
