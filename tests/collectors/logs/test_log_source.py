"""A log as a source: what it says while the file comes, grows and is replaced."""

import gzip
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from itermon.collectors.logs import log_source as log
from itermon.collectors.logs import text as log_text
from itermon.collectors.logs.log_source import LogSource
from itermon.events import Batch, EndOfFile, Iteration, Message, RunInfo, SourceState, expand


def lines(first: int, last: int) -> str:
    return "".join(f"iter {i}: loss 2.5000, time 100.00ms, mfu 40.00%\n" for i in range(first, last))


def indices(batches: list[Batch]) -> list[int]:
    return [event.index for batch in batches for event in expand(batch.events) if isinstance(event, Iteration)]


class Reading:
    """A source that is read step by step."""

    def __init__(self, path: Path, **options: object) -> None:
        self.stop = threading.Event()
        source = LogSource(path, **{"clock": lambda: 1000.0, "poll_s": 0.01, **options})  # type: ignore[arg-type]
        self._batches: Iterator[Batch] = source.batches(self.stop)

    def until(self, state: str) -> list[Batch]:
        """The batches up to the next one in `state`."""
        batches = [next(self._batches)]
        while batches[-1].state != state:
            batches.append(next(self._batches))
        return batches


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "train.log"


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def test_history_has_the_time_of_its_end_only_and_new_lines_have_the_time_they_came(path: Path) -> None:
    path.write_text(lines(0, 3) + "Traceback (most recent call last):\n")
    os.utime(path, (400.0, 400.0))
    reading = Reading(path)
    history = reading.until(SourceState.LIVE)
    assert indices(history) == [0, 1, 2]
    append(path, lines(3, 4))
    events = reading.until(SourceState.LIVE)[-1].events
    assert [(e.index, e.at_s) for e in events if isinstance(e, Iteration)] == [(3, 1000.0)]
    moments = [e.at_s for batch in history for e in expand(batch.events) if isinstance(e, Iteration)]
    assert moments == [None, None, 400.0]
    info = next(e for batch in history for e in batch.events if isinstance(e, RunInfo))
    assert (info.name, info.clock) == ("train.log", "arrival")


def test_the_last_word_of_a_dead_trainer_needs_no_newline(path: Path) -> None:
    path.write_text(lines(0, 3) + "Traceback (most recent call last):\n  File\nKeyboardInterrupt")
    reading = Reading(path)
    os.utime(path, (1000.0 - log.UNFINISHED_S, 1000.0 - log.UNFINISHED_S))
    events = [e for batch in reading.until(SourceState.LIVE) for e in batch.events if isinstance(e, Message)]
    assert not events, "it may go on"
    os.utime(path, (900.0, 900.0))
    (message,) = reading.until(SourceState.LIVE)[-1].events
    assert isinstance(message, Message)
    assert (message.text, message.ending, message.line) == ("KeyboardInterrupt", "interrupted", 6)
    append(path, "\n" + lines(3, 4))
    assert indices(reading.until(SourceState.LIVE)) == [3]


def test_a_file_from_the_future_was_written_now(path: Path) -> None:
    path.write_text(lines(0, 3))
    os.utime(path, (5000.0, 5000.0))
    batches = Reading(path).until(SourceState.LIVE)
    events = [e for batch in batches for e in expand(batch.events) if isinstance(e, Iteration)]
    assert [e.at_s for e in events] == [None, None, 1000.0]


def test_a_block_of_history_has_the_time_of_its_end_too(path: Path) -> None:
    path.write_text(lines(0, 1) + "a word\n" + lines(1, 4))
    os.utime(path, (400.0, 400.0))
    events = [*expand(event for batch in Reading(path).until(SourceState.LIVE) for event in batch.events)]
    assert [(e.index, e.at_s) for e in events if isinstance(e, Iteration)] == [
        (0, None), (1, None), (2, None), (3, 400.0)
    ]  # fmt: skip


