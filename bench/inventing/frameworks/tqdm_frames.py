"""The frames of tqdm's bar, when it draws them, and how it makes room for a line that is written above."""

from __future__ import annotations

SMOOTHING = 0.3
LEAST_S = 0.1
EIGHTHS = " ▏▎▍▌▋▊▉"


def interval(seconds: float) -> str:
    """Whole seconds, cut."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"


class TqdmFrames:
    """A bar with `total` steps, of which some may be done. `row`: how many lines below the first it stands."""

    def __init__(self, total: int, at_s: float, *, title: str = "", row: int = 0, done: int = 0) -> None:
        self.total, self.begun_s, self.title, self.row = total, at_s, f"{title}: " if title else "", row
        self.done = self.first = self.drawn_at = done
        self.drawn_s, self.least_steps = at_s, 0.0
        self.steps, self.seconds, self.calls = 0.0, 0.0, 0
        self.width = 0

    def update(self, at_s: float, steps: int = 1, postfix: str = "") -> str | None:
        """Some are done: the frame, if it draws one."""
        self.done += steps
        new, passed_s = self.done - self.drawn_at, at_s - self.drawn_s
        if new < self.least_steps or passed_s < LEAST_S:
            return None
        self.steps = SMOOTHING * new + (1 - SMOOTHING) * self.steps
        self.seconds = SMOOTHING * passed_s + (1 - SMOOTHING) * self.seconds
        self.calls += 1
        self.least_steps = SMOOTHING * new * LEAST_S / passed_s + (1 - SMOOTHING) * self.least_steps
        self.drawn_at, self.drawn_s = self.done, at_s
        return self.frame(at_s, postfix)

    def frame(self, at_s: float, postfix: str = "", *, closes: bool = False) -> str:
        """How it is drawn. Its rate is smoothed, but for the last frame's, which is the mean of all."""
        spent_s = at_s - self.begun_s
        rate = self.steps / self.seconds if self.calls and not closes else None
        if rate is None and spent_s > 0:
            rate = (self.done - self.first) / spent_s
        speed = "?it/s" if not rate else f"{rate:5.2f}it/s" if rate >= 1 else f"{1 / rate:5.2f}s/it"
        left = interval((self.total - self.done) / rate) if rate else "?"
        part = self.done / self.total
        full, eighth = divmod(int(part * 80), 8)
        drawn = "█" * full + (EIGHTHS[eighth] + " " * (9 - full) if full < 10 else "")
        clock = f"{interval(spent_s)}<{left}, {speed}"
        return self.placed(f"{self.title}{100 * part:3.0f}%|{drawn}| {self.done}/{self.total} [{clock}{postfix}]")

    def placed(self, text: str) -> str:
        """Drawn over what stands in its row."""
        blank, self.width = " " * max(0, self.width - len(text)), len(text)
        return "\n" * self.row + "\r" + text + blank + "\x1b[A" * self.row

    def cleared(self) -> str:
        """Its row, empty, for a line."""
        return "\n" * self.row + "\r" + " " * self.width + "\r" + "\x1b[A" * self.row
