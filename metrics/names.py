"""The metrics: one row each. The exporter, the rules, the dashboard and the screen of many ranks read this table.

Names, base units and the `_total` of counters are Prometheus' own. Labels are few and stand still: a run, a rank,
a cause, a phase, a GPU. Neither an iteration's number nor a file's name is one, for each would be a new series.
"""

from __future__ import annotations

from typing import NamedTuple

RUN = "run"
"""The run's name, the same over restarts of trainer and exporter. A second one that lives beside it: NAME.PID."""

RANK = "rank"
CAUSE = "cause"
"""A name of `events.CAUSES`, all but `training`."""

PHASE = "phase"
"""A name of `events.PHASES`, all but the gradient sync."""

STAGE = "stage"
"""Of the pipeline, where the trainer says it: its setting `pipeline_stage`."""

KIND = "kind"
GPU = "gpu"
UUID = "UUID"
"""In capitals, as NVIDIA's exporter has it: `* on(UUID) group_left(run, rank)` joins both."""

REASON = "reason"
OF_RANK = (RUN, RANK)
OF_GPU = (RUN, RANK, GPU, UUID)

GAUGE, COUNTER, INFO = "gauge", "counter", "info"


class Metric(NamedTuple):
    """One metric, by the name that its series have."""

    name: str
    kind: str
    help: str
    labels: tuple[str, ...] = OF_RANK
    unit: str = ""

    @property
    def family(self) -> str:
        """The name without what OpenMetrics adds to it for its kind."""
        return self.name.removesuffix({COUNTER: "_total", INFO: "_info"}.get(self.kind, ""))


INFO_OF_RUN = Metric(
    "itermon_run_info",
    INFO,
    "What a rank is: 1. run_id is its newest process's, gpu its GPU's name, world_size its run's number of ranks.",
    (*OF_RANK, "run_id", "host", "framework", GPU, "world_size", STAGE),
)
ITERATION_S = Metric("itermon_iteration_seconds", GAUGE, "Time of the newest iteration.", unit="seconds")
USUAL_S = Metric(
    "itermon_iteration_usual_seconds",
    GAUGE,
    "Time of a normal iteration: robust, over the newest.",
    unit="seconds",
)
ITERATIONS = Metric("itermon_iterations_total", COUNTER, "Iterations that ended; those done again count again.")
SPENT_S = Metric(
    "itermon_spent_seconds_total", COUNTER, "Time that the iterations took, together.", unit="seconds"
)
LOST_S = Metric(
    "itermon_lost_seconds_total",
    COUNTER,
    "Time beyond that of normal iterations, by cause; counted when its cause is final, 64 iterations later.",
    (*OF_RANK, CAUSE),
    "seconds",
)
INCIDENTS = Metric(
    "itermon_incidents_total",
    COUNTER,
    "What happened to a rank, by kind: slow iteration (not planned), bad loss (nan, inf), error, restart.",
    (*OF_RANK, KIND),
)
TOKENS = Metric("itermon_tokens_total", COUNTER, "Tokens of all ranks together; rank 0 alone says it.")
LOCAL_S = Metric(
    "itermon_local_seconds",
    GAUGE,
    "What a rank usually does in an iteration without waiting for others, by phase: medians of the newest 64.",
    (*OF_RANK, PHASE),
    "seconds",
)
SYNC_S = Metric(
    "itermon_sync_seconds",
    GAUGE,
    "What a rank usually waits for others in an iteration, and exchanges with them.",
    unit="seconds",
)
POSITION = Metric("itermon_iteration_number", GAUGE, "The newest iteration, as the trainer counts.")
LAST_POSITION = Metric("itermon_iteration_number_last", GAUGE, "The iteration at which the run ends.")
LAST_AT = Metric(
    "itermon_last_iteration_timestamp_seconds",
    GAUGE,
    "When the newest iteration ended, Unix time.",
    unit="seconds",
)
ETA_AT = Metric(
    "itermon_eta_timestamp_seconds",
    GAUGE,
    "When the run will be done, Unix time; rank 0 alone says it.",
    unit="seconds",
)
LOSS = Metric("itermon_loss", GAUGE, "Newest training loss; NaN and Inf as they are.")
GRADIENT_NORM = Metric("itermon_gradient_norm", GAUGE, "Newest norm of the gradient.")
MFU = Metric(
    "itermon_mfu_ratio",
    GAUGE,
    "Share of the GPU's peak that normal iterations reach; rank 0 alone says it.",
    unit="ratio",
)
POWER_W = Metric("itermon_gpu_power_watts", GAUGE, "Power of a rank's GPU.", OF_GPU, "watts")
POWER_LIMIT_W = Metric("itermon_gpu_power_limit_watts", GAUGE, "Power limit of a rank's GPU.", OF_GPU, "watts")
MEMORY_BYTES = Metric("itermon_gpu_memory_used_bytes", GAUGE, "Memory in use on a rank's GPU.", OF_GPU, "bytes")
CLOCK_HZ = Metric("itermon_gpu_clock_hertz", GAUGE, "Clock of a rank's GPU.", OF_GPU, "hertz")
CLOCK_MOST_HZ = Metric("itermon_gpu_clock_boost_hertz", GAUGE, "Highest clock of a rank's GPU.", OF_GPU, "hertz")
LIMITED = Metric(
    "itermon_gpu_limited",
    GAUGE,
    "1 for each reason for which the driver holds the clock down: power cap, thermal, ...",
    (*OF_GPU, REASON),
)

METRICS = (
    INFO_OF_RUN,
    ITERATION_S,
    USUAL_S,
    ITERATIONS,
    SPENT_S,
    LOST_S,
    INCIDENTS,
    TOKENS,
    LOCAL_S,
    SYNC_S,
    POSITION,
    LAST_POSITION,
    LAST_AT,
    ETA_AT,
    LOSS,
    GRADIENT_NORM,
    MFU,
    POWER_W,
    POWER_LIMIT_W,
    MEMORY_BYTES,
    CLOCK_HZ,
    CLOCK_MOST_HZ,
    LIMITED,
)
"""All of them, in the order in which they are exported."""
