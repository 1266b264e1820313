"""From the screen of many ranks to one rank's own screen."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from made_fleet import COURSE, MEMBERS, READING
from metric_recordings import BEGAN_S, head, trained

from itermon.cli.cluster.watching import Asked, address_of, choices, watch
from itermon.cli.exits import NoInputError
from itermon.cli.options import ScreenOptions
from itermon.collectors.prometheus.access import access
from itermon.collectors.prometheus.client import Client
from itermon.collectors.prometheus.runs import Runs
from itermon.events import End, EndReason, Iteration, encode_all, expand
from itermon.events.fleet import FleetReading, FleetRun, Member

if TYPE_CHECKING:
    from pathlib import Path

    from itermon.collectors.source import Source
    from itermon.tui.fleet.app import FleetApp


def test_a_rank_is_attached_to_where_it_is() -> None:
    assert address_of(MEMBERS[3]) == "ssh://host-3/gpt2.20260101-000000.3"
    here = Member("0", "x:1", os.uname().nodename, "gpt2.20260101-000000.7")
    assert address_of(here) == "gpt2.20260101-000000.7"


@pytest.mark.parametrize(
    ("host", "run_id"),
    [("", "gpt2.20260101-000000.3"), ("-oProxyCommand=x", "gpt2.20260101-000000.3"), ("h", "$(x)"), ("h", "")],
)
def test_labels_that_name_no_place_are_refused(host: str, run_id: str) -> None:
    with pytest.raises(NoInputError, match="on which host and as which run"):
        address_of(Member("0", "x:1", host, run_id))


def test_the_runs_are_told_by_the_servers_clock() -> None:
    run = FleetRun("gpt2", ranks=7, hosts=2, world_size=8, iteration=12.0, usual_s=0.5, seen_at_s=995.0, moves=7)
    [choice] = choices(Runs([run], 1_000.0), now_s=50_000.0)
    assert (choice.key, choice.name, choice.state, choice.seen_at_s) == ("gpt2", "gpt2", "running", 49_995.0)
    assert choice.line is not None
    assert (choice.line.iteration, choice.line.iteration_s, choice.line.said) == (12, 0.5, "7 of 8 ranks")
    assert choice.host == "2 hosts"


SSH = """\
#!/bin/sh
echo "$@" >> "{folder}/asked"
for command; do :; done
exec sh -c "$command"
"""


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in `ssh` that runs on this machine what it is asked to run on another, and notes what that was."""
    programs = tmp_path / "bin"
    programs.mkdir()
    itermon = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m itermon "$@"\n'
    for name, script in (("ssh", SSH.format(folder=tmp_path)), ("itermon", itermon)):
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    return tmp_path


class Reader:
    """In place of a server: what it says of the run."""

    course = COURSE

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def read(self) -> FleetReading:
        return READING


def test_enter_on_a_rank_reads_it_over_ssh_and_comes_back(box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = MEMBERS[3].run_id
    (box / "runs").mkdir(mode=0o700)
    end = End(reason=EndReason.FINISHED)
    (box / "runs" / f"{run_id}.jsonl").write_bytes(encode_all([*head("gpt2", 3), *trained(0, 5, BEGAN_S), end]))
    keys, opened = ["enter", "q"], []

    def on_a_screen(app: FleetApp, **_: object) -> int:
        async def press() -> int:
            async with app.run_test(size=(80, 24)) as pilot:
                await pilot.pause()
                await pilot.press(keys.pop(0))
                await pilot.pause()
            return app.return_code or 0

        return asyncio.run(press())

    def drained(source: Source, *_: object, **__: object) -> None:
        opened.extend(event for batch in source.batches(threading.Event()) for event in batch.events)

    monkeypatch.setattr("itermon.collectors.prometheus.fleet.FleetReader", Reader)
    monkeypatch.setattr("itermon.tui.drawn_app.show", on_a_screen)
    monkeypatch.setattr("itermon.cli.screen.show", drained)
    watch(Asked(Client(access("http://127.0.0.1:9")), "gpt2", 3_600.0, None), ScreenOptions())
    assert (box / "asked").read_text() == f"-T -o BatchMode=yes -- host-3 itermon stream {run_id}\n"
    assert [event.index for event in expand(opened) if isinstance(event, Iteration)] == [0, 1, 2, 3, 4]
    assert keys == []
