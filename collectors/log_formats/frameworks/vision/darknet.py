"""Darknet: a line a batch.

    Loaded: 0.000050 seconds
     100: 5.625, 6.125 avg loss, 0.000100 rate, 2.500000 seconds, 6400 images, 10.500000 hours left            AlexeyAB's
    100: 5.625, 6.125 avg, 0.000100 rate, 2.500000 seconds, 6400 images
    v3 (mse loss, Normalizer: (iou: 0.75, obj: 1.00, cls: 1.00) Region 82 Avg (IOU: 0.5), count: 4, total_loss = 1.25
    100, 0.050: 5.625, 6.125 avg, 0.1 rate, 2.5 seconds, 12800 images                                       classifiers
What is said of each layer that detects counts objects and no batches, and its loss is not the batch's. The title that a window
would have (`100/7000: loss=6.1 hours left=10.5`) has how many batches there will be.
A notebook keeps each line in quotes.
The seconds are those of the training alone; `Loaded` is the wait for its data. Where neither `loss` nor `hours left` is printed, older
versions give the processor's seconds, not the wall's: they are left aside, as those of classifiers are. Since a layer that detects
prints its recall at three quarters, too (`.5R: 0.5, .75R: 0.25`), they are the wall's. The first loss is this batch's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class Darknet(LineParser):
    """Batches."""

    name = "Darknet"
    about = "seconds and the wait before them; without evaluation; versions before YOLOv3 print processor time: left aside"
    time_includes = (DATA,)
    lines = (
        Line(" avg loss, ", r"^[\s\"]*(?P<iteration>\d+): (?P<loss>N), N avg loss, (?P<learning_rate>N) rate, (?P<duration_s>N) seconds, \d+ images"
             .replace("N avg", r"[-+\d.naif]{1,24} avg"), "batch"),
        Line(" avg, ", r"^[\s\"]*(?P<iteration>\d+)(?P<of_all>, [\d.]{1,24})?: (?P<loss>N), [-+\d.naif]{1,24} avg, (?P<learning_rate>N) rate, "
             r"(?P<duration_s>N) seconds, \d+ images", "older_batch"),
        Line("Loaded:", r"^[\s\"]*Loaded: (?P<wait>N) seconds", "loaded"),
        Line("train = 1", r"^\s*mini_batch = \d+, batch = \d+, time_steps = \d+, train = 1\b", "starts"),
        Line("Momentum:", r"^\s*Learning Rate: N, Momentum: N, Decay: N\s*$".replace("N", r"[\d.e-]{1,16}"), "starts"),
        Line("Saving weights to", r"^Saving weights to (?P<detail>\S{1,400})", "checkpoint"),
        Line("hours left=", r"(?<!\d)(?P<at>\d{1,9})/(?P<total>\d{1,9}): loss=\S{1,16} hours left=", "window_title"),
        Line(", .75R: ", r"^[\s\"]*Region \d+ Avg IOU: [^%]{1,120}, \.5R: [-\w.]{1,12}, \.75R: [-\w.]{1,12}, +count: \d", "of_a_layer"),
        Line("Region ", r"^[\s\"]*(?:v\d[^:]{0,80}: [^)]{0,80}\) )?Region \d+ Avg ", "known"),
        Line("total_bbox = ", r"^[\s\"]*total_bbox = \d+, rewritten_bbox = ", "known"),
        Line("mAP@", r"mean[_ ]average[_ ]precision \(mAP@[\d.]{1,8}\) = (?P<map>N)", "mean_average_precision"),
    )  # fmt: skip
    examples = (
        Example(
            """
Loaded: 0.500000 seconds

 100: 5.625, 6.125 avg loss, 0.000100 rate, 2.500000 seconds, 6400 images, 10.500000 hours left
Loaded: 0.000000 seconds

 101: 5.5, 6.0 avg loss, 0.000100 rate, 2.250000 seconds, 6464 images, 10.500000 hours left
Saving weights to backup/yolo_100.weights
 mean_average_precision (mAP@0.50) = 0.750000
""",
            iterations=((100, 3.0, 1, 5.625), (101, 2.25, 1, 5.5)),
            evaluations=((102, {"mAP": 0.75}),),
            checkpoints=(102,),
        ),
        Example(
            """
1: 5.625, 5.625 avg, 0.000100 rate, 2.500000 seconds, 64 images
2: 5.5, 5.6125 avg, 0.000100 rate, 2.500000 seconds, 128 images
""",
            iterations=((1, None, 1, 5.625), (2, None, 1, 5.5)),
            variant="Darknet, whose seconds may be the processor's",
        ),
        Example(
            """
