"""Numbers that nobody expects, in the examples of every format and in config files, from the line to the sentence.

Asked of each log: nothing raises or takes seconds, what is read is an event that can be sent and read back, no figure of
the report is nan or infinite, and the lines beside the odd ones give as many iterations as before.

Half of the rounds are at random. The others go through every number of every example in turn, each time with the next
of the odd ones: a minute and a half for each place, two hours for each place with each of them.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from itermon.analysis.run import Run
from itermon.collectors.log_formats.registry import all_formats
from itermon.collectors.logs.reader import LogReader
from itermon.collectors.nanogpt_config import as_config, assignments
from itermon.collectors.runs.event_reader import EventReader
from itermon.events import Iteration, SourceState, decode, encode, encode_all, expand
from itermon.tui.scene import Scene, Standing
from itermon.tui.view import View

from .judged import check_findings, check_screen, counted
from .odd_numbers import NUMBER, NUMBERS, config_text, misprinted, misprinted_at, places
from .tally import Tally, rounds

if TYPE_CHECKING:
    from itermon.collectors.log_formats.base import LogFormat
    from itermon.events import Event

EXAMPLES = [(one, example) for one in all_formats() for example in one.examples]
EVERYWHERE = [(one, log, at) for one, made in EXAMPLES for log in [made.log.strip("\n")] for at in places(log)]
HEADED = ("Keras",)
"""Formats in which only a heading tells an epoch's last bar from the same bar drawn again."""
SIZES = ((120, 36), (80, 24), (40, 12))


def run(seconds: float | None, seed: int, *, most: int | None = None) -> Tally:
    """Logs and configs until `seconds` have passed, or `most` of them."""
    tally = Tally("numbers")
    in_turn = Random(seed).sample(EVERYWHERE, len(EVERYWHERE))
    for number in rounds(seconds, most):
        rng = Random(f"{seed} {number}")
        if number % 10 == 8:  # an even one: no place is left out
            text = config_text(rng)
            with counted(tally, f"config {number}"):
                _one_config(rng, tally, text)
            continue
        if number % 2:
            again, at = divmod(number // 2, len(in_turn))
            log_format, log, place = in_turn[at]
            odd = misprinted_at(log, place, NUMBERS[(at + again + seed) % len(NUMBERS)])
        else:
            log_format, example = EXAMPLES[rng.randrange(len(EXAMPLES))]
            log = example.log.strip("\n")
            odd = misprinted(rng, log)
        with counted(tally, f"log {number}, {log_format.name}"):
            _one_log(rng, tally, log_format, log, odd, f"log {number}, {log_format.name}")
    return tally


def _one_log(
    rng: Random, tally: Tally, log_format: LogFormat, log: str, odd: tuple[str, set[int]], what: str
) -> None:
    text, untouched = odd
    tally.operations += text.count("\n") + 1
    _beside(tally, log_format, log, text, untouched, what)
    reader = LogReader(name="x", formats=rng.choice((None, (log_format,))))
    events = reader.feed(text.encode() + b"\n", rng.choice((None, 1.7e9)))
    events += reader.end(b"")
    _judge(rng, tally, events, what)


def _one_config(rng: Random, tally: Tally, text: str) -> None:
    tally.operations += text.count("\n") + 1
    values, problems = assignments(text)
    assert all(len(problem) < 500 for problem in problems), "a problem is one line"
    events: list[Event] = [as_config(values, "config file x")]
    events += [Iteration(index, duration_s=0.5, at_s=1.7e9 + index / 2, loss=2.0) for index in range(30)]
    _judge(rng, tally, events, "config")


def _judge(rng: Random, tally: Tally, events: list[Event], what: str) -> None:
    each = [*expand(events)]
    for event in each:
        decode(encode(event))
    sent = EventReader().feed(encode_all(each))
    if len(sent) != len(each):
        tally.lost += abs(len(each) - len(sent))
        tally.note(f"{what}: {len(each)} events were sent, {len(sent)} arrived")
    watched = Run()
    watched.apply(rng.choice((events, each, sent)))
    found = watched.findings(rng.choice((None, 1.7e9)), spikes=rng.choice((None, 5)))
    check_findings(tally, what, found)
    scene = Scene(watched, found, Standing(state=SourceState.LIVE, now_s=1.7e9), View())
    check_screen(tally, what, scene, rng.choice(SIZES))


def _beside(tally: Tally, log_format: LogFormat, log: str, text: str, untouched: set[int], what: str) -> None:
    """An odd line that is not read takes no iteration of another line with it, and makes none be read twice."""
    lines = text.split("\n")
    before, after = _losses(log_format, log.split("\n")), _losses(log_format, lines)
    without = _losses(log_format, [line if n in untouched else "" for n, line in enumerate(lines)])
    odd = [n for n in range(len(lines)) if n not in untouched]
    if max(map(len, before)) > 1 or log_format.name in HEADED:
        return  # one object over many lines, whole or not at all
    if any(after[n] for n in odd):
        odd_ones = max(sum(map(len, before)), sum(map(len, without)) + len(odd))
        if sum(map(len, after)) > odd_ones:
            tally.doubled += 1
            tally.note(f"{what}: {sum(map(len, after))} iterations, not {odd_ones}, beside {_odd(log, text)}")
        return
    # The brace below an object gives what its odd lines said; and a row may come a line later.
    numbered = [n for n in untouched if NUMBER.search(lines[n])]
    expected = sum(min(len(before[n]), len(without[n])) for n in numbered)
    if sum(map(len, after)) < expected:
        tally.lost += 1
        tally.note(f"{what}: {sum(map(len, after))} iterations, not {expected}, beside {_odd(log, text)}")


def _odd(log: str, text: str) -> str:
    return " | ".join(
        f"{two[:60]}...{two[-30:]}"
        for one, two in zip(log.split("\n"), text.split("\n"), strict=True)
        if one != two
    )[:300]


def _losses(log_format: LogFormat, lines: list[str]) -> list[list[float | None]]:
    """What is read of each line."""
    parser = log_format.parser()
    return [
        [event.loss for event in expand(parser.line(line, None)) if isinstance(event, Iteration)] for line in lines
    ]
