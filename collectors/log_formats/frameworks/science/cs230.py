"""The code examples of Stanford's CS230, of which hundreds of scripts were made: an epoch a row, all of it by the lines' stamps.

    2018-02-23 11:04:35,168:INFO: Starting training for 10 epoch(s)
    2018-02-23 11:04:35,169:INFO: Epoch 1/10
    2018-02-23 11:04:43,183:INFO: - Train metrics: accuracy: 0.219 ; loss: 1.843
    2018-02-23 11:04:44,055:INFO: - Eval metrics : accuracy: 0.240 ; loss: 1.953
    2018-02-23 11:04:44,102:INFO: - Found new best accuracy
An epoch trains from its head to its metrics; from there to what it found lasts the evaluation, in TensorFlow with the save of
the last weights, and from there to the word on the best its save. Scripts that write `; ` between the metrics evaluate
on the training data first. Without stamps the bars on the screen say more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import CHECKPOINT, DATA, EVALUATION, RunInfo, Witness
from ....patterns import lazy_pattern
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.validation import of_the_newest
from ...parsing.values import ended, number, scalars

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_STAMPED = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\W{1,4}[A-Z]{4,8}: {0,3}"
_METRIC = lazy_pattern(r"([A-Za-z][\w@/ .()-]{0,60}?) {0,3}: {0,3}([-+\w.]{1,40})")
_BETWEEN = lazy_pattern(r";|, ")
_APART = " ;"


class Cs230(LineParser):
    """Epochs, of which each line has its stamp."""

    name = "CS230"
    unit = "epoch"
    about = "an epoch from its head to its metrics, by the stamps: training alone; evaluations and saves of a new best are apart"
    time_includes = (DATA,)
    lines = (
        Line("- Train metrics", rf"{_STAMPED}- Train metrics ?: (?P<metrics>.{{1,2000}})", "trained"),
        Line("metrics", rf"{_STAMPED}- (?:Eval|Val) metrics ?: (?P<metrics>.{{1,2000}})", "evaluated"),
        Line("Epoch ", rf"{_STAMPED}Epoch (?P<epoch>\d+)/(?P<epochs>\d+)\s*$", "begins", distinctive=False),
        Line("- Found ", rf"{_STAMPED}- Found (?:new best|lower) (?P<detail>[\w -]{{1,60}})", "saved"),
        Line("Starting training for ", rf"{_STAMPED}Starting training for \d+ epoch\(s\)", "starts"),
        Line("ing the datasets", rf"{_STAMPED}(?:Load|Creat)ing the datasets\.\.\.", "starts", distinctive=False),
        Line(
            "Restoring parameters from ", rf"{_STAMPED}Restoring parameters from ", "restores", distinctive=False
        ),
        Line("est val ", rf"{_STAMPED}[Bb]est val \w{{1,20}}: [\d.]{{1,20}}\s*$", "done", distinctive=False),
    )
    examples = (
        Example(
            """
2020-02-01 10:00:00,000:INFO: Loading the datasets...
2020-02-01 10:00:01,000:INFO: - done.
2020-02-01 10:00:02,000:INFO: Starting training for 2 epoch(s)
2020-02-01 10:00:02,000:INFO: Epoch 1/2
2020-02-01 10:00:12,000:INFO: - Train metrics: accuracy: 0.250 ; loss: 1.500
2020-02-01 10:00:14,000:INFO: - Eval metrics : accuracy: 0.375 ; loss: 1.750
2020-02-01 10:00:14,500:INFO: - Found new best accuracy
2020-02-01 10:00:14,500:INFO: Epoch 2/2
2020-02-01 10:00:26,500:INFO: - Train metrics: accuracy: 0.500 ; loss: 1.250
2020-02-01 10:00:28,500:INFO: - Eval metrics : accuracy: 0.250 ; loss: 2.000
""",
            iterations=((1, 10.0, 1, 1.5), (2, 12.0, 1, 1.25)),
            evaluations=(
                (2, {"val_accuracy": 0.375, "val_loss": 1.75}),
                (3, {"val_accuracy": 0.25, "val_loss": 2.0}),
            ),
            checkpoints=(2,),
        ),
        Example(
            """
