"""The bar of one cell of a notebook does not count the rows of another."""

import json

import pytest
from log_examples import iterations, of

from itermon.collectors.logs.reader import LogReader
from itermon.events import Event, RunInfo


def bar(total: int, said: str = "", title: str = "") -> list[str]:
    """Frames of one that took long, as no quick look at data does."""
    return [
        f"{title}{100 * n // total:3}%|##| {n}/{total} [{n * 3 // 60:02d}:{n * 3 % 60:02d}<00:09,  3.00s/it{said}]\n"
        for n in range(1, total + 1)
    ]


def rows(count: int, shape: str = "Epoch {n} trained with loss: {loss:.4f}, score 0.5") -> list[str]:
    return [shape.format(n=n, loss=4 / (n + 1)) + "\n" for n in range(count)]


def notebook(*cells: list[str]) -> str:
    """The file of one, as Jupyter writes it."""
    of_all = [
        {
            "cell_type": "code",
            "execution_count": n,
            "outputs": [{"name": "stdout", "output_type": "stream", "text": printed}],
            "source": ["work()\n"],
        }
        for n, printed in enumerate(cells)
    ]
    return json.dumps({"cells": of_all, "nbformat": 4}, indent=1)


def read(text: str, portion: int = 1 << 14) -> list[Event]:
    """In portions, as files are read: the bar may have settled the format long before the rows come."""
    reader, events = LogReader(), list[Event]()
    lines, waiting = text.encode().splitlines(keepends=True), b""
    for line in lines:
        waiting += line
        if len(waiting) >= portion:
            events, waiting = _of(reader, reader.feed(waiting), events), b""
    events = _of(reader, reader.feed(waiting), events)
    return _of(reader, reader.end(b""), events)


def _of(reader: LogReader, told: list[Event], before: list[Event]) -> list[Event]:
    events, reader.anew = told if reader.anew else before + told, False
    return events


def named(events: list[Event]) -> str:
    return next(one.framework for one in of(RunInfo, events) if one.framework)


@pytest.mark.parametrize("behind", [[], bar(25)])
def test_the_training_is_where_rows_count_its_epochs(behind: list[str]) -> None:
    events = read(notebook(bar(500), bar(60), rows(12), behind))
    assert named(events) == "key: value"
    assert [one.index for one in iterations(events)] == [*range(12)]
    assert iterations(events)[0].loss == 4.0


@pytest.mark.parametrize(
    "log",
    [
        notebook(bar(500), rows(5)),  # results of a few models
        notebook(bar(500) + rows(12)),  # what the bar counted may have printed them
        notebook(bar(500), rows(12) + bar(60)),
        notebook(bar(500, said=", loss=0.5"), rows(12)),  # it trains, too
        notebook(bar(500, title="Training: "), rows(12)),
        "".join(bar(500) + rows(12)),  # no notebook
    ],
)
def test_a_bar_that_may_be_the_training_s_stays_so(log: str) -> None:
    events = read(log)
    assert named(events) != "key: value"
    assert iterations(events)[-1].index >= 60
