"""What is said of a hang, live and after a time-out."""

from __future__ import annotations

import pytest
from made_findings import facts

from itermon.analysis.findings import Ending, Hang, Now, RankAt, RunMessage, Verdict
from itermon.analysis.ranks.collectives import DIFFER, STUCK
from itermon.analysis.ranks.why import AHEAD, BEHIND, DEAD, DIFFERENT, ELSEWHERE, MISSING, UNHEARD
from itermon.analysis.verdict import alarms, hangs
from itermon.events import EndReason, Severity

SILENT = Now("silent", elapsed_s=60.0, usual_s=1.0)
ENDED = Now("ended")


def suspected(why: str, *ranks: int, **more: object) -> Hang:
    return Hang(operation="ALLREDUCE", suspects=tuple(RankAt(r, why, **more) for r in ranks or (3,)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("hang", "headline"),
    [
        (suspected(DEAD, ended="signal 9"), "Rank 3 is gone (signal 9); the others wait for it in ALLREDUCE."),
        (suspected(DEAD, 1, 2), "Ranks 1 and 2 are gone; the others wait for them in ALLREDUCE."),
        (suspected(MISSING, 4, 5), "Ranks 4 and 5 did not come to the ALLREDUCE; the others waited for them."),
        (suspected(BEHIND), "Rank 3 holds up the others: it has not reached the ALLREDUCE that they wait in."),
        (suspected(AHEAD), "Rank 3 left out the ALLREDUCE that the others wait in."),
        (suspected(DIFFERENT), "Rank 3 called something else than the others, who wait in ALLREDUCE."),
        (
            suspected(ELSEWHERE, place="data.py:7 read"),
            "Rank 3 holds up the others in ALLREDUCE: it stands in data.py:7 read.",
        ),
        (suspected(UNHEARD), "Probably rank 3 is missing: all others say that they wait in ALLREDUCE."),
        (
            suspected(UNHEARD, 0, 5),
            "Probably ranks 0 and 5 are missing: all others say that they wait in ALLREDUCE.",
        ),
    ],
)
def test_the_headline_names_who_and_what(hang: Hang, headline: str) -> None:
    found = hangs.hung(facts(hang=hang, now=SILENT))
    assert found is not None
    assert (found.kind, found.headline, found.healthy) == ("hang", headline, False)


def test_many_ranks_are_counted() -> None:
    assert hangs.named(tuple(RankAt(rank) for rank in range(32))) == "Ranks 0, 1, 2, 3, 4, 5 and 26 more"
    assert hangs.named(tuple(RankAt(rank) for rank in (9, 2, 4))) == "Ranks 2, 4 and 9"


def test_the_evidence_says_since_when_and_where_both_sides_stand() -> None:
    late = RankAt(3, ELSEWHERE, pid=42, host="gpu-7", place="data.py:7 read")
    others = tuple(RankAt(rank, place="a.py:48 f", waits_in="all_reduce") for rank in (0, 1))
    hang = Hang(
        last_iteration=1_204,
        operation="all_reduce",
        suspects=(late,),
        others=others,
        seen_by=("the stacks of its ranks",),
    )
    found = hangs.hung(facts(hang=hang, now=SILENT))
    assert found is not None
    assert found.evidence == (
        "Nothing new for 60.0 s since iteration 1,204; 1.00 s is usual.",
        "Rank 3 (PID 42 on gpu-7) stands in data.py:7 read; 2 other ranks in a.py:48 f, waiting in all_reduce.",
        "Seen by the stacks of its ranks.",
    )
    assert "itermon stack 42" in found.next_step


def test_the_evidence_quotes_the_lines_of_a_log() -> None:
    late = RankAt(7, BEHIND, enqueued=59_957, completed=59_957, line=8)
    other = RankAt(3, waits_in="ALLREDUCE", sequence=59_958, enqueued=59_998, completed=59_957, line=6)
    found = hangs.hung(facts(hang=Hang(operation="ALLREDUCE", suspects=(late,), others=(other,))))
    assert found is not None
    assert found.evidence == (
        "Line 8: rank 7 has called 59,957 collectives, of which 59,957 are done.",
        "Line 6: rank 3 waits in ALLREDUCE 59,958 and has called 59,998 collectives, of which 59,957 are done.",
    )


def timed_out(*words: RunMessage) -> Ending:
    return Ending(EndReason.FAILED, words)


WATCHDOG = RunMessage("[rank3]: ProcessGroupNCCL.cpp Watchdog caught", Severity.ERROR, line=10)


@pytest.mark.parametrize(
    ("word", "hang_is_told"),
    [
        (WATCHDOG, True),
        (RunMessage("torch.distributed.DistBackendError: NCCL", Severity.ERROR, line=3), True),
        (RunMessage("OutOfMemoryError: CUDA out of memory", Severity.ERROR, line=3), False),
        (RunMessage("OutOfMemoryError: CUDA out of memory", Severity.ERROR), False),
        (RunMessage("RuntimeError: gloo/pair.cc:537] Read error: Connection reset by peer", Severity.ERROR), True),
        (RunMessage("rank 1: failed: RuntimeError", Severity.ERROR), True),
        (RunMessage("RuntimeError: caught by the hang", Severity.ERROR, line=30), True),
        (
            RunMessage(
                "terminate called after throwing an instance of 'std::runtime_error'", Severity.ERROR, line=9
            ),
            True,
        ),
    ],
)
def test_what_failed_before_the_ranks_waited_is_told_first(word: RunMessage, hang_is_told: bool) -> None:
    hang = Hang(operation="ALLREDUCE", suspects=(RankAt(7, BEHIND, line=12),), others=(RankAt(3, line=10),))
    found = hangs.hung(facts(hang=hang, now=ENDED, ending=timed_out(word, WATCHDOG)))
    assert (found is not None) is hang_is_told


def test_nobody_is_accused_where_the_log_does_not_tell() -> None:
    hang = Hang(operation="ALLREDUCE", others=(RankAt(3, line=10),), nobody="one rank alone is heard")
    found = hangs.hung(facts(hang=hang, now=ENDED, ending=timed_out(WATCHDOG)))
    assert found is not None
    assert found.headline == "A collective operation (ALLREDUCE) timed out; which rank was missing is not known."
    assert found.evidence == ("Nobody is accused: one rank alone is heard.",)
    different = Hang(operation="ALLREDUCE", nobody=DIFFER)
    found = hangs.hung(facts(hang=different, now=ENDED, ending=timed_out(WATCHDOG)))
    assert found is not None
    assert found.headline.startswith("The ranks called different collectives")
    living = hangs.hung(facts(hang=Hang(operation="all_reduce", nobody="all alike"), now=SILENT))
    assert living is not None
    assert living.headline == "The ranks hang in all_reduce; who is missing is not known."


def test_one_silent_process_says_where_it_stands() -> None:
    hang = Hang(others=(RankAt(0, place="data.py:7 read"),), nobody="only one rank is heard")
    assert hangs.hung(facts(hang=hang, now=SILENT)) is None
    found = alarms.silent(facts(hang=hang, now=SILENT))
    assert found is not None
    assert found.evidence == ("It stands in data.py:7 read.",)
    assert hangs.standing(facts()) == ""


def test_an_old_silence_is_no_hang() -> None:
    assert hangs.hung(facts(hang=suspected(ELSEWHERE), now=Now("silent", elapsed_s=86_401.0))) is None


def test_a_hang_is_said_before_how_the_run_ended() -> None:
    assert Verdict("hang", "Rank 3 held up.", ending="Failed: it.").opening == ("Rank 3 held up.",)


def test_watchdogs_that_stood_still_are_said_to_and_nobody_is_accused() -> None:
    ranks = tuple(RankAt(rank) for rank in range(4))
    hang = Hang(operation="a call of CUDA or NCCL", others=ranks, nobody=STUCK)
    found = hangs.hung(facts(hang=hang, now=ENDED, ending=Ending(EndReason.FAILED)))
    assert found is not None
    assert found.headline.startswith(
        "4 ranks stood still in a call of CUDA or NCCL until their monitors ended them;"
    )
    assert f"Nobody is accused: {STUCK}." in found.evidence
    assert "TORCH_FR_BUFFER_SIZE" in found.next_step


def said_of(hang: Hang, now: Now = SILENT, **more: object) -> tuple[str, ...]:
    found = hangs.hung(facts(hang=hang, now=now, **more))
    assert found is not None
    assert found.healthy is False
    return (*found.evidence, found.next_step)


@pytest.mark.parametrize(("elapsed_s", "said"), [(hangs.STALE_S, True), (hangs.STALE_S + 1, False), (None, True)])
def test_a_hang_of_long_ago_is_no_news(elapsed_s: float | None, said: bool) -> None:
    now = Now("silent", elapsed_s=elapsed_s)
    assert (hangs.hung(facts(hang=suspected(DEAD), now=now)) is not None) is said


@pytest.mark.parametrize(("error", "said"), [(None, False), (4, False), (5, True), (9, True)])
def test_an_error_before_the_ranks_waited_in_vain_is_said_first(error: int | None, said: bool) -> None:
    hang = Hang(
        operation="ALLREDUCE", suspects=(RankAt(3, BEHIND, line=9),), others=(RankAt(0, line=5), RankAt(1, line=7))
    )
    over = Ending("failed", (RunMessage("ValueError: boom", Severity.ERROR, line=error),))
    assert (hangs.hung(facts(hang=hang, now=ENDED, ending=over)) is not None) is said


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ((3,), "Rank 3"),
        ((4, 0), "Ranks 0 and 4"),
        (tuple(range(hangs._MOST_NAMED)), f"and {hangs._MOST_NAMED - 1}"),
        (tuple(range(hangs._MOST_NAMED + 1)), "and 1 more"),
        (tuple(range(hangs._MOST_NAMED + 29)), "and 29 more"),
    ],
)
def test_a_few_ranks_are_named_and_the_others_counted(ranks: tuple[int, ...], words: str) -> None:
    said = hangs.named(tuple(RankAt(rank, DEAD) for rank in ranks))
    assert said.endswith(words)
    assert said.startswith("Rank")


