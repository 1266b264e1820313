"""What stands a day behind the newest row, and has no row behind it, is nothing of this training."""

from itermon.collectors.log_formats.stops.far_behind import FarBehind
from itermon.collectors.log_formats.stops.moments import LONGEST_S
from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, EVALUATION, Event, Iteration, RunInfo, SpanBegin, SpanEnd

AT_S = 1_700_000_000.0
ROW, SOON = Iteration(10, at_s=AT_S), SpanEnd(EVALUATION, AT_S + 60.0)
FAR = SpanEnd(EVALUATION, AT_S + LONGEST_S + 60.0)


def left(*lines: Event, arrived_s: float | None = None) -> list[Event]:
    stops = FarBehind()
    return [event for line in lines for event in stops.left([line], arrived_s)]


def test_it_waits_for_the_next_row() -> None:
    saved, later = SpanBegin(CHECKPOINT, FAR.at_s), Iteration(20, at_s=AT_S + 2 * LONGEST_S)
    assert left(ROW, SOON, FAR, saved) == [ROW, SOON]
    assert left(ROW, FAR, saved, later) == [ROW, FAR, saved, later]


def test_an_evaluation_that_took_so_long_by_its_own_words_is_one() -> None:
    lasted = SpanEnd(EVALUATION, FAR.at_s, duration_s=LONGEST_S)
    assert left(ROW, lasted) == [ROW, lasted]


def test_a_line_that_names_a_later_iteration_shows_that_rows_are_missing() -> None:
    later, next_one = (SpanEnd(EVALUATION, FAR.at_s, iteration) for iteration in (500, 11))
    assert left(ROW, later) == [ROW, later]
    assert left(ROW, next_one) == [ROW], "a format without a number of its own takes the next one"


def test_another_process_may_begin_with_it() -> None:
    begun = RunInfo(source_format="any")
    assert left(ROW, begun, FAR) == [ROW, begun, FAR]
    stops = FarBehind()
    stops.left([ROW], None)
    stops.process_begins()
    assert stops.left([FAR], None) == [FAR]


def test_rows_without_a_stamp_tell_no_distance() -> None:
    assert left(Iteration(10), FAR) == [Iteration(10), FAR]
    assert left(ROW, FAR, arrived_s=AT_S) == [ROW, FAR]


def test_lines_of_another_training_are_no_evaluation_of_this_one() -> None:
    row = "[2021-03-0{0} 08:0{1}:12,000 INFO] Step {1}00/ 900; acc: 4.5; ppl: 9.5; xent: 9.50; lr: 0.00001; 5302/6021 tok/s;    {1}60 sec\n"
    found = (
        "[2021-03-0{0} 08:0{1}:52,000 INFO] Validation perplexity: 5.5\n"
        "[2021-03-0{0} 08:0{1}:52,000 INFO] Validation accuracy: 50\n"
        "[2021-03-0{0} 08:0{1}:52,000 INFO] Saving checkpoint m_step_{1}00.pt\n"
    )
    text = "".join(row.format(1, n) + found.format(1, n) for n in range(1, 5)) + found.format(4, 9)
    reader = LogReader()
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    ends = [one for one in events if isinstance(one, SpanEnd)]
    assert [one.kind for one in ends] == [EVALUATION] * 4
    assert sum(isinstance(one, SpanBegin) and one.kind == CHECKPOINT for one in events) == 4
