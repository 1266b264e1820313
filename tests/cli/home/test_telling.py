"""What a list somewhere else is told: each run as `itermon runs --json` has it, once for each change."""

import json
from pathlib import Path
from typing import Any

from itermon.cli.home.found import Place
from itermon.cli.home.home import HomeRun
from itermon.cli.home.telling import tell
from itermon.reports.run_line import RunLine


class Out:
    """A pipe whose reader leaves when so many looks were written."""

    def __init__(self, looks: int) -> None:
        self.said: list[list[Any]] = []
        self._looks = looks

    def write(self, data: bytes) -> None:
        if len(self.said) == self._looks:
            raise BrokenPipeError
        assert data.endswith(b"\n")
        self.said.append([json.loads(line) for line in data.splitlines() if line])

    def flush(self) -> None:
        pass


class Runs:
    """A home that finds these, look by look; the last ones stay."""

    def __init__(self, *looks: tuple[dict[str, int | None], bool]) -> None:
        self._looks, self.closed = list(looks), False
        self.has_more = True

    def look(self) -> list[HomeRun]:
        found, self.has_more = self._looks.pop(0) if len(self._looks) > 1 else self._looks[0]
        return [
            HomeRun(
                Place(key, key, (Path("a"),), alive=True), None if i is None else RunLine("running", iteration=i)
            )
            for key, i in found.items()
        ]

    def close(self) -> None:
        self.closed = True


def told(*looks: tuple[dict[str, int | None], bool]) -> tuple[list[list[Any]], list[float], Runs]:
    home, out, waits = Runs(*looks), Out(len(looks) + 1), list[float]()
    tell(home, out, wait=waits.append)  # type: ignore[arg-type]
    return out.said, waits, home


def test_what_is_new_or_has_changed_is_told_and_nothing_twice() -> None:
    said, waits, home = told(
        ({"a": None, "b": None}, True),
        ({"a": 5, "b": None}, True),
        ({"a": 5, "b": 1}, False),
        ({"a": 6, "b": 1}, False),
    )
    short = [[(one.get("run"), one.get("iteration"), one.get("read")) for one in look] for look in said]
    assert short == [
        [("a", None, None), ("b", None, None)],
        [("a", 5, None)],
        [("b", 1, None), (None, None, True)],
        [("a", 6, None)],
        [],
    ]
    assert waits == [4.0] * 3  # none before all are read
    assert home.closed


def test_a_run_that_is_no_more_is_told_once() -> None:
    said, *_ = told(({"a": 1, "b": 1}, False), ({"b": 1}, False))
    assert said[1:] == [[{"gone": "a"}], []]
