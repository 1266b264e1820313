"""What stands between the stamps of its first and its last line is known, also where rows have no stamps: all of it."""

from __future__ import annotations

import pytest

from itermon.analysis.run import Run
from itermon.collectors.log_formats.parsing.stamps import stamp
from itermon.collectors.log_formats.stops.framed import FramedStops
from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, EVALUATION, Iteration, SpanEnd

DAY = "2025-03-01 "
BEGINS = f"{DAY}10:00:00 INFO Running validation at step 40"
ENDS = f"{DAY}10:04:00 INFO Validation complete"


def framed(
    *lines: str, row_s: float, bars_s: tuple[float, ...] = (), rows: int = 1
) -> list[tuple[str, float | None]]:
    """What is told of `lines` before rows of `row_s`, with bars behind the first line."""
    stops = FramedStops()
    for n, line in enumerate(lines):
        stops.hear(line, stamp)
        for bar_s in bars_s if n == 0 else ():
            stops.placed([SpanEnd(EVALUATION, None, 41, bar_s)])
    told = [one for n in range(rows) for one in stops.before([Iteration(41 + n, duration_s=row_s)])]
    assert stops.before([Iteration(99, duration_s=1e6)]) == [] or rows == 0
    return [(one.kind, one.duration_s) for one in told if isinstance(one, SpanEnd)]


def test_an_evaluation_lasts_from_its_first_line_to_its_last() -> None:
    assert framed(BEGINS, "100%|####| 25/25", ENDS, row_s=250.0) == [(EVALUATION, 240.0)]
    again = f"{DAY}10:00:05 INFO Running validation at step 40 ..."
    assert framed(BEGINS, again, ENDS, row_s=250.0) == [(EVALUATION, 240.0)], "announced twice"


def test_stamps_of_whole_seconds_do_not_tell_how_long_a_short_one_took() -> None:
    short = f"{DAY}10:00:01 INFO Validation complete"
    assert framed(BEGINS, short, row_s=2.0) == [(EVALUATION, None)], "0.1 s, or 1.9"
    fine = f"{DAY}10:00:01.250 INFO Validation complete"
    assert framed(BEGINS, fine, row_s=2.0) == [(EVALUATION, 1.25)]


def test_a_message_may_stand_on_the_line_behind_its_stamp() -> None:
    assert framed(BEGINS, f"{DAY}10:04:00 INFO", "  Validation complete!", row_s=250.0) == [(EVALUATION, 240.0)]


def test_so_does_a_save() -> None:
    lines = f"{DAY}10:00:00 INFO Saving checkpoint to out/40", f"{DAY}10:01:30 INFO Checkpoint saved"
    assert framed(*lines, row_s=100.0) == [(CHECKPOINT, 90.0)]


@pytest.mark.parametrize("lines", [(BEGINS,), (ENDS,), (BEGINS, "four images", "Validation complete")])
def test_of_which_one_line_alone_has_a_stamp_nothing_is_known(lines: tuple[str, ...]) -> None:
    assert framed(*lines, row_s=250.0) == []


def test_no_row_of_a_shorter_time_has_it_in_it_and_the_next_one_may() -> None:
    assert framed(BEGINS, ENDS, row_s=100.0, rows=2) == []
    stops = FramedStops()
    for line in (BEGINS, ENDS):
        stops.hear(line, stamp)
    assert stops.before([Iteration(40, duration_s=10.0)]) == [], "held back until the evaluation was over"
    assert [one.duration_s for one in stops.before([Iteration(41, duration_s=250.0)]) if isinstance(one, SpanEnd)] == [240.0]  # fmt: skip


def test_what_its_bars_tell_in_all_is_not_told_again() -> None:
    assert framed(BEGINS, ENDS, row_s=250.0, bars_s=(120.0, 115.0)) == []
    assert framed(BEGINS, ENDS, row_s=250.0, bars_s=(20.0,)) == [(EVALUATION, 240.0)]


def bar(n: int, elapsed_s: int) -> str:
    clock = f"{elapsed_s // 60:02}:{elapsed_s % 60:02}"
    return f"Steps: {n}%|##| {n}/100 [{clock}<10:00, 10.00s/it, loss=2.5]"


def test_one_bar_of_several_is_a_part_of_the_evaluation() -> None:
    """Rows of 10 s by the bar's clock; behind row 40 a validation of 240 s, in which two bars of 20 s stand."""
    lines, elapsed_s = [], 0
    for n in range(1, 61):
        elapsed_s += 250 if n == 41 else 10
        lines.append(bar(n, elapsed_s))
        if n == 40:
            inner = [f"{100 * i // 4}%|##| {i}/4 [00:{5 * i:02}<00:00, 5.00s/it]" for i in range(5)]
            lines += [BEGINS, *inner, *inner, ENDS]
    reader, run = LogReader(lines), Run()
    run.apply([*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")])
    found = {row.cause: row.seconds for row in run.findings().ledger}
    assert found[EVALUATION] == pytest.approx(240.0)
