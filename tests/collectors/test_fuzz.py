"""Numbers that nobody expects, and bytes that come in any pieces."""

import random
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from itermon.analysis.run import Run
from itermon.collectors.clean import clean_lines
from itermon.collectors.files.tail import LineBuffer
from itermon.collectors.log_formats.base import LogFormat
from itermon.collectors.log_formats.recognition import recognise
from itermon.collectors.log_formats.registry import all_formats
from itermon.collectors.logs.reader import LogReader
from itermon.events import (
    BadEventError,
    decode,
    encode,
    expand,
)
from itermon.reports.report_text import report

WORDS = (
    "iter 1: loss 2.5, time 3.00ms, mfu 4.00%", "step 250: train loss 1.9, val loss 2.0",
    "saving checkpoint to",
    "step    1/20 | loss 9.1 (+nanz)| norm 1.0 (+nanz)| lr 1e-4 | 350.1 ms | 40.0% bf16 MFU | 149 tok/s",
    "s:1 tel:2.0", "step:1/20 train_loss:9.1 train_time:100ms step_avg:nanms",
    "step 00001/20 (5.00%) | loss: 9.1 | lrm: 1.00 | dt: 1.0ms", "{'loss': 1.5, 'epoch': 0.1}",
    '{"loss": 1.5, "step": 3}', " 10%|# | 1/10 [00:01<00:09, 1.00s/it]", "epoch,step,loss",
    "iteration 1/ 20 | elapsed time per iteration (ms): 31.1 | lm loss: 1.0E+00 |", "[step=1/20]",
    "    throughput=1", "Epoch: [0][1/9]  Time 1.0 ( 1.0)  Data 0.1 ( 0.1)  Loss 1.0 (1.0)", "loss=1 step=2",
    "loss: 1, step: 2", ":::MLLOG {", "2026-01-01 00:00:00,000 ", "[rank0]: ",
    "Traceback (most recent call last):", "nan", "-inf", "1e999", "9" * 30, "-1", "%", "\x1b[31m", "\r", "\n",
    "\x00", "\t", "{", "}", "[", "'", '"', "|", ":", "=", ",", "/", " ", "é", "\u202e",
)  # fmt: skip

ODD_NUMBERS = (
    "9" * 5000,
    "9" * 400,
    "9" * 30,
    "nan",
    "-inf",
    "1e999",
    "-1",
    "",
    "1,234",
    "0",
    "007",
    "1.2.3",
    "é",
)

texts = st.lists(st.sampled_from(WORDS) | st.text(max_size=9), max_size=8).map(" ".join)


@st.composite
def cut(draw: st.DrawFn) -> str:
    """Lines of logs, with a piece missing somewhere."""
    text = draw(texts)
    first, last = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
    return text[:first] + text[last:]


def check(events: object) -> None:
    for event in events:  # type: ignore[attr-defined]
        try:
            decode(encode(event))
        except BadEventError as error:
            raise AssertionError(f"{event} is no event: {error}") from None


def misprinted() -> Iterator[str]:
    """Every line above, with every one of its numbers replaced by what nobody expects there."""
    for word in WORDS:
        for number in re.finditer(r"\d+", word):
            for odd in ODD_NUMBERS:
                yield word[: number.start()] + odd + word[number.end() :]


@pytest.mark.parametrize("log_format", all_formats(), ids=lambda one: one.name)
def test_no_number_makes_a_format_raise_or_say_what_is_no_event(log_format: LogFormat) -> None:
    for line in misprinted():
        log_format.matches(line)
        log_format.is_iteration(line)
        check(log_format.parser().line(line, 5.0))


@settings(max_examples=60)
@given(st.lists(texts | cut(), max_size=20), st.binary(max_size=40), st.integers(0, 2**32))
def test_a_reader_that_knows_the_format_says_the_same_however_its_bytes_come(
    lines: list[str], garbage: bytes, seed: int
) -> None:
    data = "\n".join(lines).encode(errors="replace") + b"\n" + garbage + b"\n"
    recognise(list(clean_lines(data)))
    settled = [WORDS[0]] * 12
    whole, parts = LogReader(settled), LogReader(settled)
    expected = [*expand(whole.feed(data))]
    check(expected)
    buffer, dice, events, at = LineBuffer(), random.Random(seed), [], 0
    while at < len(data):
        end = at + dice.randint(1, 30)
        events += expand(parts.feed(buffer.add(data[at:end])))
        at = end
    assert events == expected
    watched = Run()
    watched.apply(expected)
    assert report(watched.findings(), title="fuzz")
