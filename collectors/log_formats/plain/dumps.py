"""What a process prints once of what it was started with, and on: its arguments, its settings, its machine.

    ------------ Options -------------      2023/05/01 12:00:00 - mmengine - INFO -      [05/01 12:00:00 detectron2]: Environment info:
    batchSize: 1                            System environment:
A row or an end being between, it is another process's when it comes again.
"""

from __future__ import annotations

from collections import Counter

from ...patterns import lazy_pattern

ARGUMENTS = "Namespace("
"""argparse's arguments: a process prints them once, so that this line alone opens another one."""

_HEADS = lazy_pattern(
    r"(?i)\W{3,}(?:[\w.]{1,20} ){0,2}(?:options|opts|arguments|args|config(?:uration)?s?|settings|(?:hyper-?)?parameters)\W{3,}"
)
"""`------------ Options -------------`: the heading of what a process was started with."""

_ENVIRONMENT = lazy_pattern(
    r"(?:.{0,60}\bINFO\b\W{1,4}|\[.{0,60}\]:? )?(?:Collecting env info(?: \(might take some time\))?|System environment|Environment info)\W{0,6}"
)
"""What a program finds on its machine: those that say so do it once, before anything else."""

_LONGEST = 120


class Dumps:
    """How often a process has printed what it was started with, a row or an end being between: so many have begun at least."""

    def __init__(self) -> None:
        self._times = Counter[str]()
        self._told: set[str] = set()  # since the newest row or end: ranks of one launch say it, too

    @property
    def times(self) -> int:
        """Of that which came most often: one process may print it in two ways."""
        return max(self._times.values(), default=0)

    def again(self, text: str, *, begun: bool) -> bool:
        """Does `text` say it once more? `begun`: there has been an iteration."""
        said = _dumped(text)
        if said is None or said in self._told or (begun and said not in self._times):
            return False
        self._told.add(said)
        self._times[said] += 1
        return self._times[said] > 1

    def goes_on(self) -> None:
        """A row came, or an end."""
        self._told.clear()


def _dumped(text: str) -> str | None:
    """Which of a process's dumps begins with this line? `None`: none does."""
    if ARGUMENTS in text:
        return ARGUMENTS
    head = text[:_LONGEST]
    if ("nvironment" in head or "env info" in head) and _ENVIRONMENT.fullmatch(head.strip()):
        return "environment"
    return text if _HEADS.fullmatch(head) else None
