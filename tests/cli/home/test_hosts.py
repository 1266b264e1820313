"""Runs of other machines, told over one connection each; what cannot be reached is one line beside the rest."""

import json
import os
import sys
import threading
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from itermon.analysis.run import Run
from itermon.cli import main
from itermon.cli.home.choosing import looked_at
from itermon.cli.home.home import Home
from itermon.cli.home.hosts import Host, Hosts, hosts_of
from itermon.cli.runs import open_run
from itermon.events import End, Iteration, RunInfo, SourceState, encode_all

SSH = f"""#!/bin/sh
# What is asked of a host is run here; one is down. The options, the name and the command are as ssh has them.
[ "$1 $2 $3 $4" = "-T -o BatchMode=yes --" ] || exit 9
[ "$5" = down ] && {{ echo "ssh: connect to host down port 22: Connection refused" >&2; exit 255; }}
echo "$6" >> "$ASKED"
ITERMON_RUNS_DIR="$ITERMON_RUNS_DIR-there" exec "{sys.executable}" "$THERE" $6
"""

THERE = """
import sys
from itermon.collectors.host import written
written.files_written = lambda _: {}  # what other processes of this machine write is no part of the test
from itermon.cli.main import main
main(sys.argv[2:], prog_name="itermon")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable, name in (("ITERMON_RUNS_DIR", "runs"), ("ITERMON_SOCKETS_DIR", "sockets"), ("HOME", "home")):
        monkeypatch.setenv(variable, str(tmp_path / name))
    monkeypatch.setattr("itermon.collectors.host.written.files_written", lambda _: {})
    for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    for name, run in (("runs", "here"), ("runs-there", "gpt"), ("home", ""), ("bin", ""), ("sockets", "")):
        (tmp_path / name).mkdir(mode=0o700)
        if run:
            events = [RunInfo(name=run), *(Iteration(i, 0.1) for i in range(30)), End()]
            (tmp_path / name / f"{run}.20260101-120000.7.jsonl").write_bytes(encode_all(events))
    (tmp_path / "bin" / "ssh").write_text(SSH)
    (tmp_path / "bin" / "ssh").chmod(0o755)
    (tmp_path / "there.py").write_text(THERE)
    monkeypatch.setenv("THERE", str(tmp_path / "there.py"))
    monkeypatch.setattr("itermon.cli.home.hosts.PATIENCE_S", 120.0)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    monkeypatch.chdir(tmp_path / "home")
    return tmp_path


def test_runs_of_a_host_stand_beside_those_here_and_one_that_is_down_is_a_line(folder: Path) -> None:
    done = CliRunner().invoke(main.main, ["runs", "--json", "--host", "there", "--host", "down"])
    runs = {run["host"]: run for run in json.loads(done.stdout) if run["name"] in ("here", "gpt")}
    here, there = runs[os.uname().nodename], runs["there"]
    assert (here["name"], there["name"]) == ("here", "gpt")
    assert there["run"] == "ssh://there/gpt.20260101-120000.7"
    assert (there["state"], there["iteration"]) == ("finished", 29)
    different = {name for name in there if there[name] != here[name]}
    assert different == {"run", "name", "host", "path", "seen_at_s"}
    assert done.stderr == "itermon: down: ssh: connect to host down port 22: Connection refused\n"
    assert (folder / "asked").read_text() == "itermon stream --all\n"


LOG = "".join(f"iter {i}: loss {3 + 1 / (1 + i):.4f}, time {100 + i % 3}.00ms, mfu 40.00%\n" for i in range(40))


def test_a_log_that_a_host_lists_is_opened_there_and_no_other_file(folder: Path) -> None:
    (folder / "home" / "train.log").write_text(LOG)
    (folder / "home" / "notes.txt").write_text("a secret\n")
    (folder / "elsewhere.log").write_text(LOG)
    done = CliRunner().invoke(main.main, ["runs", "--json", "--host", "there"])
    (key,) = [run["run"] for run in json.loads(done.stdout) if run["run"].endswith("train.log")][-1:]
    assert key == "ssh://there/./train.log"
    run, stop = Run(), threading.Event()
    for batch in open_run(key).batches(stop):
        run.apply(batch.events)
        if len(run.columns) == 40:
            stop.set()
    assert len(run.columns) == 40
    for path in ("./notes.txt", f"/{folder}/elsewhere.log"):
        *_, said = open_run(f"ssh://there/{path}").batches(threading.Event())
        assert (said.state, len(said.events)) == (SourceState.FAILED, 0)
        assert "no recording" in said.note


def told(*lines: object, end: str = "") -> Host:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    host = Host("box", (sys.executable, "-c", f"import sys; print({text!r}); sys.exit({end!r})"))
    host.start()
    assert host.settled.wait(60)
    host.close()
    host._thread.join(60)
    return host


RUN = {"run": "a", "name": "gpt", "path": "/a", "alive": True, "state": "running", "iteration": 3, "attempts": 2}


def test_what_it_says_is_cleaned_and_what_is_none_is_left_out() -> None:
    bad = {**RUN, "run": "b", "name": "\x1b]0;x\x07evil", "said": "a\x1b[2Jb"}
    host = told(
        RUN, bad, "no json", {"run": 3}, {**RUN, "run": "c", "iteration": "x"}, "x" * 70_000, {**RUN, "run": "d"}
    )
    assert [run.place.key for run in host.runs()] == [f"ssh://box/{name}" for name in "abd"]
    assert not any(
        "\x1b" in text for run in host.runs() for text in (run.place.name, run.line.said if run.line else "")
    )


def test_a_run_that_is_gone_is_no_more_and_why_the_connection_ended_is_said() -> None:
    host = told(RUN, {**RUN, "run": "b"}, {"gone": "a"}, end="Error: it broke")
    assert [run.place.key for run in host.runs()] == ["ssh://box/b"]
    assert host.problem == "box: it broke; its runs are as they were told last"


def test_the_screen_shows_both_and_says_what_is_wrong() -> None:
    hosts = Hosts(())
    hosts._hosts = [told(RUN, end="boom"), told(end="gone")]
    seen = looked_at(Home(), hosts)
    assert [(one.name, one.host) for one in seen.choices] == [
        ("box: gpt (2 attempts)", "box"),
        ("here", os.uname().nodename),
    ]
    assert seen.note == "box: boom; its runs are as they were told last · box: gone"
    assert seen.problem == ""


def test_hosts_are_named_or_stand_in_the_persons_file(folder: Path) -> None:
    assert not hosts_of(())
    (folder / "home" / ".config" / "itermon").mkdir(parents=True)
    (folder / "home" / ".config" / "itermon" / "hosts").write_text("a  # the big one\n\nme@b:22\n")
    assert [host.name for host in hosts_of(("c", "a"))._hosts] == ["c", "a", "me@b:22"]
    with pytest.raises(click.UsageError, match="--host -oProxyCommand=x: write HOST"):
        hosts_of(("-oProxyCommand=x",))
    with pytest.raises(click.UsageError, match="at most 16 hosts"):
        hosts_of([str(n) for n in range(20)])
