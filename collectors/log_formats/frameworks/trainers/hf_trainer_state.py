"""`trainer_state.json` of the Hugging Face Trainer: one JSON object, over many lines or on one.

    {"global_step": 20, "max_steps": 20, "log_history": [
      {"epoch": 0.02, "grad_norm": 0.5, "loss": 3.5, "step": 10}, {"eval_loss": 3.25, "eval_runtime": 2.5, "step": 10}]}
`log_history` has the losses by step; no entry has a time but the last, which has that of the whole run. The Trainer writes the
file anew at each checkpoint, so it is read when it is whole; of one that was cut off, the whole entries are read at its end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from .....events import EVALUATION, Config, End, Iteration, Message, Severity
from .....words import rounded_duration
from ....patterns import lazy_pattern
from ...base import Example, Specificity
from ...counting.standing import NO_CONTEXT, RowContext
from ...generic.csv_table import NUMBERS, Csv
from ...parsing.grammar import NUMBER_PATTERN, Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, as_float, ended, finite, number, scalars, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from .....events import Event
    from ...parsing.columns import Role

_MOST_CHARACTERS = 1 << 26
"""Of a file: 64 Mi hold half a million entries."""
_FEWEST_LINES = 8
_NO_JSON = "an object of many lines that is no JSON, or has a number of thousands of digits: not read"
_CUT_OFF = "the file was cut off in the middle: what was whole of its history is read"
_MOST_ENDS = 16
"""Braces that may be the end of the newest whole entry: an entry, and what follows the history, hold a few of their own."""
_VALUE = rf"\"?{NUMBER_PATTERN}\"?,?$"
UNDERSTOOD = frozenset(("loss", "grad_norm", "learning_rate", "epoch", "step", "global_step", "train_runtime"))


class HfTrainerState(LineParser):
    """Collects the lines until the object is whole. By its `lines` the file is recognised; they are not read one by one."""

    name = "Hugging Face trainer_state.json"
    about = "loss by step; the file holds no time but the whole run's"
    lines = (
        Line('"log_history"', r"\"log_history\": ?\[ ?\{.{0,2000}?\"loss\":", "entry"),
        Line('"log_history"', r"\"log_history\": ?\[", "known"),
        Line('"max_steps"', r"^ +\"max_steps\": {1,12}\d+", "known"),
        Line('"is_world_process_zero"', r"^ +\"is_world_process_zero\":", "known"),
        Line('"loss"', rf"^ +\"loss\": {{1,12}}{_VALUE}", "entry", distinctive=False),
        Line('": ', rf"^ +\"[\w/ .@-]{{1,80}}\": {{1,12}}{_VALUE}", "known", distinctive=False),
        Line("}", r"^ +\},?$", "known", distinctive=False),
        Line("{", r"^ +\{$", "known", distinctive=False),
    )
    examples = (
        Example(
            """
{
  "global_step": 20,
  "log_history": [
    {
      "epoch": 0.02,
      "grad_norm": "0.5",
      "loss": 3.5,
      "step": 10
    },
    {
      "epoch": 0.02,
      "eval_loss": 3.25,
      "eval_runtime": 2.5,
      "step": 10
    },
    {
      "loss": "1.5",
      "step": 20
    }
  ],
  "max_steps": 20
}
""",
            iterations=((10, None, 10, 3.5), (20, None, 10, 1.5)),
            evaluations=((10, {"val_loss": 3.25, "eval_runtime": 2.5}),),
        ),
    )

    plain: ClassVar[re.Pattern[bytes]] = lazy_pattern(rb"(?:\n[^\n]+){1,1000}")

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[str] = []
        self._characters = 0

    @handler(iterations=True)
    def entry(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """A logged step, which is read when the object is whole."""
        return []

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """See `Parser.line`: the events of all entries at the end of the object."""
        events = self._add(text, LogLine(text, at_s))
        if not events or self.announced:
            return events
        self.announced = True
        return [self.run_info(LogLine(text, at_s)), *events]

    def block(self, data: bytes) -> Sequence[Event]:
        """See `BlockParser.block`: lines of any length."""
        line = LogLine("", None)
        return [event for text in data.decode(errors="replace").splitlines() for event in self._add(text, line)]

    def release(self) -> Sequence[Event]:
        """See `HoldingParser.release`: the whole entries of an object whose end is missing."""
        text, self._parts, self._characters = "\n".join(self._parts), [], 0
        state = _torn(text) if '"log_history"' in text else None
        return [*self._read(state, LogLine("", None)), Message(_CUT_OFF, level=Severity.WARNING)] if state else []

    def _add(self, text: str, line: LogLine) -> list[Event]:
        if not self._parts and not text.lstrip().startswith("{"):
            return []
        self._parts.append(text)
        self._characters += len(text)
        if self._characters > _MOST_CHARACTERS:
            self._parts, self._characters = [], 0
            return [
                Message(
                    f"more than {_MOST_CHARACTERS:,} characters: not read", level=Severity.WARNING, at_s=line.at_s
                )
            ]
        on_one_line = len(self._parts) == 1 and text.rstrip().endswith("}")
        if not on_one_line and not text.startswith("}"):
            return []
        looked_like_one = len(self._parts) > _FEWEST_LINES and self._parts[0].startswith("{")
        state = _decoded("\n".join(self._parts))
        self._parts, self._characters = [], 0  # tried once, whole or not: linear in the file
        if state is None:
            return [Message(_NO_JSON, level=Severity.WARNING, at_s=line.at_s)] if looked_like_one else []
        return [*self._read(state, line)]

    def _read(self, state: dict[str, Any], line: LogLine) -> Iterator[Event]:
        history = state.get("log_history")
        entries = [one for one in history if isinstance(one, dict)] if isinstance(history, list) else []
        for entry in sorted(
            entries, key=lambda one: "train_runtime" in one
        ):  # an evaluation after the end is this training's
            yield from _told(
                self, {str(key): _number(value) for key, value in entry.items()}, line, before=self.last
            )
        if total := whole(_number(state.get("max_steps"))):
            self.total = total
            yield Config(origin="log", max_iterations=total)


class HfPrintedHistory(LineParser):
    """`log_history` as Python prints it prettily, or a notebook shows it: an entry over several lines, its step the last."""

    name = "Hugging Face log_history"
    about = "loss by step, entry by entry; it holds no time but the whole run's"
    lines = (
        Line("'step'", r"^[\[ ]{1,4}\{?'(?:global_)?step': (?P<step>\d{1,12})\}[,\]]{0,2}$", "closes"),
        Line("': ", rf"^(?:\[| )\{{'(?P<first>[\w/.@-]{{1,80}})': (?P<number>{NUMBER_PATTERN}),$", "opens"),
        Line("': ", r"^ {2,4}'(?P<key>[\w/.@-]{1,80})': (?P<value>[^{}]{1,80}?)(?P<close>\}[,\]]{0,2}|,)$", "member", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
[{'loss': 3.5,
  'grad_norm': 0.5,
  'epoch': 0.5,
  'step': 10},
 {'loss': 1.5,
  'epoch': 1.0,
  'step': 20},
 {'eval_loss': 3.25,
  'eval_runtime': 2.5,
  'epoch': 1.0,
  'step': 20},
 {'train_runtime': 40.5,
  'train_loss': 2.5,
  'epoch': 1.0,
  'step': 20}]
""",
            iterations=((10, None, 10, 3.5), (20, None, 10, 1.5)),
            evaluations=((20, {"val_loss": 3.25, "eval_runtime": 2.5}),),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._entry: dict[str, float | None] | None = None  # the open one

    @handler(texts=("first",), numbers=("number",))
    def opens(self, fields: Fields, _line: LogLine) -> list[Event]:
        """An entry begins with its first value."""
        self._entry = {fields["first"]: fields["number"]}
        return []

    @handler(texts=("key", "value", "close"))
    def member(self, fields: Fields, line: LogLine) -> list[Event]:
        """One of the others; or, in another order, the last."""
        if self._entry is None:
            return []
        self._entry[fields["key"]] = number(fields["value"])
        return self._closed(line) if "}" in fields["close"] else []

    @handler(iterations=True, numbers=("step",))
    def closes(self, fields: Fields, line: LogLine) -> list[Event]:
        """The entry's step, and its end."""
        if self._entry is None:
            return []
        self._entry["step"] = fields["step"]
        return self._closed(line)

    def _closed(self, line: LogLine) -> list[Event]:
        entry, self._entry = self._entry or {}, None
        begins = self.last is not None and (whole(entry.get("step")) or 0) < self.last
        return _told(self, entry, line, before=0 if begins else self.last)


