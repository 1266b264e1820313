"""What does each real log make itermon say, and is it said once, in time, and only where it matters?

    .venv/bin/python bench/incidents.py [FOLDER] [--stalls 50] [--nans 20] [--divergences 20] [--spikes 20]

Each log is played as it happened, 1,000 times as fast, with a clock of its own: nobody waits. First as it is: then
it must say how it ended, and nothing of its evaluations, checkpoints, compilations and first batches. Then copies:
cut in the midst (a stall), and with losses that are no numbers, that diverge, and with a spike that recovers.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

from campaigns.planted import STEP, broken_loss, jump, places_of, play, spike, stall, timed, with_losses
from corpus import real_logs

from itermon.analysis.run import Run
from itermon.collectors.logs.log_source import LogSource

if TYPE_CHECKING:
    from campaigns.planted import Outcome, Timed

SPEED, FRAMES = 1_000.0, 10
"""Of the replay, and how often a second somebody looks."""

TEXTS = (".log", ".txt", ".out", ".md", ".err", ".jsonl")
HEAD, TAIL = 128, 200
"""Losses of one process that must have come before they are broken, for six deviations of fewer are none; and how
many must follow."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="*")
    for what, count in (("stalls", 50), ("nans", 20), ("divergences", 20), ("spikes", 20)):
        parser.add_argument(f"--{what}", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="logs whose path contains it")
    parser.add_argument(
        "--most", type=int, default=25_000, help="iterations of a log in which something is planted"
    )
    options = parser.parse_args()
    folder = real_logs(options.folder)
    if folder is None:
        return 0
    logs = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and options.only in str(path) and path.suffix in TEXTS:
            events = timed(LogSource(path, follow=False))
            if len(places_of(events)) >= 8:
                logs[str(path.relative_to(folder))] = events
    _as_they_are(logs)
    _planted({name: e for name, e in logs.items() if len(places_of(e)) <= options.most}, options)
    return 0


def _as_they_are(logs: dict[str, Timed]) -> None:
    kinds: Counter[str] = Counter()
    for name, events in logs.items():
        told = play(events, every_s=SPEED / FRAMES)
        kinds.update(one.incident.kind for one in told)
        print(f"{name[:80]:80} {len(places_of(events)):7,} iterations, {len(told)} told")
        for one in told:
            print(
                f"    {one.incident.kind:16} {one.incident.key.rpartition(':')[2]:>7} {one.incident.state[:120]}"
            )
    print(f"{len(logs)} logs: " + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common()))


def _planted(logs: dict[str, Timed], options: argparse.Namespace) -> None:
    rng = Random(options.seed)
    timely = [e for e in logs.values() if len(places_of(e)) >= 100 and _tells_times(e)]
    long = [e for e in logs.values() if _breakable(e)]
    print(f"stalls in {len(timely)} logs, losses in {len(long)}")
    stalls = [_stall(rng, rng.choice(timely)) for _ in range(options.stalls if timely else 0)]
    late = [f"{one.after:.0f} s" if one.after else "never" for one in stalls if not one.in_time]
    _said("stalls", stalls, f"; later: {', '.join(late)}" if late else "")
    if not long:
        return
    for what, count in (("nans", options.nans), ("divergences", options.divergences), ("spikes", options.spikes)):
        _said(what, [_loss(rng, rng.choice(long), what) for _ in range(count)])


def _tells_times(events: Timed) -> bool:
    """Does the log say how long its iterations took? Without, only who watches it live hears a silence."""
    places = places_of(events)
    return len({events[place][0] for place in places}) > len(places) / 2


def _stall(rng: Random, events: Timed) -> Outcome:
    """Somewhere in the later half, where the log itself does not stop."""
    places = places_of(events)
    for _ in range(100):
        number = rng.randrange(len(places) // 2, len(places) - 1)
        place = places[number]
        if events[places[number + 1]][0] - events[place][0] < 10:
            break
    return stall(events, place)


def _breakable(events: Timed) -> list[int]:
    """The places of losses with enough of the same process before and behind them."""
    run = Run()
    run.apply([event for _, event in events])
    starts = {*run.intake.starts}
    processes: list[list[int]] = []
    for position, place in enumerate(places_of(events)):
        if position in starts or not processes:
            processes.append([])
        if events[place][1].loss is not None:
            processes[-1].append(place)
    return [place for of in processes for place in of[HEAD : max(HEAD, len(of) - TAIL)]]


def _loss(rng: Random, events: Timed, what: str) -> Outcome:
    place = rng.choice(_breakable(events))
    if what == "nans":
        return broken_loss(with_losses(events, place, lambda *_: None), place, "loss-not-finite", step=1, within=2)
    changed = with_losses(events, place, (jump if what == "divergences" else spike)(rng))
    return broken_loss(changed, place, "loss-grown", step=STEP, within=512)


def _said(what: str, outcomes: list[Outcome], more: str = "") -> None:
    told = sum(one.messages > 0 for one in outcomes)
    in_time = sum(one.in_time for one in outcomes)
    most = max((one.messages for one in outcomes), default=0)
    print(
        f"{what:12} {len(outcomes):3} planted, {told} told, {in_time} in time,"
        f" at most {most} messages of one{more}"
    )


if __name__ == "__main__":
    sys.exit(main())
