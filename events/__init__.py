"""The vocabulary: what can happen to a training run.

Every collector and every hook speaks in these events, and the analysis reads nothing else. The same events
travel as JSON Lines over the socket, in a recording, through a pipe: one vocabulary, four carriers.

Units are SI and stand in the names. `at_s` is Unix time, and always the time when the thing *ended or was seen*.
"Not measured" is `None`, never 0. Unknown fields of a newer version are ignored; an unknown event type raises
`UnknownEventError`, so that a reader can count it and go on.

    runs        the run as a whole: what it is, its settings, its messages, its end
    iterations  the steps of the training, and what belongs to one of them
    causes      where a second can go: the one table of causes
    collectives what several ranks wait in, and how each of them is
    spans       evaluations, checkpoints, data waits: what is no plain training
    witnesses   what a time rests on
    samples     what was measured of the GPUs and of the machine
    stacks      where the training was when somebody looked
    fleet       many ranks, as a server of metrics has them
    batches     what a source hands on, and how the source stands
    jsonl       events as lines of JSON, and back
"""

from __future__ import annotations

from .batches import Batch, SourceState
from .causes import (
    CAUSE_OF_SPAN,
    CAUSES,
    CHECKPOINT,
    COMPILE,
    DATA,
    DRAIN,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    GAP,
    GC,
    LETTERS,
    ONCE,
    PAUSE,
    RESTART,
    SAMPLING,
    SPAN_KINDS,
    STOPS,
    STRAGGLER,
    THROTTLE,
    TRAINING,
    UNEXPLAINED,
    WARMUP,
    WARMUP_AND_EVALUATION,
    WITH_EVALUATION,
    CauseKind,
)
from .collectives import Collective, CollectiveWitness, RankState
from .event import (
    VERSION,
    Celsius,
    Count,
    Event,
    ExitCode,
    Flops,
    Index,
    Number,
    Quantity,
    Rank,
    Seconds,
    Share,
    UnixTime,
    Word,
)
from .iterations import (
    BACKWARD,
    BEFORE_FORWARD,
    BEFORE_STEP,
    FORWARD,
    HOST_TO_DEVICE,
    LOGGING,
    LONGEST_SCALAR,
    MOST_SCALARS,
    OPTIMIZER,
    PHASES,
    STOPPED,
    SYNC,
    Alive,
    Iteration,
    Iterations,
    Phases,
    PrintedLoss,
    Progress,
    expand,
)
from .jsonl import (
    MAX_LINE_BYTES,
    AnyEvent,
    BadEventError,
    UnknownEventError,
    as_json,
    decode,
    decode_lines,
    encode,
    encode_all,
)
from .runs import (
    NO_ITERATION,
    ClockKind,
    Config,
    Dropped,
    End,
    EndOfFile,
    EndReason,
    Message,
    Output,
    RunInfo,
    Severity,
    holds,
)
from .samples import NORMAL_LIMITS, THROTTLING_LIMITS, GpuSample, HostSample
from .spans import SpanBegin, SpanEnd, Strength
from .stacks import LONGEST_FRAME, MOST_FRAMES, Stack, short_file
from .witnesses import Total, Witness

__all__ = [
    "BACKWARD",
    "BEFORE_FORWARD",
    "BEFORE_STEP",
    "CAUSES",
    "CAUSE_OF_SPAN",
    "CHECKPOINT",
    "COMPILE",
    "DATA",
    "DRAIN",
    "EVALUATION",
    "EVALUATION_AND_CHECKPOINT",
    "FORWARD",
    "GAP",
    "GC",
    "HOST_TO_DEVICE",
    "LETTERS",
    "LOGGING",
    "LONGEST_FRAME",
    "LONGEST_SCALAR",
    "MAX_LINE_BYTES",
    "MOST_FRAMES",
    "MOST_SCALARS",
    "NORMAL_LIMITS",
    "NO_ITERATION",
    "ONCE",
    "OPTIMIZER",
    "PAUSE",
    "PHASES",
    "RESTART",
    "SAMPLING",
    "SPAN_KINDS",
    "STOPPED",
    "STOPS",
    "STRAGGLER",
    "SYNC",
    "THROTTLE",
    "THROTTLING_LIMITS",
    "TRAINING",
    "UNEXPLAINED",
    "VERSION",
    "WARMUP",
    "WARMUP_AND_EVALUATION",
    "WITH_EVALUATION",
    "Alive",
    "AnyEvent",
    "BadEventError",
    "Batch",
    "CauseKind",
    "Celsius",
    "ClockKind",
    "Collective",
    "CollectiveWitness",
    "Config",
    "Count",
    "Dropped",
    "End",
    "EndOfFile",
    "EndReason",
    "Event",
    "ExitCode",
    "Flops",
    "GpuSample",
    "HostSample",
    "Index",
    "Iteration",
    "Iterations",
    "Message",
    "Number",
    "Output",
    "Phases",
    "PrintedLoss",
    "Progress",
    "Quantity",
    "Rank",
    "RankState",
    "RunInfo",
    "Seconds",
    "Severity",
    "Share",
    "SourceState",
    "SpanBegin",
    "SpanEnd",
    "Stack",
    "Strength",
    "Total",
    "UnixTime",
    "UnknownEventError",
    "Witness",
    "Word",
    "as_json",
    "decode",
    "decode_lines",
    "encode",
    "encode_all",
    "expand",
    "holds",
    "short_file",
]
