"""JSON: one object a line, or over several lines each; each is a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from msgspec.structs import replace

from ....events import Config, End, Iteration, RunInfo, SpanEnd, holds
from ...patterns import lazy_pattern
from ..base import Example, Needs, Specificity
from ..between.json_objects import JsonObjects
from ..between.split_rows import SplitRows
from ..between.table_counts import AgentSteps
from ..counting.progression import Progression
from ..evidence import of_a_training, shared_prefix
from ..parsing.grammar import Line, LineKind, handler
from ..parsing.lines import LineParser
from ..parsing.values import as_number

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping, Sequence

    from ....events import Event
    from ..parsing.columns import Role
    from ..parsing.rows import RowParser
    from ..parsing.values import Fields, LogLine

_OBJECT = 4096
_LONGEST = 20_000
_KEY = lazy_pattern(r"\"([\w ./@()%-]{1,80})\" ?: {0,12}\[?(?:\"(?=[-+\d.])|(?=[-+\d.nNI{]))")
"""The name of a number, or of what holds some."""
_SIZES = frozenset(("n_parameters", "num_parameters", "n_params", "num_params"))
"""How large the model is, said again in each row: no metric."""
_COCO = "coco_eval"
_FOUND = lazy_pattern(r"(?:\w{1,20}_)?coco_eval_(\w{1,20})")
"""`test_coco_eval_bbox` of DETR and those that follow it: the twelve figures of COCO, of which AP and AP50 come first."""
_NOT_JSON = lazy_pattern(r"([:,\[] ?)(-?(?:NaN|Infinity|nan|inf))\b")


class JsonLines(SplitRows):
    """One JSON object a line."""

    name = "JSON Lines"
    reads_instead_of = ("key: value",)
    about = "one object a line; columns guessed by name, and shown"
    specificity = Specificity.GUESS
    finds_fewer = True
    lines: ClassVar[tuple[Line, ...]] = (
        Line(
            '"',
            r"^\s*\{.*\"(?:\w+[_/])?(?:step|steps|iter|iteration|epoch|loss|train_loss|num_updates)\w*\" ?:.*\}\s*$",
            "object",
        ),
    )

    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            """
{"iter": 0, "loss": 9.5, "dt_ms": 500.0, "mfu": -1}
{"iter": 1, "loss": 9.25, "dt_ms": 250.0, "mfu": 0.25}
{"iter": 1, "val_loss": 9.0}
{"iter": 2, "loss": 9.0, "dt_ms": 250.0}
{"iter": 3, "loss": 8.75, "dt_ms": 250.0}
{"iter": 4, "loss": 8.5, "dt_ms": 250.0}
""",
            iterations=(
                (0, 0.5, 1, 9.5), (1, 0.25, 1, 9.25), (2, 0.25, 1, 9.0), (3, 0.25, 1, 8.75), (4, 0.25, 1, 8.5),
            ),
            evaluations=((1, {"val_loss": 9.0}),),
        ),
    )  # fmt: skip

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._parameters: int | None = None
        self._agent = AgentSteps(self.columns)

    @classmethod
    def match(cls, text: str) -> Any:
        """Long objects too: only their first characters are looked at, and JSON is read in one pass."""
        if "{" not in text[:200]:
            return None
        return super().match(text if len(text) <= _OBJECT else text[: _OBJECT - 1] + "}")

    @classmethod
    def needs(cls, *, thorough: bool = False, distinctive: bool = False) -> Needs:  # noqa: ARG003
        """Not what its patterns say: of a long object that is cut the last bracket is ours."""
        return super().needs(distinctive=distinctive)

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:
        """What a test or an agent did at a step is no iteration."""
        return super().carries_iteration(text, kind, found) and (
            cls.named or of_a_training(_KEY.findall(text[:_LONGEST]))
        )

    @handler(iterations=True)
    def object(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """A row; nested objects are columns `outer/inner`."""
        row = parse_object(line.text, words=True)
        if row is None:
            return []
        if (
            "train_runtime" in row and "loss" not in row
        ):  # of all steps: its `train_loss` is their mean, and none's
            told = {"duration_s": row["train_runtime"], "iterations_per_s": row.get("train_steps_per_second")}
            mean = {name: value for name, value in told.items() if isinstance(value, int | float)}
            return [*self.release(), *self.took(mean, line), End(at_s=line.at_s)]
        said = [row.pop(name) for name in _SIZES & row.keys()]
        found = _of_coco(row) if _COCO in line.text else {}
        cells = dict(_flat(self._own_names(row)))
        self._agent.see(cells)
        events = self._evaluated_too(self.part(self._agent.renamed(cells), line), found, line)
        sizes = [
            size for size in said if type(size) is int and size != self._parameters and holds("parameters", size)
        ]
        if len(sizes) != 1 or not events:
            return events
        self._parameters = sizes[0]
        begins = next((at + 1 for at, event in enumerate(events) if isinstance(event, RunInfo)), 0)
        return [*events[:begins], Config(origin="log", parameters=sizes[0]), *events[begins:]]

    def taught(self, pupil: RowParser) -> None:
        """Also whether the steps of an agent count."""
        super().taught(pupil)
        if isinstance(pupil, JsonLines) and not self._chosen:
            self._agent.learn(pupil._agent)

    def _own_names(self, row: dict[str, Any]) -> dict[str, Any]:
        """Without what stands in front of all names; what a user named has it."""
        begin = 0 if self._chosen else len(shared_prefix((*row,)))
        self.columns.called |= {name[begin:]: name for name in row} if begin else {}
        return {name[begin:]: value for name, value in row.items()} if begin else row

    def _evaluated_too(self, events: Sequence[Event], found: dict[str, float], line: LogLine) -> Sequence[Event]:
        """The same, with what the row says that the evaluation of its epoch found."""
        place = next((at for at, event in enumerate(events) if isinstance(event, Iteration)), None)
        if not found or place is None:
            return events
        told = next((at for at, event in enumerate(events) if isinstance(event, SpanEnd)), None)
        if told is None:
            return [*events[:place], *self.evaluation({"iteration": self.last, **found}, line), *events[place:]]
        end = events[told]
        known = replace(end, values={**(end.values or {}), **found})  # type: ignore[attr-defined]
        return [*events[:told], known, *events[told + 1 :]]


_COUNTS = r"(?:global_?)?(?:step|iteration|iter|epoch|episode|update)"
_COUNT = lazy_pattern(rf"(?i){_COUNTS}")
_MOST_HELD = 64


class JsonObjectRows(JsonLines):
    """Objects over several lines each, once they have counted on."""

    name = "JSON objects"
    reads_instead_of = ("counted lines",)
    about = "an object a row, written over several lines; columns guessed by name, and shown"
    specificity = Specificity.UNPROVEN
    lines: ClassVar[tuple[Line, ...]] = (
        *JsonLines.lines,
        Line('":', rf"^\"(?i:{_COUNTS})\" ?: {{0,12}}\d{{1,15}},?$", "count"),
        Line('":', r"^\"[^\"]{1,80}\" ?: ", "member", distinctive=False),
        Line("", r"^[\[\]{}, ]{1,8}$", "member", distinctive=False),
    )
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            """
[
  {
    "epoch": 0,
    "train": {
      "loss": 0.5
    }
  },
  {
    "epoch": 1,
    "train": {
      "loss": 0.25
    }
  },
  {
    "epoch": 2,
    "train": {
      "loss": 0.125
    }
  }
]
""",
            iterations=((0, None, 1, 0.5), (1, None, 1, 0.25), (2, None, 1, 0.125)),
        ),
    )

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._objects = JsonObjects()
        self._held: list[tuple[str, float | None]] = []  # until it is known that they count
        self._progression, self._proven = Progression(), False
        self._one_each.one_writer = True

    @classmethod
    def match(cls, text: str) -> Any:
        """A line of an object, or a whole one."""
        return LineParser.match.__func__(cls, text.strip())  # type: ignore[attr-defined]

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:
        """The line that counts an object stands for it."""
        return kind.name == "count" or (kind.name == "object" and super().carries_iteration(text, kind, found))

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """Whole objects are rows."""
        whole = self._objects.add(text)
        if not whole:
            return []
        if self._proven:
            return super().line(whole, at_s)
        self._held = [*self._held[1 - _MOST_HELD :], (whole, at_s)]
        row = parse_object(whole) or {}
        count = next((as_number(value) for name, value in row.items() if _COUNT.fullmatch(name)), None)
        if count is None or not of_a_training((*dict(_flat(row)),)):
            return []
        self._proven = self._progression.see(count)
        held, self._held = (self._held, []) if self._proven else ([], self._held)
        return [event for one, came_s in held for event in super(JsonObjectRows, self).line(one, came_s)]

    @handler(iterations=True)
    def count(self, _fields: Fields, _line: LogLine) -> Sequence[Event]:
        """Of an object that is read when it is whole."""
        return []

    @handler()
    def member(self, _fields: Fields, _line: LogLine) -> Sequence[Event]:
        """Likewise."""
        return []


def _of_coco(row: dict[str, Any]) -> dict[str, float]:
    """Average precisions, by what they are of."""
    lists = ((found[1], value) for name, value in row.items() if (found := _FOUND.fullmatch(name[:60])))
    named = (
        (f"{of} {figure}", one)
        for of, value in lists
        if isinstance(value, list)
        for figure, one in zip(("AP", "AP50"), value, strict=False)
    )
    return {name: float(one) for name, one in named if isinstance(one, int | float) and 0 <= one <= 1}


def parse_object(text: str, *, words: bool = False) -> dict[str, Any] | None:
    """A JSON object, also Python's with nan in it; `None` if it is none. Nan is `None`, or with `words` text."""
    start = text.find("{")
    if start < 0:
        return None
    try:
        return msgspec.json.decode(text[start:].strip().encode(errors="replace"), type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        pass
    for instead in (r'\1"\2"', r"\1null") if words else (r"\1null",):
        try:
            fixed = _NOT_JSON.sub(instead, text[start:].strip())
            return msgspec.json.decode(fixed.encode(errors="replace"), type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError):
            continue  # a text within the object may hold such a word too
    return None


def _flat(row: dict[str, Any]) -> Iterable[tuple[str, object]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from ((f"{name}/{inner}", one) for inner, one in value.items())
        else:  # `{"loss": [2.5]}`: a list of one is what it holds
            yield name, value[0] if isinstance(value, list) and len(value) == 1 else value
