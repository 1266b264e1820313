"""What is put down to a stop by a line alone, beside other rows with that line, and without it."""

import pytest

from itermon.analysis.run import Run
from itermon.events import CHECKPOINT, UNEXPLAINED, Config, Iteration, RunInfo, SpanBegin


def read(saves: dict[int, float], others: dict[int, float]) -> Run:
    """A hundred rows of a second, with a save's line before some, which took so much longer; so did `others`."""
    run = Run()
    run.apply([RunInfo(source_format="t", time_includes=(CHECKPOINT,)), Config(origin="log", max_iterations=100)])
    at_s = 1_000.0
    for n in range(1, 101):
        if n in saves:
            run.apply([SpanBegin(CHECKPOINT, at_s, n)])
        at_s += 1.0 + saves.get(n, 0.0) + others.get(n, 0.0)
        run.apply([Iteration(n, 1.0 + saves.get(n, 0.0) + others.get(n, 0.0), at_s=at_s)])
    return run


@pytest.mark.parametrize(
    ("saves", "others", "named"),
    [
        ({20: 20.0, 40: 21.0, 60: 20.0, 80: 20.0}, {}, True),
        ({20: 20.0, 40: 21.0, 60: 20.0, 80: 0.0}, {}, True),  # no row says that something else takes as long
        ({20: 20.0, 40: 21.0, 60: 20.0, 80: 0.0}, {70: 20.0}, False),
        ({20: 20.0, 40: 21.0, 60: 20.0, 80: 19.0}, {70: 20.0}, True),
        ({20: 20.0, 40: 0.0, 60: 0.0, 80: 0.0}, {}, True),
        ({20: 20.0, 40: 21.0, 60: 20.0, 80: 0.0}, {70: 5.0}, True),
    ],
)
def test_a_line_is_no_cause_where_rows_with_it_took_no_longer(
    saves: dict[int, float], others: dict[int, float], named: bool
) -> None:
    found = read(saves, others).findings(spikes=None)
    kinds = {one.index: {cause.kind for cause in one.causes} for one in found.spikes}
    slow = [n for n, more_s in saves.items() if more_s]
    assert all(kinds[n] == {CHECKPOINT if named else UNEXPLAINED} for n in slow)
    told_s = sum(row.seconds for row in found.ledger if row.cause == CHECKPOINT)
    assert told_s == pytest.approx(sum(saves.values()) if named else 0.0)
    assert sum(row.share for row in found.ledger) == pytest.approx(1.0)