def test_a_report_ends_with_the_file(path: Path) -> None:
    path.write_text(lines(0, 3))
    batches = Reading(path, follow=False).until(SourceState.ENDED)
    assert indices(batches) == [0, 1, 2]
    assert batches[-1].note == ""
    assert next(e for b in batches for e in b.events if isinstance(e, RunInfo)).clock is None


@pytest.mark.parametrize(
    ("text", "what"), [(None, "no such file"), ("", "empty"), ("hello\n", "no line of a known")]
)
def test_nothing_to_read_yet_is_waited_for_and_said(path: Path, text: str | None, what: str) -> None:
    if text is not None:
        path.write_text(text)
    reading = Reading(path)
    note = reading.until(SourceState.WAITING)[-1].note
    assert what in note
    assert "waiting" in note
    append(path, lines(0, 2))
    batches = reading.until(SourceState.LIVE)
    assert indices(batches) == [0, 1]
    assert batches[-1].note == ""


@pytest.mark.parametrize(
    ("text", "what"), [(None, "no such file"), ("", "empty"), ("hello\n", "no line of a known")]
)
def test_a_report_of_nothing_says_why(path: Path, text: str | None, what: str) -> None:
    if text is not None:
        path.write_text(text)
    assert what in Reading(path, follow=False).until(SourceState.ENDED)[-1].note


def test_a_file_that_cannot_be_read_fails_with_one_line(tmp_path: Path) -> None:
    (batch,) = Reading(tmp_path, follow=False).until(SourceState.FAILED)
    assert batch.note == f"{tmp_path}: a directory, not a file"


def as_directory(path: Path) -> None:
    path.mkdir()


def as_link_to_itself(path: Path) -> None:
    path.symlink_to(path)


def as_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


@pytest.mark.parametrize("become", [as_directory, as_link_to_itself, as_socket, os.mkfifo])
def test_a_log_that_is_something_else_for_a_moment_comes_back(path: Path, become: Callable[[Path], None]) -> None:
    """As a new file is that logrotate has made, and not yet given to its reader."""
    become(path)
    reading = Reading(path)
    note = reading.until(SourceState.WAITING)[-1].note
    assert str(path) in note
    assert note.endswith(": waiting until it can be read")
    path.rmdir() if path.is_dir() else path.unlink()
    path.write_text(lines(0, 2))
    assert indices(reading.until(SourceState.LIVE)) == [0, 1]


def test_a_log_replaced_by_a_pipe_does_not_stop_whoever_looks_at_its_text(path: Path) -> None:
    path.write_text(lines(0, 2))
    source = LogSource(path, follow=False)
    assert indices(list(source.batches(threading.Event()))) == [0, 1]
    path.unlink()
    os.mkfifo(path)
    reads = threading.Thread(target=source.text.lines_from, args=(1, 10), daemon=True)
    reads.start()
    reads.join(10.0)
    assert not reads.is_alive()


def test_a_huge_file_of_zeros_in_the_place_of_the_log_is_not_read_for_a_screen(path: Path, monkeypatch) -> None:
    path.write_text(lines(0, 400))
    source = LogSource(path, follow=False)
    list(source.batches(threading.Event()))
    with path.open("wb") as file:
        file.truncate(1 << 34)
    given = []
    walk = log_text._walk
    monkeypatch.setattr(log_text, "_walk", lambda *to: (given.append(len(one[1])) or one for one in walk(*to)))
    source.text.lines_from(370, 30)
    assert sum(given) < 10 << 20


def test_a_long_file_shows_its_end_first_and_its_history_once(path: Path) -> None:
    count = 3 * log.PREVIEW_BYTES // 50
    path.write_text("tokens per iteration will be: 16,384\n" + lines(0, count))
    preview, *history = Reading(path).until(SourceState.LIVE)
    assert preview.preview
    assert (preview.state, preview.history) == (SourceState.READING, 0.0)
    assert indices([preview])[-1] == count - 1
    assert len(indices([preview])) < count / 2
    assert isinstance(preview.events[0], RunInfo)
    assert indices(history) == list(range(count))
    parts = [batch.history for batch in history if batch.history is not None]
    assert parts == sorted(parts)
    assert parts[-1] == 1.0


