"""What watchdogs say of ranks: lines as torch prints them, from 1.13 to 2.9, whole, cut and wrapped."""

from __future__ import annotations

import pytest

from itermon.collectors.logs.collectives import Collectives
from itermon.collectors.logs.reader import LogReader
from itermon.events import Collective, CollectiveWitness, Event, RankState

NEW = "[rank3]:[E710 18:00:32.4 ProcessGroupNCCL.cpp:757] "
TIMED_OUT = "Watchdog caught collective operation timeout: "
WORK = "WorkNCCL(SeqNum=58, OpType=ALLREDUCE, NumelIn=8, NumelOut=9, Timeout(ms)=600000)"


def read(*lines: str) -> list[Event]:
    collectives = Collectives()
    return [event for number, line in enumerate(lines, 1) for event in collectives.line(line, number)]


@pytest.mark.parametrize(
    ("line", "rank"),
    [
        (f"{NEW}[Rank 1] {TIMED_OUT}{WORK} ran for 600077 milliseconds before timing out.", 3),
        (f"[E ProcessGroupNCCL.cpp:474] [Rank 1] {TIMED_OUT}{WORK} ran for 600077 milliseconds", 1),
        (f"(Worker pid=4) [rank38]:[E809] [Rank 2] {TIMED_OUT}{WORK} ran for 600077 milliseconds", 38),
    ],
)
def test_a_timed_out_collective_is_read_and_the_rank_is_that_of_the_whole_run(line: str, rank: int) -> None:
    assert read(line) == [
        Collective(rank, sequence=58, operation="ALLREDUCE", elements=(8, 9), waited_s=600.077, line=1)
    ]


@pytest.mark.parametrize(
    ("said", "at"),
    [
        (
            "Exception (either an error or timeout) detected by watchdog at work: 58, last enqueued NCCL work: 60",
            58,
        ),
        (" failure detected by watchdog at work sequence id: 58 PG status: last enqueued work: 60", 58),
        ("Timeout at NCCL work: 58, last enqueued NCCL work: 60", 58),
        ("Received a dump signal due to a collective timeout from  rank 1. Last enqueued NCCL work: 60", None),
        (" failure detected: last enqueued work: 60, last started work: 59 (_ALLGATHER_BASE)", None),
    ],
)
def test_counts_are_read_with_their_group(said: str, at: int | None) -> None:
    for completed in ("last completed NCCL work: -1.", "last completed work: 0", "last completed: 0."):
        (found,) = read(f"{NEW}[PG ID 0 PG GUID 0(default_pg) Rank 3] {said}, {completed}")
        assert found == Collective(3, group="0(default_pg)", sequence=at, enqueued=60, completed=0, line=1)


def test_a_line_that_a_copy_has_wrapped_is_read_as_far_as_it_goes() -> None:
    assert read(f"{NEW}[Rank 3] {TIMED_OUT}", f"  {WORK}") == [
        Collective(3, sequence=58, operation="ALLREDUCE", elements=(8, 9), line=2)
    ]
    assert read(f"{NEW}[Rank 3] {TIMED_OUT}WorkNCCL(SeqNum=58, OpTy", "pe=BROADCAST, NumelIn=1)") == [
        Collective(3, sequence=58, line=1)
    ]


def test_the_monitored_barrier_names_who_did_not_come() -> None:
    found = read("RuntimeError: [Rank 0]: Ranks 4, 5 failed to pass monitoredBarrier in 2000 ms")
    assert [(event.rank, event.missing, event.waited_s) for event in found] == [(4, True, 2.0), (5, True, 2.0)]  # type: ignore[union-attr]
    assert not read("Rank 3 successfully reached monitoredBarrier, but received errors while waiting for rank 0")


def test_different_collectives_are_of_both_ranks() -> None:
    print_ = "CollectiveFingerPrint(SequenceNumber={}, OpType={}, TensorShape=[{}], TensorDtypes=Float)"
    one, other = print_.format(7, "ALLREDUCE", "2, 3"), print_.format(7, "REDUCE", "2")
    found = read(f"mismatch. Rank 1 is running collective: {one}, but Rank 0 is running collective: {other}.")
    wrapper = CollectiveWitness.WRAPPER
    assert found == [
        Collective(1, sequence=7, operation="ALLREDUCE", elements=(2, 3), witness=wrapper, line=1),
        Collective(0, sequence=7, operation="REDUCE", elements=(2,), witness=wrapper, line=1),
    ]


@pytest.mark.parametrize(
    ("code", "ended"), [(-9, "signal 9"), (-1, "signal 1"), (-6, ""), (-15, ""), (0, ""), (1, "")]
)
def test_of_the_launchers_table_only_a_process_that_was_killed_counts(code: int, ended: str) -> None:
    found = read("  rank      : 3 (local_rank: 3)", f"  exitcode  : {code} (pid: 1850)")
    assert found == ([RankState(3, pid=1850, ended=ended, exit_code=code)] if ended else [])