2020-02-01 10:00:02,000:INFO: Epoch 1/9
2020-02-01 10:00:12,000:INFO: - Train metrics: loss: 01.50; f1: 25.00
2020-02-01 10:00:14,000:INFO: - Val metrics: loss: 01.75; f1: 37.50
2020-02-01 10:00:14,500:INFO: - Found new best F1
2020-02-01 10:00:14,500:INFO: Best val f1: 37.50
""",
            iterations=((1, 10.0, 1, 1.5),),
            evaluations=((2, {"val_loss": 1.75, "val_f1": 37.5}),),
            checkpoints=(2,),
            variant="CS230 with an evaluation of the training data",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._epoch: tuple[float, float, float | None] | None = None  # that trains; of how many; since when
        self._done_s: float | None = None  # when the epoch was trained, or what came since then was done
        self._evaluated_s: float | None = None  # when the evaluation was done, and nothing came since then
        self._evaluates_first = self._restores = False

    def run_info(self, line: LogLine) -> RunInfo:
        """Of a process that restored its weights, and counts on from there, or from the beginning."""
        info = super().run_info(line)
        includes = (EVALUATION, *self.time_includes) if self._evaluates_first else self.time_includes
        resumed = True if self._restores and self._epoch is not None and self._epoch[0] > 1 else None
        return replace(info, time_includes=includes, resumed=resumed)

    @handler()
    def starts(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """A process begins, or the training of its next fold: what was going on ended with the one before."""
        self.started, self._restores = self.last is not None, False
        self._epoch = self._done_s = self._evaluated_s = None
        return []

    @handler()
    def restores(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """The weights are those of a checkpoint; most scripts count from the first epoch all the same."""
        self._restores = True
        return []

    @handler(numbers=("epoch", "epochs"))
    def begins(self, fields: Fields, line: LogLine) -> list[Event]:
        """An epoch begins to train. None has two heads: what comes again is of another training."""
        again = self.last is not None and fields["epoch"] <= self.last
        self.started = self.started or again
        self._epoch = (fields["epoch"], fields["epochs"], _clock(line))
        self._done_s = self._evaluated_s = None
        return []

    @handler(iterations=True, texts=("metrics",))
    def trained(self, fields: Fields, line: LogLine) -> list[Event]:
        """The epoch is trained."""
        if self._epoch is None:
            return []
        index, epochs, since_s = self._epoch
        self._evaluates_first = ";" in fields["metrics"] and _APART not in fields["metrics"]
        values = _values(fields["metrics"])
        read: Fields = {"iteration": index, "total": epochs, "loss": values.pop("loss", None)}
        read["scalars"] = scalars(values.items()) or None
        now_s = _clock(line)
        if since_s is not None and now_s is not None:  # not from row to row: a clock of the epoch's own
            read |= {"duration_s": now_s - since_s, "witness": Witness.BETWEEN}
        events = self.iteration(read, line)
        self._epoch, self._done_s, self._evaluated_s = None, now_s, None
        return events

    @handler(texts=("metrics",))
    def evaluated(self, fields: Fields, line: LogLine) -> list[Event]:
        """What an evaluation found of the epoch that was trained before it."""
        since_s, now_s = self._done_s, _clock(line)
        if since_s is None or now_s is None:
            return []
        self._done_s = self._evaluated_s = now_s
        found = _values(fields["metrics"])
        values = {name if name.startswith("val") else f"val_{name}": value for name, value in found.items()}
        end = ended(EVALUATION, now_s, self.next_index, now_s - since_s, values=values, apart=True)
        return [of_the_newest(end, self.last)]

    @handler()
    def saved(self, fields: Fields, line: LogLine) -> list[Event]:
        """The best weights so far were written."""
        before_s, since_s, now_s = self._done_s, self._evaluated_s, _clock(line)
        if before_s is None or now_s is None:
            return []
        self._done_s, self._evaluated_s = now_s, None
        lasted_s = None if since_s is None else now_s - since_s  # else more than the save came before it
        detail = f"best {fields['detail']}"
        return [ended(CHECKPOINT, now_s, self.next_index, lasted_s, detail=detail, apart=True)]


def _clock(line: LogLine) -> float | None:
    """What the line itself says of the time: when it was read counts for nothing here."""
    return line.at_s if line.stamped else None


def _values(text: str) -> dict[str, float]:
    found = (_METRIC.fullmatch(part.strip()) for part in _BETWEEN.split(text))
    return {one[1]: value for one in found if one and (value := number(one[2])) is not None}