def test_a_rotated_log_goes_on(path: Path) -> None:
    path.write_text(lines(0, 2))
    reading = Reading(path)
    reading.until(SourceState.LIVE)
    append(path, lines(2, 3))
    path.rename(path.with_suffix(".1"))
    path.write_text(lines(3, 4))
    assert indices(reading.until(SourceState.LIVE) + reading.until(SourceState.LIVE)) == [2, 3]


def test_stop_ends_it(path: Path) -> None:
    path.write_text(lines(0, 2))
    reading = Reading(path)
    reading.until(SourceState.LIVE)
    reading.stop.set()
    with pytest.raises(StopIteration):
        reading.until(SourceState.LIVE)


def test_a_damaged_log_that_is_watched_says_so_once_and_is_read_again_when_it_is_replaced(path: Path) -> None:
    packed = gzip.compress(lines(0, 300).encode())
    path.write_bytes(packed + b"garbage")
    reading = Reading(path)
    batches = reading.until(SourceState.LIVE)
    assert indices(batches) == [*range(300)]
    assert "what follows there is no gzip data" in batches[-1].note
    (message,) = (e for batch in batches for e in batch.events if isinstance(e, Message))
    assert message.text == f"train.log: not read beyond byte {len(packed):,}: what follows there is no gzip data"
    path.write_bytes(gzip.compress(lines(0, 5).encode()))
    assert indices(reading.until(SourceState.LIVE)) == [*range(5)]


@pytest.mark.parametrize("content", [b"", b"\n"])
def test_a_file_of_holes_is_passed_over_and_the_note_says_what_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    os.truncate(path, 1 << 40)
    last = Reading(path, follow=False).until(SourceState.ENDED)[-1]
    step = "; itermon formats new NAME describes another one"
    assert last.note == f"{path}: no " + (f"line of a known log format{step}" if content else "text, only zeros")


def test_what_is_appended_at_once_comes_in_blocks_says_how_far_it_is_and_is_one_moment(path: Path) -> None:
    path.write_text(lines(0, 3))
    reading = Reading(path)
    reading.until(SourceState.LIVE)
    append(path, lines(3, 20_000))
    batches = [reading.until(SourceState.LIVE)[-1]]
    while batches[-1].history is not None:
        batches.append(reading.until(SourceState.LIVE)[-1])
    assert indices(batches) == [*range(3, 20_000)]
    shares = [batch.history for batch in batches[:-1]]
    assert len(shares) >= 2
    assert shares == sorted(shares)  # type: ignore[type-var]
    assert 0 < shares[0] < shares[-1] < 1  # type: ignore[operator]
    assert sum(len(batch.events) for batch in batches) < 50, "a block is one event"
    dated = [e.at_s for b in batches for e in expand(b.events) if isinstance(e, Iteration) and e.at_s is not None]
    assert dated == [1000.0]


def test_a_log_that_begins_behind_megabytes_of_other_text_is_read_whole(path: Path) -> None:
    text = "".join(f'{{"user": "u{i}", "path": "/a/b", "seen": {i % 7}.5}}\n' for i in range(30_000))
    path.write_text(text + lines(0, 500).replace("\n", "\nsome words\nmore words\n"))
    batches = Reading(path, follow=False).until(SourceState.ENDED)
    assert indices([batch for batch in batches if not batch.preview]) == [*range(500)]


def test_a_writer_that_is_gone_is_missed_once_and_the_log_is_followed_on(path: Path) -> None:
    append(path, lines(0, 3))
    lives: list[bool | None] = [True]
    reading = Reading(path, writer_lives=lambda: lives[0])
    reading.until(SourceState.LIVE)
    lives[0] = None
    (gone,) = next(reading._batches).events
    assert isinstance(gone, EndOfFile)
    assert (gone.writer_gone, len(gone.tail)) == (True, 3)
    append(path, lines(3, 4))
    (again,) = reading.until(SourceState.LIVE)
    assert indices([again]) == [3], "said once, and then it goes on"