def test_what_a_hostile_log_says_is_bounded() -> None:
    many = ", ".join(map(str, range(9_000)))
    assert len(read(f"Ranks {many} failed to pass monitoredBarrier in 1 ms")) < 2_000
    (late,) = read(f"Ranks {'4' * 99} failed to pass monitoredBarrier in 999999999999999 ms")
    assert late.rank == 44_444_444  # type: ignore[union-attr]
    assert late.waited_s == 1e10  # type: ignore[union-attr]
    assert not read(f"{NEW}last enqueued work: {'9' * 20}, last completed work: 1")
    assert read("[Rank 9] " + TIMED_OUT + f"WorkNCCL(SeqNum=1, OpType=X, NumelIn={2**64 - 1}, NumelOut=1)") == [
        Collective(9, sequence=1, operation="X", elements=(1,), line=1)
    ]


def test_a_log_of_a_known_format_and_one_without_any_give_them() -> None:
    line = f"{NEW}[Rank 3] {TIMED_OUT}{WORK}\n".encode()
    log = b"".join(b"iter %d: loss 3.0000, time 250.00ms, mfu 30.00%%\n" % i for i in range(20))
    for data, number in ((log + line, 21), (line, 1)):
        reader = LogReader()
        events = [*reader.feed(data), *reader.end(b"")]
        found = [event for event in events if isinstance(event, Collective)]
        assert [(event.rank, event.line) for event in found] == [(3, number)]


STUCK = "ProcessGroupNCCL's watchdog got stuck for 600 seconds without making progress in monitoring enqueued"


@pytest.mark.parametrize(
    ("line", "rank", "waited_s"),
    [
        (f"[rank1]:[F ProcessGroupNCCL.cpp:1169] [PG 0 Rank 1] [PG 0 Rank 1] {STUCK} collectives.", 1, 600.0),
        (f"[E929 22:14:53.1 ProcessGroupNCCL.cpp:1487] [PG ID 0 PG GUID  Rank 3] {STUCK}", 3, 600.0),
        (
            "[rank0]:[E1019 ProcessGroupNCCL.cpp:1413] [PG 3 Rank 2] Heartbeat monitor timed out! Process will be",
            0,
            None,
        ),
    ],
)
def test_a_watchdog_that_stands_still_is_read_in_the_words_of_several_versions(
    line: str, rank: int, waited_s: float | None
) -> None:
    assert read(line) == [Collective(rank, waited_s=waited_s, witness=CollectiveWitness.HEARTBEAT, line=1)]


def test_a_monitor_that_only_says_what_it_may_do_says_nothing() -> None:
    assert not read(
        "[rank7]:[E1019 ProcessGroupNCCL.cpp:1375] [PG 3 Rank 7] First PG on this rank that detected no heartb",
        "you can either increase the timeout (TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC) or disable the heartbeat monitor",
    )


def test_of_one_log_twenty_thousand_events_are_taken() -> None:
    collectives = Collectives()
    line = "Rank 4 failed to pass monitoredBarrier in 1 ms"
    for _ in range(19_999):
        assert len(collectives.line(line, 1)) == 1
    assert len(collectives.line(line, 1)) == 1
    assert not collectives.may_be(line)
    assert collectives.line(line, 1) == []


def test_a_line_is_read_as_far_as_four_thousand_characters() -> None:
    said = "Rank 4 failed to pass monitoredBarrier in 1 ms"
    assert len(read(said.rjust(4_000))) == 1
    assert read(said.rjust(4_001)) == []


def test_where_no_number_of_a_call_is_printed_it_is_none_and_where_one_is_it_is_that_of_both() -> None:
    print_ = (
        "Rank {} is running collective: CollectiveFingerPrint({}OpType={}, TensorShape=[], TensorDtypes=Float)"
    )
    for number, sequence in (("", 0), ("SequenceNumber=1, ", 1)):
        found = read(", but ".join((print_.format(1, number, "A"), print_.format(0, "SequenceNumber=9, ", "B"))))
        assert [event.sequence for event in found] == [sequence] * 2  # type: ignore[union-attr]
    assert read(print_.format(1, "", "A")) == []


def test_a_table_of_the_launcher_names_each_rank_before_its_exit_code() -> None:
    assert read("  exitcode  : -9 (pid: 1850)") == []
    lines = ["  rank      : 3 (local_rank: 3)", "  exitcode  : -9 (pid: 1850)", "  exitcode  : -9 (pid: 1851)"]
    assert [event.pid for event in read(*lines)] == [1850]  # type: ignore[union-attr]


def test_a_wrapped_line_is_that_of_the_rank_only_if_it_is_the_next() -> None:
    wrapped = f"{NEW}[Rank 3] {TIMED_OUT}"
    assert read(wrapped, "NCCL of something else", f"  {WORK}") == []
    assert read(f"  {WORK}") == []
    assert [event.rank for event in read(wrapped, f"[rank5]: {WORK}")] == [5]  # type: ignore[union-attr]
