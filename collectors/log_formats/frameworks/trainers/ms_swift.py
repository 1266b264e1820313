"""`logging.jsonl` of ms-swift, which is built on the Hugging Face Trainer. (Its console: see `hf_trainer.py`.)

    {"loss": 2.5, "grad_norm": 17.125, "global_step/max_steps": "5/100", "elapsed_time": "1m 30s", "train_speed(iter/s)": 0.0556}
    {"eval_loss": 2.25, "eval_runtime": 12.5, "global_step/max_steps": "50/100", "elapsed_time": "15m 30s"}
The elapsed time is the process's, in whole seconds, with all in it. `train_speed` is the mean since the beginning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import CHECKPOINT, DATA, EVALUATION, Total, Witness
from ...base import Example
from ...families.elapsed import ElapsedParser, spoken_seconds
from ...generic.json_lines import parse_object
from ...parsing.grammar import Line, handler
from ...parsing.values import as_float, ended, finite, number, scalars, seconds, whole

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


_PLACE = r"'global_step/max_steps': '(\d{1,12})/(\d{1,12})'"
_ELAPSED = r"'elapsed_time': '([\w ]{2,40})'"
_LEAST_S = 10.0
"""Of a clock of whole seconds: less is not known to 10 %."""
_UNDERSTOOD = frozenset(("loss", "grad_norm", "learning_rate", "epoch"))


class MsSwiftLog(ElapsedParser):
    """`logging.jsonl`."""

    name = "ms-swift logging.jsonl"
    reads_instead_of = ("JSON Lines",)
    about = "difference of the elapsed time, a mean over 20 s or more; all in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    tells_the_rest = True
    lines = (
        Line(
            '"global_step/max_steps"',
            r"^\{\"(?:eval_|train_runtime|test_).{0,3900}?\"global_step/max_steps\":",
            "results",
        ),
        Line('"global_step/max_steps"', r"^\{\".{0,3900}?\"global_step/max_steps\": ?\"\d+/\d+\"", "entry"),
    )
    examples = (
        Example(
            """
{"loss": 2.5, "grad_norm": 17.125, "learning_rate": 1e-05, "global_step/max_steps": "5/100", "percentage": "5.00%", "elapsed_time": "1m 30s", "remaining_time": "28m"}
{"loss": 2.25, "grad_norm": 1.125, "learning_rate": 1e-05, "global_step/max_steps": "15/100", "percentage": "15.00%", "elapsed_time": "2m 30s", "remaining_time": "28m"}
{"eval_loss": 2.125, "eval_runtime": 12.5, "eval_samples_per_second": 2.5, "global_step/max_steps": "15/100", "elapsed_time": "2m 42s"}
{"train_runtime": 180.5, "train_loss": 2.5, "global_step/max_steps": "15/100", "elapsed_time": "3m 0s"}
""",
            iterations=((5, None, 1, 2.5), (15, 6.0, 10, 2.25)),
            evaluations=((16, {"val_loss": 2.125}),),
        ),
    )

    @handler(iterations=True)
    def entry(self, _fields: Fields, line: LogLine) -> list[Event]:
        """What was logged of training."""
        row = parse_object(line.text) or {}
        index, total = place_of(row.get("global_step/max_steps"))
        if index is None:
            return []
        elapsed_s = spoken_seconds(str(row.get("elapsed_time", "")))
        fields: Fields = {
            "iteration": index,
            "total": total,
            "loss": _number(row.get("loss")),
            "gradient_norm": _number(row.get("grad_norm")),
            "learning_rate": _number(row.get("learning_rate")),
            "elapsed_s": elapsed_s,
            "scalars": scalars(row.items(), _UNDERSTOOD),
        }
        return self.timed(fields, line, elapsed_s, 1.0)

    @handler()
    def results(self, _fields: Fields, line: LogLine) -> list[Event]:
        """What was logged of an evaluation, or at the very end. At a step the Trainer logs first: its evaluation lies in the next row's time."""
        row = parse_object(line.text) or {}
        index, _ = place_of(row.get("global_step/max_steps"))
        if (took_s := seconds(_number(row.get("train_runtime")))) is not None:
            return self.in_order([Total(took_s, "train_runtime", at_s=line.at_s)])
        if index is None:
            return []
        loss, spent_s = finite(_number(row.get("eval_loss"))), _number(row.get("eval_runtime"))
        values = {} if loss is None else {"val_loss": loss}
        end = ended(EVALUATION, line.at_s, index + 1, spent_s, values=values)
        return self.in_order([replace(end, after=whole(index))])


def placed_by_swift(text: str, before: tuple[int, float] | None) -> tuple[Fields, tuple[int, float] | None] | None:
    """What ms-swift's dictionaries on the console say besides: step, total, clock; and the step and seconds to measure from.

    `None` where the dictionary is another's. `before`: the step and the seconds of the last one.
    """
    if not (place := re.search(_PLACE, text)):
        return None
    index, found = int(place[1]), re.search(_ELAPSED, text)
    fields: Fields = {"iteration": index, "total": int(place[2])}
    elapsed_s = spoken_seconds(found[1]) if found else None
    if elapsed_s is None:
        return fields, None
    fields["elapsed_s"] = elapsed_s
    if before is not None and index > before[0] and elapsed_s - before[1] >= _LEAST_S:
        steps = index - before[0]
        fields |= {
            "duration_s": (elapsed_s - before[1]) / steps,
            "averaged_over": steps,
            "witness": Witness.ELAPSED,
        }
    return fields, (index, elapsed_s)


def place_of(text: object) -> tuple[float | None, float | None]:
    """`5/100` as numbers."""
    step, _, total = text.partition("/") if isinstance(text, str) else ("", "", "")
    return number(step), number(total)


def _number(value: object) -> float | None:
    return number(value) if isinstance(value, str) else as_float(value)
