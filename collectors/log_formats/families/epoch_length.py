"""How many images an epoch has, where a run's lines come at equal distances, over the ends of epochs too.

So `epochs * length + images` grows by the same from each line to the next, which tells the length where three
lines lie differently. A length below the images that lines have is right too where an epoch's images do not
begin at 0.
"""

from __future__ import annotations


class EpochLength:
    """The lines of one training after another."""

    def __init__(self) -> None:
        self.images: int | None = None
        """Of an epoch; 0: they run on through the epochs; None: nothing tells it."""
        self._newest: tuple[float, int] | None = None  # a line's epoch, and its images
        self._apart: tuple[float, int] | None = None  # the newest two lines: by epochs, and by images
        self._solved = False  # by this training's lines, not those of the one before it
        self._distance = 0  # of two lines of an epoch, as long as it is always the same
        self._uneven = False  # ... it was not

    def row(self, epoch: float, images: int, *, anew: bool) -> bool:
        """A line: does it tell the length? One that is `anew`, or lies before the newest, begins a start."""
        before, self._newest = self._newest, (epoch, images)
        if before is None or anew or (epoch, images) < before:
            # A first line behind epoch 1 lies at its distance from the training's beginning. One that was resumed
            # lies nearer, which no length fits: it has the length of the training before it, if any has.
            self._apart = (epoch - 1, images) if epoch > 1 else None
            self._solved, self._distance, self._uneven = False, 0, False
            if epoch <= 1 or (self.images and images > self.images):
                self.images = None
            return False
        apart, first = (epoch - before[0], images - before[1]), self._apart
        self._apart = apart
        if apart[0] == 0:
            self._uneven |= self._distance not in {0, apart[1]}
            self._distance = apart[1]
        if first is None or apart[0] == first[0] or self._solved:
            return False
        length = (first[1] - apart[1]) / (apart[0] - first[0])
        if length == int(length) and (
            length >= max(images, before[1]) or self._begins_late(length, images, first)
        ):
            self.images, self._solved = int(length), True
        return self._solved

    def _begins_late(self, length: float, images: int, first: tuple[float, int]) -> bool:
        """Is this epoch's first line further from 0 than lines lie apart? Then images do not begin at 0."""
        return length >= 0 and first[0] == 0 and not self._uneven and 0 < self._distance < images
