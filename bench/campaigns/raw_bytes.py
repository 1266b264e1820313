"""What every command writes, with payloads in every field that somebody else writes: on a pipe and on a terminal.

On a pipe nothing but printable text, line feeds and tabs may come out; on a terminal, besides that, only the
sequences that Textual and our painter write, and none of them with what stood in a payload.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from unittest import mock

from click.testing import CliRunner
from on_a_terminal import OnATerminal

from itermon.cli.main import main

from .tally import Tally, rounds
from .traps import MARK, PAYLOADS, build_driver, environment, gpus, marked, set_up, trainer, writer

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = (
    "report {log}", "report {log} --json", "report {recording}", "report {recording} --json", "watch {log}", "{recording}",
    "plan {log} --gradient-accumulation 2", "plan {recording} --json", "compare {log} {recording}", "compare {log} {recording} --json",
    "compare {log} {poem}", "formats", "formats --json", "formats test {format} {log}", "formats test {format}",
    "formats test {format} --json", "formats test {bad} {log}", "formats test {text}", "formats recognise {log}",
    "formats recognise {log} --json", "formats recognise {poem}", "formats new {text} --to {folder}", "attach", "attach --json",
    "attach {recording}", "attach {text}", "attach ssh://{text}/x", "attach ssh://x", "stream {recording}", "stream {text}",
    "record {none} -o {folder}/x", "record {log} -o {log}", "replay {log}", "replay {recording}",
    "gpus", "gpus --json", "gpus --gpu {text}", "report {folder}", "report {empty}", "report {none}", "report {none} {log}",
    "report {log} {recording}", "report {log} --config {config}", "report {log} --config {config} --json", "report {poem}",
    "run --detach --name {text} -- true",
    "replay {log} --config {config}", "formats recognise {log} --column duration={text}", "report {log} --cost-per-hour {text}",
    "report {log} --gpu-name {text} --json", "report {log} --gpu-name {text}", "report {log} --column {text}", "report --{text}",
    "report {log} --peak-flops {text}", "plan {log} --target {text}", "{text}", "--{text}", "--help", "watch --help", "report {text} {text}",
    "report --pid {text}", "report --pid {pid}", "watch --pid {pid} --no-machine", "watch --wait {none} --compare {none}", "run --detach --name {text} -- {none}", "run --{text}",
)  # fmt: skip
SHARE = 10  # of the commands in one round
SHUFFLED = Random(0).sample(COMMANDS, len(COMMANDS))
WITHIN_S = 60.0
FOLLOWED_S = 4.0  # before Ctrl-C
FOLLOWING = (  # until the run ends, or Ctrl-C
    "record {log} --config {config} -o {new}",
    "record {recording} -o {new}",
    "stream {recording}",
    "stream {live}",
    "record {live} -o {new}",
    "stream {log}",
    "run --name {text} -- true",
    "run --name {text} --hooks -- {text}",
    "replay {log} --config {config}",
)
ON_A_TERMINAL = (
    "report {log}",
    "formats",
    "attach --json",
    "report {none}",
    "{log} --no-machine",
    "{recording} --no-machine",
    "attach {live} --no-machine",
)

KEYS = (
    b"l",
    b"\x1b",
    b"c",
    b"\x1b",
    b"?",
    b"\x1b",
    b"lxx?xxcxxpxxl+-s",
    b"\x1b",
    b"/",
    b"\xe9\xff",
    b"l/\xe9\x01\r",
)
"""One after another, and many at once: a page may get two before it is gone."""
ON_GPUS = ("gpus", "gpus --json", "gpus --gpu {text}", "stream {log}")

# What Textual and our painter write: CSI of these ends, private modes, questions, the shape of the pointer. No bell:
# Textual rings it where an exception ends the app.
OURS = re.compile(rb"\x1b\[(?:[\d;]*[mHCGK]|2K|\?[\d;]+[hl]|\?\d+\$p|>\d+u|<u|2J|\d*[AB])|\x1b\]22;[a-z-]*\x07")

# A process of its own each: only there Python takes the encoding of its output from the environment.
LOCALES: tuple[dict[str, str], ...] = (
    {"LC_ALL": "C"},
    {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    {"PYTHONIOENCODING": "latin-1"},
    {"PYTHONIOENCODING": "cp437"},
    {"PYTHONIOENCODING": "ascii"},
    {"LANG": "en_US.UTF-8"},
    dict.fromkeys(("TERM", "LANG", "LC_ALL", "COLORTERM", "TMUX", "SSH_TTY", "RANK", "ITERMON_RANKS"), "{text}"),
)


def run(seconds: float | None, seed: int, *, most: int | None = None) -> Tally:
    """Payloads until `seconds` have passed, or `most` of them: each in all fields, for a part of all commands."""
    tally = Tally("raw_bytes")
    with tempfile.TemporaryDirectory() as built:
        library = build_driver(Path(built))
        for number in rounds(seconds, most):
            rng = Random(f"{seed} {number}")
            folder = Path(tempfile.mkdtemp(prefix="itermon-raw-"))
            try:
                _one_payload(rng, tally, folder, number, library)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    return tally


def _one_payload(rng: Random, tally: Tally, folder: Path, number: int, library: Path | None) -> None:
    payload = PAYLOADS[number % len(PAYLOADS)]
    paths = set_up(folder, payload, rng)
    with mock.patch.dict(os.environ, environment(folder, paths)), writer(paths), trainer(folder, paths):
        first = number // len(PAYLOADS) * SHARE  # so that after a few rounds of all payloads each met each command
        for place in range(first, first + SHARE):
            tally.operations += 1
            _on_a_pipe(tally, SHUFFLED[(place + number % len(PAYLOADS)) % len(COMMANDS)], paths)
        if number % 4 == 0:
            tally.operations += 2
            _on_a_terminal(tally, rng.choice(ON_A_TERMINAL), paths, payload)
            _in_a_process(tally, rng.choice(COMMANDS + FOLLOWING * 4), paths, rng.choice(LOCALES))
        if number % 4 == 2 and library is not None:
            tally.operations += 2
            driver, command = gpus(folder, library, payload), rng.choice(ON_GPUS)
            said = _in_a_process(tally, command, paths, driver)
            if MARK not in said and command.startswith("gpus"):
                tally.lost += 1
                tally.note(f"what the driver says is not shown: {said[:200]!r}")
            _on_a_terminal(tally, "{log}", paths, payload, driver)


def _words(command: str, paths: dict[str, str]) -> list[str]:
    return [word.format(**paths) for word in command.split()]


def _on_a_pipe(tally: Tally, command: str, paths: dict[str, str]) -> None:
    done = CliRunner().invoke(main, _words(command, paths), color=True)  # as to a terminal: click strips nothing
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        tally.exceptions += 1
        where = traceback.extract_tb(done.exception.__traceback__)[-1]
        tally.note(
            f"{command}: {type(done.exception).__name__}: {done.exception} ({where.filename[-40:]}:{where.lineno})"[
                :300
            ]
        )
    _look(
        tally,
        command,
        (done.stdout_bytes.decode(errors="surrogateescape"), done.stderr_bytes.decode(errors="surrogateescape")),
    )


def _in_a_process(tally: Tally, command: str, paths: dict[str, str], locale: dict[str, str]) -> str:
    """Returns what it wrote."""
    what = f"{command} with {locale}"
    locale = {name: value.format(**paths) for name, value in locale.items()}
    encoding = locale.get("PYTHONIOENCODING", "utf-8").replace("ascii", "utf-8")  # click's choice
    words = [sys.executable, "-m", "itermon", *_words(command, paths)]
    child = subprocess.Popen(words, env=os.environ | locale, stdin=subprocess.DEVNULL, stdout=-1, stderr=-1)
    try:
        out, error = _ended(child, FOLLOWED_S if command in FOLLOWING else WITHIN_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        tally.hangs += 1
        tally.note(f"{what}: no end {WITHIN_S:.0f} s after Ctrl-C")
        return ""
    if b"Traceback" in error:
        tally.exceptions += 1
        tally.note(f"{what}: {error.decode(errors='replace').strip().splitlines()[-1]}")
    texts = [data.decode(encoding, errors="surrogateescape") for data in (out, error)]
    _look(tally, what, texts)
    return "".join(texts)


def _ended(child: subprocess.Popen[bytes], patience_s: float) -> tuple[bytes, bytes]:
    try:
        return child.communicate(timeout=patience_s)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGINT)
        return child.communicate(timeout=WITHIN_S)


def _look(tally: Tally, command: str, written: Sequence[str]) -> None:
    """Is there anything but printable text, line feeds and tabs in output and error?"""
    for name, text in zip(("output", "error"), written, strict=True):
        bad = [c for c in text if not c.isprintable() and c not in "\n\t"]
        if bad:
            tally.leaked += len(bad)
            at = text.index(bad[0])
            tally.note(f"{command}: {name}: {text[max(0, at - 30) : at + 20]!r}")


def _on_a_terminal(
    tally: Tally, command: str, paths: dict[str, str], payload: str, driver: dict[str, str] | None = None
) -> None:
    terminal = OnATerminal(
        [sys.executable, "-m", "itermon", *_words(command, paths)], {**os.environ, **(driver or {})}
    )
    is_screen = driver is not None or "--no-machine" in command
    try:
        if is_screen:
            # Ctrl-C last: an Escape before `q` would make it Alt-q.
            for keys in (*KEYS, b"\x03"):
                terminal.says(b"\x1b[")
                for _ in range(8):
                    terminal.read(0.05)
                terminal.press(keys)
        code = terminal.ends()
        if code is None:
            tally.hangs += 1
            tally.note(f"{command} on a terminal: it did not end")
        elif b"Traceback" in terminal.written or (is_screen and code not in (0, 130)):
            tally.exceptions += 1
            tally.note(f"{command} on a terminal: code {code}: {bytes(terminal.written[-200:])!r}")
    except OSError as error:
        tally.exceptions += 1
        tally.note(f"{command} on a terminal: {error}")
    finally:
        terminal.close()
    written = bytes(terminal.written)
    left = OURS.sub(b"", written).decode(errors="surrogateescape")
    bad = [c for c in left if not c.isprintable() and c not in "\n\r\t"]
    raw = marked(payload).encode(errors="replace")
    if bad or (not payload.isprintable() and raw in written):
        tally.leaked += len(bad) or 1
        at = left.index(bad[0]) if bad else 0
        tally.note(f"{command} on a terminal: {left[max(0, at - 30) : at + 20]!r}")
    if terminal.modes():
        tally.leaked += 1
        tally.note(f"{command} on a terminal: left on: {terminal.modes()}")
