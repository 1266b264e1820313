"""The vocabulary: what can happen to a training run.

Every collector and every hook speaks in these events, and the analysis reads nothing else. The same events
travel as JSON Lines over the socket, in a recording, through a pipe: one vocabulary, four carriers.

Units are SI and stand in the names. `at_s` is Unix time, and always the moment the thing *ended or was seen*.
"Not measured" is `None`, never 0. Unknown fields of a newer version are ignored; an unknown event type raises
`UnknownEventError`, so that a reader can count it and go on.

    runs        the run as a whole: what it is, its settings, its messages, its end
    iterations  the steps of the training, and what belongs to one of them
    spans       evaluations, checkpoints, data waits: what is no plain training
    samples     what was measured of the GPUs and of the machine
    batches     what a source hands on, and how the source stands
    jsonl       events as lines of JSON, and back
"""

from __future__ import annotations

from .batches import ENDED, FAILED, LIVE, PAUSED, READING, WAITING, Batch
from .event import VERSION, Count, Event, Index, Seconds, UnixTime
from .iterations import Iteration, Iterations, Phases, Printed, Progress, singly
from .jsonl import MAX_LINE_BYTES, AnyEvent, BadEventError, UnknownEventError, decode, encode, encode_all
from .runs import Config, Dropped, End, Message, RunInfo
from .samples import NORMAL_LIMITS, THROTTLING_LIMITS, GpuSample, HostSample
from .spans import (
    CHECKPOINT,
    COMPILE,
    DATA,
    EVALUATION,
    GC,
    GUESS,
    HOOK,
    LOG,
    PERIOD,
    SAMPLING,
    TELEMETRY,
    SpanBegin,
    SpanEnd,
)

__all__ = [
    "CHECKPOINT",
    "COMPILE",
    "DATA",
    "ENDED",
    "EVALUATION",
    "FAILED",
    "GC",
    "GUESS",
    "HOOK",
    "LIVE",
    "LOG",
    "MAX_LINE_BYTES",
    "NORMAL_LIMITS",
    "PAUSED",
    "PERIOD",
    "READING",
    "SAMPLING",
    "TELEMETRY",
    "THROTTLING_LIMITS",
    "VERSION",
    "WAITING",
    "AnyEvent",
    "BadEventError",
    "Batch",
    "Config",
    "Count",
    "Dropped",
    "End",
    "Event",
    "GpuSample",
    "HostSample",
    "Index",
    "Iteration",
    "Iterations",
    "Message",
    "Phases",
    "Printed",
    "Progress",
    "RunInfo",
    "Seconds",
    "SpanBegin",
    "SpanEnd",
    "UnixTime",
    "UnknownEventError",
    "decode",
    "encode",
    "encode_all",
    "singly",
]
