"""Whatever stands in a log, no format raises, and what it says are events. (`bench/hostile_lines.py` measures the time.)"""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from itermon.collectors.log_formats.base import LogFormat
from itermon.collectors.log_formats.parsing.lines import LineParser
from itermon.collectors.log_formats.recognition import recognise
from itermon.collectors.log_formats.registry import all_formats
from itermon.events import Event, decode, encode

# Pieces of which the lines of all formats are made, so that a random line comes far into the patterns.
PIECES = sorted({piece for one in all_formats() if isinstance(one.parser, type) and issubclass(one.parser, LineParser)
                 for kind in one.parser.kinds() for piece in (kind.contains,) if piece})  # fmt: skip
VALUES = [
    "0",
    "1",
    "7/9",
    "nan",
    "-inf",
    "1e400",
    "9" * 30,
    "1,2,3",
    "-1",
    "12:34",
    "'",
    '"',
    "{",
    "}",
    "]",
    "\u0663",
    "",
]
lines = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(PIECES + VALUES + [" ", ": ", "=", " | ", "/", "[", "(", ")", "%", "ms", "s"]), max_size=30
    ).map("".join),
)


@pytest.mark.parametrize("log_format", all_formats(), ids=lambda one: one.name)
@settings(max_examples=40)
@given(text=st.lists(lines, max_size=6))
def test_no_line_breaks_a_format(log_format, text):
    parser = log_format.parser()
    for line in text:
        assert log_format.is_iteration(line) in (True, False)
        for event in parser.line(line, 1.0):
            assert isinstance(event, Event)
            decode(encode(event))


@settings(max_examples=30)
@given(text=st.lists(lines, max_size=20))
def test_no_lines_break_the_recogniser(text):
    recognition = recognise(text)
    assert 0 <= recognition.coverage <= 1


def damaged(line: str) -> Iterator[str]:
    """A format's own line with a word in front of it, without a part, and with a word where a number stood."""
    yield from (f"INFO:root {line}", f"a:b {line}", f"{line} {line}", line[::-1])
    for found in re.finditer(r"\d[\d.e+-]*|\w+", line[:600]):
        yield line[: found.start()] + "x" + line[found.end() :]
        yield line[: found.start()] + line[found.end() :]
        yield line[: found.start()] + "9" * 30 + line[found.end() :]
        yield line[: found.end()]
        yield line[: found.start()] + "x"


@pytest.mark.parametrize("log_format", all_formats(), ids=lambda one: one.name)
def test_no_damaged_line_of_its_own_breaks_a_format(log_format: LogFormat) -> None:
    for example in log_format.examples:
        own = dict.fromkeys(example.log.splitlines())
        for line in [*own][:12]:
            parser = log_format.parser()
            for text in dict.fromkeys(f"{start}{rest}" for rest in damaged(line) for start in ("", "INFO:root ")):
                for event in parser.line(text, 1.0):
                    assert isinstance(event, Event)
