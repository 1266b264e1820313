"""A recording: its preview, its history, its end, and what tells it from other files."""

import threading
from pathlib import Path

import pytest

from itermon import run_files
from itermon.collectors.runs import recording
from itermon.collectors.runs.recording import RecordingSource, is_recording, preview
from itermon.events import Batch, Config, End, Event, Iteration, Message, RunInfo, SourceState, encode
from itermon.trainer_hooks import Hooks


def write(path: Path, *events: Event, rest: bytes = b"") -> Path:
    path.write_bytes(b"".join(map(encode, events)) + rest)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.20260101-000000.1.jsonl"


def read(path: Path, *, follow: bool = False) -> list[Batch]:
    return list(RecordingSource(path, follow=follow, poll_s=0.0).batches(threading.Event()))


def test_a_preview_is_the_head_without_its_iterations_and_the_newest(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [Iteration(n, 0.5) for n in range(100)]
    write(path, RunInfo(), Config(block_size=64), *rows)
    size, line = path.stat().st_size, len(encode(rows[99]))
    monkeypatch.setattr(recording, "PREVIEW_BYTES", -(-size // 2))
    assert preview(path) == []  # short enough to be read at once
    monkeypatch.setattr(recording, "PREVIEW_BYTES", 3 * line + line // 2)
    assert preview(path) == [RunInfo(), Config(block_size=64), *rows[-3:]]
    first = read(path)[0]
    assert (first.preview, first.history, first.state) == (True, 0.0, SourceState.READING)
    assert preview(path.with_name("none")) == []


def test_all_is_read_and_how_far_is_said(path: Path) -> None:
    write(
        path,
        RunInfo(),
        *(Iteration(n, 0.5) for n in range(9000)),
        rest=b"garbage\n" + encode(Iteration(9000))[:-9],
    )
    *parts, end = [batch for batch in read(path) if not batch.preview]
    assert [e.index for b in parts for e in b.events if isinstance(e, Iteration)] == list(range(9000))
    shares = [batch.history for batch in parts]
    assert shares == sorted(shares)
    assert 0.0 < shares[0] < 0.99 < shares[-1] < 1.0
    assert (end.state, "1 line without an event" in end.note) == (SourceState.ENDED, True)


@pytest.mark.parametrize("lives", [True, False])
def test_a_run_that_said_good_bye_is_not_followed(
    path: Path, monkeypatch: pytest.MonkeyPatch, lives: bool
) -> None:
    monkeypatch.setattr(run_files, "is_live", lambda _: lives)
    *_, end = read(write(path, RunInfo(), Iteration(0, 0.5), End()), follow=True)
    assert (end.state, end.events) == (SourceState.ENDED, [])


def test_a_trainer_that_is_gone_without_a_word_is_lost_once_all_was_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It writes its last line between the question whether it lives and the answer."""
    write(path, RunInfo(), Iteration(0, 0.5))

    def dies(asked: Path) -> bool:
        if asked.stat().st_size < 500:
            with asked.open("ab") as file:
                file.write(encode(Iteration(1, 0.5)) + encode(Message("x" * 500)))
        return False

    monkeypatch.setattr(run_files, "is_live", dies)
    batches = read(path, follow=True)
    assert [e.index for b in batches for e in b.events if isinstance(e, Iteration)] == [0, 1]
    assert [(b.state, [e.reason for e in b.events if isinstance(e, End)]) for b in batches][-2:] == [
        (SourceState.LIVE, []),
        (SourceState.ENDED, ["lost"]),
    ]


def test_what_is_not_there_is_waited_for_or_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_files, "is_live", lambda _: False)
    stop = threading.Event()
    batches = RecordingSource(path, follow=True, poll_s=0.0).batches(stop)
    assert [next(batches).state for _ in range(2)] == [SourceState.WAITING] * 2
    write(path, RunInfo(), Iteration(0, 0.5))
    assert (batch := next(batches)).state == SourceState.LIVE
    assert len(batch.events) == 2
    assert next(batches).state == SourceState.ENDED


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (encode(RunInfo()), True),
        (encode(Iteration(0)), True),
        (b'{"type":"of tomorrow","x":1}\n', True),
        (b"step 1 loss 2.5\n", False),
        (b'{"step":1,"loss":2.5}\n', False),
        (b"", False),
    ],
)
def test_a_recording_begins_with_an_event(path: Path, head: bytes, found: bool) -> None:
    path.write_bytes(head + b"x" * 99)
    assert is_recording(path) is found
    assert not is_recording(path.with_name("none"))


def test_a_recording_is_followed_until_its_trainer_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    hooks = Hooks("run", serve=False)
    hooks.iteration(0)
    assert hooks.recording is not None
    found: list[Event] = []
    for batch in RecordingSource(hooks.recording, follow=True, poll_s=0.01).batches(threading.Event()):
        found += batch.events
        if any(isinstance(event, Iteration) for event in batch.events) and hooks.alive:
            hooks.iteration(1)
            hooks.close()
    assert [event.index for event in found if isinstance(event, Iteration)] == [0, 1]
    assert batch.state == SourceState.ENDED
    assert found[-1] == [event for batch in read(hooks.recording) for event in batch.events][-1]


def test_the_recording_of_a_killed_trainer_that_is_followed_ends_as_lost(path: Path) -> None:
    batches = read(write(path, RunInfo(), Iteration(1), rest=b'{"type":"itera'), follow=True)
    found = [event for batch in batches for event in batch.events]
    assert [event.index for event in found if isinstance(event, Iteration)] == [1]
    assert [event.reason for event in found if isinstance(event, End)] == ["lost"]
    assert batches[-1].note == ""


def test_a_link_in_the_folder_of_runs_shows_no_preview_and_one_that_a_person_names_does(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "PREVIEW_BYTES", 100)
    path.parent.chmod(0o700)
    link = path.with_name("link.20260101-000000.1.jsonl")
    link.symlink_to(write(path, RunInfo(), *(Iteration(n, 0.5) for n in range(100))))
    assert preview(link)
    assert preview(path, ours=True)
    assert preview(link, ours=True) == []


def test_between_two_looks_at_a_living_recording_it_waits_only_where_nothing_came(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = []

    class Waited:
        def __init__(self, _: Path) -> None: ...

        def wait(self, seconds: float) -> None:
            waits.append(seconds)

        def close(self) -> None: ...

    monkeypatch.setattr(recording, "Watch", Waited)
    monkeypatch.setattr(run_files, "is_live", lambda _: True)
    write(path, RunInfo(), Iteration(0, 0.5))
    batches = RecordingSource(path, follow=True, poll_s=0.25).batches(threading.Event())
    while next(batches).state != SourceState.LIVE:
        pass
    next(batches)
    assert waits == [0.25]
    with path.open("ab") as file:
        file.write(encode(Iteration(1, 0.5)))
    assert [type(event) for event in next(batches).events] == [Iteration]
    next(batches)
    assert waits == [0.25, 0.25]
