"""The settings of a run, from every place that gives some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import fields, replace

from ...events import Config

if TYPE_CHECKING:
    from collections.abc import Sequence

WHOLE = 0.9
"""What ends behind this share of its iterations may have come to its end: its last ones may have no row."""

PRECEDENTS = 2
"""So many trainings before this one in its log, each of them short of its total, are no chance."""

_BATCH = ("tokens_per_iteration", "micro_batch_size", "block_size", "gradient_accumulation", "world_size")


class Settings:
    """What is set, field by field: later ones win over earlier ones."""

    def __init__(self) -> None:
        self.config = Config()
        self.origins: dict[str, str] = {}
        """Where each field was read, by its name."""

        self.batch_changed = False
        """Were the tokens of an iteration others before? The settings are the newest."""

        self._begun = False  # with iterations
        self.ended_early: list[bool] = []
        """Of each training or process before one whose rows began below: did it end far before its total?"""

        self._newest = -1  # iteration
        self._last_of_rows: int | None = None
        self._fresh: set[str] = set()  # since the newest iteration; of `extra`, its keys
        self._of_log: set[str] = set()  # keys of `extra` that a log gave

    def add(self, event: Config) -> None:
        """Take in what `event` sets; its empty fields change nothing."""
        known = {f: v for f in event.__struct_fields__ if (v := getattr(event, f)) not in (None, "", {})}
        if event.extra:
            if self._is_outdated(event):
                self.config = replace(self.config, max_iterations=None)
                self.origins.pop("max_iterations", None)
            known["extra"] = self.config.extra | event.extra
            self._of_log |= event.extra.keys() if _is_of_log(event.origin) else set()
        self.batch_changed |= self._begun and any(
            getattr(self.config, field) not in (None, known[field]) for field in _BATCH if field in known
        )
        self._fresh |= known.keys() | event.extra.keys()
        self.config = replace(self.config, **known)
        self.origins |= dict.fromkeys(known.keys() - {"origin"}, event.origin)

    def _is_outdated(self, event: Config) -> bool:
        """Is the end that is known that of an earlier process's epochs, and does this one name others?"""
        end, epochs = str(self.config.max_iterations), event.extra.get("epochs")
        is_known = event.max_iterations is not None or "max_iterations" in self._fresh
        return not is_known and self.config.extra.get("epochs") == end and epochs not in (None, end)

    def last(self, *, of_rows: bool) -> int | None:
        """How many iterations there are to be; or were to be as the newest came, before another process began."""
        return self._last_of_rows if of_rows else self.config.max_iterations

    @property
    def is_never_reached(self) -> bool:
        """Is the end one that a line above the rows sets, and did each training before this one stay far below it?

        A line further down may set another, and a training that stops itself has no such end.
        """
        told = _is_line(self.origins.get("max_iterations", ""))
        return told and len(self.ended_early) >= PRECEDENTS and all(self.ended_early)

    def begin_launch(self) -> None:
        """Another process of the same log comes to its first iteration: what it says of itself is known now.

        If it says anything, nothing that earlier ones said speaks of it.
        """
        said = {field for field in self._fresh if _is_line(self.origins.get(field, ""))}
        if not said and self._fresh.isdisjoint(self._of_log):
            return
        old = {f for f, origin in self.origins.items() if _is_of_log(origin) and f not in self._fresh} - {"extra"}
        extra = {k: v for k, v in self.config.extra.items() if k not in self._of_log - self._fresh}
        none = {field.name: field.default for field in fields(Config) if field.name in old}
        self.config = replace(self.config, **none, extra=extra)
        self.origins = {field: origin for field, origin in self.origins.items() if field not in old}

    def go_on(self, indices: Sequence[int] = ()) -> None:
        """Iterations came, with these `indices`, which ascend."""
        if indices:
            if indices[0] <= self._newest:
                self.ended_early.append(self._newest < WHOLE * (self._last_of_rows or 0))
            self._newest = indices[-1]
        self._fresh.clear()
        self._begun, self._last_of_rows = True, self.config.max_iterations


def _is_of_log(origin: str) -> bool:
    return origin == "log" or _is_line(origin)


def _is_line(origin: str) -> bool:
    return origin.startswith("log line ")
