"""The state of the README's first picture: the real recording of `itermon replay --sample`, at a moment."""

from __future__ import annotations

import threading

from screen_states import State

from itermon.cli.commands.replay import SAMPLES
from itermon.collectors.runs.recording import RecordingSource
from itermon.events import Batch, Event, Iteration, SourceState, expand
from itermon.tui.view import View

SAMPLE = SAMPLES["rtx3090"]


def recorded(until: int, after_s: float, cursor: int | None = None) -> State:
    """As the screen stood `after_s` seconds after iteration `until`, the cursor on the iteration `cursor`."""
    events: list[Event] = []
    cursor_at: int | None = None
    seen = 0
    end_s = float("inf")
    for batch in RecordingSource(SAMPLE.path).batches(threading.Event()):
        for event in () if batch.preview else expand(batch.events):
            at_s = getattr(event, "at_s", None) or 0.0
            if at_s > end_s:
                continue
            events.append(event)
            if isinstance(event, Iteration):
                cursor_at = seen if event.index == cursor else cursor_at
                seen += 1
                end_s = at_s + after_s if event.index == until else end_s
    return State(
        "recorded",
        [Batch(events, state=SourceState.LIVE)],
        View(cursor=cursor_at),
        now_s=end_s,
        title=SAMPLE.title,
    )
