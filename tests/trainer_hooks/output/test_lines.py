"""From writes to lines, each at its time among the marks; bars thinned, floods cut and counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.trainer_hooks.marks import LOOP, PRINTED, Mark
from itermon.trainer_hooks.output.lines import Lines
from itermon.trainer_hooks.output.taps import Taps

# The bounds as numbers of its own: from the code, a test would move with them.
CHARACTERS_PER_S, FRAME_NS, MOST_CHARACTERS, MOST_OF_A_WRITE = 64_000, 1_000_000_000, 2_000, 16_384

S = 1_000_000_000


class Written:
    """Lines of what is `written`, as if a stream had been tapped."""

    def __init__(self) -> None:
        self.lines = Lines(Taps(()))

    def write(self, text: str, at_ns: int = 0, stream: int = 0) -> None:
        self.lines.taps.written.append((at_ns, stream, text))

    def read(self) -> list[str]:
        self.lines.collect()
        return [mark[2] for mark in self.lines.among([], more=False) if mark[0] == PRINTED]


@pytest.fixture
def written() -> Written:
    return Written()


@given(st.lists(st.text("ab\n", max_size=5), max_size=12))
def test_lines_are_the_same_however_they_were_written(pieces: list[str]) -> None:
    written = Written()
    for piece in pieces:
        written.write(piece)
    written.lines.end()
    whole = "".join(pieces)
    assert written.read() == (whole.split("\n") if whole and whole[-1] != "\n" else whole.split("\n")[:-1])


def test_a_line_that_is_not_ended_waits_and_streams_do_not_mix(written: Written) -> None:
    written.write("los")
    written.write("warning\n", stream=1)
    written.write("s 2.5\n")
    assert written.read() == ["warning", "loss 2.5"]


def test_of_a_bar_there_is_a_state_each_second_and_its_last(written: Written) -> None:
    for tick in range(25):
        written.write(f"\r{tick}/25 loss={tick}", at_ns=tick * S // 10)
    assert written.read() == ["0/25 loss=0", "10/25 loss=10", "20/25 loss=20"]
    written.write("\n", at_ns=3 * S)
    assert written.read() == ["24/25 loss=24"]
    assert FRAME_NS == S


def test_a_bar_that_ends_each_state_with_the_return_is_read_as_well(written: Written) -> None:
    written.write("1/25 loss=1\r", at_ns=0)
    written.write("2/25 loss=2\r", at_ns=2 * S)
    assert written.read() == ["1/25 loss=1", "2/25 loss=2"]


def test_lines_stand_among_the_marks_by_their_time(written: Written) -> None:
    marks: list[Mark] = [(LOOP, 10), (LOOP, 30)]
    for at_ns, line in ((5, "a\n"), (20, "b\n"), (40, "c\n")):
        written.write(line, at_ns)
    written.lines.collect()
    waiting = written.lines.among(marks, more=True)
    assert waiting == [(PRINTED, 5, "a"), (LOOP, 10), (PRINTED, 20, "b"), (LOOP, 30)]
    assert written.lines.among([(LOOP, 50)], more=False) == [(PRINTED, 40, "c"), (LOOP, 50)]


def test_a_flood_is_cut_to_its_rate_and_counted(written: Written) -> None:
    line = "x" * 984 + "\n"
    for _ in range(100):
        written.write(line, at_ns=1)
    assert len(written.read()) == CHARACTERS_PER_S // 1000
    assert written.lines.take_dropped() == 100 - CHARACTERS_PER_S // 1000
    assert written.lines.take_dropped() == 0
    written.write(line, at_ns=S // 10)
    assert len(written.read()) == 1, "there is room again"


def test_writes_that_found_the_queue_full_are_counted_once(written: Written) -> None:
    written.lines.taps.missed = 7
    assert (written.lines.take_dropped(), written.lines.take_dropped()) == (7, 0)


def test_a_line_without_end_is_bounded(written: Written) -> None:
    for _ in range(100):
        written.write("x" * 1000)
    assert written.read() == []
    written.write("\n")
    assert [len(line) for line in written.read()] == [MOST_CHARACTERS]
    assert MOST_CHARACTERS == 2_000


def test_a_write_that_was_cut_does_not_run_into_the_next_line(written: Written) -> None:
    written.write("x" * MOST_OF_A_WRITE)
    written.write("loss 2.5\n")
    assert written.read()[-1] == "loss 2.5"
    assert written.lines.take_dropped() == 1


def test_ours_begins_a_line_of_its_own(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(written.lines.taps, "say", said.append)
    written.lines.say("itermon: a")
    written.write("\r5/10", at_ns=1)
    written.read()
    written.lines.say("itermon: b")
    assert said == ["itermon: a", "\nitermon: b"]


def test_a_line_of_the_last_marks_own_time_is_among_them_where_more_wait(written: Written) -> None:
    for at_ns in (4, 5, 6):
        written.write(f"at {at_ns}\n", at_ns)
    written.lines.collect()
    marks: list[Mark] = [(LOOP, 5)]
    assert [mark[2] for mark in written.lines.among(marks, more=True) if mark[0] == PRINTED] == ["at 4", "at 5"]
    assert [mark[2] for mark in written.lines.among(marks, more=False) if mark[0] == PRINTED] == ["at 6"]


def test_a_flood_has_its_rate_again_after_a_time(written: Written) -> None:
    line = "x" * 984 + "\n"
    for at_ns in (5 * S, 5 * S + S // 10):
        for _ in range(100):
            written.write(line, at_ns)
    written.read()
    assert written.lines.take_dropped() == 200 - CHARACTERS_PER_S // 1000 - CHARACTERS_PER_S // 10_000


def test_lines_that_come_late_take_nothing_of_the_rate(written: Written) -> None:
    for at_ns in (2 * S, *[S] * 63):
        written.write("x" * 984 + "\n", at_ns)
    assert len(written.read()) == CHARACTERS_PER_S // 1000


def test_a_bar_that_is_drawn_for_ever_shows_its_newest_state(written: Written) -> None:
    for tick in range(1000):
        written.write(f"\r{tick}/1000 loss=2.5", at_ns=tick * S)
    assert written.read()[-1] == "999/1000 loss=2.5"
    written.write("\n", at_ns=1000 * S)
    assert written.read() == [], "it is shown already"


def test_a_bar_that_stands_still_is_shown_once(written: Written) -> None:
    for tick in range(3):
        written.write("\r5/10", at_ns=tick * S)
    assert written.read() == ["5/10"]


def test_a_state_of_a_bar_may_be_as_long_as_a_line(written: Written) -> None:
    written.write("\r" + "x" * MOST_CHARACTERS)
    assert [len(line) for line in written.read()] == [MOST_CHARACTERS]


def test_a_line_that_nobody_ends_has_the_time_of_what_was_written_last(written: Written) -> None:
    written.write("a line\n", at_ns=S)
    written.write("to", at_ns=5 * S)
    written.write("kens", at_ns=7 * S)
    written.lines.end()
    assert written.lines.among([], more=False) == [(PRINTED, S, "a line"), (PRINTED, 7 * S, "tokens")]