def test_two_suspects_and_one_of_the_others_say_what_they_called() -> None:
    counted = {"sequence": 7, "enqueued": 9, "completed": 6, "waits_in": "ALLREDUCE"}
    suspects = tuple(RankAt(rank, BEHIND, line=rank + 1, **counted) for rank in range(3))  # type: ignore[arg-type]
    others = (RankAt(5, sequence=8), RankAt(6, sequence=8))
    said = said_of(Hang(operation="ALLREDUCE", suspects=suspects, others=others))
    waits = "waits in ALLREDUCE 7 and has called 9 collectives, of which 6 are done."
    assert [f"Line {rank + 1}: rank {rank} {waits}" in said for rank in range(3)] == [True, True, False]
    assert "Rank 5 waits in collective 8." in said
    assert not any("ank 6" in text for text in said)
    half = said_of(Hang(operation="x", suspects=(RankAt(3, BEHIND, enqueued=9),)))
    assert not any("has called" in text for text in half)


def test_two_suspects_stand_where_they_stand() -> None:
    suspects = tuple(RankAt(rank, ELSEWHERE, place=f"{rank}.py:1 f", pid=40 + rank) for rank in range(3))
    said = said_of(Hang(operation="ALLREDUCE", suspects=suspects, others=(RankAt(7, place="a.py:2 g"),)))
    stands = "Rank 0 (PID 40) stands in 0.py:1 f; rank 1 (PID 41) stands in 1.py:1 f; 1 other rank in a.py:2 g."
    assert stands in said
    assert said[-1].startswith("Look at rank 0 (PID 40): itermon stack 40 there shows")


def test_what_helps_depends_on_what_became_of_the_rank() -> None:
    assert said_of(suspected(DEAD, 3, 4))[-1].startswith("Look at the end of rank 3's output, and at dmesg there;")
    over = Ending("failed", (), "")
    ended = said_of(suspected(BEHIND, 3, 4), ENDED, ending=over)
    assert ended[-1].startswith("Look at the output of rank 3 before the time-out: ")


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (SILENT, ["Nothing new for 60.0 s since iteration 9; 1.00 s is usual."]),
        (Now("silent", elapsed_s=60.0), ["Nothing new for 60.0 s since iteration 9."]),
        (Now("silent"), []),
        (Now("training", elapsed_s=60.0), []),
    ],
)
def test_how_long_it_hangs_is_said_where_it_is_silent(now: Now, words: list[str]) -> None:
    said = said_of(Hang(operation="x", suspects=(RankAt(3, BEHIND),), last_iteration=9), now)
    assert [text for text in said if text.startswith("Nothing new")] == words
