"""What is asked of the server: each question gives few series, whatever the number of ranks.

The names are those of itermon's exporter, see `metrics.names` (and of NVIDIA's, `DCGM_FI_DEV_...`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .promql import one_of, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_NAMED = 32
"""Ranks that are named for one reason: more than a screen has rows for."""

PART = "part"
"""The label that tells the parts of a question apart that were asked together."""

LATE_SHARE = 0.05
"""Of an iteration: less is jitter (TraceML's deadband, and no rank is named for it)."""

_CLOCKS_S = 150
"""Apart: more is no iteration that takes long."""

_ROUNDED_S = 0.0001
"""Local times as sent: a tenth of a millisecond, so that an answer packs to a third."""

_OF_EACH = "instance, rank"


def together(parts: Mapping[str, str]) -> str:
    """Several questions as one: each series says by its label `part` of which it is."""
    return " or ".join(f'label_replace({asked}, "{PART}", "{name}", "", "")' for name, asked in parts.items())


RUNS = together({
    "ranks": "count by (run) (itermon_run_info)",
    "framework": "count by (run, framework, world_size) (itermon_run_info)",
    "hosts": "count by (run) (group by (run, host) (itermon_run_info))",
    "iteration": "max by (run) (itermon_iteration_number)",
    "last_iteration": "max by (run) (itermon_iteration_number_last)",
    "usual_s": "quantile by (run) (0.5, itermon_iteration_usual_seconds)",
    "seen_at_s": "max by (run) (itermon_last_iteration_timestamp_seconds)",
    "eta_s": "max by (run) (itermon_eta_timestamp_seconds)",
    "moves": "count by (run) (changes(itermon_iterations_total[3m]) > 0)",
    "now_s": "vector(time())",
    "twice": "count by (run) (count by (run, rank) (itermon_run_info) > 1)",
})  # fmt: skip


class OfRun:
    """The questions about one run."""

    def __init__(self, run: str) -> None:
        self._run = f"run={quoted(run)}"
        self._local = f"sum by ({_OF_EACH}) ({self._metric('local_seconds')})"
        self._moved = self._metric("iterations_total")
        self._at = f"max by ({_OF_EACH}) ({self._metric('iteration_number')})"

    def _metric(self, name: str, more: str = "") -> str:
        return f"itermon_{name}{{{self._run}{more}}}"

    def members(self) -> str:
        """Each rank, and where it is."""
        return f"group by ({_OF_EACH}, host, run_id, gpu, stage, world_size) ({self._metric('run_info')})"

    def summary(self, still_s: float) -> str:
        """One number each."""
        usual = f"quantile(0.5, {self._metric('iteration_usual_seconds')})"
        late = f"{self._local} > scalar(quantile(0.5, {self._local})) + {LATE_SHARE} * scalar({usual})"
        return together({
            "ranks": f"count({self._metric('run_info')})",
            "scrapes": f"max(count_over_time({self._moved}[5m]))",
            "usual_s": usual,
            "local_s": f"quantile(0.5, {self._local})",
            "waits_s": f"quantile(0.5, {self._metric('sync_seconds')})",
            "iteration": f"max({self._metric('iteration_number')})",
            "last_iteration": f"max({self._metric('iteration_number_last')})",
            "eta_s": f"max({self._metric('eta_timestamp_seconds')})",
            "mfu": f"max({self._metric('mfu_ratio')})",
            "loss": f'max({self._metric("loss")})',
            "late_ranks": f"count({late})",
            "still_ranks": f"count({self._still(still_s)})",
        })  # fmt: skip

    def latest(self) -> str:
        """The ranks that do by themselves what takes them longer than the median rank."""
        return f"topk({MOST_NAMED}, {self._local} - scalar(quantile(0.5, {self._local})) > 0)"

    def troubles(self, still_s: float, scrape_s: float, tolerance: float) -> str:
        """The ranks that stand still, that lag by more iterations, that the server does not reach, that have gone.

        And the clocks that are minutes off, of exporters whose ranks move.
        """
        last = self._metric("last_iteration_timestamp_seconds")
        moving = f"changes({self._moved}[{max(1, round(still_s))}s]) > 0"
        seen = f"max by ({_OF_EACH}) (time() - timestamp({self._moved}))"
        before = f"last_over_time({self._metric('run_info')}[1h])"
        return together({
            "still": f"topk({MOST_NAMED}, {self._still(still_s)})",
            "behind": f"topk({MOST_NAMED}, scalar(max({self._at})) - {self._at} > {tolerance:.1f})",
            "unscraped": f"topk({MOST_NAMED}, {seen} > {2.5 * scrape_s:.3f})",
            "gone": f"topk({MOST_NAMED}, group by ({_OF_EACH}, host, run_id) ({before})"
            f" unless on (rank) {self._metric('run_info')})",
            "skewed": f"topk(3, max by (instance) (abs(timestamp({last}) - {last}) and {moving}) > {_CLOCKS_S})",
        })  # fmt: skip

    def _still(self, still_s: float) -> str:
        return f"max by ({_OF_EACH}) (changes({self._moved}[{max(1, round(still_s))}s])) == 0"

    def column(self, *, stages: bool = False) -> str:
        """The largest local time of each exporter's ranks, and the median of all; of each stage's ranks, too."""
        rows = f"round(max by (instance) ({self._local}), {_ROUNDED_S})"
        parts = {"row": rows, "median": f"quantile(0.5, {self._local})"}
        if stages:  # one for each rank, even if two trainers at one exporter disagree: else the server refuses
            one = f"topk by ({_OF_EACH}) (1, group by ({_OF_EACH}, stage) ({self._metric('run_info')}))"
            joined = f"{self._local} * on ({_OF_EACH}) group_left (stage) {one}"
            parts["stage"] = f"round(max by (stage) ({joined}), {_ROUNDED_S})"
        return together(parts)

    def lost(self, window_s: float) -> str:
        """Seconds by cause, of all ranks together."""
        return f"sum by (cause) (increase({self._metric('lost_seconds_total')}[{max(1, round(window_s))}s]))"

    def lanes(self, window_s: float) -> str:
        """By cause: the share of the ranks' time that was lost to it."""
        lost = f"sum by (cause) (rate({self._metric('lost_seconds_total')}[{max(1, round(window_s))}s]))"
        return f"round({lost} / scalar(count({self._metric('run_info')})), 0.001)"

    def gpus(self, ranks: Iterable[str]) -> str:
        """What these ranks' own exporters say of their GPUs."""
        these = f", rank=~{one_of(ranks)}"
        names = "itermon_gpu_(power_watts|power_limit_watts|clock_hertz|clock_boost_hertz|limited)"
        return (
            f"max by (__name__, {_OF_EACH}, gpu, UUID, reason) ({{__name__=~{quoted(names)}, {self._run}{these}}})"
        )


_DCGM = quoted("DCGM_FI_DEV_(POWER_USAGE|SM_CLOCK|GPU_TEMP|XID_ERRORS)")


def of_dcgm(uuids: Iterable[str]) -> str:
    """What NVIDIA's exporter says of these GPUs."""
    return f"max by (__name__, UUID) ({{__name__=~{_DCGM}, UUID=~{one_of(uuids)}}})"


def of_dcgm_at(hosts: Iterable[str], indices: Iterable[str]) -> str:
    """What NVIDIA's exporters say of the GPUs with these indices on these hosts, each exporter for itself."""
    these = f"Hostname=~{one_of(sorted(hosts))}, gpu=~{one_of(sorted(indices))}"
    return f"max by (__name__, Hostname, gpu, instance, UUID) ({{__name__=~{_DCGM}, {these}}})"
