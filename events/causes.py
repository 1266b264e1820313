"""The causes: where a second of a run can go. A new cause is a name and a row here, its rule, and a test.

Letters, colours, the help, the README's list, and the span kinds of hooks and log formats come from this table.
"""

from __future__ import annotations

import msgspec

TRAINING = "training"
WARMUP = "warmup"
WARMUP_AND_EVALUATION = "warmup + evaluation"
COMPILE = "compile"
EVALUATION = "evaluation"
CHECKPOINT = "checkpoint"
EVALUATION_AND_CHECKPOINT = "evaluation + checkpoint"
DATA = "data"
GC = "gc"
MAINTENANCE = "maintenance"
THROTTLE = "throttle"
STRAGGLER = "straggler"
GAP = "gap"
RESTART = "restart"
REPEATED = "repeated"
PAUSE = "pause"
UNEXPLAINED = "unexplained"

SAMPLING = "sampling"
"""A kind of span that is no cause of its own: drawing text from the model counts as evaluation."""

DRAIN = "drain"
"""A kind of span beside the training, which goes on: an asynchronous checkpoint is written to its end."""


class CauseKind(msgspec.Struct, frozen=True, gc=False):
    """One row of the table.

    Args:
        name: as in `Cause.kind`, in the ledger and in JSON.
        letter: what is drawn above a slow iteration, so that nothing rests on colour alone.
        colour: a hue; the theme says what it looks like.
        words: what it means, for a person.
        spans: the kinds of spans that lead to it.
        parts: the two causes it stands for, where a source gives one time for both.
        is_stop: the training stops for it again and again, so that a schedule can tell the next one.
        is_once: it belongs to the beginning of a process, or nobody knows of a next one: none is still to come.
        short: the name where there are ten cells for it.
        noun: the name in a sentence, where it is another one.
    """

    name: str
    letter: str
    colour: str
    words: str
    spans: tuple[str, ...] = ()
    parts: tuple[str, str] | None = None
    is_stop: bool = False
    is_once: bool = False
    short: str = ""
    noun: str = ""

    @property
    def many(self) -> str:
        """`evaluations`, `checkpoints`: more than one of it."""
        noun = self.noun or self.name
        return noun if noun.endswith("s") else f"{noun}s"

    @property
    def takes(self) -> str:
        """`evaluation takes`, `checkpoints take`: the beginning of a sentence about its cost."""
        noun = self.noun or self.name
        return f"{noun} take" if noun.endswith("s") else f"{noun} takes"


CAUSES = {
    row.name: row
    for row in (
        CauseKind(TRAINING, "", "blue", "normal iterations, at their usual time"),
        CauseKind(
            WARMUP,
            "W",
            "orange",
            "a process's first iterations, before their time settles",
            is_once=True,
            noun="warm-up",
        ),
        CauseKind(
            WARMUP_AND_EVALUATION,
            "WE",
            "orange",
            "both, and the log gives one time for them",
            parts=(WARMUP, EVALUATION),
            is_once=True,
            short="warm+eval",
            noun="warm-up + evaluation",
        ),
        CauseKind(COMPILE, "X", "orange", "the compiler runs", spans=(COMPILE,), is_once=True, noun="compilation"),
        CauseKind(
            EVALUATION,
            "E",
            "violet",
            "the model is evaluated, or text is drawn from it",
            spans=(EVALUATION, SAMPLING),
            is_stop=True,
        ),
        CauseKind(
            CHECKPOINT,
            "C",
            "yellow",
            "the model is saved",
            spans=(CHECKPOINT,),
            is_stop=True,
            noun="checkpoints",
        ),
        CauseKind(
            EVALUATION_AND_CHECKPOINT,
            "EC",
            "lilac",
            "both, and the log gives one time for them",
            parts=(EVALUATION, CHECKPOINT),
            is_stop=True,
            short="eval+save",
            noun="evaluations and checkpoints",
        ),
        CauseKind(DATA, "D", "pink", "the training loop waits for data", spans=(DATA,), noun="waiting for data"),
        CauseKind(GC, "G", "green", "Python's garbage collector runs", spans=(GC,), noun="garbage collection"),
        CauseKind(
            MAINTENANCE,
            "M",
            "yellow",
            "what the log itself calls so: snapshots of the model, samples and metrics of them",
            spans=(MAINTENANCE,),
            short="maint.",
        ),
        CauseKind(
            THROTTLE,
            "T",
            "red",
            "the GPU's clock is held down by heat or by the power supply",
            noun="throttling",
        ),
        CauseKind(
            STRAGGLER,
            "S",
            "rose",
            "one rank is late, and the others wait for it",
            noun="waiting for a late rank",
        ),
        CauseKind(
            GAP,
            "-",
            "grey",
            "time between two lines of the log that their iterations do not take; no cause was found",
            noun="gaps between lines",
        ),
        CauseKind(
            RESTART,
            "R",
            "grey",
            "between two processes of the run",
            is_once=True,
            noun="restarts",
        ),
        CauseKind(
            REPEATED,
            "",
            "grey",
            "iterations that were done before: a restart went back to a checkpoint",
            is_once=True,
            noun="iterations done again",
        ),
        CauseKind(
            PAUSE,
            "P",
            "grey",
            "between two trainings of one log, each from its beginning",
            is_once=True,
            noun="pauses between trainings",
        ),
        CauseKind(UNEXPLAINED, "?", "scarlet", "no cause was found", short="unknown", noun="unexplained time"),
    )
}
"""Every cause by its name, in the order of the ledger's rows."""

LETTERS = {row.name: row.letter for row in CAUSES.values() if row.letter}
"""What stands above a slow iteration, by cause."""

CAUSE_OF_SPAN = {span: row.name for row in CAUSES.values() for span in row.spans}
"""The cause that each kind of span leads to. A span of another kind is taken, and is of no known cause."""

SPAN_KINDS = tuple(CAUSE_OF_SPAN)

WITH_EVALUATION = {
    row.name: part for row in CAUSES.values() if row.parts for part in row.parts if part != EVALUATION
}
"""What an evaluation shares one time with, by the cause that stands for both."""

STOPS = frozenset(row.name for row in CAUSES.values() if row.is_stop)
"""What the training stops for again and again."""

ONCE = frozenset(row.name for row in CAUSES.values() if row.is_once)
"""What is behind a process: nobody knows of a next one."""
