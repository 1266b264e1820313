"""The screen where there can be one; else the report."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from itermon.cli import screen
from itermon.cli.options import ScreenOptions
from itermon.collectors.source import Feed, Source
from itermon.events import Batch, Iteration, RunInfo
from itermon.tui import app, early

if TYPE_CHECKING:
    from itermon.tui.drawing.theme import Theme
    from itermon.tui.watched import Watched


class Log(Source):
    """Ten iterations."""

    title = "train.log"

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield Batch([RunInfo(), *(Iteration(i, 1.0, 3.0) for i in range(10))])


def set_terminal(monkeypatch: pytest.MonkeyPatch, *, term: str | None, without: str = "") -> None:
    """A terminal of this kind at all three streams but one."""
    monkeypatch.delenv("TERM", raising=False)
    if term is not None:
        monkeypatch.setenv("TERM", term)
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, SimpleNamespace(isatty=lambda name=name: name != without))


@pytest.mark.parametrize(
    ("term", "without", "can"),
    [
        ("xterm-256color", "", True),
        ("dumb", "", False),
        ("unknown", "", False),
        ("", "", False),
        (None, "", False),
        ("xterm", "stdin", False),  # no keys to leave it
        ("xterm", "stdout", False),  # the report goes down the pipe
        ("xterm", "stderr", False),  # it draws there
    ],
)
def test_a_screen_needs_a_terminal_at_all_three_streams(
    monkeypatch: pytest.MonkeyPatch, term: str | None, without: str, *, can: bool
) -> None:
    set_terminal(monkeypatch, term=term, without=without)
    assert screen.can_draw() == can


def test_without_a_terminal_the_report_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    screen.show(Log(), ScreenOptions())
    assert "10 iterations seen" in capsys.readouterr().out


@pytest.mark.parametrize("code", [0, 130])
def test_the_screen_is_fed_by_source_and_samplers_and_its_end_stops_them(
    monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    stopped = threading.Event()

    class Sampler(Source):
        title = "GPUs"

        def batches(self, stop: threading.Event) -> Iterator[Batch]:
            yield Batch([])
            stop.wait(5)
            stopped.set()

    given: dict[str, object] = {}

    def watch(watched: Watched, _drain: object, theme: Theme, _view: object, **options: object) -> int:
        given.update(options, title=watched.standing.title, ascii_only=theme.ascii)
        return code

    monkeypatch.setattr(screen, "can_draw", lambda: True)
    monkeypatch.setattr(app, "watch", watch)
    monkeypatch.setattr(early, "PATIENCE_S", 0.0)
    with pytest.raises(SystemExit) as raised:
        screen.show(Log(), ScreenOptions(ascii_only=True), samplers=lambda: [Sampler()])
    assert raised.value.code == code
    assert stopped.wait(5)
    assert given == {"title": "train.log", "ascii_only": True, "painted": None, "mouse": True}


def test_of_a_run_that_hangs_the_ranks_are_asked_once_a_minute_and_told_as_events() -> None:
    asked: list[Log] = []
    times_s = iter([0.0, 0.1, 59.0, 60.0, 61.0])
    feed = Feed()
    on_hang = screen.OnHang(feed, lambda: asked.append(Log()) or asked[-1], lambda: next(times_s))
    for _ in range(5):
        on_hang()
    assert len(asked) == 2
    batches: list[Batch] = []
    while len(batches) < 2:
        batches += feed.wait(5.0)
    assert [len(batch.events) for batch in batches] == [11, 11]