class HfLogHistory(Csv):
    """`log_history` as a table: what people keep of a Trainer with `pandas.DataFrame(...).to_csv`."""

    name = "Hugging Face log_history as CSV"
    about = "loss by step; the table holds no time but the whole run's"
    specificity = Specificity.FRAMEWORK
    guesses = False
    lines: ClassVar[tuple[Line, ...]] = (
        Line("train_runtime", r"^(?=.{0,4000}\bloss\b)(?=.{0,4000}\bstep\b)[\w/.,-]{1,4000}$", "heading"),
        NUMBERS,
    )
    examples = (
        Example(
            """
loss,grad_norm,learning_rate,epoch,step,eval_loss,eval_runtime,train_runtime,train_loss
3.5,0.5,0.001,0.5,10,,,,
1.5,0.5,0.0005,1.0,20,,,,
,,,1.0,20,3.25,2.5,,
,,,1.0,20,,,40.5,2.5
""",
            iterations=((10, None, 10, 3.5), (20, None, 10, 1.5)),
            evaluations=((20, {"val_loss": 3.25, "eval_runtime": 2.5}),),
        ),
    )

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._first_step: float | None = (
            None  # step that was logged: where it comes again, another training begins
        )

    def row(self, row: Iterable[tuple[str, object]], line: LogLine, said: RowContext = NO_CONTEXT) -> list[Event]:  # noqa: ARG002 - a table's signature
        """An entry: its empty cells are of other kinds of entries."""
        entry = {name: _number(cell) for name, cell in row if cell not in ("", None)}
        if "loss" in entry:
            self._first_step = self._first_step or entry.get("step")
        begins = entry.get("step") == self._first_step
        return _told(self, entry, line, before=0 if begins else self.last)


