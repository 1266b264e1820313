"""pix2pix and CycleGAN, and the many built on their code: a line each `print_freq` images, and one an epoch.

               batch_size: 4                                                                    the options, printed first
    The number of training images = 1096
    (epoch: 1, iters: 100, time: 0.123, data: 0.200) G_GAN: 0.31 D_real: 0.25 G_A: 0.5
    End of epoch 4 / 100       Time Taken: 1604 sec
`iters` counts the epoch's images; forks let it run on through the epochs, and only one that is seen to fall begins again with each. `time` is that
of one image: computing alone, of one batch, divided by its size; in forks with a line an epoch that of the epoch, and neither is said. `data` is the wait of another batch. An epoch's time has all in it: it is the clock, where the number of images is known. Without a batch size images are counted.
Where a fork draws a bar for each epoch, its steps and its clock are taken: it has every batch, and all its time.
"""

from __future__ import annotations

import re
from math import ceil, inf, isnan, nan
from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import Launch, RunInfo
from ...base import Example
from ...parsing.bar_parser import BarParser
from ...parsing.bars import BAR, BAR_START
from ...parsing.grammar import NUMBER_PATTERN, Line, handler
from ...parsing.stamps import stamp
from ...parsing.values import number, scalars, seconds, whole

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_LOSS = rf"([A-Za-z]\w{{0,40}}): ({NUMBER_PATTERN})(?:\s|$)"

_SURE_S, _LONGEST_S = 1.0, 30.0
"""Seconds of an image: what takes longer may be the epoch's, where a line is printed for each; so long takes none."""


