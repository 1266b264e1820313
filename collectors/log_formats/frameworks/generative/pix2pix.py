"""pix2pix and CycleGAN, and the many built on their code: a line each `print_freq` images, and one an epoch.

               batch_size: 4                                                                    the options, printed first
    The number of training images = 1096
    (epoch: 1, iters: 100, time: 0.123, data: 0.200) G_GAN: 0.31 D_real: 0.25 G_A: 0.5
    End of epoch 4 / 100       Time Taken: 1604 sec
`iters` counts the epoch's images; forks let it run on through the epochs, and only one that is seen to fall begins again with each. In 2017 it was what
is left of the run's images, a fixed number for each epoch before taken off: that is not always what an epoch has, and `iters` grows. `time` is that
of one image: computing alone, of one batch, divided by its size; in forks with a line an epoch that of the epoch, and neither is said. `data` is the wait of another batch: where that is long, computing is no time of an iteration. An epoch's time has all in it: it is the clock, where the number of images is known. Without a batch size images are counted.
Where a fork draws a bar for each epoch, its steps and its clock are taken: it has every batch, and all its time.
"""

from __future__ import annotations

import re
from math import ceil, inf, isnan, nan
from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import Launch, RunInfo
from ...base import Example
from ...families.epoch_length import EpochLength
from ...parsing.bar_parser import BarParser
from ...parsing.bars import BAR, BAR_START
from ...parsing.grammar import NUMBER_PATTERN, Line, handler
from ...parsing.stamps import stamp
from ...parsing.values import number, scalars, seconds, whole

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_LOSS = rf"([A-Za-z]\w{{0,40}}): ({NUMBER_PATTERN})(?:[\s,]|$)"

_CUT_OFF_S = 0.5
"""Of whole seconds the rest is cut off: what that leaves out of each epoch, in the mean."""

_HARDLY = 0.1
"""Of a batch's computing: where it waits longer for its data, iterations take clearly longer than is printed."""

_SURE_S, _LONGEST_S = 1.0, 30.0
"""Seconds of an image: what takes longer may be the epoch's, where a line is printed for each; so long takes none."""


class Pix2Pix(BarParser):
    """Batches, from images; an epoch's end."""

    name = "pix2pix, CycleGAN"
    about = "time: computing of one batch, without data; an epoch's own time is the clock; there is no single loss"
    time_includes = ()
    first_epoch = 1
    lines = (
        Line("(epoch: ", r"^(?:\[Rank \d+\] )?\(epoch: (?P<epoch>\d+), iters: (?P<images>\d+), time: (?P<each>N)(?:, data: (?P<waited>N))?\)(?P<rest>.{0,2000})$",
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
            iterations=((50, None, 1, None), (100, 0.5, 1, None), (150, 0.5, 1, None), (200, None, 1, None)),
        ),
        Example(
            """
(epoch: 1, iters: 100, time: 0.125, data: 0.250) G_GAN: 0.500 D_real: 0.250
(epoch: 1, iters: 200, time: 0.150, data: 0.002) G_GAN: 0.500 D_real: 0.250
(epoch: 2, iters: 50, time: 0.150, data: 0.002) G_GAN: 0.500 D_real: 0.250
End of epoch 2 / 200 \t Time Taken: 80 sec
""",
            iterations=((100, None, 1, None), (200, 0.15, 1, None), (300, 0.15, 1, None)),
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
        self._more = False  # ... or there are more of them than an epoch has
        self._images_before = self._newest = 0
        self._line_before: tuple[float, int] | None = None  # its epoch, and its images
        self._lengths = EpochLength()
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

    @handler(iterations=True, numbers=("images", "each", "waited"), texts=("rest",))
    def batch(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch that was printed."""
        headed, self._headed = self._headed, False
        images, each_s, rest = whole(fields.pop("images")), fields.pop("each"), fields.pop("rest")
        epoch, size, waited_s = fields.pop("epoch"), self._size or 1, fields.pop("waited", None)
        if waited_s is not None and each_s is not None and waited_s > _HARDLY * each_s * size:
            each_s = None  # computing alone is not what an iteration takes
        if images is None or whole(epoch) is None or self.newest is not None:
            return []
        self.unit = "" if self._size else "image"
        self._once_an_epoch = self._line_before == (epoch - 1, images)  # as who prints one line an epoch
        anew = self.started and epoch <= 1  # it loaded nothing, or counts from its beginning all the same
        if self._lengths.row(epoch, images, anew=anew or headed):
            self._place_held()
        events = self.release()
        self._anew = anew
        if anew:
            self._images_epoch = inf
        self._line_before = epoch, images
        self._count_images_epoch(epoch, images)
        self._newest = images
        losses = [(name, number(text)) for name, text in re.findall(_LOSS, rest)]
        values = [value for _, value in losses]
        fields["scalars"] = scalars(losses) or None
        fields |= {"iteration": float(ceil((self._images_before + images) / size)), "duration_s": each_s}
        if any(value is not None and isnan(value) for value in values):
            fields["loss"] = nan
        self._held = (fields, line)
        return events

    @handler(numbers=("spent",))
    def epoch_ends(self, fields: Fields, line: LogLine) -> list[Event]:
        """An epoch, with all that was in it: the clock goes on."""
        spent_s, per_epoch = seconds(fields["spent"]), self._per_epoch
        if spent_s is not None and spent_s == int(spent_s):
            spent_s += _CUT_OFF_S
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

    @property
    def _per_epoch(self) -> int | None:
        """Batches."""
        return ceil(announced / (self._size or 1)) if (announced := self._announced) else None

    @property
    def _announced(self) -> int:
        """Images of an epoch, as the options say: of full batches, or less than a batch off what the lines tell."""
        if not self._images or not self._size:
            return 0
        if (solved := self._lengths.images) and abs(solved - self._images) < self._size:
            return solved
        return ceil(self._images / self._size) * self._size

    def _count_images_epoch(self, epoch: float, images: int) -> None:
        """Where nothing tells their number, the highest in the epoch before stands for it, if the count has fallen."""
        announced, before = self._announced, self._images_epoch
        if before is not None and epoch < before:  # another training
            self._images_before, self._falls, self._more = 0, False, False
        self._more |= 0 < announced < images
        turns = before is not None and epoch > before
        self._falls |= turns and images <= self._newest
        solved = self._lengths.images if self._more or not announced else announced
        if solved is not None:
            self._images_before = int(epoch - 1) * solved if epoch >= 1 else 0
        elif self._more:
            self._images_before = 0
        elif turns and self._falls:
            self._images_before += self._newest
        self._images_epoch = epoch

    def _place_held(self) -> None:
        """The line that is held back lies where the length of an epoch says, which the line behind it told."""
        length, line = self._lengths.images, self._line_before
        if self._held and line and length and not self._per_epoch:
            images = max(0.0, line[0] - 1) * length + line[1]
            self._held[0]["iteration"] = float(ceil(images / (self._size or 1)))
