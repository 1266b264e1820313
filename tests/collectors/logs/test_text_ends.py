"""Lines of megabytes: a bar that writes for hours into one, of which its newest frame is the end."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from itermon.collectors.logs.log_source import LogSource

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
