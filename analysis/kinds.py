"""Where a second can go: the kinds of causes, their order, their letters."""

from __future__ import annotations

# The causes a second can have, in the order they are shown. The first is what one pays for.
TRAINING = "training"
WARMUP = "warmup"
COMPILE = "compile"
EVALUATION = "evaluation"
CHECKPOINT = "checkpoint"
DATA = "data"
GC = "gc"
THROTTLE = "throttle"
STRAGGLER = "straggler"
GAP = "gap"
RESTART = "restart"
UNEXPLAINED = "unexplained"
# Log says both happened and gives one time for them: the split is not known.
EVALUATION_AND_CHECKPOINT = "evaluation + checkpoint"
WARMUP_AND_EVALUATION = "warmup + evaluation"

CAUSES = (
    TRAINING,
    WARMUP,
    WARMUP_AND_EVALUATION,
    COMPILE,
    EVALUATION,
    CHECKPOINT,
    EVALUATION_AND_CHECKPOINT,
    DATA,
    GC,
    THROTTLE,
    STRAGGLER,
    GAP,
    RESTART,
    UNEXPLAINED,
)

LETTERS = {
    WARMUP: "W",
    WARMUP_AND_EVALUATION: "WE",
    COMPILE: "X",
    EVALUATION: "E",
    CHECKPOINT: "C",
    EVALUATION_AND_CHECKPOINT: "EC",
    DATA: "D",
    GC: "G",
    THROTTLE: "T",
    STRAGGLER: "S",
    GAP: "-",
    RESTART: "R",
    UNEXPLAINED: "?",
}
"""What stands above a spike: never colour alone."""
