"""A dashboard from Textual's own parts, as one would write it in an afternoon: a peer for `bench/screen.py`.

Two updates a second: the same kind of facts as itermon shows, from a simulated run of ten iterations a second.
"""

from __future__ import annotations

from random import Random

from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.widgets import DataTable, Footer, Header, Label, ProgressBar, RichLog, Sparkline


class Dashboard(App[None]):
    """Header with a clock, progress, two sparklines, a table, a log."""

    CSS = "Sparkline { height: 12; } #loss { height: 8; } DataTable, RichLog { width: 50%; height: 10; }"

    def __init__(self) -> None:
        super().__init__()
        self.random = Random(1)
        self.iteration = 0
        self.times = [0.1] * 240

    def compose(self) -> ComposeResult:
        """The stock widgets."""
        yield Header(show_clock=True)
        yield Label("iteration 0", id="now")
        yield ProgressBar(total=100_000)
        yield Sparkline(self.times, id="times")
        yield Sparkline(self.times, id="loss")
        with Horizontal():
            yield DataTable()
            yield RichLog()
        yield Footer()

    def on_mount(self) -> None:
        """Two updates a second."""
        table = self.query_one(DataTable)
        table.add_columns("what", "value")
        for name in ("tokens/s", "MFU", "power", "memory", "ETA"):
            table.add_row(name, "0", key=name)
        self.column = list(table.columns)[1]
        self.set_interval(0.5, self.update)

    def update(self) -> None:
        """Five new iterations."""
        for _ in range(5):
            self.iteration += 1
            self.times = [*self.times[1:], self.random.gauss(0.1, 0.002)]
            self.query_one(RichLog).write(f"iter {self.iteration}: loss 3.1, time {self.times[-1] * 1e3:.2f}ms")
        self.query_one("#now", Label).update(f"iteration {self.iteration}")
        self.query_one(ProgressBar).update(progress=self.iteration)
        self.query_one("#times", Sparkline).data = self.times
        self.query_one("#loss", Sparkline).data = self.times
        table = self.query_one(DataTable)
        for name in ("tokens/s", "MFU", "power", "memory", "ETA"):
            table.update_cell(name, self.column, f"{self.random.gauss(50, 1):.2f}")


if __name__ == "__main__":
    Dashboard().run()
