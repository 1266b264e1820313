"""Standard output and error as they should not be: full, closed, or left by who read them."""

import io
import json
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from itermon.cli import exits, streams
from itermon.cli.printing import print_json, print_text

ITERMON = f"{sys.executable} -m itermon"
HANGS_S = 600.0  # an idle machine needs half a second; one with twenty other jobs took more than sixty once
CRASH = "-e 'Traceback (most recent call last):\\nValueError: 1'"
LOG = "".join(f"iter {i}: loss 3.5, time 200.00ms, mfu 10.00%\n" for i in range(3000))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "train.log"
    path.write_text(LOG)
    return path


@pytest.fixture(autouse=True)
def no_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever else works on this machine may have a run of any name, and one may begin while a command looks."""
    for variable in ("ITERMON_RUNS_DIR", "ITERMON_SOCKETS_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / "kept" / variable))


def shell(line: str) -> tuple[int, str]:
    """Its exit code and what it says on standard error. How long it takes is the machine's: what hangs, hangs."""
    script = ["bash", "-c", f"set -o pipefail; {line}"]
    done = subprocess.run(script, capture_output=True, text=True, timeout=HANGS_S, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", ["report {log}", "--help", "stream {log}"])
def test_a_full_disk_is_one_line_and_a_code_of_its_own(command: str, log: Path) -> None:
    if command.startswith("stream"):
        log.write_text('{"type":"iteration","index":1}\n' * 9999 + '{"type":"end"}\n')
    code, said = shell(f"{ITERMON} {command.format(log=log)} > /dev/full")
    assert (code, said) == (
        exits.NOT_WRITTEN,
        "Error: the output could not be written: No space left on device\n",
    )


@pytest.mark.parametrize("command", ["report {log} --json", "--help"])
def test_who_reads_it_may_leave_early(command: str, log: Path) -> None:
    assert shell(f"{ITERMON} {command.format(log=log)} | head -c 1 > /dev/null") == (0, "")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{itermon} report {log} >&-", 0),
        ("{itermon} report {log} <&- >&- 2>&-", 0),
        ("{itermon} {log} <&-  > /dev/null", 0),
        ("{itermon} report - <&-", exits.NOT_A_LOG),
        ("{itermon} stream none >&-", exits.NO_INPUT),
        ("{itermon} report none 2> /dev/full", exits.NO_INPUT),
        ("{itermon} report none 2>&-", exits.NO_INPUT),
        ("{itermon} --none 2> /dev/full", 2),
        ("{itermon} report {log} > /dev/full 2> /dev/full", exits.NOT_WRITTEN),
        ("{itermon} report $(dirname {log}) 2> /dev/full", 0),  # a note is all that is lost
        ("gzip < {log} | head -c 4000 > {log}.gz; {itermon} report {log}.gz 2> /dev/full", exits.NOT_A_LOG),
        ("echo {crash} > {log}; {itermon} report --check {log} 2> /dev/full", exits.UNHEALTHY),
    ],
)
def test_a_closed_or_full_stream_is_no_traceback(line: str, code: int, log: Path) -> None:
    ended, said = shell(line.format(itermon=ITERMON, log=log, crash=CRASH))
    assert ended == code, said
    assert said.count("\n") <= 1
    assert "Traceback" not in said


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-16"])
def test_what_the_encoding_of_the_output_lacks_ends_no_command(encoding: str) -> None:
    """A name with what neither the encoding nor UTF-8 can hold, and signs of our own: \u2248, \u00d7, \u2026."""
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding=encoding)
    with mock.patch.object(sys, "stdout", stream):
        streams.write_anything()
        print_text("\u2248 3 \u00d7 \udc9b \u6f22")
        print_json({"\udc9b": "\u6f22\x9b"})
        sys.stdout.flush()
    text = written.getvalue().decode("utf-8" if encoding == "ascii" else encoding)
    assert "3" in text.splitlines()[0]
    assert json.loads("".join(text.splitlines()[1:])) == {"\ufffd": "\u6f22\x9b"}
    assert "\x9b" not in text
