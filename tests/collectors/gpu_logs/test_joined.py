"""A log and a recording of its GPUs: one run on one clock."""

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from itermon.collectors.gpu_logs import joined as joined_module
from itermon.collectors.gpu_logs.joined import WithGpuLog
from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.source import Source
from itermon.events import Batch, Event, GpuSample, Iteration, Message, SourceState, expand

BEGIN = time.mktime((2026, 2, 15, 6, 0, 0, 0, 0, -1))
MANY = 200


def stamped(n: int) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(BEGIN + n))
    return f"{when} iter {n}: loss 2.5, time 1000.00ms, mfu 40.00%\n"


def recorded(seconds: Sequence[int], late_s: float = 0.0) -> str:
    rows = ["timestamp, index, utilization.gpu [%]\n"]
    for second in seconds:
        when = time.strftime("%Y/%m/%d %H:%M:%S", time.localtime(BEGIN + second - late_s))
        rows.append(f"{when}.500, 0, {99 if 0 <= second < MANY else 0} %\n")
    return "".join(rows)


def joined(folder: Path, log: str, gpus: str, offset_s: float | None = None) -> list[Batch]:
    (folder / "train.log").write_text(log)
    (folder / "gpu.csv").write_text(gpus)
    source = WithGpuLog(LogSource(folder / "train.log", follow=False), folder / "gpu.csv", offset_s=offset_s)
    return [batch for batch in source.batches(threading.Event()) if not batch.preview]


def events_of(batches: Sequence[Batch]) -> list[Event]:
    return [event for batch in batches for event in expand(batch.events)]


LOG = "".join(map(stamped, range(MANY)))
SECONDS = range(-400, MANY + 600)


def test_each_sample_stands_before_the_iteration_in_whose_time_it_was_taken(tmp_path: Path) -> None:
    batches = joined(tmp_path, LOG, recorded(SECONDS))
    events = events_of(batches)
    assert batches[-1].state == SourceState.ENDED
    assert [e.index for e in events if isinstance(e, Iteration)] == list(range(MANY))
    place = next(n for n, e in enumerate(events) if isinstance(e, Iteration) and e.index == 100)
    assert isinstance(events[place - 1], GpuSample)
    assert events[place - 1].at_s == BEGIN + 99.5
    samples = [e for e in events if isinstance(e, GpuSample)]
    assert samples[0].at_s == BEGIN - 20.5  # a tenth of the run before it, and nothing of after
    assert samples[-1].at_s < BEGIN + MANY


def test_a_clock_in_another_zone_is_found_and_said(tmp_path: Path) -> None:
    events = events_of(joined(tmp_path, LOG, recorded(SECONDS, late_s=-3 * 3600)))
    assert next(e for e in events if isinstance(e, GpuSample)).at_s == BEGIN - 20.5
    (said,) = [e for e in events if isinstance(e, Message)]
    assert "3 h ahead of" in said.text


def test_it_is_believed_when_somebody_says_it(tmp_path: Path) -> None:
    samples = [e for e in events_of(joined(tmp_path, LOG, recorded(SECONDS), 1800.0)) if isinstance(e, GpuSample)]
    assert not samples  # by this clock all of it was half an hour later


def test_without_a_common_time_there_are_no_samples_and_the_reason(tmp_path: Path) -> None:
    events = events_of(joined(tmp_path, LOG, recorded(range(400_000, 400_100))))
    assert not [e for e in events if isinstance(e, GpuSample)]
    (said,) = [e for e in events if isinstance(e, Message)]
    assert (said.about, "--gpu-log-offset" in said.text) == ("gpu", True)


def test_a_log_without_a_clock_gets_the_busy_part_as_a_whole_and_says_so(tmp_path: Path) -> None:
    log = "".join(f"iter {n}: loss 2.5, time 1000.00ms, mfu 40.00%\n" for n in range(MANY))
    events = events_of(joined(tmp_path, log, recorded(SECONDS)))
    samples = [e for e in events if isinstance(e, GpuSample)]
    assert len(samples) == MANY
    (said,) = [e for e in events if isinstance(e, Message)]
    assert "the log has no clock" in said.text


