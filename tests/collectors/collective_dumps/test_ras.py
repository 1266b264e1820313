"""NCCL's RAS: who has called fewer collectives than the others, once nobody calls any more."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.analysis.ranks.collectives import Collectives
from itermon.collectors.collective_dumps import ras
from itermon.collectors.collective_dumps.ras import communicators, holds_any_of, states
from itermon.events import Collective, CollectiveWitness


def row(rank: int, pid: int, **counts: int) -> dict[str, Any]:
    return {"rank": rank, "host": "a", "pid": pid, "cuda_dev": pid % 8, "collective_counts": counts}


def answer(*groups: tuple[str, list[dict[str, Any]], list[dict[str, Any]]]) -> bytes:
    listed = [{"hash": name, "size": 9, "ranks": ranks, "missing_ranks": gone} for name, ranks, gone in groups]
    return json.dumps({"nccl_version": "2.28.7", "communicators": listed}, indent=2).encode()


WORLD = [row(n, 70 + n, AllReduce=58 - (n == 3), Broadcast=2) for n in range(4)]


def looked(text: bytes) -> list[Collective]:
    """By two looks that saw the same."""
    found = communicators(text)
    return states(found, found)


def judged(text: bytes) -> tuple[list[int], str, int | None]:
    collectives = Collectives()
    for state in looked(text):
        collectives.add(state)
    found = collectives.judged(None)
    assert found is not None
    return [at.rank for at in found.suspects], found.operation, found.sequence


def test_who_has_called_one_less_holds_up_the_others() -> None:
    assert judged(answer(("0x1", WORLD, []))) == ([3], "ALLREDUCE", 60)


def test_a_rank_of_a_smaller_group_is_named_by_its_number_in_the_run() -> None:
    pair = [row(0, 72, AllGather=5), row(1, 73, AllGather=4)]
    even = [row(n, 70 + n, AllReduce=7) for n in range(4)]
    told = looked(answer(("0x1", even, []), ("0x2", pair, [])))
    assert [(s.rank, s.sequence, s.enqueued) for s in told if s.group == "0x2"] == [(2, 5, 5), (3, None, 4)]
    assert {s.sequence for s in told if s.group == "0x1"} == {None}
    assert {s.witness for s in told} == {CollectiveWitness.RAS}


def test_a_rank_that_does_not_answer_is_missing() -> None:
    gone = [{"rank": 3, "host": "a", "pid": 73, "cuda_dev": 1, "status": {"unresponsive": True}}]
    text = answer(("0x1", [row(n, 70 + n, AllReduce=58) for n in range(3)], gone))
    assert judged(text)[0] == [3]


def test_a_missing_comma_between_two_lines_is_no_hindrance() -> None:
    gone = [{"rank": 3, "host": "a", "pid": 73, "cuda_dev": 1, "status": {"unresponsive": True}}]
    text = answer(("0x1", WORLD[:3], gone))
    for left_out in (b'"a",', b"73,", b"2,"):
        assert communicators(text.replace(left_out, left_out[:-1])) == communicators(text)


def test_only_in_what_has_stood_still_between_two_looks_a_rank_waits() -> None:
    before = communicators(answer(("0x1", WORLD, []), ("0x2", WORLD, [])))
    moved = [row(n, 70 + n, AllReduce=59 - (n == 3), Broadcast=2) for n in range(4)]
    gone = [{"rank": 3, "host": "a", "pid": 73, "cuda_dev": 1, "status": {"unresponsive": True}}]
    after = communicators(answer(("0x1", moved, gone), ("0x2", WORLD, []), ("0x3", WORLD, [])))
    told = states(before, after, 5.0)
    assert {state.group for state in told if state.sequence is not None or state.missing} == {"0x2"}
    assert {state.group for state in told} == {"0x1", "0x2", "0x3"}, "of the others it is known that nobody waits"
    assert {state.at_s for state in told} == {5.0}


def test_a_job_is_known_by_a_host_and_a_process_of_it_together() -> None:
    found = communicators(answer(("0x1", [row(n, 70 + n, AllReduce=5) for n in range(4)], [])))
    assert holds_any_of(found, {"a"}, {9, 73})
    assert not holds_any_of(found, {"a"}, {9}), "another job of this machine"
    assert not holds_any_of(found, {"b"}, {73}), "the same number on another machine"
    odd = b'{"communicators": [{"hash": "0x1", "ranks": [{"rank": 0, "host": null, "pid": "7"}, {"pid": true}]}]}'
    assert not holds_any_of(communicators(odd), {"a", "none"}, {7, 1})


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"communicators": 3}', b"<html>", b'{"a":' * 100_000])
def test_what_is_no_answer_is_said_to_be_none(text: bytes) -> None:
    with pytest.raises(ValueError, match="no "):
        communicators(text)


_ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["rank", "ranks", "missing_ranks", "hash", "collective_counts"]), inner)
    ),
    max_leaves=12,
)


@given(st.lists(_ODD, max_size=4))
def test_whatever_stands_in_it_nothing_is_raised(listed: list[Any]) -> None:
    text = json.dumps({"communicators": listed}).encode()
    try:
        found = communicators(text)
    except ValueError:
        return
    assert all(state.rank >= 0 for state in states(found, found))


def test_the_collective_is_named_where_the_ranks_differ_in_one_alone() -> None:
    one = [row(0, 70, AllReduce=5, Broadcast=2), row(1, 71, AllReduce=4, Broadcast=2)]
    two = [row(0, 70, AllReduce=5, Broadcast=3), row(1, 71, AllReduce=4, Broadcast=2)]
    absent = [row(0, 70, AllReduce=5, Broadcast=1), row(1, 71, AllReduce=5)]
    for rows, operation in ((one, "ALLREDUCE"), (two, ""), (absent, "BROADCAST")):
        assert [state.operation for state in looked(answer(("0x1", rows, [])))] == [operation, ""]


def test_numbers_are_whole_and_a_name_is_short() -> None:
    odd = [
        row(0, 70, AllReduce=-1, Broadcast=2.5, Gather=True, Scatter=1 << 53, Send=(1 << 53) - 1, Recv=0)
    ]  # none is as none said
    (found,) = communicators(answer(("h" * 60, odd, [])))
    assert found.name == "h" * 40
    assert found.counts == {0: {"Send": (1 << 53) - 1}}


def test_of_more_ranks_than_any_job_has_the_first_communicators_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = answer(("0x1", WORLD, []), ("0x2", WORLD[:2], WORLD[2:3]), ("0x3", WORLD[:1], []))
    for most, names in ((8, ["0x1", "0x2", "0x3"]), (7, ["0x1", "0x2"]), (6, ["0x1"]), (3, [])):
        monkeypatch.setattr(ras, "MOST_RANKS", most)
        assert [one.name for one in communicators(text)] == names


def test_the_numbers_of_the_run_are_those_of_the_largest_group_and_its_missing_ranks_count() -> None:
    gone = [{"rank": n, "host": "a", "pid": 80 + n, "cuda_dev": n} for n in (4, 5)]
    pair = [{**row(0, 84, AllReduce=5), "cuda_dev": 4}, row(1, 73, AllReduce=4)]
    found = communicators(answer(("0x2", pair, []), ("0x1", WORLD[:4], gone)))
    assert [sorted(one.counts) for one in found] == [[3, 4], [0, 1, 2, 3]]
    assert [one.missing for one in found] == [(), (4, 5)]
    assert holds_any_of(found, {"a"}, {85})
