"""Random streams of valid and nearly valid events, through findings, JSON, text, screen, and `attach`'s list of runs.

Asked of each: nothing raises, nothing but printable text comes out, every row of the screen has its width.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from itermon.analysis.run import Run
from itermon.cli.main import main
from itermon.collectors.runs.event_reader import EventReader
from itermon.events import SourceState
from itermon.tui.scene import Scene, Standing
from itermon.tui.view import View

from .judged import check_figures, check_findings, check_plan_and_comparison, check_screen, check_text, counted
from .odd_events import Maker
from .tally import Tally, rounds

SIZES = ((120, 36), (80, 24), (80, 40), (100, 30), (40, 12), (200, 50), (41, 11), (20, 5))


def run(seconds: float | None, seed: int, *, most: int | None = None) -> Tally:
    """Streams until `seconds` have passed, or `most` of them."""
    tally = Tally("events")
    before = Run()
    with TemporaryDirectory() as name:
        folder = Path(name)
        for number in rounds(seconds, most):
            rng = Random(f"{seed} {number}")
            with counted(tally, f"stream {number}"):
                watched, sent = _one_stream(rng, tally, f"stream {number}")
                check_plan_and_comparison(rng, tally, f"stream {number}", (before, watched))
                _check_list(tally, f"stream {number}, listed", folder, sent)
                before = watched
    return tally


def _one_stream(rng: Random, tally: Tally, what: str) -> tuple[Run, bytes]:
    maker, reader, watched, sent = Maker(rng), EventReader(), Run(), b""
    for _ in range(rng.randrange(1, 12)):
        lines = [maker.line() for _ in range(rng.choice((1, 5, 40, 200)))]
        lines += maker.stretch() if rng.random() < 0.4 else []
        tally.operations += len(lines)
        sent += b"".join(lines)
        watched.apply(reader.feed(b"".join(lines)))
        _look(rng, tally, watched, what)
    return watched, sent


def _check_list(tally: Tally, what: str, folder: Path, sent: bytes) -> None:
    """As a recording among those that `itermon attach` lists."""
    (folder / "odd.20260101-000000.4242.jsonl").write_bytes(sent)
    environment = {"ITERMON_RUNS_DIR": str(folder), "ITERMON_SOCKETS_DIR": str(folder)}
    for words in (["attach"], ["attach", "--json"]):
        done = CliRunner().invoke(main, words, env=environment)
        if done.exception is not None:
            raise done.exception
        if "odd" not in done.stdout:
            tally.lost += 1
            tally.note(f"{what}: itermon {' '.join(words)}: {done.output!r:.200}")
        check_text(tally, what, done.output.split("\n"))
        check_figures(tally, what, done.output.split("\n"))


def _look(rng: Random, tally: Tally, watched: Run, what: str) -> None:
    now_s = rng.choice((None, 0.0, 1.7e9, 1e11, -1.0))
    found = watched.findings(now_s, spikes=rng.choice((None, 5)))
    check_findings(tally, what, found)
    total = len(watched.columns)
    spike = watched.next_spike(None, -1)
    cursor = rng.choice((None, spike.position if spike else None, rng.randrange(total) if total else None))
    view = View(span=rng.choice((None, 16, 300)), cursor=cursor)
    scene = Scene(watched, found, _standing(rng), view)
    for size in rng.sample(SIZES, 2):
        check_screen(tally, what, scene, size)
    if total:
        first = rng.randrange(total)
        watched.ledger(first, rng.randrange(first, total))
        watched.chart(first, total - 1, 80)
        watched.spike(first)


def _standing(rng: Random) -> Standing:
    return Standing(state=rng.choice(list(SourceState)), now_s=rng.choice((0.0, 1.7e9, 1e11)))