Region 16 Avg IOU: 0.250000, Class: 0.500000, Obj: 0.500000, No Obj: 0.500000, .5R: 0.125000, .75R: 0.000000,  count: 4
1: 5.625, 5.625 avg, 0.000100 rate, 2.500000 seconds, 64 images
Loaded: 0.500000 seconds
Region 16 Avg IOU: -nan, Class: -nan, Obj: -nan, No Obj: 0.500000, .5R: -nan, .75R: -nan,  count: 0
2: 5.5, 5.6125 avg, 0.000100 rate, 2.500000 seconds, 128 images
""",
            iterations=((1, 2.5, 1, 5.625), (2, 3.0, 1, 5.5)),
            variant="Darknet of YOLOv3",
        ),
        Example(
            """
v3 (mse loss, Normalizer: (iou: 0.75, obj: 1.00, cls: 1.00) Region 82 Avg (IOU: 0.500000), count: 4, total_loss = 1.250000
v3 (mse loss, Normalizer: (iou: 0.75, obj: 1.00, cls: 1.00) Region 94 Avg (IOU: 0.250000), count: 9, total_loss = 2.500000
 total_bbox = 120, rewritten_bbox = 0.000000 %
100/7000: loss=6.1 hours left=10.5
 100: 5.625, 6.125 avg loss, 0.000100 rate, 2.500000 seconds, 6400 images, 10.500000 hours left
v3 (mse loss, Normalizer: (iou: 0.75, obj: 1.00, cls: 1.00) Region 82 Avg (IOU: 0.750000), count: 2, total_loss = 1.750000
v3 (mse loss, Normalizer: (iou: 0.75, obj: 1.00, cls: 1.00) Region 94 Avg (IOU: 0.500000), count: 7, total_loss = 2.250000
 total_bbox = 131, rewritten_bbox = 0.000000 %
101/7000: loss=6.0 hours left=10.5
 101: 5.5, 6.0 avg loss, 0.000100 rate, 2.250000 seconds, 6464 images, 10.500000 hours left
""",
            iterations=((100, 2.5, 1, 5.625), (101, 2.25, 1, 5.5)),
            variant="with what it says of each layer",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._waited_s = 0.0
        self._by_the_wall = False  # are a row's seconds the wall's, though it has neither `loss` nor `hours left`?
        self._total: float | None = None  # of batches, as the newest title has it

    @handler(numbers=("at", "total"))
    def window_title(self, fields: Fields, _line: LogLine) -> list[Event]:
        """How many batches there will be."""
        self._total = fields["total"] if fields["at"] <= fields["total"] else None
        return []

    @handler()
    def starts(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """What a training prints of its network, once: what comes next is another process's, wherever that counts on."""
        self.started, self._waited_s, self._total = self.last is not None, 0.0, None
        return []

    @handler(numbers=("wait",))
    def loaded(self, fields: Fields, _line: LogLine) -> list[Event]:
        """How long the next batch was waited for."""
        self._waited_s = fields["wait"]
        return []

    @handler(iterations=True)
    def batch(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch; with several GPUs the counter goes on by as many."""
        waited_s, self._waited_s = self._waited_s, 0.0
        steps = fields["iteration"] - self.last if self.last is not None else 1.0
        steps = steps if 1 <= steps <= 64 else 1.0
        fields["duration_s"] = (fields["duration_s"] + waited_s) / steps
        read = {"data_wait_s": waited_s / steps, "averaged_over": steps, "rank": 0.0}
        if self._total is not None and self._total >= fields["iteration"]:
            read["total"] = self._total
        return self.iteration(fields | read, line)

    @handler()
    def of_a_layer(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """What a layer of YOLOv3 found: the versions that have it take the time by the wall's clock."""
        self._by_the_wall = True
        return []

    @handler(iterations=True, texts=("of_all",))
    def older_batch(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch whose seconds may be the processor's. Its number before a colon is no rank."""
        of_a_classifier = fields.pop("of_all", None) is not None
        if self._by_the_wall and not of_a_classifier:
            return self.batch(fields, line)
        del fields["duration_s"]
        return self.iteration(fields | {"rank": 0.0}, line)

    @handler(numbers=("map",))
    def mean_average_precision(self, fields: Fields, line: LogLine) -> list[Event]:
        """What an evaluation found."""
        return self.evaluation({"mAP": fields["map"]}, line)
