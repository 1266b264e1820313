from itermon.collectors.logs.text import LogText
from itermon.collectors.trackers.wandb.printed import PrintedOutput
from itermon.collectors.trackers.wandb.records import Printed
from itermon.events import ClockKind, End, EndReason, Iteration, Message, RunInfo


def portions(*texts, error=False):
    return [Printed(text, 100.0 + number, error) for number, text in enumerate(texts)]


def read(said, first=None):
    text = LogText()
    output = PrintedOutput(said if first is None else first, None, text)
    events = [event for one in said for event in output.add([one])]
    events += output.end()
    output.show()
    return events, text


LINE = "iter {}: loss 2.5, time 2000.00ms, mfu 15.00%"


def test_a_line_has_the_time_at_which_its_end_came():
    events, text = read(portions(LINE.format(0), "\n", LINE.format(1)[:20], LINE.format(1)[20:] + "\n"))
    found = [(event.index, event.at_s) for event in events if isinstance(event, Iteration)]
    assert found == [(0, 101.0), (1, 103.0)]
    assert next(event for event in events if isinstance(event, RunInfo)).clock == ClockKind.ARRIVAL
    assert text.last_lines() == (LINE.format(0), LINE.format(1))


def test_a_bar_on_errors_cuts_no_line_on_output():
    bar = portions("\r 10%|#", error=True)
    said = [*portions(LINE.format(0)[:9]), *bar, *portions(LINE.format(0)[9:] + "\n")]
    assert [event.index for event in read(said)[0] if isinstance(event, Iteration)] == [0]


def test_the_last_line_needs_no_end_and_tells_how_the_run_ended():
    events, _ = read(portions(LINE.format(0) + "\n", "Traceback (most recent call last):\n", "KeyboardInterrupt"))
    assert [event.reason for event in events if isinstance(event, End)] == [EndReason.INTERRUPTED]


def test_errors_are_told_whatever_the_format():
    events, _ = read(portions("Traceback (most recent call last):\n", "ValueError: no such thing\n"))
    assert any(isinstance(event, Message) and "no such thing" in event.text for event in events)


def test_lines_that_nobody_knows_are_looked_at_many_at_once(monkeypatch):
    """A thousand portions of prose took six seconds: all formats were asked at each."""
    output = PrintedOutput([], None, LogText())
    feeds = []
    monkeypatch.setattr(output._reader, "feed", lambda lines, at_s: feeds.append((lines, at_s)) or [])
    for number in range(1_000):
        assert not output.add([Printed(f"about {number}, nothing\n", float(number), is_error=False)])
    output.settle()
    assert len(feeds) == 65
    assert b"".join(lines for lines, _ in feeds).count(b"\n") == 1_000
    assert feeds[-1][1] == 999.0


def test_many_portions_at_once_say_what_they_say_one_by_one():
    """Also where their format turns out another one in between, and where a line is cut between two of them."""
    bars = [f"\r{n}%|#| {n}/100 [00:{n:02d}<01:00,  1.00it/s]" for n in range(30)]
    lines = [
        LINE.format(n)[: 5 * half] if half < 2 else LINE.format(n)[5:] + "\n"
        for n in range(400)
        for half in (1, 2)
    ]
    said = [*portions(*bars, error=True), *portions("", *lines, "Traceback (most recent call last):\n", "E: no\n")]
    alone, at_once = PrintedOutput(said[:600], None, LogText()), PrintedOutput(said[:600], None, LogText())
    one_by_one = [event for one in said for event in alone.add([one])]
    several = [event for at in range(0, len(said), 90) for event in at_once.add(said[at : at + 90])]
    assert len(several) > 400
    assert several == one_by_one


def test_what_another_format_read_before_is_left_out_of_what_came_at_once():
    output = PrintedOutput([], None, LogText())
    first, second = portions("step 1 loss 2.5\n"), portions(*(LINE.format(n) + "\n" for n in range(50)))
    found = output.add([*first, *second])
    assert {event.duration_s for event in found if isinstance(event, Iteration)} == {2.0}


def test_of_lines_that_nobody_knows_64_kib_are_gathered(monkeypatch):
    output = PrintedOutput([], None, LogText())
    feeds = []
    monkeypatch.setattr(output._reader, "feed", lambda lines, at_s: feeds.append(len(lines)) or [])
    for number in range(64 + 200):
        output.add(portions(f"{number} ".ljust(1_023, "x") + "\n"))
    assert feeds == [1_024] * 64 + [64 << 10] * 3
