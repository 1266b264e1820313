"""Bytes of a log to events: its formats, its lines' numbers, its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from log_examples import EXAMPLES, IDS

from itermon.collectors.log_formats.recognition import Recognition
from itermon.collectors.logs import doubt
from itermon.collectors.logs import reader as module
from itermon.collectors.logs.reader import LogReader
from itermon.events import (
    ClockKind,
    Config,
    Counted,
    End,
    Iteration,
    Iterations,
    Message,
    OtherRows,
    RunInfo,
    expand,
)

if TYPE_CHECKING:
    from itermon.collectors.log_formats.base import Example, LogFormat


def test_a_bar_is_known_though_its_last_frame_was_wiped_out_and_written_over() -> None:
    frames = [f"train:  {n}0%|     | {n}/9 [00:0{n}<00:09,  1.00s/it]" for n in range(1, 10)]
    reader = LogReader()
    data = "\r".join(["train:   0%|     | 0/9 [00:00<?, ?it/s]", *frames, " " * 40, "43.48"]) + "\n"
    events = [*reader.feed(data.encode() * 9), *reader.end(b"")]
    assert len([one for one in events if isinstance(one, Iteration)]) == 81


KERAS = b"Epoch 1/10\n100/100 [======] - 4s 40ms/step - loss: 0.5\n"


def ends_with(rest: bytes) -> list[object]:
    reader = LogReader()
    events = [*reader.feed(KERAS), *reader.end(rest)]
    totals = [event.max_iterations for event in events if isinstance(event, Config) and event.max_iterations]
    return [*totals, *(event.index for event in events if isinstance(event, Iteration))]


def test_a_last_line_that_may_be_cut_sets_no_total() -> None:
    assert ends_with(b"") == [1000, 100]
    assert ends_with(b"Epoch 3/10\r60/60 [======] - 4s 40ms/step - loss: 0.5\n") == [1000, 100, 180]
    assert ends_with(b"Epoch 2/9\r100/100 [======] - 4s 40ms/step - loss: 0.5\r") == [1000, 900, 100, 200]


def test_a_last_line_that_begins_another_run_sets_its_total_though_it_may_be_cut() -> None:
    row = "step {:4}/{} | loss 3.2 (+nanz)| norm 1.5 (+nanz)| lr 1.00e-04 | 350.00 ms | 5.0% bf16 MFU | 1500 tok/s"
    reader = LogReader()
    reader.feed("".join(f"{row.format(n, 100)}\n" for n in (3, 4, 5)).encode())
    events = reader.end(row.format(1, 20).encode())
    assert [event.max_iterations for event in events if isinstance(event, Config)] == [20]


def test_of_lines_that_came_together_only_the_last_is_new_and_each_has_its_number() -> None:
    reader = LogReader(clock=ClockKind.ARRIVAL, name="train.log")
    lines = [f"iter {n}: loss 2.5000, time 100.00ms, mfu 40.00%" for n in range(40)]
    reader.feed("".join(f"{line}\n" for line in lines[:30]).encode())
    events = reader.feed(
        "".join(f"{line}\n" for line in [*lines[30:33], "CUDA out of memory", *lines[33:36]]).encode(), 5.0
    )
    assert [(e.index, e.at_s) for e in expand(events) if isinstance(e, Iteration)] == [
        *((n, None) for n in range(30, 35)),
        (35, 5.0),
    ]
    assert [reader._index.line_of(n) for n in (0, 29, 30, 32, 33, 35)] == [1, 30, 31, 33, 35, 37]
    assert reader.lines == 37


def test_of_a_refused_block_the_first_line_is_read_by_itself_and_an_empty_portion_is_no_line() -> None:
    rows = [f"iter {n}: loss 2.5000, time 100.00ms, mfu 40.00%\n".encode() for n in range(60)]
    reader, heard = LogReader(), []
    line = reader._line
    reader._line = lambda text, *rest: (heard.append(text), line(text, *rest))  # type: ignore[method-assign]
    events = [*reader.feed(b"".join(rows[:30])), *reader.feed(b"".join(rows[30:]))]
    assert heard == ["iter 0: loss 2.5000, time 100.00ms, mfu 40.00%"]
    assert [len(event) for event in events if isinstance(event, Iterations)] == [29, 30]
    assert [e.index for e in expand(events) if isinstance(e, Iteration)] == [*range(60)]


def test_an_error_behind_a_block_of_iterations_is_of_the_blocks_last() -> None:
    reader = LogReader(clock=ClockKind.LOG)
    lines = [f"iter {n}: loss 2.5000, time 100.00ms, mfu 40.00%\n" for n in range(300)]
    reader.feed("".join(lines[:200]).encode())
    events = [
        *reader.feed("".join(lines[200:]).encode()),
        *reader.feed(b"RuntimeError: CUDA error\n"),
        *reader.end(b""),
    ]
    assert any(isinstance(event, Iterations) for event in events)
    assert [event.iteration for event in events if isinstance(event, Message)] == [299]


def test_a_run_has_the_name_of_its_file_unless_the_log_names_it() -> None:
    reader = LogReader(name="train.log", clock=ClockKind.ARRIVAL)
    (info, *_) = reader.feed(b"iter 0: loss 2.5000, time 100.00ms, mfu 40.00%\n")
    assert isinstance(info, RunInfo)
    assert (info.name, info.clock) == ("train.log", ClockKind.ARRIVAL)
    assert info.source_format
    assert not [e for e in reader.feed(b"\n") if isinstance(e, Message)]


@pytest.mark.parametrize("clock", [None, ClockKind.ARRIVAL])
def test_a_log_whose_rows_have_stamps_has_a_clock_of_its_own(clock: ClockKind | None) -> None:
    rows = [f"2025-06-25 13:06:1{n} step {n} | loss 2.5\n" for n in range(9)]
    for lines, own in ((rows, ClockKind.LOG), ([row[20:] for row in rows], clock)):
        (info, *_) = LogReader(clock=clock).feed("".join(lines).encode())
        assert isinstance(info, RunInfo)
        assert info.clock == own


def test_a_process_that_says_that_it_resumes_is_another_though_its_numbers_only_rise() -> None:
    reader = LogReader(clock=ClockKind.LOG)
    row = "step {} | loss 2.5\n"
    head = "Resuming from out/3.pt\n"
    first = reader.feed((head + "".join(row.format(n) for n in range(30, 60, 10))).encode())
    assert {one.resumed for one in first if isinstance(one, RunInfo)} == {None}, "the first process"
    again = "Killed\nResuming from out/5.pt\nResumed at step 50\n" + row.format(60)
    events = reader.feed(again.encode())
    (info,) = (one for one in events if isinstance(one, RunInfo))
    assert (info.resumed, info.source_format, info.clock) == (True, "key: value log", ClockKind.LOG)
    assert [one.index for one in events[events.index(info) :] if isinstance(one, Iteration)] == [60]


def test_what_a_queue_writes_into_a_frame_is_heard_though_the_frame_is_read() -> None:
    frame = "train:  {n}%|     | {n}/99 [00:{n}<00:09,  1.00s/it, loss=0.5]"
    word = "slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2024-05-01T10:00:00 ***"
    data = "\r".join((frame.format(n=11), frame.format(n=12) + word, frame.format(n=13)))
    reader = LogReader()
    events = [*reader.feed(data.encode() + b"\n"), *reader.end(b"")]
    assert [one.text for one in events if isinstance(one, Message) and one.ending] == [word]
    assert len([one for one in events if isinstance(one, Iteration)]) == 3


def test_what_waited_for_its_time_is_of_the_process_that_ended() -> None:
    """Where times stand on lines of their own, each row waits for the next line."""
    row = "Epoch {} Step {}: loss={}\nElapsed time: 4.25 s\n"
    first = "".join(row.format(1, n, 3 - n / 10) for n in range(1, 9)) + "Epoch 1 Step 9: loss=2.25\n"
    second = "".join(row.format(1, n, 2 - n / 10) for n in range(4, 12))
    reader = LogReader()
    text = f"{first}Resuming from checkpoint last.pt\n{second}"
    events = list(expand([*reader.feed(text.encode()), *reader.end(b"")]))
    begins = [place for place, one in enumerate(events) if isinstance(one, RunInfo) and one.resumed]
    rows = [(place, one.index) for place, one in enumerate(events) if isinstance(one, Iteration)]
    assert len(begins) == 1
    assert [index for place, index in rows if place < begins[0]] == [*range(1, 10)]


def test_a_frame_that_was_held_back_came_before_the_interruption() -> None:
    """Lightning draws its bar once more when it stops: no iteration came after the word."""
    frame = "Epoch 1: {}%|█   | {}/100 [00:{}<00:14,  7.15it/s, loss=2.5]\r"
    text = frame.format(81, 81, 11) + frame.format(90, 90, 12) + "\n"
    text += "Detected KeyboardInterrupt, attempting graceful shutdown ...\n" + frame.format(90, 90, 12) + "\n"
    reader = LogReader()
    events = list(expand([*reader.feed(text.encode()), *reader.end(b"")]))
    words = [place for place, one in enumerate(events) if isinstance(one, Message) and one.ending]
    rows = [(place, one.index) for place, one in enumerate(events) if isinstance(one, Iteration)]
    assert [index for _, index in rows] == [81, 90]
    assert rows[-1][0] < words[0]
    assert [one.reason for one in events if isinstance(one, End)] == ["interrupted"]


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("iter {}: loss 2.5000, time 100.00ms, mfu 40.00%", 10),  # a framework's own
        ("step {} loss: 2.5 lr: 0.1", 100),  # a guess
        ("  1%|█ | {}/9000 [01:40<00:30,  1.00s/it, loss=2.5]", 300),  # common to many
    ],
)
def test_a_format_is_settled_after_as_many_iterations_as_its_kind_needs(line: str, after: int) -> None:
    reader = LogReader()
    sure = []
    for n in range(1, after + 1):
        reader.feed(line.format(n).encode() + b"\n")
        sure.append(reader.is_sure)
    assert sure.index(True) == after - 1


def test_portions_of_a_settled_log_are_read_as_one() -> None:
    lines = [f"iter {n}: loss 2.5000, time 100.00ms, mfu 40.00%\n".encode() for n in range(40)]
    reader, whole = LogReader(), LogReader()
    events = reader.feed(b"".join(lines[:20])) + reader.feed_each((line, 5.0) for line in lines[20:])
    whole.feed(b"".join(lines))
    found = [(one.index, one.at_s) for one in expand(events) if isinstance(one, Iteration)]
    assert found == [(n, None if n < 20 else 5.0) for n in range(40)]
    assert reader.lines == whole.lines == 40


def test_of_a_long_preface_the_newest_is_kept_and_lines_keep_their_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_UNRECOGNISED_BYTES", 100)
    reader = LogReader()
    for size in (60, 39, 1, 60):
        reader.feed(b"x" * (size - 1) + b"\n")
    assert [len(data) for data in reader._kept] == [39, 1, 60]
    reader.feed(b"iter 0: loss 2.5000, time 100.00ms, mfu 40.00%\n")
    assert (reader.lines, reader._index.line_of(0)) == (5, 5)


def test_four_megabytes_are_kept_of_a_log_of_no_known_format() -> None:
    reader = LogReader()
    for _ in range(7):
        reader._keep(bytes(1 << 20))
    assert sum(map(len, reader._kept)) == reader._kept_bytes == 4 << 20


def test_when_a_format_is_given_up_the_lines_of_the_next_one_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubt, "PROOF_LINES", 50)
    reader = LogReader()
    goods = "".join(f"{n % 7} of 9 boxes in row {n % 3}\n" for n in range(200))
    assert [e for e in reader.feed(goods.encode()) if isinstance(e, Iteration | Iterations)] == []
    steps = "".join(f"iter {n}: loss 2.5000, time 100.00ms, mfu 40.00%\n" for n in range(20))
    events = reader.feed(steps.encode())
    assert [one.index for one in expand(events) if isinstance(one, Iteration)] == list(range(20))
    assert reader._index.line_of(3) == 204


@pytest.mark.parametrize(("log_format", "one"), EXAMPLES, ids=IDS)
def test_each_example_is_read_whole_with_the_line_ends_of_any_system(log_format: LogFormat, one: Example) -> None:
    """Among all formats, and with what a log's head, last words and settings take of it."""
    text = one.log.strip("\n") + "\n"
    found = []
    for data in (text, text.replace("\n", "\r\n")):
        reader = LogReader()
        events = [*expand(reader.feed(data.encode())), *reader.end(b"")]
        assert reader.format is not None
        assert reader.format.name == log_format.name
        assert reader.lines == text.count("\n")
        found.append([(row.index, row.duration_s, row.loss) for row in events if isinstance(row, Iteration)])
        assert [row[0] for row in found[-1]] == [row[0] for row in one.iterations]
    assert found[0] == found[1]


