"""The exit code that a supervisor saw ends a run, also one that could not say it itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from itermon.collectors.runs.exit_code import WithExitCode, end_by, end_of
from itermon.collectors.source import Source
from itermon.events import Batch, End, Event, Iteration, RunInfo, SourceState

RUN_ID = "gpt.20260101-120000.4242"


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    (tmp_path / "logs").mkdir(mode=0o700)
    return tmp_path / "logs"


def seen(logs: Path, text: str) -> None:
    (logs / f"{RUN_ID}.exit").write_text(text)


@pytest.mark.parametrize(
    ("code", "reason", "words"),
    [
        (0, "finished", "exit code 0"),
        (1, "failed", "exit code 1"),
        (127, "failed", "exit code 127"),
        (-9, "killed", "SIGKILL (signal 9)"),
        (137, "killed", "SIGKILL (signal 9)"),
        (-2, "interrupted", "SIGINT (signal 2)"),
        (130, "interrupted", "SIGINT (signal 2)"),
        (128, "failed", "exit code 128"),
        (255, "failed", "exit code 255"),
    ],
)
def test_an_exit_code_is_said_in_words(code: int, reason: str, words: str) -> None:
    assert end_by(code, 7.0) == End(reason, 7.0, words, code)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{}",
        '{"exit_code": "x", "at_s": 1}',
        '{"exit_code": 1e400, "at_s": 1}',
        "\x00",
        "[" * 150,
    ],
)
def test_what_is_no_exit_code_is_none(logs: Path, text: str) -> None:
    seen(logs, text)
    assert end_of(RUN_ID) is None


def test_a_name_out_of_a_recording_is_no_path(logs: Path) -> None:
    (logs / "x.exit").write_text('{"exit_code": 1, "at_s": 1}')
    assert end_of("x") is None
    assert end_of("../logs/x") is None


class Played(Source):
    def __init__(self, events: Sequence[Event], *, anew: Sequence[Event] = ()) -> None:
        self.title = "played"
        self._events, self._anew = events, anew

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield Batch(self._events, state=SourceState.READING)
        if self._anew:
            yield Batch(state=SourceState.READING, restart=True)
            yield Batch(self._anew, state=SourceState.READING)
        yield Batch(state=SourceState.ENDED)


@pytest.mark.parametrize(
    ("code", "said", "ends"),
    [
        (1, [], ["failed"]),
        (0, [], ["finished"]),
        (0, [End("failed")], ["failed"]),
        (0, [End("lost")], ["lost", "finished"]),
        (-9, [End("lost")], ["lost", "killed"]),
        (1, [End("finished")], ["finished", "failed"]),
    ],
)
def test_the_exit_code_is_the_last_word_unless_it_says_less(
    logs: Path, code: int, said: list[End], ends: list[str]
) -> None:
    seen(logs, f'{{"exit_code": {code}, "at_s": 5.0}}\n')
    source = WithExitCode(Played([RunInfo(output=RUN_ID), Iteration(0), *said]))
    batches = list(source.batches(threading.Event()))
    assert [event.reason for batch in batches for event in batch.events if isinstance(event, End)] == ends
    assert batches[-1].state == SourceState.ENDED


def test_a_run_that_nobody_started_has_no_exit_code(logs: Path) -> None:
    seen(logs, '{"exit_code": 1, "at_s": 5.0}')
    batches = list(WithExitCode(Played([RunInfo(), Iteration(0)])).batches(threading.Event()))
    assert not [event for batch in batches for event in batch.events if isinstance(event, End)]


def test_the_end_that_a_source_said_before_it_began_anew_is_gone(logs: Path) -> None:
    seen(logs, '{"exit_code": 0, "at_s": 5.0}')
    hooks = [RunInfo(output=RUN_ID), End("finished")]  # they counted no iteration, and the log is the run
    *_, last = WithExitCode(Played(hooks, anew=[Iteration(0)])).batches(threading.Event())
    assert [event.reason for event in last.events if isinstance(event, End)] == ["finished"]


def test_a_link_in_the_folder_of_logs_is_nobodys(logs: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text('{"exit_code": 1, "at_s": 5.0}')
    (logs / f"{RUN_ID}.exit").symlink_to(tmp_path / "elsewhere")
    assert end_of(RUN_ID) is None


def test_of_an_exit_two_hundred_bytes_are_read(logs: Path) -> None:
    for blank, found in ((0, True), (200, False)):
        seen(logs, '{"exit_code": 1, ' + " " * blank + '"at_s": 5.0}')
        assert (end_of(RUN_ID) is not None) is found


@pytest.mark.parametrize(("code", "found"), [(255, 255), (256, 255), (-255, -255), (-300, -255)])
def test_an_exit_code_beyond_any_system_is_the_largest(code: int, found: int) -> None:
    assert end_by(code).exit_code == found
    assert end_by(code).at_s is None
