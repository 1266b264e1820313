"""ESPnet2: a line for each twentieth of an epoch, and one for the whole epoch.

    [host] 2026-04-23 04:59:09,396 (trainer:318) INFO: 1/30epoch started
    [host] 2026-04-23 04:59:25,764 (trainer:793) INFO: 1epoch:train:1-90batch: iter_time=0.003, ..., loss=80.9, ..., train_time=0.180
    [host] ... INFO: 1epoch results: [train] ..., time=3 minutes and 15.5 seconds, total_count=1800, ..., [valid] loss=70.2, ..., time=5.9 seconds, ...
`iter_time` is the mean wait for a batch. `train_time` is the mean time of an update, which with `accum_grad` is several batches: how many,
the time stamps show. An epoch's last batches are not printed; `total_count` says how many it had.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .....events import DATA, EVALUATION, SpanBegin, Witness
from ...base import Example
from ...families.elapsed import spoken_seconds
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import ended, finite, number, scalars

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_PAIR = r"([\w/]{1,60})=([-+\w.]{1,40})(?:,|$)"
_TIME = r"\btime=([^,\[]{1,80})"


_SLACK = 0.05
_COUNTERS = frozenset(("total_count", "time", "gpu_max_cached_mem_GB"))
_UNDERSTOOD = frozenset(("loss", "grad_norm", "optim0_lr0", "train_time", "iter_time"))


class EspNet2(LineParser):
    """Windows of batches."""

    name = "ESPnet2"
    about = "train_time of a batch, a window's mean, with data; validation is apart; loss: the window's mean"
    time_includes = (DATA,)
    lines = (
        Line(
            "epoch:train:",
            r"INFO: (?P<epoch>\d+)epoch:train:(?P<first>\d+)-(?P<batch>\d+)batch: (?P<rest>.*)$",
            "window",
        ),
        Line("epoch started", r"INFO: (?P<epoch>\d+)/(?P<epochs>\d+)epoch started", "begins"),
        Line("epoch results:", r"INFO: (?P<epoch>\d+)epoch results: (?P<rest>\[train\].*)$", "results"),
        Line("epoch:valid:", r"INFO: \d+epoch:valid:", "known"),
    )
    examples = (
        Example(
            """
[node] 2026-04-23 04:59:00,000 (trainer:318) INFO: 1/30epoch started
[node] 2026-04-23 04:59:18,000 (trainer:793) INFO: 1epoch:train:1-90batch: iter_time=0.003, forward_time=0.095, loss_ctc=99.5, loss=80.5, grad_norm=530.5, optim0_lr0=2.4e-07, train_time=0.18
[node] 2026-04-23 04:59:27,000 (trainer:793) INFO: 1epoch:train:91-180batch: iter_time=4.780e-04, loss=77.5, optim0_lr0=2.4e-07, train_time=0.1
[node] 2026-04-23 04:59:40,000 (trainer:372) INFO: 1epoch results: [train] iter_time=0.002, loss=79.0, train_time=0.14, time=28.1 seconds, total_count=190, gpu_max_cached_mem_GB=5.5, [valid] loss_ctc=75.0, loss=70.5, time=11.9 seconds, total_count=20, gpu_max_cached_mem_GB=5.5
[node] 2026-04-23 04:59:42,000 (trainer:318) INFO: 2/30epoch started. Estimated time to finish: 20 minutes and 18.0 seconds
[node] 2026-04-23 04:59:51,000 (trainer:793) INFO: 2epoch:train:1-90batch: iter_time=0.003, loss=70.5, train_time=0.1
""",
            iterations=((90, 0.2, 90, 80.5), (180, 0.1, 90, 77.5), (280, 0.1, 90, 70.5)),
            evaluations=((181, {"loss_ctc": 75.0, "val_loss": 70.5}),),
        ),
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._before = 0.0  # batches of the epochs before
        self._in_epoch = 0.0
        self._began_at_s: float | None = None  # the window

    @handler()
    def begins(self, fields: Fields, line: LogLine) -> list[Event]:
        """An epoch begins, and its first window."""
        if fields["epoch"] == 1 and self.last is not None:
            self._before = 0.0
        self._began_at_s, self._in_epoch = (line.at_s if line.stamped else None), 0.0
        return []

    @handler(iterations=True, numbers=("first",), texts=("rest",))
    def window(self, fields: Fields, line: LogLine) -> list[Event]:
        """Some batches, from `first` to `batch`."""
        first, batch = fields.pop("first"), fields["batch"]
        read = _numbers(fields.pop("rest"))
        at_s = line.at_s if line.stamped else None
        if batch <= self._in_epoch:
            self._began_at_s = None  # the heading was lost
        self._in_epoch = batch
        batches = batch - first + 1
        if self._began_at_s is not None and at_s is not None and at_s > self._began_at_s and batches > 0:
            fields |= _time_of_a_batch((at_s - self._began_at_s) / batches, read.get("train_time"))
            fields["averaged_over"] = batches
            wait_s = read.get("iter_time")
            fields["data_wait_s"] = wait_s if wait_s is not None and wait_s <= fields["duration_s"] else None
        self._began_at_s = at_s
        fields |= {
            "iteration": self._before + batch,
            "loss": read.get("loss"),
            "gradient_norm": read.get("grad_norm"),
            "learning_rate": read.get("optim0_lr0"),
            "scalars": scalars(read.items(), _UNDERSTOOD),
        }
        return self.iteration(fields, line)

    @handler(texts=("rest",))
    def results(self, fields: Fields, line: LogLine) -> list[Event]:
        """An epoch is over: how many batches it had, and what its validation took and found."""
        trained, _, validated = fields["rest"].partition("[valid]")
        events: list[Event] = []
        if validated:
            spent_s = spoken_seconds(took[1]) if (took := re.search(_TIME, validated[:4000])) else None
            found = scalars(_numbers(validated).items(), _COUNTERS)
            values = {{"loss": "val_loss"}.get(name, name): value for name, value in found.items()}
            at_s = None if line.at_s is None or spent_s is None else line.at_s - spent_s
            events = [
                SpanBegin("evaluation", at_s, self.next_index),
                ended(EVALUATION, line.at_s, self.next_index, spent_s, values=values),
            ]
        if (count := _numbers(trained).get("total_count")) is not None and count >= (self.last or 0):
            self._before = count
        return events


def _time_of_a_batch(by_stamps_s: float, update_s: float | None) -> Fields:
    """The printed time of an update over as many batches as it has, where the stamps confirm that; else what they say."""
    batches = round(update_s / by_stamps_s) if update_s and finite(update_s) is not None else 0
    if update_s is not None and batches >= 1 and abs(update_s / batches / by_stamps_s - 1) < _SLACK:
        return {"duration_s": update_s / batches}
    return {"duration_s": by_stamps_s, "witness": Witness.STAMPS}


def _numbers(text: str) -> dict[str, float]:
    return {name: value for name, part in re.findall(_PAIR, text[:4000]) if (value := number(part)) is not None}
