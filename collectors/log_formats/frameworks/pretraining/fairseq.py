"""fairseq (Facebook AI): the simple log of 2018-2020 and the JSON one since.

    | epoch 001:   1000 / 2184 loss=80147.9, nll_loss=0.0, ..., wps=176604, ups=3.1, wpb=56011, num_updates=996, wall=323
    2021-03-08 12:38:27 | INFO | train_inner | {"epoch": 1, "loss": "18.9", "wps": "279.4", "wpb": "16384", "wall": "515"}
    [2022-04-08 18:48:05,372][train_inner][INFO] - {"epoch": 1, ...}                                   under Hydra
`wall` is the seconds since the process began: over 20 s and more its difference gives the time of an update, with
validation and checkpoints of the window in it. What an epoch's end adds to the last line of all is told at the log's end. Else it is `wpb / wps`, words a batch over words a second: in the JSON log
since the last line, in the simple one since the epoch began. `| epoch 001 | loss ...` and `train` sum up an epoch. Values in
the JSON are text. `| epoch 010  7000 / 8223 loss=0.86 (1.46), wps=961` is 2018's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import CHECKPOINT, EVALUATION, SpanEnd
from ....patterns import lazy_pattern
from ...base import Example
from ...means.means_so_far import MeansSoFar, Spent
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, finite, number, scalars, whole

if TYPE_CHECKING:
    from .....events import Event

_PAIR = lazy_pattern(r"\"?(\w{1,40})\"?(?:=|: )\"?([-+\w.]{1,30})")
_HYDRA = r"\[INFO\] -"
_DIGIT = 0.5  # words a second are printed as a whole number
_WALL_S = 20.0  # of a clock that ticks once a second: 5 %
_UNDERSTOOD = frozenset(("loss", "lr", "gnorm", "num_updates", "epoch", "update", "wall", "train_wall"))


class Fairseq(LineParser):
    """Times from the process's clock, or from words a second."""

    name = "fairseq"
    about = "difference of wall over the updates between, or words per batch over words per second; a mean"
    time_includes = (EVALUATION, CHECKPOINT)
    mean = True
    lines = (
        Line(
            "wps=",
            r"\| epoch (?P<epoch>\d+):? +(?P<batch>\d+) / (?P<batches>\d+) (?P<rest>loss=.*)$",
            "update",
        ),
        Line(
            "train_inner",
            rf"(?:\| (?:INFO \| )?train_inner \||\[train_inner\]{_HYDRA}) (?P<rest>\{{.*)$",
            "update",
        ),
        Line("valid", rf"(?:\| (?:INFO \| )?valid \||\[valid\]{_HYDRA}) (?P<rest>\{{.*)$", "validated"),
        Line(
            '_num_updates"',
            rf"(?:\| (?:INFO \| )?|\[)(?!train\b)(?P<subset>[\w.,/-]{{1,60}})(?: \||\]{_HYDRA}) (?P<rest>\{{.*)$",
            "validated_on",
        ),
        Line(
            "valid on",
            r"\| epoch \d+ \| valid on '[^']*' subset \| (?:valid )?loss (?P<val_loss>N)"
            r"(?:.{0,600}?\| num_updates (?P<after>\d+))?",
            "validated_simply",
        ),
        Line(
            "begin validation on",
            r"begin validation on \"(?P<subset>[^\"]{1,60})\"",
            "validates",
            distinctive=False,
        ),
        Line("| epoch", r"\| epoch \d+ \| (?:train )?loss .{0,600}?\| num_updates (?P<updates>N)", "epoch_summed"),
        Line("| epoch", r"\| epoch \d+ \| (?:train )?loss ", "known"),
        Line("train", rf"(?:\| (?:INFO \| )?train \||\[train\]{_HYDRA}) (?P<rest>\{{.*)$", "epoch_over"),
        Line(
            "(writing took",
            r"[Ss]aved checkpoint (?P<detail>\S+) .*\(writing took (?P<duration_s>N) seconds\)",
            "checkpoint_written",
        ),
        Line("max_update", r"\bmax_update'?(?:=|: )(?P<max_iterations>\d+)", "planned", distinctive=False),
        Line("num. model params:", r"num\. model params: (?P<parameters>N)", "config", distinctive=False),
    )
    examples = (
        Example(
            """
[2022-04-08 18:48:05,372][train_inner][INFO] - {"epoch": 1, "loss": "9.25", "wps": "50000", "wpb": "100000", "num_updates": "200", "wall": "425"}
[2022-04-08 18:54:45,183][train_inner][INFO] - {"epoch": 1, "loss": "6.75", "wps": "50000", "wpb": "100000", "num_updates": "400", "wall": "925"}
[2022-04-08 18:58:04,035][valid][INFO] - {"epoch": 1, "valid_loss": "6.5", "valid_num_updates": "479"}
""",
            iterations=((200, 2.0, 1, 9.25), (400, 2.5, 200, 6.75)),
            evaluations=((479, {"val_loss": 6.5}),),
            variant="fairseq under Hydra",
        ),
        Example(
            """
2021-03-08 12:00:00 | INFO | train_inner | {"epoch": 1, "update": 0.0, "loss": "16.5", "wps": "0", "ups": "0", "wpb": "16384", "bsz": "8", "num_updates": "1", "lr": "2e-05", "gnorm": "20.7", "train_wall": "99", "wall": "105"}
2021-03-08 12:01:00 | INFO | train_inner | {"epoch": 1, "update": 0.1, "loss": "15.5", "wps": "273.1", "ups": "0.02", "wpb": "16384", "bsz": "8", "num_updates": "11", "lr": "4e-05", "gnorm": "19.7", "train_wall": "57", "wall": "705"}
""",
            iterations=((1, None, 1, 16.5), (11, 60.0, 10, 15.5)),
        ),
        Example(
            """
| epoch 010  7000 / 8223 loss=0.86 (1.46), wps=961, wpb=961, bsz=32, lr=0.001, clip=100%, gnorm=2.1
""",
            iterations=((89230, 1.0, 1, 0.86),),
            variant="fairseq of 2018",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._wall_s: float | None = None
        self._over: tuple[float, LogLine] | None = None  # the updates at the newest epoch's end
        self._validates_s: float | None = None  # since when, until its result
        self._subset = ""  # ... of which data
        self._validated: int | None = None  # after how many updates a subset was, the newest
        self._planned = False  # the settings of this run were read, and no update since
        self._means = MeansSoFar()  # of the newest epoch
        self._epoch: float | None = None

    @handler(iterations=True, texts=("rest",))
    def update(self, fields: Fields, line: LogLine) -> list[Event]:
        """Some updates."""
        self._planned = False
        read = _read(fields.pop("rest"))
        if "num_updates" in read:
            fields["iteration"] = read["num_updates"]
        fields["loss"] = read.get("loss")
        fields["learning_rate"], fields["gradient_norm"] = read.get("lr"), read.get("gnorm")
        fields["scalars"] = scalars(read.items(), _UNDERSTOOD)
        self._over = self._validates_s = None  # what comes after an end is of the next epoch, or of another run
        self._validated = None
        fields |= self._time_of(fields, read, since_epoch="batch" in fields and "train_inner" not in line.text)
        self._wall_s = read.get("wall")
        return self.iteration(fields, line)

    @handler()
    def planned(self, fields: Fields, line: LogLine) -> list[Event]:
        """The last update; 0 stands for no end. The first line that has one: behind it stand the settings of a model that is loaded."""
        planned, self._planned = self._planned, True
        return self.config(fields, line) if fields["max_iterations"] and not planned else []

    @handler(texts=("rest",))
    def epoch_over(self, fields: Fields, line: LogLine) -> list[Event]:
        """An epoch's end: its updates may be more than those of the newest line."""
        updates = _read(fields["rest"]).get("train_num_updates")
        self._over = None if updates is None else (updates, line)
        return []

    @handler(numbers=("updates",))
    def epoch_summed(self, fields: Fields, line: LogLine) -> list[Event]:
        """The same in the simple log."""
        self._over = (fields["updates"], line)
        return []

    def end(self) -> list[Event]:
        """The log is over: the updates after the last line were made all the same."""
        over, self._over = self._over, None
        if over is None or self.last is None or over[0] <= self.last:
            return []
        return self.iteration({"iteration": over[0]}, over[1])

    @handler(texts=("subset",))
    def validates(self, fields: Fields, line: LogLine) -> list[Event]:
        """The begin of a validation: the lines of all formats that say so are told of elsewhere."""
        self._validates_s, self._subset = (line.at_s if line.stamped else None), fields["subset"]
        return []

    @handler(texts=("rest",))
    def validated(self, fields: Fields, line: LogLine) -> list[Event]:
        """The end of a validation, which says after how many updates it was."""
        read = _read(fields["rest"])
        loss = read.get("valid_loss", read.get("loss"))
        after = whole(read.get("valid_num_updates", read.get("num_updates")))
        return self._found(loss, after, line)

    @handler(numbers=("after",))
    def validated_simply(self, fields: Fields, line: LogLine) -> list[Event]:
        """The same in the simple log."""
        return self._found(fields["val_loss"], whole(fields.get("after")), line)

    def _found(self, loss: float | None, after: int | None, line: LogLine) -> list[Event]:
        at: Fields = {} if loss is None else {"val_loss": loss}
        if after is not None and self.last is not None and after > self.last:
            at["iteration"] = after  # in the time of the next row, which may be the last and have this number
        found = self.evaluation(at | self._since_begin(line), line)
        return [replace(event, after=after) if isinstance(event, SpanEnd) else event for event in found]

    @handler(texts=("subset", "rest"))
    def validated_on(self, fields: Fields, line: LogLine) -> list[Event]:
        """The same of the subset that was announced, by its name. Of several after the same updates the loss is the first's."""
        subset, rest = fields["subset"], fields["rest"]
        if subset != self._subset:
            return []
        self._subset = ""
        found = self.validated({"rest": rest.replace(f'"{subset}_', '"valid_')}, line)
        return self._as_the_first(found)

    def _as_the_first(self, found: list[Event]) -> list[Event]:
        after = next((one.after for one in found if isinstance(one, SpanEnd)), None)
        again, self._validated = after is not None and after == self._validated, after
        return [replace(one, values={}) if again and isinstance(one, SpanEnd) else one for one in found]

    def _since_begin(self, line: LogLine) -> Fields:
        began_s, self._validates_s = self._validates_s, None
        if began_s is None or line.at_s is None or not line.stamped or line.at_s < began_s:
            return {}
        took_s = line.at_s - began_s
        if took_s < _WALL_S and took_s == int(took_s):
            return {}  # of whole seconds: 0 and 1 may both be anything between 0 and 2
        return {"duration_s": took_s}

    def _time_of(self, fields: Fields, read: dict[str, float], *, since_epoch: bool) -> Fields:
        updates = fields["iteration"] - self.last if self.last is not None and "iteration" in fields else 0
        if self._wall_s is not None and updates > 0 and (wall_s := read.get("wall", 0) - self._wall_s) >= _WALL_S:
            return {"duration_s": wall_s / updates}
        words, rate = finite(read.get("wpb")), finite(read.get("wps"))
        if not words or not rate:
            return self.of_its_epoch(fields)
        if since_epoch:
            return self._since_epoch(fields, words, rate)
        return {"duration_s": words / rate, **self.of_its_epoch(fields)}

    def _since_epoch(self, fields: Fields, words: float, rate: float) -> Fields:
        """By two means: both are of all updates of the epoch but its first, with which their clock begins."""
        done, epoch, means = fields["batch"], fields.get("epoch"), self._means
        if epoch != self._epoch or done <= means.done:
            means.begin()
        self._epoch, before = epoch, means.done
        spent_s = done * words / rate
        seconds = means.since(done, fields.get("batches", 0.0), Spent(spent_s, spent_s * _DIGIT / rate))
        if seconds is None:
            return {"averaged_over": 0} if done else {}
        over: Fields = {"averaged_over": done - before} if self.last is not None else {}  # may begin in the midst
        return {"duration_s": seconds / (done - before), **over}


def _read(text: str) -> dict[str, float]:
    return {key: value for key, raw in _PAIR.findall(text[:4000]) if (value := number(raw)) is not None}
