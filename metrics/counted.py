"""What is counted of one rank, wherever its events come from: counters that only grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..analysis.audit.throughput import tokens_per_iteration
from ..analysis.record.settings import Settings
from ..analysis.run import Run
from ..collectors.clean import clean
from ..events import Config, End, Iteration, Message, PrintedLoss, Severity, expand

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..events import Event
    from .recordings import Recording


_MOST_STAGE = 40  # characters


class Counted:
    """The sums of a rank's events. They follow from the events alone, in whatever pieces these come.

    `known_as` is what a message about it names: its run id, or its log.
    """

    recording: Recording
    is_over = False
    caught_up = False
    """Has its history been read? Before that its counters do not stand where they will go on."""

    def __init__(self, known_as: str, restarts: int = 0) -> None:
        self.known_as = known_as
        self.restarts = restarts
        self.run = Run()
        self.iterations = 0
        self.spent_s = 0.0
        self.tokens: int | None = None
        self.bad_losses = 0
        self.errors = 0
        self._settings = Settings()
        self._each_tokens: int | None = None
        self._ended = ""

    @property
    def world_size(self) -> int | None:
        """How many ranks train together, where somebody said it."""
        return self._settings.config.world_size

    @property
    def stage(self) -> str:
        """Of the pipeline, as the trainer set it; "" where it did not."""
        return clean(self._settings.config.extra.get("pipeline_stage", ""), _MOST_STAGE)

    @property
    def trainer_pid(self) -> int | None:
        """The process that computes, where it is known: its GPUs are this rank's."""
        return self.recording.pid

    def read(self) -> bool:
        """Take in what is new; `False` where there is more than can be read at a time."""
        raise NotImplementedError

    def close(self) -> None:
        """Read no more."""
        raise NotImplementedError

    def _take(self, events: Iterable[Event]) -> None:
        events = list(events)
        for event in expand(events):
            match event:
                case Iteration():
                    self._count(event)
                case PrintedLoss():
                    self.bad_losses += bool(event.bad_loss)
                case Message(level=Severity.ERROR):
                    self.errors += 1
                case Config():
                    self._settings.add(event)
                    self._each_tokens = tokens_per_iteration(self._settings.config)[0]
                case End():
                    self._ended = event.reason
        if events:
            self.run.apply(events)

    def _count(self, event: Iteration) -> None:
        stands_for = max(1, event.averaged_over)
        self.iterations += stands_for
        self.spent_s += stands_for * (event.duration_s or 0.0)
        self.bad_losses += bool(event.bad_loss)
        if (tokens := event.tokens or self._each_tokens) is not None:
            self.tokens = (self.tokens or 0) + stands_for * tokens