@pytest.mark.parametrize(("more", "looked_at"), [(0, 1_000), (1, 48)])
def test_after_an_eighth_of_a_mebibyte_in_vain_fewer_lines_are_looked_at(more: int, looked_at: int) -> None:
    reader = LogReader()
    reader.feed(b"nothing to count\n" * 7_710 + b"\n" * (2 + more))  # 2^17 bytes, and so many more
    before = reader.recognition.lines
    reader.feed(b"nothing to count\n" * 1_000)
    assert reader.recognition.lines - before == looked_at


@pytest.mark.parametrize(
    ("lines", "undescribed"),
    [
        (
            b"iter 0: loss 3.0000, time 200.00ms, mfu 20.00%\niter 1: loss 2.9000, time 200.00ms, mfu 20.00%\n",
            False,
        ),
        (b"step=1 loss=3.5 lr=0.001\nstep=2 loss=3.4 lr=0.001\nstep=3 loss=3.3 lr=0.001\n", True),
    ],
)
def test_a_run_knows_whether_anybody_described_what_its_script_prints(lines: bytes, undescribed: bool) -> None:
    reader = LogReader()
    infos = [one for one in [*reader.feed(lines * 9), *reader.end(b"")] if isinstance(one, RunInfo)]
    assert infos[0].undescribed is undescribed


