"""A run of another machine: what comes over the pipe, and what is said where nothing more comes."""

from __future__ import annotations

import sys
import threading

import msgspec
import pytest

from itermon.collectors.runs import ssh
from itermon.collectors.runs.listing import KnownRun
from itermon.collectors.runs.ssh import SshSource, is_host, runs_of
from itermon.events import Batch, Config, End, EndOfFile, Iteration, RunInfo, SourceState, encode


def read_ssh(script: str) -> list[Batch]:
    return list(SshSource("box", "run", command=(sys.executable, "-c", script)).batches(threading.Event()))


def test_a_run_of_another_machine_is_read_over_a_pipe() -> None:
    stream = b"".join(map(encode, [RunInfo(), Config(), Iteration(index=1), End()]))
    *batches, last = read_ssh(f"import sys; sys.stdout.buffer.write({stream!r})")
    assert [type(event) for batch in batches for event in batch.events] == [RunInfo, Config, Iteration, End]
    assert last.state == SourceState.ENDED


def test_a_log_whose_writer_is_gone_has_ended_and_is_not_lost() -> None:
    stream = b"".join(map(encode, [RunInfo(), Iteration(index=1), EndOfFile()]))
    *_, last = read_ssh(f"import sys; sys.stdout.buffer.write({stream!r})")
    assert (last.state, last.events) == (SourceState.ENDED, ())


def test_a_connection_that_breaks_or_never_was_says_why() -> None:
    *_, last = read_ssh("import sys; sys.exit('Permission denied (publickey).')")
    assert (last.state, last.note) == (SourceState.FAILED, "box: run: Permission denied (publickey).")
    *_, last = read_ssh(f"import sys; sys.stdout.buffer.write({encode(RunInfo())!r}); sys.exit('Broken pipe')")
    assert isinstance(last.events[-1], End)
    assert "the run may go on" in last.note


def test_what_ssh_says_beside_the_run_stops_neither() -> None:
    stream = b"".join(map(encode, [RunInfo(), End()]))
    talk = (
        "import sys; sys.stderr.write('debug1: a word\\n' * 20_000); sys.stderr.flush()"  # more than a pipe holds
    )
    *_, last = read_ssh(f"{talk}; sys.stdout.buffer.write({stream!r})")
    assert last.state == SourceState.ENDED


def test_only_the_run_is_asked_for_and_nobody_is_asked_for_a_password() -> None:
    assert SshSource("box", "my run")._command == (
        "ssh", "-T", "-o", "BatchMode=yes", "--", "box", "itermon stream 'my run'",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("host", "as_ssh_takes_it"),
    [
        ("me@box", ("--", "me@box")),
        ("me@box:2222", ("-p", "2222", "--", "me@box")),
        ("box:22", ("-p", "22", "--", "box")),
        ("[::1]:2222", ("-p", "2222", "--", "::1")),
        ("me@[fe80::1%eth0]", ("--", "me@fe80::1%eth0")),
    ],
)
def test_who_logs_in_and_the_port_may_be_told(host: str, as_ssh_takes_it: tuple[str, ...]) -> None:
    assert is_host(host)
    assert SshSource(host, "run")._command == (
        "ssh", "-T", "-o", "BatchMode=yes", *as_ssh_takes_it, "itermon stream run",
    )  # fmt: skip


@pytest.mark.parametrize(
    "text", ["", "-oProxyCommand=x", "me@-o", "-l@box", "box:", "box:ssh", "a box", "box:1:2"]
)
def test_an_option_or_half_an_address_is_no_host(text: str) -> None:
    assert not is_host(text)


def test_what_the_other_side_calls_an_error_is_said_once_and_a_missing_itermon_with_a_way_out() -> None:
    *_, last = read_ssh("import sys; sys.exit(\"Error: no run is called 'x'. Known here: y\")")
    assert last.note == "box: run: no run is called 'x'. Known here: y"
    *_, last = read_ssh("import sys; sys.stderr.write('bash: line 1: itermon: command not found'); sys.exit(127)")
    assert "no itermon on the PATH" in last.note


def test_a_program_that_is_not_there_is_named() -> None:
    (batch,) = SshSource("box", "run", command=("/no/such/ssh",)).batches(threading.Event())
    assert (batch.state, batch.note) == (SourceState.FAILED, "/no/such/ssh: No such file or directory")


@pytest.mark.parametrize(("said", "note"), [("", "exit code 3"), ("one\ntwo\n\n", "two")])
def test_the_last_line_of_ssh_says_why_or_else_its_exit_code(said: str, note: str) -> None:
    *_, last = read_ssh(f"import sys; sys.stderr.write({said!r}); sys.exit(3)")
    assert (last.state, last.note, list(last.events)) == (SourceState.FAILED, f"box: run: {note}", [])


def test_a_run_that_broke_off_is_lost_and_may_go_on() -> None:
    *_, last = read_ssh(f"import sys; sys.stdout.buffer.write({encode(RunInfo())!r}); sys.exit('Broken pipe')")
    assert last.state == SourceState.FAILED
    assert list(last.events) == [End(reason="lost", detail="box: run: Broken pipe")]
    assert last.note == "box: run: Broken pipe; the run may go on: attach again"


def test_a_source_that_is_stopped_ends_the_program() -> None:
    stop = threading.Event()
    batches = SshSource("box", "run", command=(sys.executable, "-c", "input()")).batches(stop)
    stop.set()
    assert list(batches) == []


def listed(script: str) -> list[KnownRun]:
    return runs_of("box", (sys.executable, "-c", script))


def test_the_runs_of_another_machine_are_listed_and_what_is_in_their_names_is_harmless() -> None:
    run = KnownRun("gpt.20260101-120000.7", "gpt\x1b]0;x\x07", 7, alive=True, seen_at_s=1.0)  # type: ignore[call-arg]
    other = KnownRun("--help", "other", 8, alive=True)  # type: ignore[call-arg]
    said = msgspec.json.encode([run, other])
    assert listed(f"import sys; sys.stdout.buffer.write({said!r})") == [msgspec.structs.replace(run, name="gpt")]
    assert listed("print([])") == []


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("import sys; sys.exit('Permission denied (publickey).')", "box: Permission denied (publickey)."),
        ("import sys; sys.exit(3)", "box: no list of runs came (exit code 3)"),
        ("print('Welcome to box')", "box: "),
        ("print('[' * 5_000_000)", "box: "),
        ("while True: print('x' * 4096)", "box: "),
    ],
)
def test_what_is_no_list_is_one_line_that_names_the_machine(script: str, words: str) -> None:
    with pytest.raises(OSError, match=r"^box: ") as raised:
        listed(script)
    assert str(raised.value).startswith(words)


def test_who_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssh, "_LIST_S", 0.05)
    with pytest.raises(OSError, match="no list of runs came"):
        listed("import signal; signal.pause()")


def test_a_run_of_ten_iterations_a_second_is_live_without_a_pause() -> None:
    script = f"""
import sys, time
def say(data): sys.stdout.buffer.write(data); sys.stdout.buffer.flush()
say({encode(RunInfo())!r})
for n in range(12):
    say(b'{{"type":"iteration","index":%d,"at_s":%.2f}}\\n' % (n, 1000 + n / 10))
    time.sleep(0.05)
say({encode(End())!r})
"""
    states = [batch.state for batch in read_ssh(script) if any(type(e) is Iteration for e in batch.events)]
    assert states.count(SourceState.READING) <= 1, "the first, of which nobody knows"
    assert SourceState.LIVE in states
