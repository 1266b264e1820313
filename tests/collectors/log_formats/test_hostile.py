"""Whatever stands in a log, no format raises, and what it says are events. (`bench/hostile_lines.py` measures the time.)"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