def test_lines_that_were_looked_at_ahead_and_the_last_one_without_its_newline_count_once() -> None:
    lines = [f"iter {n}: loss 2.5000, time 100.00ms, mfu 40.00%" for n in range(6)]
    reader = LogReader(lines[:2] + lines[4:5])
    reader.looks_at_last(lines[5].encode())
    reader.feed("".join(f"{line}\n" for line in lines[:5]).encode())
    assert reader.recognition.lines - reader.recognition.again == 6


HEAD = b"Using one device\nReading the data set\nBuilding the model\n"


def test_what_else_than_the_counter_tells_is_told_with_the_rows_and_once() -> None:
    reader, said = LogReader(), []
    rows = b"".join(b"step=%d loss=3.5 lr=0.001\n" % n for n in range(1, 30))
    for _ in range(2):
        said += [one for one in reader.feed(HEAD + rows) if isinstance(one, Counted)]
    said += [one for one in reader.end(b"") if isinstance(one, Counted)]
    assert said == [Counted(openings=2)]


def test_that_nothing_counts_the_rows_is_told() -> None:
    reader = LogReader()
    events = reader.feed(
        b"".join(b"Epoch: %d/4   Training Loss: 3.%d\n" % (n // 10 + 1, 99 - n) for n in range(40))
    )
    told = [one for one in [*events, *reader.end(b"")] if isinstance(one, Counted)]
    assert [one.rows for one in told] == [True]


def test_lines_of_a_loss_that_the_format_does_not_read_are_counted_behind_its_rows() -> None:
    rows = [f"iter {n}: loss 2.5000, time 100.00ms, mfu 40.00%" for n in range(40)]
    others = [f"[critic] step={n}/60 loss=nan" for n in range(60)]
    reader = LogReader()
    data = "".join(f"{line}\n" for line in (*rows, *others)).encode()
    events = [*reader.feed(data), *reader.end(b"")]
    assert [one for one in events if isinstance(one, OtherRows)][-1] == OtherRows(60, 60, 41, 41, 100)
    again = [*reader.feed("".join(f"{line}\n" for line in rows[:3]).encode()), *reader.end(b"")]
    assert next(one for one in again if isinstance(one, OtherRows)) == OtherRows(60, 0, 41)


def test_what_was_read_as_a_format_that_later_lines_speak_against_is_void_and_its_errors_count_once() -> None:
    error = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'nothere'\n"
    bars = "train length: 9\n" + "".join(f"{n}0%|     | {n}/9 [00:0{n}<00:09,  1.00s/it]\n" for n in (1, 2))
    reader = LogReader()
    reader.feed((bars + error).encode())
    reader.recognition = Recognition(None, 0, 900, 900)
    last = reader.end(b"")
    assert reader.anew
    assert [one.text for one in last if isinstance(one, Message)] == [
        "ModuleNotFoundError: No module named 'nothere'"
    ]
