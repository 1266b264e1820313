"""JSON that frameworks write beside their console: each is JSON Lines whose columns are known, so nothing is guessed.

    {"current_steps": 10, "total_steps": 11900, "loss": 3.56, "elapsed_time": "0:00:26"}       LLaMA-Factory, trainer_log.jsonl
    {"data_time": 0.001, "eta_seconds": 0.0, "iteration": 19, "time": 0.29, "total_loss": 2.1}     detectron2, metrics.json
    {"mode": "train", "epoch": 1, "iter": 50, "lr": 0.01, "data_time": 0.1, "time": 0.5, "loss": 0.4}    OpenMMLab, *.log.json
    {"rank": 0, "source": "training", "step": 5, "log_type_name": "fwd_bwd_end", "value": 12.5, "time_us": ...}    torchtitan
LLaMA-Factory's elapsed time is the process's, in whole seconds: its differences have all in them. detectron2's `time` is smoothed
over 20 iterations, with data. OpenMMLab's is a mean since the last line, with data. torchtitan's trace has the begin and the end
of each part of a step: a step lasts from the first record with its number to the first with the next.

`trainer_state.json` of Hugging Face is one object over many lines; `log_history` in it has the losses by step, and no time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ....events import (
    CHECKPOINT,
    DATA,
    EVALUATION,
    GC,
    End,
    Iteration,
)
from ..parsing.grammar import Line
from ..parsing.lines import LineParser, log_format
from ..parsing.values import (
    Fields,
    ended,
    finite,
    moment,
    number,
    seconds,
    whole,
)
from .json_lines import JsonLines, parse_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event

_SPANS = {"eval": EVALUATION, "validat": EVALUATION, "checkpoint": CHECKPOINT, "save": CHECKPOINT, "gc": GC}
_PHASES = {"fwd_bwd": "forward and backward", "optim": "optimizer", "fetch": "data", "data": "data"}


class LlamaFactoryLog(JsonLines):
    """`trainer_log.jsonl`."""

    name = "LLaMA-Factory trainer_log.jsonl"
    about = "difference of the elapsed time, in whole seconds: a mean over logging_steps, all in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    generic = 0
    guesses = False
    lines: ClassVar[tuple[Line, ...]] = (
        Line('"current_steps"', r"^\s*\{\"current_steps\"", "object", iteration=True),
    )


class DetectronMetrics(JsonLines):
    """`metrics.json`."""

    name = "detectron2 metrics.json"
    about = "time: smoothed over 20 iterations, with data; without evaluation and checkpoint"
    time_includes = (DATA,)
    generic = 0
    guesses = False
    lines: ClassVar[tuple[Line, ...]] = (
        Line('"total_loss"', r"^\s*\{.{0,3000}\"iteration\":", "object", iteration=True),
        Line('"iteration"', r"^\s*\{.{0,3000}\"(?:bbox|segm|sem_seg)/AP", "known"),
    )

    @classmethod
    def match(cls, text: str) -> Any:
        """Its objects are long, and nothing but `{` and two names is looked for."""
        return LineParser.match.__func__(cls, text)  # type: ignore[attr-defined]


class MmLogJson(JsonLines):
    """`*.log.json` of mmcv, `scalars.json` of mmengine."""

    name = "OpenMMLab log.json"
    about = "time: a mean since the last line, with data; without validation"
    time_includes = (DATA,)
    mean = True
    generic = 0
    guesses = False
    lines: ClassVar[tuple[Line, ...]] = (
        Line('"mode"', r"^\s*\{\"mode\": \"train\"", "object", iteration=True),
        Line('"mode"', r"^\s*\{\"mode\": \"val\"", "known"),
        Line('"data_time"', r"^\s*\{.{0,2000}\"(?:iter|memory)\":", "object", iteration=True),
    )


class TorchtitanTrace(LineParser):
    """torchtitan's structured log of one rank."""

    name = "torchtitan trace"
    about = (
        "from the first record of a step to the first of the next: everything in it, parts by their own records"
    )
    time_includes = (EVALUATION, CHECKPOINT, DATA, GC)
    lines = (Line('"log_type_name"', r"^\s*\{.{0,3000}\"log_type_name\":", "record", iteration=True),)

    def __init__(self) -> None:
        super().__init__()
        self._step: int | None = None
        self._began_s: float | None = None
        self._phases: dict[str, float] = {}
        self._open: dict[str, float] = {}

    def record(self, _fields: Fields, _at_s: float | None) -> Sequence[Event]:
        """One record: the begin or the end of a part, a scalar, or a mark."""
        record = parse_object(self.text) or {}
        step, at_us, name = record.get("step"), record.get("time_us"), record.get("log_type_name")
        if (
            not isinstance(step, int)
            or whole(step) is None
            or not isinstance(at_us, int | float)
            or not isinstance(name, str)
        ):
            return []
        self.stamped = True
        at_s = at_us / 1e6
        events: list[Event] = []
        if step != self._step:
            events += self._finish(at_s)
            self._step, self._began_s, self._phases = step, at_s, {}
        part, _, edge = name.rpartition("_")
        if edge == "start":
            self._open[part] = at_s
        elif edge == "end" and (begun_s := self._open.pop(part, None)) is not None:
            events += self._part(part.lower(), at_s - begun_s, at_s)
        return events

    def _finish(self, at_s: float) -> list[Event]:
        if self._step is None or self._began_s is None or self._step == self.last:
            return []
        index, self.last = self._step, self._step
        if at_s < self._began_s:
            return []
        return [Iteration(index, seconds(at_s - self._began_s), at_s=moment(at_s), phases=self._phases or None,
                          data_wait_s=self._phases.get("data"))]  # fmt: skip

    def _part(self, part: str, duration_s: float, at_s: float) -> list[Event]:
        for word, phase in _PHASES.items():
            if word in part:
                self._phases[phase] = self._phases.get(phase, 0.0) + duration_s
                return []
        for word, kind in _SPANS.items():
            if word in part:
                return [ended(kind, at_s, self._step, duration_s, detail=part)]
        return []


