"""Fuzz every log format, the recogniser and the reader, guided by which branches an input reaches.

    python bench/fuzz.py [--minutes 10] [--keep FOLDER] [--seed 1]

An input's first byte chooses whom it goes to, the rest is a log. Asked of each: nothing is raised, what a line
says is an event that can be sent and read back, a reader says the same however its bytes come, the analysis makes
a report of it, no input takes 10 s. The first that fails ends the run: its traceback is printed, and the input
stays in FOLDER as `crash-…`. What was learnt stays there too, so that the next run goes on from it.

Needs atheris (Linux, macOS): pip install atheris
"""

from __future__ import annotations

import argparse
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

try:
    import atheris
except ImportError:
    sys.exit("bench/fuzz.py needs atheris, which guides the fuzzing: pip install atheris")

with atheris.instrument_imports(include=["itermon.collectors", "itermon.analysis"]):
    from itermon.analysis.run import Run
    from itermon.collectors.clean import clean_lines
    from itermon.collectors.files.tail import LineBuffer
    from itermon.collectors.log_formats.parsing.lines import LineParser
    from itermon.collectors.log_formats.recognition import recognise
    from itermon.collectors.log_formats.registry import all_formats
    from itermon.collectors.logs.reader import LogReader
    from itermon.events import decode, encode, expand
    from itermon.reports.report_text import report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from itermon.collectors.log_formats.base import LogFormat
    from itermon.events import Event

LONGEST = 16_384  # beyond the 4,300 digits from which on Python makes no integer of them
MOST_LINES = 64
STARTS = (
    "iter 10: loss 2.5012, time 31.07ms, mfu 40.15%",
    "step 250: train loss 1.9, val loss 2.0",
    "epoch,step,loss\n0,1,2.5",
    '{"step": 3, "loss": 1.5, "time": 0.1}',
    "{'loss': 1.5, 'learning_rate': 5e-05, 'epoch': 0.1}",
    "Epoch 3:  25%|##   | 227/921 [08:12<25:05,  2.17s/it, loss=1.2]",
    "step 1 | loss: 9.5 | lr 8.3e-07 | dt: 9.5ms",
    "2026-01-01 00:00:00,000 step=1 loss=2.5 dt=3ms",
    "Epoch: [0][1/9]  Time 1.0 ( 1.0)  Data 0.1 ( 0.1)  Loss 1.0",
)


def main() -> None:
    """Fuzz until the time is over or something fails. Does not return: libFuzzer ends the process."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--keep", type=Path, default=Path(".build/fuzz"))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    targets: list[Callable[[bytes], None]] = [*map(_lines_of, all_formats()), _recogniser, _reader]
    keep = options.keep
    (keep / "inputs").mkdir(parents=True, exist_ok=True)
    _write_starts(keep / "inputs", len(targets))
    (keep / "words").write_text("".join(f'"{_escaped(word)}"\n' for word in sorted(_words())))

    def one_input(data: bytes) -> None:
        if data:
            targets[data[0] % len(targets)](data[1:])

    print(f"{len(targets)} targets; inputs, and what fails, in {keep}", flush=True)
    flags = {
        "max_total_time": int(60 * options.minutes),
        "max_len": LONGEST,
        "timeout": 10,
        "seed": options.seed,
        "dict": keep / "words",
        "artifact_prefix": f"{keep}/",
        "print_final_stats": 1,
    }
    atheris.enabled_hooks.add("RegEx")
    atheris.Setup(
        [sys.argv[0], *(f"-{name}={value}" for name, value in flags.items()), str(keep / "inputs")], one_input
    )
    atheris.Fuzz()


def _lines_of(log_format: LogFormat) -> Callable[[bytes], None]:
    def one_log(data: bytes) -> None:
        parser = log_format.parser()
        for text in islice(clean_lines(data), MOST_LINES):
            log_format.matches(text)
            log_format.is_iteration(text)
            _check(parser.line(text, 5.0))

    return one_log


def _recogniser(data: bytes) -> None:
    recognition = recognise(list(islice(clean_lines(data), MOST_LINES)))
    if not 0 <= recognition.coverage <= 1:
        raise AssertionError(recognition)


def _reader(data: bytes) -> None:
    """The first byte says where the bytes are cut; the format is settled, so that the cut cannot decide it."""
    settled = [STARTS[0]] * 12
    cut = 1 + data[0] if data else 1
    log = data[1:] + b"\n"
    whole = [*expand(LogReader(settled).feed(log))]
    _check(whole)
    watched = Run()
    watched.apply(whole)
    report(watched.findings(), title="fuzz")
    buffer, reader, parts = LineBuffer(), LogReader(settled), []
    for at in range(0, len(log), cut):
        parts += expand(reader.feed(buffer.add(log[at : at + cut])))
    if repr(parts) != repr(whole):  # repr, for nan is not itself
        raise AssertionError(f"cut each {cut} bytes: {parts} is not {whole}")


def _check(events: Iterable[Event]) -> None:
    for event in events:
        decode(encode(event))


def _words() -> Iterator[str]:
    """What the formats look for in a line."""
    parsers = (one.parser for one in all_formats())
    line_parsers = (one for one in parsers if isinstance(one, type) and issubclass(one, LineParser))
    return iter({kind.contains for parser in line_parsers for kind in parser.kinds() if kind.contains})


def _escaped(word: str) -> str:
    """As libFuzzer's dictionaries want it."""
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\x{b:02x}" for b in word.encode())


def _write_starts(folder: Path, targets: int) -> None:
    for target in range(targets):
        log = "\n".join((*STARTS, *islice(_words(), target, None, targets))).encode()
        (folder / f"start-{target}").write_bytes(bytes((target,)) + log)


if __name__ == "__main__":
    main()
