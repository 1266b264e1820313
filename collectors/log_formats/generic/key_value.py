"""Lines that name their values, in whatever manner: `key=value`, `key: value`, `12.3k tok/s`.

Many scripts print the epoch on a line of its own, `Epoch 3/25`, and its losses on the next ones, `train Loss: 0.31`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from ..base import Example, Specificity
from ..parsing.grammar import Line, handler
from ..parsing.rows import RowParser

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ....events import Event
    from ..parsing.columns import Role
    from ..parsing.values import Fields, LogLine

_KEY = r"[A-Za-z_][\w/.\-]{0,40}"
_NUMBER = r"[-+]?(?:\d[\d,]{0,20}(?:\.\d{0,20})?(?:[eE][-+]?\d{1,3})?|\.\d{1,20}|nan|inf)"
_PAIR = re.compile(
    rf"({_KEY}(?: {_KEY}){{0,2}}(?: ?\(\w{{1,8}}\))?) {{0,2}}[:=] {{0,6}}\[?\"?({_NUMBER} ?(?:ms|us|secs?|seconds|[smhkKM%])?)(?![\w.])"
)
_STEP = re.compile(
    r"(?i)(?<!s/)(?<!c/)\b(global[_ ]step|step|iter(?:ation)?|epoch|batch|update)s?\b[ :=#\[(]{0,4}(\d{1,15})(?!\d)(?: ?(?:/|of) ?(\d{1,15})(?!\d))?"
)
_WORD = re.compile(
    rf"(?i)\b(loss|lr|grad(?:_norm| norm)?|norm|mfu|dt|time|ppl|ms/batch|s/batch) +({_NUMBER} ?(?:ms|us|sec|[sk%])?)(?![\w.])"
)
_IN_EPOCH = re.compile(r"(?i)\bepoch\b\W{0,3}(\d{1,9})(?:/\d{1,9})?\W{1,9}(\d{1,9})/ {0,9}(\d{1,9})\b")
_RATE = re.compile(
    rf"(?i)({_NUMBER}(?-i:[kM]?)) ?(tok(?:en)?s?/s(?:ec)?|ms/(?:step|it|iter)|s/(?:step|it|iter)|sec/(?:step|it|iter))\b"
)
_METRIC = r"(?i:loss(?! scale)|\bdt\b|tok(?:en)?s?/s|[ms]s?/(?:step|it)\b)"
_RATES = {"ms": "time_per_step", "s/": "time_per_step", "se": "time_per_step"}


class KeyValue(RowParser):
    """Lines that name their values: `step 10 | loss 2.3 | 12.3k tok/s`, `iter=10 loss=2.3 dt=381ms`, `Epoch: 3 - loss: 0.2`."""

    name = "key: value"
    about = "lines with a step or an epoch and a loss or a time; columns guessed by name, and shown"
    specificity = Specificity.GUESS
    lines: ClassVar[tuple[Line, ...]] = (
        Line("oss", r"(?:^|\] )\[(?P<step>\d+)\] (?=.{0,400}?\bloss\w*=)\w[\w/]{0,40}=", "pairs"),
        Line(
            "",
            rf"^(?=.{{0,400}}?(?i:step|iter|epoch|batch|update)\w*[\W_]{{1,5}}\d)(?=.{{0,400}}?{_METRIC}).{{0,400}}?\d",
            "pairs",
        ),
        Line("poch", r"^[^A-Za-z]{0,40}(?:- INFO - )?\W{0,8}[Ee]poch\W{0,3}(?P<epoch>\d+)(?: ?(?:/|of) ?(?P<total>\d+))?\W{0,8}$",
             "heading", distinctive=False),
        Line("oss", r"^\[\d+, *\d+\] +loss: (?P<loss>N)$", "counted"),
        Line("oss", rf"^[^A-Za-z]{{0,40}}(?:- INFO - )?\W{{0,8}}(?:[Tt]rain(?:ing)?[ _]+)?(?:[Ll]oss|LOSS) ?[:=] {{0,6}}{_NUMBER}", "under"),
        Line("oss", r"^[^A-Za-z]{0,40}(?:- INFO - )?\W{0,8}[Vv]al(?:id(?:ation)?)?[ _]+[Ll]oss ?[:=] {0,6}(?P<val_loss>N)", "validated"),
    )  # fmt: skip
    examples = (
        Example(
            """
