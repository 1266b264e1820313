"""What else strangers print between their rows: inner loops, reports by class, data loaded anew, a crash."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from .steps import Bar
from .tape import Stop
from .wording import OF_BARS

if TYPE_CHECKING:
    from .tape import Tape
    from .writer import Writer

FIRST_SEED = 1000
"""The logs of smaller seeds have nothing of this."""
INNER_STEPS, CHUNKS = 3, 5
CRASH = (
    "Traceback (most recent call last):",
    '  File "train.py", line 160, in main',
    "    loss.backward()",
    "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB",
)


@dataclass
class More:
    """What of it a script prints."""

    random: Random
    inner: bool = False
    by_class: bool = False
    loads: str = ""
    crashes: bool = False


def more(seed: int) -> More:
    """As the seed wants it."""
    random = Random(f"more {seed}")
    if seed < FIRST_SEED:
        return More(random)
    return More(
        random,
        inner=random.random() < 0.12,
        by_class=random.random() < 0.25,
        loads=random.choice(["", "", "", "", "bar", "rows", "words"]),
        crashes=random.random() < 0.5,
    )


def behind_row(w: Writer) -> None:
    """The steps of an inner loop, each with a loss of its own."""
    if not w.more.inner or w.script.style in OF_BARS:
        return
    for number in range(1, INNER_STEPS + 1):
        loss = w.more.random.uniform(5, 9)
        w.tape.say(f"    inner step {number}/{INNER_STEPS} {w.script.losses[0]}{w.script.join}{loss:.4f}", w.now_s)


def behind_evaluation(w: Writer) -> None:
    """A report by class, as sklearn prints it."""
    if not w.more.by_class:
        return
    lines = ["              precision    recall  f1-score   support", ""]
    for name in ("cat", "dog", "accuracy", "macro avg"):
        numbers = "".join(f"{w.more.random.uniform(0.4, 0.9):10.2f}" for _ in range(3))
        lines.append(f"{name:>12}{numbers}{w.more.random.randint(50, 500):10d}")
    for line in lines:
        w.tape.say(line, w.now_s)


def before_epoch(w: Writer) -> None:
    """Data that is loaded anew for each epoch, with a bar, rows or words."""
    kind = w.more.loads
    if not kind:
        return
    begun_s, each_s = w.now_s, 0.4
    bar = Bar("Loading data" if w.script.batch_from else "")
    for number in range(1, CHUNKS + 1):
        w.now_s += each_s
        if kind == "bar":
            frame = bar.frame(number, CHUNKS, w.now_s - begun_s)
            w.tape.draw(frame, w.now_s, "\n" if number == CHUNKS else "\r")
        elif kind == "rows":
            w.tape.say(f"chunk {number}/{CHUNKS} loaded, time: {each_s:.2f}s", w.now_s)
    if kind == "words":
        w.tape.say(f"shuffled 50000 samples in {w.now_s - begun_s:.2f} s", w.now_s)
    after = len(w.tape.iterations)
    w.tape.stops.append(Stop("loading", w.phase, after, begun_s, w.now_s, w.tape.now - 1))
    w.epoch_s = w.row_s = w.now_s


def crash(tape: Tape, wanted: More) -> None:
    """What stands at the end of a log that was cut, where the program failed."""
    if wanted.crashes:
        for line in CRASH:
            tape.draw(line, tape.times_s[-1], "\n")
        tape.ends.append(("failed", tape.now))
