"""Which round of an outer loop a log is in."""

from __future__ import annotations

import pytest

from itermon.analysis.run import Run
from itermon.collectors.log_formats.stops.outer_loops import OuterLoops
from itermon.collectors.logs.reader import LogReader
from itermon.events import EndOfFile


@pytest.mark.parametrize(
    ("lines", "open_round"),
    [
        (["=== Iteration 2/12 (global 7) ==="], "Iteration 2/12"),
        (["--- Starting Round 3 of 20 ---"], "Round 3/20"),
        (["2025-03-04 10:00:00 INFO Fold 1/5"], "Fold 1/5"),
        (["Fold: 5/5"], ""),
        (["Fold 0/5", "Fold 4/5"], ""),  # they are counted from 0
        (["Fold 0/5", "Fold 3/5"], "Fold 3/5"),
        (["Seed 1/3", "Fold 5/5"], "Seed 1/3"),
        (["Epoch 2/12"], ""),  # an inner counter
        (["step 2/12"], ""),
        (["Round 3/20/7"], ""),
        (["ratio of trial 1/2 to all"], ""),
        (["Model 0.5/12"], ""),
    ],
)
def test_the_round_of_an_outer_loop(lines: list[str], open_round: str) -> None:
    loops = OuterLoops()
    for line in lines:
        loops.hear(line)
    assert loops.open == open_round
    loops.forget()
    assert loops.open == ""


def found(text: str) -> tuple[str, float | None, str]:
    run, reader = Run(), LogReader()
    run.apply([*reader.feed(text.encode()), *reader.end(b""), EndOfFile(1e9, 1e9 + 9e5, lines=text.count("\n"))])
    findings = run.findings(1e9 + 9e5)
    return findings.ended, findings.progress.fraction, findings.verdict.ending


def rounds(count: int, head: str, inner: str) -> str:
    return "".join(
        head.format(n) + "".join(inner.format(e, 1 / (n * 4 + e)) for e in (1, 2, 3)) for n in range(1, count)
    )


@pytest.mark.parametrize(
    ("head", "inner"),
    [
        ("===== Iteration {}/6 =====\n", "  epoch {}/3  loss={:.4f}  val=1.7500\n"),
        ("[Round {} of 6]\n", "Epoch [{}/3], Loss: {:.4f}\n"),
        ("Fold {}/6\n", "Epoch {}/3 - loss: {:.4f} - acc: 0.5\n"),
    ],
)
def test_an_inner_total_is_no_end_while_an_outer_loop_goes_on(head: str, inner: str) -> None:
    ended, fraction, said = found(rounds(4, head, inner) + head.format(4) + "gathering games\n")
    assert (ended, fraction) == ("unknown", None)
    assert "4/6" in said
    untold = head.replace("/6", "").replace(" of 6", "")
    assert found(rounds(7, head, inner))[:2] == found(rounds(7, untold, inner))[:2], "the last round is over"


def test_who_comes_to_the_end_of_the_last_round_has_finished() -> None:
    ended, fraction, _ = found(rounds(7, "Fold {}/6\n", "Epoch {}/3 - loss: {:.4f} - acc: 0.5\n"))
    assert (ended, fraction) == ("finished", 1.0)


def test_the_counter_of_the_rows_themselves_is_no_round() -> None:
    rows = "".join(f"Iteration {n}/200 loss {2 / n:.4f} time 0.{200 + n}s\n" for n in range(1, 60))
    _, fraction, said = found(rows)
    assert fraction == pytest.approx(59 / 200)
    assert '"' not in said
