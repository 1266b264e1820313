"""The bars that tqdm draws, and that Ultralytics draws itself since 2025: when, and with which rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..strange.tape import Tape

DRAWN_EACH_S = 0.1
EIGHTHS = " ▏▎▍▌▋▊▉█"


def clock(seconds: float) -> str:
    """As tqdm prints it: minutes and whole seconds."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{whole // 60:02d}:{whole % 60:02d}"


class TqdmBar:
    """One bar; `smoothing` 0 gives the mean since it began, as Lightning wants it.

    `below`: lines that it stands below the first bar. What is counted may be drawn later.
    """

    def __init__(
        self, tape: Tape, title: str, total: int, at_s: float, smoothing: float = 0.3, below: int = 0
    ) -> None:
        self.tape, self.title, self.total, self.smoothing, self.below = tape, title, total, smoothing, below
        self.postfix = ""
        self.begin(at_s)

    def begin(self, at_s: float) -> None:
        """It counts from 0 again, and is drawn."""
        self.shown = 0
        self.began_s = self.drawn_s = at_s
        self._steps = self._seconds = 0.0
        self._calls = 0
        self._least_steps = 0.0
        self.draw(at_s)

    def step(self, counted: int, at_s: float) -> None:
        """Another is over: drawn where a tenth of a second has passed, and as many steps as usual."""
        steps, seconds = counted - self.shown, at_s - self.drawn_s
        if steps < self._least_steps or seconds < DRAWN_EACH_S:
            return
        self._calls += 1
        self._steps = self.smoothing * steps + (1 - self.smoothing) * self._steps
        self._seconds = self.smoothing * seconds + (1 - self.smoothing) * self._seconds
        self._least_steps = 0.3 * steps * DRAWN_EACH_S / seconds + 0.7 * self._least_steps
        self.shown, self.drawn_s = counted, at_s
        self.draw(at_s)

    def draw(self, at_s: float) -> None:
        """One frame."""
        up = "\x1b[A" if self.below else ""
        self.tape.draw("\n" * self.below + "\r" + self._text(at_s) + up, at_s, "")

    def close(self, at_s: float, *, stays: bool = True, end: str = "\n") -> None:
        """The last frame has the mean of all; one that does not stay is wiped out."""
        self.shown, self._calls = self.total, 0
        if stays:
            self.tape.draw("\r" + self._text(at_s), at_s, end)
        else:
            up = "\x1b[A" if self.below else ""
            self.tape.draw("\n" * self.below + "\r" + " " * len(self._text(at_s)) + "\r" + up, at_s, "")

    def _rate(self, spent_s: float) -> float | None:
        if self.smoothing and self._calls:
            return self._steps / self._seconds
        return self.shown / spent_s if spent_s and self.shown else None

    def _text(self, at_s: float) -> str:
        spent_s = at_s - self.began_s
        rate = self._rate(spent_s)
        left = "?" if not rate else clock((self.total - self.shown) / rate)
        speed = "?it/s" if not rate else f"{1 / rate:5.2f}s/it" if rate < 1 else f"{rate:5.2f}it/s"
        part = self.shown / self.total
        whole, eighth = divmod(int(part * 80), 8)
        drawn = "█" * whole + (EIGHTHS[eighth] if whole < 10 else "")
        title = f"{self.title}: " if self.title else ""
        postfix = f", {self.postfix}" if self.postfix else ""
        counted = f"{100 * part:3.0f}%|{drawn:<10}| {self.shown}/{self.total}"
        return f"{title}{counted} [{clock(spent_s)}<{left}, {speed}{postfix}]"


class OwnBar:
    """That of Ultralytics since 2025: its smoothed rate begins at 0, and the last frame has the mean."""

    def __init__(self, tape: Tape, title: str, total: int, at_s: float) -> None:
        self.tape, self.title, self.total = tape, title, total
        self.began_s = self.drawn_s = at_s
        self.counted = self.shown = 0
        self.rate = 0.0
        self.postfix = ""

    def step(self, counted: int, at_s: float) -> None:
        """Another is over."""
        self.counted = counted
        self.draw(at_s)

    def draw(self, at_s: float) -> None:
        """One frame, where a tenth of a second has passed or it is full."""
        if self.counted >= self.total or at_s - self.drawn_s >= DRAWN_EACH_S:
            self.tape.draw("\r\x1b[K" + self._text(at_s), at_s, "")

    def close(self, at_s: float) -> None:
        """Once more, and a new line."""
        self.tape.draw("\r\x1b[K" + self._text(at_s), at_s, "\n")

    def _text(self, at_s: float) -> str:
        spent_s, since_s = at_s - self.began_s, at_s - self.drawn_s
        if since_s > 0.01:
            self.rate = 0.3 * (self.counted - self.shown) / since_s + 0.7 * self.rate
        rate = self.counted / spent_s if self.counted >= self.total else self.rate
        self.shown, self.drawn_s = self.counted, at_s
        left = f"<{_time((self.total - self.counted) / rate)}" if 0 < self.counted < self.total and rate else ""
        rate = rate if rate > 0 else self.counted / spent_s if spent_s else 0.0
        speed = f"{rate / 1e3:.1f}Kit/s" if rate >= 1e3 else f"{rate:.1f}it/s" if rate else ""
        full = 12 * self.counted / self.total
        drawn = "━" * int(full) + ("╸" if full - int(full) > 0.5 else "")
        percent = f"{100 * self.counted / self.total:.0f}%"
        return f"{self.title}: {percent} {drawn:─<12} {self.counted}/{self.total} {speed} {_time(spent_s)}{left}"


def _time(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f}s"
    minutes = f"{int(seconds // 60) % 60:02d}" if seconds >= 3600 else f"{int(seconds // 60)}"
    return (
        f"{int(seconds // 3600)}:{minutes}:{seconds % 60:02.0f}"
        if seconds >= 3600
        else f"{minutes}:{seconds % 60:02.0f}"
    )
