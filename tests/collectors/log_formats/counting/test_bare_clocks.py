"""Times of day without a date time rows, where they prove to be a clock."""

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.counting.bare_clocks import BareClock, PackedClock
from itermon.collectors.logs.reader import LogReader
from itermon.events import EVALUATION, RunInfo, Witness


def clock(*lines: str) -> BareClock:
    seen = BareClock()
    for line in lines:
        seen.see(line)
    return seen


RISING = [f"10:0{n}:00  epoch {n}" for n in range(7)]


@pytest.mark.parametrize(
    ("lines", "proven"),
    [
        (RISING, True),
        (RISING[1:], False),
        ([*RISING, "09:00:00 x"], False),
        ([*RISING[:3], "no clock", "25:00:00 no time of day", "10:00 nor this", *RISING[3:]], True),
        ([*RISING, RISING[-1]], True),
        ([f"23:5{n}:00 x" for n in range(6)] + ["00:10:00 x", "00:20:00 x"], True),
        ([*RISING, "00:10:00 behind no midnight"], False),
        ([f"[10:00:0{n}.5] x" for n in range(7)], True),
        ([f"10:00:0{n}: x" for n in range(7)], False),
    ],
)
def test_a_clock_is_later_each_time_but_behind_midnight(lines: list[str], proven: bool) -> None:
    assert clock(*lines).proven is proven


def test_what_passed_between_rows_is_told_once_it_is_proven() -> None:
    young, sure = clock(), clock(*RISING)
    for each, found in ((young, [None, None, None]), (sure, [None, 30.0, None])):
        assert [each.since_row(row) for row in ("23:59:50 a", "00:00:20 b", "c")] == found
    assert sure.since_row("00:00:30 d") is None, "of the row before nobody knows when it was"
    assert sure.since_row("00:00:10 e") is None, "nor did the clock go back"
    young.learn(sure)
    young.since_row("00:00:30 d")
    assert young.since_row("00:00:40 e") == 10.0


def events_of(lines: list[str]):
    reader = LogReader()
    return [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]


@pytest.mark.parametrize(
    "row", ["{}  Epoch {}/30 | loss: 0.5", "[{}] step {} loss 0.5", "{}  Epoch  {}/30  reward=0.5  F1=0.25"]
)
def test_rows_without_another_time_are_timed_by_it(row: str) -> None:
    events = events_of([row.format(f"23:5{n}:00" if n < 10 else f"00:0{n - 10}:30", n) for n in range(1, 13)])
    found = iterations(events)
    assert [one.duration_s for one in found] == [None, *[60.0] * 8, 90.0, 60.0, 60.0]
    assert {one.witness for one in found[1:]} == {Witness.ELAPSED}
    assert {one.at_s for one in found} == {None}
    assert EVALUATION in of(RunInfo, events)[-1].time_includes


def test_a_printed_time_goes_before_it() -> None:
    rows = [f"10:0{n}:00 step {n} loss 0.5 step_time: 2.5s" for n in range(1, 9)]
    assert {one.duration_s for one in iterations(read("key: value", "\n".join(rows)))} == {2.5}


def packed(*values: str) -> list[float | None]:
    clock = PackedClock()
    return [clock.passed_s(value) for value in values]


def test_a_time_of_day_as_one_number_is_a_clock_once_a_minute_has_ended() -> None:
    values = [f"1159{n:02d}.500" for n in range(48, 60, 2)] + [f"1200{n:02d}.500" for n in range(0, 14, 2)]
    assert packed(*values) == [None] * 11 + [22.0, 24.0]


@pytest.mark.parametrize(
    "values",
    [
        [f"{120000 + 10 * n}.250" for n in range(20)],  # seconds
        [f"1200{n:02d}.250" for n in range(20)],  # no minute ends
        [f"1200{59 - n:02d}.250" for n in range(9)] + [f"1201{n:02d}.250" for n in range(9)],  # it falls
    ],
)
def test_other_numbers_of_six_digits_are_no_clock(values: list[str]) -> None:
    assert packed(*values) == [None] * len(values)


def test_of_a_row_the_clock_says_what_has_passed() -> None:
    clock, called = PackedClock(), {}
    rows = [{"Time": f"2359{n:02d}.5"} for n in range(48, 60)] + [{"Time": "000001.5"}]
    assert [clock.in_values(row, called) for row in rows][-1] == {"elapsed_time": "0:00:13.000000"}
    assert called["elapsed_time"].startswith("Time (")
    assert clock.in_values({"Time": "2.5"}, called) == {}


def minute_stamped(first_s: int, each_s: int, rows: int = 12, *, stamps_go: float = 1.0) -> list[str]:
    """Rows with a stamp to the minute and a clock that began at 10:00:40; `stamps_go`: how fast the stamps do."""
    lines = []
    for n in range(1, rows + 1):
        passed = first_s + n * each_s
        at = int((40 + passed * stamps_go) // 60)
        clock = f"{passed // 3600}:{passed // 60 % 60:02d}:{passed % 60:02d}"
        lines.append(f"INFO - 2024/05/06 {10 + at // 60}:{at % 60:02d} -- {clock} - step: {10 * n}, loss: 0.5")
    return lines


def test_what_has_passed_behind_a_stamp_to_the_minute_times_rows_where_both_go_on_alike() -> None:
    found = iterations(events_of(minute_stamped(3, 25)))
    assert [one.duration_s for one in found[1:]] == [2.5] * 11, "each is of ten"
    assert {one.witness for one in found[1:]} == {Witness.ELAPSED}


@pytest.mark.parametrize("stamps_go", [0.0, 0.5, 2.0])
def test_it_is_no_clock_where_the_stamps_do_not_confirm_it(stamps_go: float) -> None:
    lines = minute_stamped(3, 25, stamps_go=stamps_go)
    assert not clock(*lines).proven
    assert all(one.duration_s is None for one in iterations(events_of(lines)))


def test_a_clock_behind_stamps_that_begins_again_is_none() -> None:
    lines = minute_stamped(3, 25)
    assert clock(*lines).proven
    assert not clock(*lines, lines[2]).proven
    assert not clock(*(line.replace("05/06", "02/31") for line in lines)).proven