class Pix2Pix(BarParser):
    """Batches, from images; an epoch's end."""

    name = "pix2pix, CycleGAN"
    about = "time: computing of one batch, without data; an epoch's own time is the clock; there is no single loss"
    time_includes = ()
    first_epoch = 1
    lines = (
        Line("(epoch: ", r"^(?:\[Rank \d+\] )?\(epoch: (?P<epoch>\d+), iters: (?P<images>\d+), time: (?P<each>N)(?:, data: [\d.]{1,20})?\)(?P<rest>.{0,2000})$",
             "batch"),
        Line("Loss (", r"^=+ Training Loss \(.{8,40}\) =+\s*$", "begins"),
        Line("End of epoch", r"^End of epoch (?P<epoch>\d+) / (?P<epochs>\d+)\s+Time Taken: (?P<spent>N) sec", "epoch_ends"),
        Line("atch", r"^\s*batch_?[sS]ize: (?P<micro_batch_size>\d+)\b", "batch_size", distinctive=False),
        Line("training images", r"^(?:The number of |#)training images = (?P<images>\d+)", "images"),
        Line("saving the latest model", r"^saving the latest model \(epoch \d+, total_\w+ \d+\)", "checkpoint"),
        BAR,
        BAR_START,
    )  # fmt: skip
    examples = (
        Example(
            """
               batch_size: 4                             \t[default: 1]
The number of training images = 400
(epoch: 1, iters: 200, time: 0.125, data: 0.250) G_GAN: 0.500 D_real: 0.250
(epoch: 1, iters: 400, time: 0.125, data: 0.002) G_GAN: nan D_real: 0.250
End of epoch 1 / 200 \t Time Taken: 90 sec
(epoch: 2, iters: 200, time: 0.125, data: 0.002) G_GAN: 0.500 D_real: 0.250
End of epoch 2 / 200 \t Time Taken: 80 sec
""",
            iterations=((50, 0.5, 1, None), (100, 0.5, 1, None), (150, 0.5, 1, None), (200, None, 1, None)),
        ),
        Example(
            """
(epoch: 1, iters: 100, time: 0.125, data: 0.250) G_GAN: 0.500 D_real: 0.250
(epoch: 1, iters: 200, time: 0.150, data: 0.002) G_GAN: 0.500 D_real: 0.250
(epoch: 2, iters: 50, time: 0.150, data: 0.002) G_GAN: 0.500 D_real: 0.250
End of epoch 2 / 200 \t Time Taken: 80 sec
""",
            iterations=((100, 0.125, 1, None), (200, 0.15, 1, None), (300, 0.15, 1, None)),
            variant="pix2pix, CycleGAN without their options: images, and an epoch's number by the lines' distance",
        ),
        Example(
            """
batchSize: 1
#training images = 250
(epoch: 1, iters: 100, time: 0.750) G_A: 0.500 D_A: 0.250
(epoch: 1, iters: 200, time: 0.750) G_A: 0.500 D_A: 0.250
End of epoch 1 / 200 \t Time Taken: 125 sec
""",
            iterations=((100, 0.75, 1, None), (200, 0.75, 1, None), (250, None, 1, None)),
            variant="pix2pix, CycleGAN of 2017: options without an indent; a printed image in a hundred takes longer, for it is drawn",
        ),
        Example(
            """
               batch_size: 4                             \t[default: 1]
The number of training images = 400
Epoch 1/200:  50%|█████     | 50/100 [01:00<01:00,  1.20s/it]
(epoch: 1, iters: 200, time: 0.125, data: 0.250) G_GAN: 0.500 D_real: 0.250
Epoch 1/200: 100%|██████████| 100/100 [02:00<00:00,  1.20s/it]
End of epoch 1 / 200 \t Time Taken: 125 sec
Epoch 2/200:  50%|█████     | 50/100 [01:00<01:00,  1.20s/it]
""",
            iterations=((50, 1.2, 50, None), (100, 1.2, 50, None), (150, 1.2, 50, None)),
            variant="pix2pix, CycleGAN with a bar for each epoch",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._size: int | None = None  # of a batch
        self._images: int | None = None  # of an epoch
        self._images_epoch: float | None = None
        self._falls = False  # images begin again with each epoch, as was seen
        self._runs_on = False  # ... or there are more of them than an epoch has
        self._batches_before = self._newest = 0  # batches
        self._line_before: tuple[float, int] | None = None  # its epoch, and its batches
        self._apart: tuple[float, int] | None = None  # the newest two lines: by epochs, and by batches
        self._solved = 0  # batches of an epoch, by the lines' distances
        self._elapsed_s: float | None = 0.0
        self._ended = 0.0  # the newest epoch that did
        self._once_an_epoch = False  # a line, as the newest two are
        self._anew = False  # is the newest line the first of another training?
        self._headed = False  # a start of the program was told of, and no line came since
        self._held: tuple[Fields, LogLine] | None = None  # the newest line, until its epoch may have ended

    @handler()
    def batch_size(self, fields: Fields, line: LogLine) -> list[Event]:
        """One of the options."""
        self._size = whole(fields["micro_batch_size"]) or None
        return self.config(fields, line)

    @handler(numbers=("images",))
    def images(self, fields: Fields, _line: LogLine) -> list[Event]:
        """How many images an epoch has."""
        self._images = whole(fields["images"]) or None
        return []

    @handler()
    def begins(self, _fields: Fields, line: LogLine) -> list[Event]:
        """Each start of the program writes it into `loss_log.txt`, with its date."""
        events = self.release()
        self.started = self.last is not None
        after_none, self._headed = self._headed, True
        again = after_none or self.started
        return [*events, *([Launch(stamp(line.text), after_none=bool(after_none))] if again else [])]

    @handler(iterations=True, numbers=("images", "each"), texts=("rest",))
    def batch(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch that was printed."""
        self._headed = False
        images, each_s, rest = whole(fields.pop("images")), fields.pop("each"), fields.pop("rest")
        epoch, size = fields.pop("epoch"), self._size or 1
        if images is None or whole(epoch) is None or self.newest is not None:
            return []
        self._once_an_epoch = self._is_the_next(epoch, ceil(images / size))
        events = self.release()
        self._anew = self.started and epoch <= 1  # it loaded nothing, or counts from its beginning all the same
        if self._anew:
            self._images_epoch, self._line_before = inf, None
        self._solve(epoch, ceil(images / size))
        self._count_images_epoch(epoch, ceil(images / size))
        self._newest = ceil(images / size)
        losses = [(name, number(text)) for name, text in re.findall(_LOSS, rest)]
        values = [value for _, value in losses]
        fields["scalars"] = scalars(losses) or None
        fields |= {"iteration": float(self._batches_before + self._newest), "duration_s": each_s}
        if any(value is not None and isnan(value) for value in values):
            fields["loss"] = nan
        self._held = (fields, line)
        return events

    @handler(numbers=("spent",))
    def epoch_ends(self, fields: Fields, line: LogLine) -> list[Event]:
        """An epoch, with all that was in it: the clock goes on."""
        spent_s, per_epoch = seconds(fields["spent"]), self._per_epoch
        if spent_s is None or per_epoch is None or whole(fields["epoch"]) is None or self.newest is not None:
            return self.release()
        self._goes_on(fields["epoch"], spent_s)
        ends: Fields = {
            "iteration": max(1.0, fields["epoch"]) * per_epoch,
            "total": fields["epochs"] * per_epoch,
            "elapsed_s": self._elapsed_s,
        }
        if self._held and self._held[0]["iteration"] == ends["iteration"]:
            self._held[0].update(ends)
            return self.release()
        return [*self.release(), *self.iteration(ends, line)]

    def _goes_on(self, epoch: float, spent_s: float) -> None:
        """The clock, as long as no epoch is left out: nobody knows how long that one took."""
        left_out = self._ended and epoch != self._ended + 1
        self._elapsed_s = None if left_out or self._elapsed_s is None else self._elapsed_s + spent_s
        self._ended = epoch

    def release(self) -> list[Event]:
        """The line that was held back."""
        held, self._held = self._held, None
        if held is None:
            return []
        fields, line = held
        each_s, longest_s = fields.pop("duration_s", None), _SURE_S if self._once_an_epoch else _LONGEST_S
        if each_s and each_s < longest_s:
            fields["duration_s"] = each_s * (self._size or 1)
        events = self.iteration(fields, line)
        if self._anew and events and isinstance(events[0], RunInfo):
            events[0] = replace(events[0], resumed=False)
        return events

    def _is_the_next(self, epoch: float, batches: int) -> bool:
        """Is it an epoch after the line before it, at the same place? So are the lines of who prints one an epoch."""
        return self._line_before is not None and self._line_before == (epoch - 1, batches)

    @property
    def _per_epoch(self) -> int | None:
        """Batches."""
        return ceil(self._images / self._size) if self._images and self._size else None

    def _count_images_epoch(self, epoch: float, batches: int) -> None:
        """Where nothing tells the number of images, the highest in the epoch before stands for it, if the count has fallen."""
        per_epoch, before = self._per_epoch or self._solved, self._images_epoch
        if before is not None and epoch < before:  # another training
            self._batches_before, self._falls, self._runs_on = 0, False, False
        self._runs_on |= 0 < per_epoch < batches
        turns = before is not None and epoch > before
        self._falls |= turns and batches <= self._newest
        if self._runs_on:
            self._batches_before = 0
        elif per_epoch:
            self._batches_before = int(epoch - 1) * per_epoch if epoch >= 1 else 0
        elif turns and self._falls:
            self._batches_before += self._newest
        self._images_epoch = epoch

    def _solve(self, epoch: float, batches: int) -> None:
        """How long an epoch is: lines come at equal distances, over the ends of epochs too.

        So of three lines `epochs * length + batches` is the same from the first to the second and from there to the
        third, which tells the length where they lie differently.
        """
        before, self._line_before = self._line_before, (epoch, batches)
        if before is None or epoch < before[0]:  # another training
            self._apart, self._solved = None, 0
            return
        apart, first = (epoch - before[0], batches - before[1]), self._apart
        self._apart = apart
        if first is not None and apart[0] != first[0]:
            length = (first[1] - apart[1]) / (apart[0] - first[0])
            if length >= max(batches, before[1]) and length == int(length):
                self._solved = int(length)