@pytest.mark.parametrize(("later_s", "is_gone"), [(15.0, False), (25.0, True)])
def test_a_trainer_that_writes_on_is_not_gone_however_late_it_is_seen(
    path: Path, later_s: float, is_gone: bool
) -> None:
    """It was started again: who writes now is looked for rarely, but its lines come."""
    now, asked = [1_000.0], [0]

    def clock() -> float:
        asked[0] += now[0] > 1_000.0
        if asked[0] > 5:
            reading.stop.set()
        return now[0]

    append(path, lines(0, 3))
    reading = Reading(path, writer_lives=lambda: None, clock=clock)
    reading.until(SourceState.LIVE)
    assert isinstance(next(reading._batches).events[0], EndOfFile)
    append(path, lines(3, 4))
    assert indices([next(reading._batches)]) == [3]
    now[0] += later_s
    assert [type(event) for batch in reading._batches for event in batch.events] == [EndOfFile] * is_gone


BARS = "".join(f" {n}%|█ | {n}/40 [00:{2 * n:02d}<01:00,  2.00s/it]\n" for n in range(1, 9))
DICTIONARY = "{'loss': 1.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.25}\n"


def test_a_log_that_turns_out_another_format_is_read_anew_and_no_iteration_counts_twice(path: Path) -> None:
    path.write_text("training begins\n" + BARS)
    reading = Reading(path)
    before = reading.until(SourceState.LIVE)
    assert indices(before) == [*range(1, 9)]
    append(path, DICTIONARY)
    after = reading.until(SourceState.LIVE)[-1]
    assert after.restart
    assert indices([after]) == [*range(1, 8)]  # the newest waits for what the bar shows after its dictionary
    append(path, BARS.splitlines(keepends=True)[7].replace("8", "9"))
    assert not reading.until(SourceState.LIVE)[-1].restart


def test_so_is_one_whose_unfinished_last_line_tells(path: Path) -> None:
    path.write_text("training begins\n" + BARS + DICTIONARY.rstrip())
    batches = [*LogSource(path, follow=False).batches(threading.Event())]
    assert batches[-1].restart
    assert indices(batches[-1:]) == [*range(1, 9)]


def test_what_stands_behind_a_block_of_history_is_not_lost(path: Path) -> None:
    path.write_text(lines(0, 1) + "a word\n" + lines(1, 40) + "RuntimeError: CUDA error\n")
    os.utime(path, (400.0, 400.0))
    events = [event for batch in Reading(path).until(SourceState.LIVE) for event in batch.events]
    assert [event.text for event in events if isinstance(event, Message)] == ["RuntimeError: CUDA error"]
    assert [e.at_s for e in expand(events) if isinstance(e, Iteration)][-2:] == [None, 400.0]


@pytest.mark.parametrize("follow", [True, False])
def test_a_log_that_nobody_writes_to_any_more_has_lost_its_writer_where_somebody_waited(
    path: Path, follow: bool
) -> None:
    path.write_text(lines(0, 3) + f'{{"model": "{"m" * 300}", "timestamp": 1650000000.25}}\n')
    batches = Reading(path, follow=follow, writer_lives=lambda: False).until(SourceState.ENDED)
    (end,) = [event for batch in batches for event in batch.events if isinstance(event, EndOfFile)]
    assert (end.writer_gone, end.dated_s) == (follow, 1650000000.25), "a long line near its end has a date"


def test_a_last_line_without_a_newline_is_one_that_was_looked_at(path: Path) -> None:
    append(path, lines(0, 9) + "no row at all")
    assert "by 90 % of" in str(next(LogSource(path, follow=False).batches(threading.Event())).events[0])
