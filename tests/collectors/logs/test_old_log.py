"""What a screen shows of a log that nobody writes any more is what a report says of it: its newest row, too."""

import os
import threading
from pathlib import Path

import pytest
from log_examples import EXAMPLES, IDS

from itermon.collectors.log_formats.base import Example, LogFormat
from itermon.collectors.logs import log_source
from itermon.collectors.logs.log_source import LogSource
from itermon.events import Iteration, SourceState, expand

NOW_S = 1_700_000_000.0


def rows(path: Path, *, follow: bool) -> list[tuple[int, float | None]]:
    """The iterations of the log, up to its end."""
    source = LogSource(path, follow=follow, clock=lambda: NOW_S, poll_s=0)
    found: list[tuple[int, float | None]] = []
    for batch in source.batches(threading.Event()):
        if batch.preview:
            continue
        if batch.restart:
            found.clear()
        found += [(one.index, one.duration_s) for one in expand(batch.events) if isinstance(one, Iteration)]
        if batch.state in (SourceState.LIVE, SourceState.WAITING, SourceState.ENDED):
            break
    return found


@pytest.mark.parametrize("cut", range(4))
@pytest.mark.parametrize(("log_format", "one"), EXAMPLES, ids=IDS)
def test_an_old_log_shows_all_its_rows(log_format: LogFormat, one: Example, cut: int, tmp_path: Path) -> None:
    """Wherever its process died: without its last lines, too."""
    log = one.log.strip("\n").split("\n")
    path = tmp_path / "train.log"
    path.write_text("\n".join(log[: len(log) - cut]) + "\n")
    os.utime(path, (NOW_S - log_source.SILENT_S - 1,) * 2)
    assert rows(path, follow=True) == rows(path, follow=False), log_format.name


def test_a_row_waits_for_its_time_as_long_as_the_log_may_go_on(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text("".join(f"Epoch {n}, loss: {1 / n:.4f}\nTime taken: {n}.50 s\n" for n in range(1, 40)))
    with path.open("a") as file:
        file.write("Epoch 40, loss: 0.0250\n")
    os.utime(path, (NOW_S - log_source.SILENT_S + 1,) * 2)
    assert [index for index, _ in rows(path, follow=True)] == [*range(1, 40)]
    os.utime(path, (NOW_S - log_source.SILENT_S - 1,) * 2)
    assert [index for index, _ in rows(path, follow=True)] == [*range(1, 41)]


def test_what_falls_silent_while_it_is_watched_shows_its_newest_row_at_the_time_it_was_written(
    tmp_path: Path,
) -> None:
    path, now_s = tmp_path / "train.log", [NOW_S]
    path.write_text("".join(f"Epoch {n}, loss: {1 / n:.4f}\nTime taken: {n}.50 s\n" for n in range(1, 40)))
    with path.open("a") as file:
        file.write("Epoch 40, loss: 0.0250\n")
    os.utime(path, (NOW_S, NOW_S))
    found: list[Iteration] = []
    batches = LogSource(path, clock=lambda: now_s[0], poll_s=0).batches(threading.Event())
    while next(batches).state != SourceState.LIVE:
        pass
    now_s[0] += log_source.SILENT_S + 1
    while not found:
        found += [one for one in next(batches).events if isinstance(one, Iteration)]
    assert [(one.index, one.duration_s, one.at_s) for one in found] == [(40, None, NOW_S)]
    assert not any(next(batches).events for _ in range(20)), "once"


def test_the_last_line_of_an_old_log_needs_no_newline_after_a_number(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text("\n".join(f"Epoch {n}, loss: {1 / n:.4f}" for n in range(1, 41)))
    os.utime(path, (NOW_S - log_source.SILENT_S - 1,) * 2)
    assert [index for index, _ in rows(path, follow=True)] == [*range(1, 41)]
    os.utime(path, (NOW_S - log_source.UNFINISHED_S - 1,) * 2)
    assert [index for index, _ in rows(path, follow=True)] == [*range(1, 40)], "it may have been cut"


@pytest.mark.parametrize(("stamp", "alive"), [("2019-03-01 10:00:{:02d},000 - ", False), ("", True)])
def test_a_copied_log_is_as_old_as_its_newest_stamp_though_its_last_line_has_none(
    stamp: str, alive: bool, tmp_path: Path
) -> None:
    row = "mmseg - INFO - Iter [{}/900]\tlr: 1.000e-02, time: 0.500, data_time: 0.010, loss: 0.2500\n"
    path = tmp_path / "train.log"
    path.write_text(
        "".join(stamp.format(n) + row.format(n) for n in range(1, 40)) + "Saving checkpoint at 39 iterations\n"
    )
    os.utime(path, (NOW_S - 60,) * 2)
    moments: list[float] = []
    for batch in LogSource(path, follow=True, clock=lambda: NOW_S, poll_s=0).batches(threading.Event()):
        moments += [at_s for event in expand(batch.events) if (at_s := getattr(event, "at_s", None)) is not None]
        if batch.state in (SourceState.LIVE, SourceState.WAITING):
            break
    assert (max(moments) == NOW_S - 60) is alive


@pytest.mark.parametrize("shows", [True, False])
def test_the_end_of_a_long_log_is_read_first_unless_nobody_looks_at_it(tmp_path: Path, *, shows: bool) -> None:
    path = tmp_path / "train.log"
    count = 3 * log_source.PREVIEW_BYTES // 50
    path.write_text("".join(f"iter {n}: loss 2.5000, time 200.00ms, mfu 10.00%\n" for n in range(count)))
    source = LogSource(path, follow=False)
    source.shows_end_first = shows
    batches = list(source.batches(threading.Event()))
    assert [batch.preview for batch in batches][:2] == [shows, False]
    events = [event for batch in batches if not batch.preview for event in expand(batch.events)]
    assert [one.index for one in events if isinstance(one, Iteration)] == list(range(count))
