"""PyTorch Lightning: its progress bar, tqdm's or Rich's. (`metrics.csv` of its CSV logger: see `tables.py`.)

    Epoch 0:  43%|████▎     | 87/202 [01:01<01:21,  1.43it/s, v_num=3, train_loss_step=1.110]
    Epoch 0/9 ━━━━━━━╸━━━━━━━━━ 87/202 0:01:01 • 0:01:21 1.43it/s v_num: 3 train_loss_step: 1.110
    Validation DataLoader 0:  47%|████▋     | 9/19 [01:11<01:19,  0.13it/s]
Lightning's rate is the mean since the epoch began, so no batch's time is in it: a window of at least ten elapsed seconds is
reported as one, to a second. Before 2.0 an epoch's bar counted its validation batches too. A batch is an iteration here: with
`accumulate_grad_batches` a step of the optimizer is several. Data loading is in the time; validation has its own bar.
Many scripts draw a bar `Epoch 3: 43%|` with tqdm, whose rate is another: only its own words tell of Lightning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .....events import DATA, Witness
from ...base import Example
from ...families.pairs import words
from ...parsing.bar_clocks import WindowClock
from ...parsing.bar_parser import BarParser
from ...parsing.bars import BAR, BAR_START, OTHER_BAR, Bar, find_bar
from ...parsing.grammar import Line, handler
from ...parsing.which_bar_trains import EPOCH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_EPOCH_BAR = rf"^Epoch \d+: *(?:\d+%)?\|[^|]{{0,400}}\| *{BAR.pattern}"


class Lightning(BarParser):
    """Windows of the epoch's bar."""

    name = "Lightning"
    about = (
        "a batch's mean over ten or more elapsed seconds of the epoch's bar, with data; validation has its own bar"
    )
    time_includes = (DATA,)
    lines: ClassVar[tuple[Line, ...]] = (
        Line("Epoch", rf"(?=.{{1,4000}}?\b(?:v_num|\w{{1,60}}_(?:step|epoch))=){_EPOCH_BAR}", "bar"),
        Line("Epoch", _EPOCH_BAR, "bar", distinctive=False),
        Line("Epoch", r"Epoch (?P<epoch>\d+)(?:/\d+)? +[━╸╺ ]+ +(?P<batch>\d+)/(?P<batches>\d+) (?P<stamp>\d+:\d\d:\d\d) • [-\d:]+ "
             r"[\d.]+it/s(?P<rest>.*)$", "rich"),
        Line("DataLoader", r"^(?:Validation|Sanity Checking|Testing|Predicting)(?: DataLoader \d+)?: ", "titled_bar"),
        Line("Sanity Checking", r"^Sanity Checking", "known"),
        Line("LOCAL_RANK", r"LOCAL_RANK: \d+ - CUDA_VISIBLE_DEVICES", "known"),
        Line("`Trainer", r"`Trainer\.fit` stopped: `max_\w+=\d+` reached", "done"),
        Line("GPU available:", r"GPU available: \w+.{0,20}, used: ", "known"),
        OTHER_BAR,
        BAR_START,
    )  # fmt: skip
    examples = (
        Example(
            """
Epoch 0:   0%|          | 0/40 [00:00<?, ?it/s]
Epoch 0:  10%|█         | 4/40 [00:04<00:36,  1.00s/it, v_num=0, train_loss_step=2.5]
Epoch 0:  25%|██▌       | 10/40 [00:10<00:30,  1.00s/it, v_num=0, train_loss_step=2.25]
Validation DataLoader 0: 100%|██████████| 9/9 [00:09<00:00,  1.00it/s]
Epoch 0: 100%|██████████| 40/40 [00:40<00:00,  1.00it/s, v_num=0, train_loss_step=2.0]
Epoch 1: 100%|██████████| 40/40 [00:20<00:00,  2.00it/s, v_num=0, train_loss_step=1.5]
""",
            iterations=((10, 1.0, 10, 2.25), (40, 1.0, 30, 2.0), (80, 0.5, 40, 1.5)),
            evaluations=((11, {}),),
        ),
        Example(
            """
Epoch 0/9  ━━━━━━━╸━━━━━━━━━ 20/202 0:00:10 • 0:01:21 2.00it/s v_num: 3.000 train_loss: 1.5
""",
            iterations=((20, 0.5, 20, 1.5),),
            variant="Lightning with Rich",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self.clock = WindowClock()
        self._left: tuple[Fields, Bar, LogLine] | None = None  # the newest frame of a window that has no end yet

    @handler()
    def titled_bar(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """A line with the title of another bar than training's: a frame of it, or not."""
        bar = find_bar(line.text)
        return [] if bar is None else self.frame(bar, line)

    def trains(self, bar: Bar) -> bool:
        """The epoch's bar; `Training` before 1.5."""
        return bar.title.startswith(("Epoch", "Training"))

    def step(self, fields: Fields, bar: Bar, line: LogLine) -> Sequence[Event]:
        """Only the end of a window is an iteration, or of an epoch: its time is the mean over the steps in it."""
        before, self._left = self._left, None
        same = before is None or _epoch(before[1]) == _epoch(bar)
        events = [] if before is None or same else list(super().step(*before))
        if "duration_s" not in fields and bar.n != bar.total:
            self._left = (fields | self._so_far(bar), bar, line)
            return events
        return [*events, *super().step(fields, bar, line)]

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """A process that ends leaves a window without an end: its newest frame says how far the training came."""
        before = self.crashed
        events = super().line(text, at_s)
        return events or ([] if before or not self.crashed else self.release())

    def release(self) -> list[Event]:
        """It stopped in the middle of a window."""
        left, self._left = self._left, None
        return [*super().release(), *([] if left is None else super().step(*left))]

    def _so_far(self, bar: Bar) -> Fields:
        """The mean of a window that may have no end."""
        mean = self.clock.until(bar) if isinstance(self.clock, WindowClock) else None
        return {"duration_s": mean[0], "averaged_over": mean[1], "witness": Witness.RATE} if mean else {}

    @handler(iterations=True, texts=("rest", "stamp"))
    def rich(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """Rich's bar."""
        seconds = 0.0
        for part in fields["stamp"].split(":"):
            seconds = seconds * 60 + int(part)
        read = [f"{key}={value}" for key, value in words(fields.get("rest", "")).items()]
        bar = Bar(
            f"Epoch {fields['epoch']:.0f}",
            int(fields["batch"]),
            int(fields["batches"]),
            seconds,
            None,
            ", ".join(read),
        )
        return self._training_bar(bar, line)


def _epoch(bar: Bar) -> str:
    found = EPOCH.search(bar.title)
    return found[1] if found else bar.title
