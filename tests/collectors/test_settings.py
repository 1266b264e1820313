"""A run with the settings that a person gave: they stand last, and so they win."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from itermon.collectors.settings import ConfiguredSource
from itermon.collectors.source import Source
from itermon.events import Batch, Config, Event, Iteration, RunInfo


class Given(Source):
    """These batches."""

    def __init__(self, *batches: list[Event]) -> None:
        self.title = "given"
        self._batches = batches

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        for events in self._batches:
            yield Batch(events)


MINE = Config(origin="user", layers=7)


def told(source: ConfiguredSource) -> list[list[Event]]:
    return [list(batch.events) for batch in source.batches(threading.Event())]


def test_they_come_first_and_again_after_each_setting_of_the_run_s_own() -> None:
    info, own, step = RunInfo(), Config(layers=3), Iteration(1)
    found = told(ConfiguredSource(Given([info], [step], [own, step]), [MINE]))
    assert found == [[MINE], [info, MINE], [step], [own, step, MINE]]


def test_without_any_the_run_stays_as_it_is() -> None:
    own, step = Config(layers=3), Iteration(1)
    assert told(ConfiguredSource(Given([own], [step]), [])) == [[own], [step]]


def test_the_newest_directory_of_checkpoints_that_was_named_is_known() -> None:
    source = ConfiguredSource(
        Given([Config(extra={"output_dir": "b", "save_dir": "c"})], [Config(layers=2)]),
        [Config(extra={"out_dir": "a"})],
    )
    assert source.checkpoints() is None
    seen = [source.checkpoints() for _ in source.batches(threading.Event())]
    assert seen == ["a", "b", "b"]