class HfTrainerState(LineParser):
    """`trainer_state.json`, read line by line: an entry of `log_history` is told at its closing brace."""

    name = "Hugging Face trainer_state.json"
    about = "loss by step; the file holds no time but the whole run's"
    lines = (
        Line('"log_history"', r"\"log_history\": \[", "begin"),
        Line('"max_steps"', r"^ +\"max_steps\": (?P<max_iterations>\d+)", "config"),
        Line('"is_world_process_zero"', r"^ +\"is_world_process_zero\":", "known"),
        Line('"loss"', r"^ +\"loss\": \"?(?P<value>N)\"?,?$", "loss", shared=True, iteration=True),
        Line('": ', r"^ +\"(?P<key>[\w/ .@-]{1,80})\": \"?(?P<value>N)\"?,?$", "value", shared=True),
        Line("}", r"^ +\},?$", "close", shared=True),
        Line("{", r"^ +\{$", "open", shared=True),
    )

    def __init__(self) -> None:
        super().__init__()
        self._entry: Fields = {}
        self._in_history = False

    def begin(self, _fields: Fields, _at_s: float | None) -> list[Event]:
        """What follows is the history."""
        self._in_history = True
        return []

    def open(self, _fields: Fields, _at_s: float | None) -> list[Event]:
        """An entry begins."""
        self._entry = {}
        return []

    def value(self, fields: Fields, _at_s: float | None) -> list[Event]:
        """A value of the entry."""
        self._entry[fields["key"]] = fields.get("value")
        return []

    def loss(self, _fields: Fields, _at_s: float | None) -> list[Event]:
        """The loss of the entry."""
        self._entry["loss"] = number(self.text.partition(":")[2].strip(' ",'))
        return []

    def close(self, _fields: Fields, at_s: float | None) -> list[Event]:
        """The entry is whole."""
        entry, self._entry = self._entry, {}
        index = whole(entry.get("step"))
        if not self._in_history or index is None:
            return []
        if "train_runtime" in entry:
            return [End(at_s=at_s, detail=f"{entry['train_runtime'] or 0:.0f} s in all")]
        if "loss" in entry:
            return self.iteration(
                {"iteration": index, "loss": entry["loss"], "gradient_norm": entry.get("grad_norm"),
                 "learning_rate": entry.get("learning_rate")}, at_s)  # fmt: skip
        return self._evaluated(index, entry, at_s)

    def _evaluated(self, index: int, entry: Fields, at_s: float | None) -> list[Event]:
        if not any(key.startswith("eval") for key in entry):
            return []
        runtime = next((value for key, value in entry.items() if key.endswith("_runtime")), None)
        values = {("val_loss" if key == "eval_loss" else key): value for key, value in entry.items()
                  if finite(value) is not None and not key.endswith(("_per_second", "epoch", "step"))}  # fmt: skip
        return [ended(EVALUATION, at_s, index, finite(runtime), values=values)]


FORMATS = tuple(map(log_format, (LlamaFactoryLog, DetectronMetrics, MmLogJson, TorchtitanTrace, HfTrainerState)))