Epoch 0/24
----------
train Loss: 0.75 Acc: 0.5
val Loss: 0.5 Acc: 0.75

Epoch 1/24
----------
train Loss: 0.5 Acc: 0.75
""",
            iterations=((0, None, 1, 0.75), (1, None, 1, 0.5)),
            evaluations=((0, {"val_loss": 0.5}),),
            variant="an epoch's heading in PyTorch's tutorial",
        ),
    )

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._first_epoch: int | None = None
        self._heading: dict[str, object] = {}

    @handler()
    def heading(self, fields: Fields, _line: LogLine) -> Sequence[Event]:
        """An epoch begins: what follows without a place of its own is of it."""
        self._heading = {"epoch": fields["epoch"], "total_steps": fields.get("total")}
        return []

    @handler(iterations=True)
    def counted(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """`[2,  4000] loss: 1.35` of PyTorch's tutorial: nobody says how long an epoch is, so lines are counted."""
        return self.row([("loss", fields["loss"])], line)

    @handler(iterations=True)
    def under(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """Losses under a heading; without one nobody can say of which epoch."""
        row = {name.strip(): value for name, value in reversed(_PAIR.findall(line.text[:2000]))}
        return self.row((row | self._heading).items(), line) if self._heading else []

    @handler()
    def validated(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """What the epoch's validation found."""
        return self.evaluation(fields | {"iteration": self._heading["epoch"]}, line) if self._heading else []

    @handler(iterations=True, numbers=("step",))
    def pairs(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """The pairs of the line, as a row."""
        text = line.text[:2000]
        row: dict[str, object] = {name.strip(): value for name, value in reversed(_PAIR.findall(text))}
        row |= {name: value for name, value in _WORD.findall(text) if name not in row}
        for value, unit in _RATE.findall(text):
            row[_RATES.get(unit.lower()[:2], "tok/s")] = value + ("ms" if unit.lower().startswith("ms") else "")
        if "step" in fields:  # `[640] loss=2.5, steps_per_sec=4.5`
            return self.row((row | {"step": fields["step"]}).items(), line)
        places = {word.lower().replace(" ", "_"): (first, of) for word, first, of in reversed(_STEP.findall(text))}
        for word, (first, of) in places.items():
            row[word] = first
            if of and word not in ("epoch", "batch"):
                row["total_steps"] = of
        if len(places) == 1 and (found := _IN_EPOCH.search(text)):  # `Epoch: 1 [640/60000 (1%)]`
            row["step"] = found[2]
            row |= self._through_epochs(row, found[1], "step", found[3])
        elif "epoch" in places and len(places) > 1 and (within := _within(places)):
            row |= self._through_epochs(row, places["epoch"][0], *within)
        return self.row(row.items(), line) if places else []

    def _through_epochs(self, row: dict[str, object], epoch: str, name: str, of: str) -> dict[str, object]:
        """`Epoch 2 | Step 470/6501`: a step that begins again with each epoch."""
        row.pop("total_steps", None)
        if self._first_epoch is None:
            self._first_epoch = min(int(epoch), 1)
        return {name: str((int(epoch) - self._first_epoch) * int(of) + int(str(row[name]))), "epoch": None}


def _within(places: dict[str, tuple[str, str]]) -> tuple[str, str] | None:
    return next(
        ((name, of) for name, (_, of) in places.items() if name in ("step", "iter", "iteration", "batch") and of),
        None,
    )