def _told(parser: LineParser, entry: dict[str, float | None], line: LogLine, *, before: int | None) -> list[Event]:
    """The events of one entry of the history."""
    index = whole(entry.get("step"))
    if index is None:
        return []
    if "train_runtime" in entry:
        mean = {"duration_s": entry["train_runtime"], "iterations_per_s": entry.get("train_steps_per_second")}
        total = parser.took(mean, line._replace(text="train_runtime"))
        return [
            *total,
            End(at_s=line.at_s, detail=f"{rounded_duration(finite(entry['train_runtime']))} in all"),
        ]
    if "loss" in entry:
        events = parser.iteration(
            {"iteration": index, "loss": entry["loss"], "gradient_norm": entry.get("grad_norm"),
             "learning_rate": entry.get("learning_rate"), "scalars": scalars(entry.items(), UNDERSTOOD)},
            line)  # fmt: skip
        return [_of_all_since(before or 0, event) for event in events]
    if not any(key.startswith("eval") for key in entry):
        return []
    runtime = next((value for key, value in entry.items() if key.endswith("_runtime")), None)
    values = {("val_loss" if key == "eval_loss" else key): value for key, value in entry.items()
              if value is not None and finite(value) is not None
              and not key.endswith(("_per_second", "epoch", "step"))}  # fmt: skip
    return [ended(EVALUATION, line.at_s, index, finite(runtime), values=values)]


def _of_all_since(before: int, event: Event) -> Event:
    """The history is whole: an entry is the mean of all steps since the one before, the first of all from step 1 on."""
    if not isinstance(event, Iteration) or event.index <= before:
        return event
    return msgspec.structs.replace(event, averaged_over=event.index - before)


def _decoded(text: str) -> dict[str, Any] | None:
    """The object; `None` if it is not whole, or none. Python's JSON knows the NaN that the Trainer writes, but is slow."""
    try:
        return msgspec.json.decode(text.encode(errors="replace"), type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        pass
    import json  # noqa: PLC0415 - few files need it, and all of a start would pay for it

    try:
        state = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return state if isinstance(state, dict) else None


def _torn(text: str) -> dict[str, Any] | None:
    """The object up to the newest entry that is whole, with the number of iterations if that stands in the text."""
    end = len(text)
    for _ in range(_MOST_ENDS):
        end = text.rfind("}", 0, end)
        if end < 0:
            return None
        if state := _decoded(text[: end + 1] + "]}"):
            total = re.search(r"\"max_steps\": ?(\d{1,15}),", text)
            return {**state, "max_steps": total[1]} if total else state
    return None


def _number(value: object) -> float | None:
    return number(value) if isinstance(value, str) else as_float(value)
