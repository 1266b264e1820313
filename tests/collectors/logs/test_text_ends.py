"""Lines of megabytes: a bar that writes for hours into one, of which its newest frame is the end."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.logs.reader import LogReader
from itermon.events import End, Message

if TYPE_CHECKING:
    from pathlib import Path

    from itermon.collectors.logs.text import LogText

FRAMES = "".join(f"\rbar: {n}/900000 [00:10<01:00, 9.50it/s]" for n in range(60_000))


def read(path: Path, written: str) -> LogText:
    path.write_text(written)
    source = LogSource(path, follow=False)
    for _ in source.batches(threading.Event()):
        pass
    return source.text


@pytest.mark.parametrize(
    ("written", "last"),
    [
        ("one\n 98%|###| 98/100\r 99%|###| 99/100\r      \r", ["one", "99%|###| 99/100"]),
        ("one\n" + FRAMES, ["one", "59999/900000 [00:10<01:00, 9.50it/s]"]),
        (FRAMES + "\ntwo\n", ["59999/900000 [00:10<01:00, 9.50it/s]", "two"]),
        ("begin" + "x" * (3 << 20), ["begin" + "x" * 195]),
    ],
)
def test_the_end_of_a_log_is_the_newest_frame_of_a_bar(tmp_path: Path, written: str, last: list[str]) -> None:
    said = [one.removeprefix("bar:").strip() for one in read(tmp_path / "train.log", written).last_lines()]
    assert said == last


def test_a_line_of_many_megabytes_is_one(tmp_path: Path) -> None:
    text = read(tmp_path / "train.log", "one\n" + "x" * (3 << 20) + "\nthree\n")
    lines = [(line.number, line.text[:5]) for line in text.lines_from(1, 9)]
    assert lines == [(1, "one"), (2, "xxxxx"), (3, "three")]


@pytest.mark.parametrize(
    "before",
    [
        "        Exception ignored in: <bound method Loader.__del__ of <Loader object at 0x7f00>>",
        " 90%|#########1| 9/10 [00:09<00:01,  1.00it/s]Exception ignored in: <function Loader.__del__ at 0x7f00>",
        " 90%|#########1| 9/10 [00:09<00:01,  1.00it/s]Exception in thread QueueFeederThread:",
        "Exception ignored in atexit callback: <function close at 0x7f00>",
    ],
)
def test_what_python_ignored_behind_a_frame_ends_no_training(before: str) -> None:
    frames = [f" {n}0%|#         | {n}/10 [00:0{n}<00:0{10 - n},  1.00it/s]" for n in range(1, 9)]
    traceback = ["Traceback (most recent call last):", '  File "loader.py", line 7, in __del__']
    lines = [*frames, before, *traceback, "AssertionError: can only join a child process", "Test set: 84.4 %"]
    reader = LogReader()
    events = [*reader.feed("\n".join([*lines, ""]).encode()), *reader.end(b"")]
    assert [event.ending for event in events if isinstance(event, Message)] == [None]
    assert not any(isinstance(event, End) for event in events)
