"""What is recorded, how it stands meanwhile, and when it is enough."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from on_a_terminal import OnATerminal

from itermon.cli import piped, recorder
from itermon.cli.recorder import Recorder
from itermon.collectors.runs.event_reader import EventReader
from itermon.collectors.source import Source
from itermon.events import Batch, Iteration, Message, SourceState

ITERATIONS = [Iteration(index, 0.1) for index in range(30)]


class Given(Source):
    """Gives `batches`, and then nothing until it is stopped; with `ends` its end."""

    title = "given"

    def __init__(self, *batches: Batch, ends: bool = True) -> None:
        self._batches, self._ends = batches, ends

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield from self._batches
        if not self._ends:
            stop.wait()


@pytest.fixture(autouse=True)
def no_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piped, "_piped_in", [])


def live(*events: object) -> Batch:
    return Batch(list(events), state=SourceState.LIVE)  # type: ignore[arg-type]


def test_everything_is_recorded_and_counted_by_kind() -> None:
    file = io.BytesIO()
    one = Recorder(Given(live(*ITERATIONS), live(Message("a word"))), file)
    assert one.record() == "it has ended"
    assert len(EventReader().feed(file.getvalue())) == one.count == 31
    assert one.summary().startswith("31 events (30 iterations, 1 other event), ")
    assert one.failed == ""


def test_a_preview_is_not_recorded_and_what_is_read_anew_takes_the_place_of_the_old() -> None:
    file = io.BytesIO()
    again = Batch(state=SourceState.READING, restart=True)
    early = Batch(ITERATIONS[-3:], state=SourceState.READING, preview=True)
    one = Recorder(Given(early, live(*ITERATIONS[:5]), again, live(*ITERATIONS)), file)
    one.record()
    assert [event.index for event in EventReader().feed(file.getvalue())] == list(range(30))  # type: ignore[attr-defined]
    assert one.count == 30


def test_a_source_that_fails_leaves_what_came_before_and_with_it() -> None:
    file = io.BytesIO()
    last = Batch([Message("lost")], state=SourceState.FAILED, note="box: the connection broke")
    one = Recorder(Given(live(*ITERATIONS), last), file)
    one.record()
    assert len(EventReader().feed(file.getvalue())) == 31
    assert one.failed == "box: the connection broke"


def test_it_is_enough_when_it_is_said_so_but_not_before_all_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_SETTLED_S", 0.0)
    monkeypatch.setattr(recorder, "_TICK_S", 0.001)
    states: list[str] = []
    reading = Batch(ITERATIONS[:5], state=SourceState.READING)
    one = Recorder(Given(reading, live(*ITERATIONS[5:]), ends=False), io.BytesIO(), lambda: "it is silent")
    seen = one._enough
    monkeypatch.setattr(one, "_enough", lambda: states.append(one._state) or seen())
    assert one.record() == "it is silent"
    assert states[-1] == "live"
    assert one.count == 30


def interrupt_when(count: int, one: Recorder, presses: int) -> threading.Thread:
    """Ctrl-C, so often, once so much was recorded; none if it does not come to that."""
    before = signal.getsignal(signal.SIGINT)

    def press() -> None:
        for pressed in range(presses):
            while one.count < count or one._interrupted < pressed:
                time.sleep(0.001)
            if signal.getsignal(signal.SIGINT) is not before:
                os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_ends_it_and_of_a_pipe_the_second_one(
    presses: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(recorder, "_TICK_S", 0.001)
    if presses == 2:
        piped.begin(0, None)
    before = signal.getsignal(signal.SIGINT)
    one = Recorder(Given(live(*ITERATIONS), ends=False), io.BytesIO())
    thread = interrupt_when(30, one, presses)
    assert one.record() == "stopped by Ctrl-C"
    thread.join()
    assert one._interrupted == presses
    assert signal.getsignal(signal.SIGINT) is before
    assert capsys.readouterr().err.count("its last words are read") == presses - 1


def test_on_a_terminal_it_shows_how_it_stands_and_ends_of_an_old_log(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("".join(f"iter {i}: loss 3.5, time 200.00ms, mfu 10.00%\n" for i in range(30)))
    os.utime(log, (1e9, 1e9))
    command = [sys.executable, "-m", "itermon", "record", "--no-machine", str(log), "-o", str(tmp_path / "out")]
    terminal = OnATerminal(command)
    try:
        assert terminal.says(b"\r\x1b[Krecording: ")
        assert terminal.ends() == 0
        words = terminal.written.decode()
        assert "nobody here is seen to write it" in words
        assert "30 iterations" in words
        assert "itermon replay" in words
    finally:
        terminal.close()