def test_a_file_that_is_no_recording_leaves_the_run_as_it_is(tmp_path: Path) -> None:
    events = events_of(joined(tmp_path, LOG, "hello\n" * 5_000))
    assert len([e for e in events if isinstance(e, Iteration)]) == MANY
    assert [e.about for e in events if isinstance(e, Message)] == ["gpu"]


def test_samples_keep_their_times_where_the_clocks_are_one(tmp_path: Path) -> None:
    events = events_of(joined(tmp_path, LOG, recorded([10, 20])))
    assert [e.at_s - BEGIN for e in events if isinstance(e, GpuSample)] == [10.5, 20.5]


class Scripted(Source):
    """Gives these batches, and counts how many were asked for."""

    title = "scripted"

    def __init__(self, *given: Batch) -> None:
        self.given, self.asked = given, 0

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        for batch in self.given:
            self.asked += 1
            yield batch


def history(first: int, count: int, state: SourceState | None = SourceState.READING) -> Batch:
    return Batch([Iteration(n, 1.0, at_s=BEGIN + n) for n in range(first, first + count)], state=state)


@pytest.mark.parametrize(
    ("first", "asked"),
    [
        (history(0, 2), 2),
        (history(0, 2, None), 2),
        (history(0, 2, SourceState.LIVE), 1),
        (history(0, 2, SourceState.WAITING), 1),
        (history(0, 9), 2),
        (history(0, 10), 1),
    ],
)
def test_a_history_is_held_up_to_its_end_or_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: Batch, asked: int
) -> None:
    monkeypatch.setattr(joined_module, "MOST_HELD", 10)
    (tmp_path / "gpu.csv").write_text(recorded([1]))
    source = Scripted(first, history(10, 2, SourceState.ENDED))
    batches = WithGpuLog(source, tmp_path / "gpu.csv").batches(threading.Event())
    assert next(batches).state == first.state
    assert source.asked == asked


def test_behind_a_preview_comes_all_of_the_log(tmp_path: Path) -> None:
    (tmp_path / "gpu.csv").write_text(recorded([1]))
    preview = Batch([Iteration(9, 1.0)], state=SourceState.READING, preview=True)
    source = Scripted(preview, history(0, 9), history(9, 1, SourceState.ENDED))
    first, *rest = WithGpuLog(source, tmp_path / "gpu.csv").batches(threading.Event())
    assert first is preview
    assert [e.index for e in events_of(rest) if isinstance(e, Iteration)] == list(range(10))


def test_more_than_is_held_comes_behind_it_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joined_module, "MOST_HELD", 10)
    (tmp_path / "gpu.csv").write_text(recorded([1]))
    source = Scripted(*(history(n, 10) for n in (0, 10, 20)), history(30, 1, SourceState.ENDED))
    events = events_of([*WithGpuLog(source, tmp_path / "gpu.csv").batches(threading.Event())])
    assert [e.index for e in events if isinstance(e, Iteration)] == list(range(31))


def test_a_log_that_says_nothing_at_all_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "gpu.csv").write_text(recorded([1]))
    assert [*WithGpuLog(Scripted(), tmp_path / "gpu.csv").batches(threading.Event())] == []


def test_both_are_followed_as_they_grow(tmp_path: Path) -> None:
    log, gpus = tmp_path / "train.log", tmp_path / "gpu.csv"
    log.write_text(LOG)
    gpus.write_text(recorded(range(MANY)))
    source = WithGpuLog(LogSource(log, poll_s=0.01), gpus, follow=True, poll_s=0.01)
    stop = threading.Event()
    batches = source.batches(stop)
    seen: list[Event] = []
    for batch in batches:
        seen += [] if batch.preview else list(expand(batch.events))
        if batch.state == SourceState.LIVE:
            break
    with log.open("a") as more_log, gpus.open("a") as more_gpus:
        more_log.write(stamped(MANY))
        more_gpus.write(recorded([MANY]).splitlines(keepends=True)[1])
    for batch in batches:
        seen += expand(batch.events)
        newest = [e for e in seen if isinstance(e, Iteration)][-1].index
        if newest == MANY and any(isinstance(e, GpuSample) and e.at_s > BEGIN + MANY for e in seen):
            break
    stop.set()
    indices = [e.index for e in seen if isinstance(e, Iteration)]
    times = [e.at_s for e in seen if isinstance(e, GpuSample)]
    assert indices == list(range(MANY + 1))
    assert len(times) == len(set(times)) == MANY + 1
