"""Lines of several logs in one: nothing is raised, what is said are events, and a report can be made of them."""

import pytest
from mixed_lines import mixed

from itermon.analysis.run import Run
from itermon.collectors.logs.reader import LogReader
from itermon.events import decode, encode, expand
from itermon.reports.report_text import report

PARTS = 8


def read(seed: int) -> None:
    data = "".join(f"{line}\n" for line in mixed(seed)).encode()
    reader = LogReader()
    half = data.find(b"\n", len(data) // 2) + 1
    events = [*expand(reader.feed(data[:half]) + reader.feed(data[half:]) + reader.end(b""))]
    for event in events:
        decode(encode(event))
    run = Run()
    run.apply(events)
    assert report(run.findings(now_s=2e9), title="mixed")


@pytest.mark.parametrize("part", range(PARTS))
def test_no_mixture_of_lines_ends_the_reading(part: int) -> None:
    for seed in range(part, 1600, PARTS):
        try:
            read(seed)
        except Exception as error:
            raise AssertionError(f"mixed({seed}): {error!r}") from error
