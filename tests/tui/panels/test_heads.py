"""The three lines on top."""

from __future__ import annotations

from msgspec.structs import replace

from itermon.analysis.findings import (
    Activity,
    Ending,
    Eta,
    Findings,
    Incident,
    Now,
    PrintedEta,
    Progress,
    RunMessage,
    TimeWitness,
    Verdict,
)
from itermon.events import Severity, SourceState, Witness
from itermon.tui.panels.heads import heads
from itermon.tui.scene import Standing


def text(found: Findings, state: SourceState, note: str = "") -> list[str]:
    standing = Standing(title="train.log", state=state, note=note, history=None, now_s=1e9)
    return ["".join(part for part, _ in line).strip() for line in heads(found, standing, 80)]


def test_of_a_run_that_is_over_the_third_line_says_how_it_ended() -> None:
    said = Verdict(headline="Steady.", ending="Killed from outside: Killed (line 27).")
    found = Findings(ended="failed", verdict=said, progress=Progress(iteration=10))
    assert text(found, SourceState.LIVE)[2] == "Killed from outside: Killed (line 27)."
    assert text(found, SourceState.ENDED, "cut: 3 bytes")[2] == "cut: 3 bytes"


def test_what_died_before_its_first_iteration_is_not_waited_for() -> None:
    verdict = Verdict(headline="Command not found.", ending="Command not found: exit code 127.", healthy=False)
    said = text(Findings(ended="failed", verdict=verdict), SourceState.ENDED, "no line of a known log format")
    assert said[0].endswith("▲ failed")
    assert said[1:] == ["Command not found: exit code 127.", "no iteration was seen"]


def test_a_log_whose_writer_is_gone_is_not_live() -> None:
    found = Findings(
        ended="unknown", ending=Ending("unknown", writer_gone=True), progress=Progress(iteration=10, wall_s=5.0)
    )
    assert text(found, SourceState.LIVE)[0].endswith("▲ its process has ended")


def test_where_nobody_knows_what_is_usual_an_old_line_is_not_called_live() -> None:
    """No times in the log, and nothing new for 42 minutes: it may train, or be over."""
    found = Findings(
        progress=Progress(iteration=270, last_event_at_s=1e9 - 2_520),
        now=Now(activity=Activity.QUIET, elapsed_s=2_520.0),
    )
    head, _, now = text(found, SourceState.LIVE)
    assert head.endswith("○ nothing new for 42 m 00 s")
    assert now == "now  nothing new, 42 m 00 s; how long a line usually takes is not known"


def test_a_warning_stands_where_no_iteration_does() -> None:
    warned = Findings(messages=(RunMessage("no iteration found", Severity.WARNING),))
    assert text(warned, SourceState.LIVE)[1] == "no iteration found"
    assert text(warned, SourceState.WAITING, "train.log: empty so far")[1] == "train.log: empty so far"


def test_a_file_that_is_called_as_its_run_is_named_once() -> None:
    for name, shown in (("train", "train "), ("train.log", "train.log "), ("gpt2", "gpt2 · train.log")):
        head = text(Findings(name=name, ended="finished"), SourceState.ENDED)[0]
        assert head.startswith(shown)
        assert head.count("train") == 1


def test_a_line_that_stands_for_ten_iterations_says_so() -> None:
    now = Now("training", elapsed_s=3.0, usual_s=7.5, iterations=10)
    assert (
        "of ≈ 7.50 s (10 iterations)"
        in text(Findings(now=now, progress=Progress(iteration=9)), SourceState.LIVE)[2]
    )


def test_a_log_that_stops_without_a_word_is_neither_good_nor_bad() -> None:
    found = Findings(ended="unknown", progress=Progress(iteration=10))
    assert text(found, SourceState.ENDED)[0].endswith("○ end unknown")


def test_a_time_that_few_rows_tell_of_is_an_estimate() -> None:
    summed = Progress(iteration=10, iterations_seen=100, iterations_unseen=0, rows=100, wall_s=7_200.0)
    few = replace(summed, iterations_unseen=80, rows=20)
    said = [text(Findings(ended="finished", progress=one), SourceState.ENDED)[1] for one in (summed, few)]
    assert "took 2 h 00 m, sum of the iteration times" in said[0]
    assert "took 2 h 00 m, estimated from 20 rows" in said[1]


def test_what_contradicts_the_time_it_took_stands_beside_it() -> None:
    took = Progress(iteration=10, wall_s=7_200.0, wall_witness=Witness.ELAPSED)
    against = TimeWitness(Witness.ELAPSED, 7_200.0, 10_800.0, agrees=False)
    assert "took 2 h 00 m" in text(Findings(ended="finished", progress=took), SourceState.ENDED)[1]
    two = Findings(ended="finished", progress=took, witnesses=(against,))
    assert "took 2 h 00 m, but 3 h 00 m by the iteration times" in text(two, SourceState.ENDED)[1]


def test_what_the_log_says_against_the_eta_stands_behind_it() -> None:
    printed = PrintedEta(800.0, agrees=False, why="its bar knows no evaluation")
    found = Findings(eta=Eta(remaining_s=1_000.0, printed=printed), progress=Progress(iteration=10))
    assert text(found, SourceState.LIVE)[1] == "iter 10   ETA 16 m 40 s · the log says 13 m 20 s"
    agreed = Findings(
        eta=Eta(remaining_s=1_000.0, printed=PrintedEta(999.0, agrees=True)), progress=found.progress
    )
    assert text(agreed, SourceState.LIVE)[1] == "iter 10   ETA 16 m 40 s"


def test_an_incident_that_lasts_stands_beside_what_it_does_now() -> None:
    nan = Incident("loss-not-finite", "n", Severity.ERROR, began_iteration=50)
    now = Now(activity=Activity.TRAINING, iteration=100, elapsed_s=1.0, usual_s=1.0)
    found = Findings(now=now, progress=Progress(iteration=99, iterations_seen=100), incidents=(nan,))
    assert "▲ loss NaN since iteration 50" in text(found, SourceState.LIVE)[2]
    assert "▲" not in text(replace(found, incidents=(replace(nan, over=True),)), SourceState.LIVE)[2]


def test_a_lower_bound_and_rows_are_marked_as_such() -> None:
    least = Findings(progress=Progress(iteration=1_250, iterations_seen=1_250, rows=25, at_least=True))
    assert text(least, SourceState.ENDED)[1].startswith("iter ≥ 1,250")
    rows = Findings(progress=Progress(iteration=24, iterations_seen=25, rows=25, counts_rows=True))
    assert text(rows, SourceState.ENDED)[1].startswith("row 24")
