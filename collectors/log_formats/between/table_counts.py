"""Which column counts the rows of a table, where none is named as those that mostly do.

    timestep,reward,loss           round,acc,loss           games,games_per_sec,...           ,loss,acc
    0,201.5,                                                                                  0,2.5,0.5
    1,201.25,                                                                                 1,2.25,0.5
A column of whole numbers that rises by one from each row to the next is the number of the row, whatever its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...patterns import lazy_pattern
from ..evidence import ROUNDS, counts_at_most_rounds, plainest
from ..parsing.values import as_number, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..parsing.columns import Columns

_EACH_SECOND = lazy_pattern(r"(?i)(?!token|sample|example|image|sequence)([a-z]\w{1,30})_per_sec(?:ond)?")
_OF_EVALUATION = ("val_", "valid_", "validation_", "eval_", "test_")
_EPISODES = {"episode": "step", "episode time": "time", "episode duration": "time"}
_EXTREMES, _STEP_AND_VALUE = ("__MIN", "__MAX"), 2
_ROWS, _MOSTLY = 6, 0.9
"""So many rows show that a column counts them; so many of those that were looked at stand side by side."""
_OFTEN = frozenset(
    ("timestep", "totaltimestep", "envstep", "frame", "totalframe", "game", "generation", "rollout")
)
"""Of these a row may be every so many."""
_AGENTS_STEPS = frozenset(("timestep", "envstep", "environmentstep"))
_RISES, _AGREE = 2, 1e-3
"""So often they rose; by so much of itself a mean since the start differs from what the clock says."""
_UNNAMED = "the first column, which has no name"
_MOST_COLUMNS = 64


class TableCounts:
    """The names of the columns, with `step` for what counts. `columns` are told what the log calls it."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._known: tuple[int, str] | None = None  # what counts, as another reader found out
        self._rises: dict[tuple[int, str], _Rise] = {}  # of what may count
        self._watched = 0  # rows

    def renamed(self, names: list[str]) -> list[str]:
        """The names of a heading."""
        found = self._of_timesteps(self._of_a_rate(self._of_episodes(self._of_rounds(self._of_a_run(names)))))
        at, name = self._known or (0, "")
        if self._known is None or found[at : at + 1] != [name] or self._are_counted(found):
            return found
        self._columns.called["step"] = name or _UNNAMED
        return [*found[:at], "step", *found[at + 1 :]]

    def see(self, names: Sequence[str], cells: Sequence[str]) -> None:
        """Take in a row: does one of its columns count on?"""
        if not self._watched:
            some = len(names) <= _MOST_COLUMNS and not self._are_counted(names)
            self._rises = {one: _Rise() for one in enumerate(names) if some and self._columns.role(one[1]) is None}
        self._watched += 1
        if self._rises:
            alike = len(names) == len(cells)
            self._rises = {
                (at, name): rise
                for (at, name), rise in self._rises.items()
                if alike and names[at] == name and rise.see(as_number(cells[at]))
            }

    def learn(self, other: TableCounts) -> None:
        """Take over what another reader found out of more rows."""
        counts = (one for one, rise in other._rises.items() if rise.counts(every=plainest(one[1]) in _OFTEN))
        self._known = self._known or next(counts, None)

    def _are_counted(self, names: Sequence[str]) -> bool:
        roles = map(self._columns.role, names)
        return any(role is not None and role.field in ("iteration", "epoch") for role in roles)

    def _of_a_run(self, names: list[str]) -> list[str]:
        """W&B's export of one run: `Step`, `NAME - loss`, `NAME - loss__MIN`, `NAME - loss__MAX`, where the last two repeat the value."""
        plain = [name for name in names if not name.endswith(_EXTREMES)]
        run, dash, key = plain[-1].rpartition(" - ") if len(plain) == _STEP_AND_VALUE else ("", "", "")
        if not (run and dash) or len(names) != len(plain) + len(_EXTREMES):
            return names
        self._columns.called[key] = plain[-1]
        return [key if name == plain[-1] else "" if name not in plain else name for name in names]

    def _of_rounds(self, names: list[str]) -> list[str]:
        """A federated training counts rounds, where nothing else counts."""
        rounds = [name for name in names if plainest(name) in ROUNDS]
        if len(rounds) != 1 or not counts_at_most_rounds(names) or not any(map(self._columns.is_loss, names)):
            return names
        self._columns.called["step"] = rounds[0]
        return ["step" if name == rounds[0] else name for name in names]

    def _of_timesteps(self, names: list[str]) -> list[str]:
        """`timestep,reward,loss`: what counts the rows of an agent, where nothing else does."""
        counts = [name for name in names if plainest(name) == "timestep"]
        others = {"episode", "update", "generation", "gen", "totaltimestep"}.intersection(map(plainest, names))
        if len(counts) != 1 or others or self._are_counted(names):
            return names
        self._columns.called["step"] = counts[0]
        return ["step" if name == counts[0] else name for name in names]

    def _of_a_rate(self, names: list[str]) -> list[str]:
        """Where nothing else counts, what so many are made of a second does: `games`, beside `games_per_sec` and a clock.

        Only where a value stands there twice, of the training and of its evaluation.
        """
        rated = {found[1] for name in names if (found := _EACH_SECOND.fullmatch(name)) is not None}
        counts = [name for name in names if name in rated and self._columns.role(name) is None]
        known = {*names}
        if len(counts) != 1 or not any(f"{one}{name}" in known for one in _OF_EVALUATION for name in known):
            return names
        roles = {role.field for name in names if (role := self._columns.role(name))}
        if "elapsed_s" not in roles or not roles.isdisjoint(("iteration", "epoch")):
            return names
        self._columns.called["step"] = counts[0]
        return ["step" if name == counts[0] else name for name in names]

    def _of_episodes(self, names: list[str]) -> list[str]:
        """Where nothing else counts or is lost, a row is an episode of an agent, and `episode time` its time."""
        roles = {role.field for name in names if name.lower() != "episode" and (role := self._columns.role(name))}
        if "episode" not in map(str.lower, names) or not roles.isdisjoint(("iteration", "epoch", "loss")):
            return names
        ours = {name: _EPISODES.get(name.lower().replace("_", " "), name) for name in names}
        self._columns.called |= {one: name for name, one in ours.items() if one != name}  # as the heading has it
        return [ours[name] for name in names]


class AgentSteps:
    """`timestep`, beside `total_timesteps`, which stays the same: the one counts the rows, the other says how many there are to be.

    A rate that is `timestep / elapsed_time` is the mean since the start, and tells no row's time.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._pair: tuple[str, str] | None = None
        self._newest: tuple[float, float] | None = None
        self._rises = 0
        self._lost = self._known = False

    def see(self, row: Mapping[str, object]) -> None:
        """Take in a row of values by their names. Rows that lack the two are of something else."""
        pair = None if self._known or self._lost else self._pair or _of_agent(row)
        if pair is None or not row.keys() >= {*pair}:
            return
        self._pair, before = pair, self._newest
        n, of = (as_number(row[name]) for name in pair)
        if n is None or of is None or n % 1 or of % 1 or not 0 <= n <= of:
            self._lost = True
            return
        self._lost = before is not None and before[1] != of
        self._rises += before is not None and n > before[0]
        self._lost = self._lost or (before is not None and n == before[0])
        self._newest = n, of

    def learn(self, other: AgentSteps) -> None:
        """Take over what another reader found out of more rows."""
        if not other._lost and other._rises >= _RISES:
            self._pair, self._known = other._pair, True

    def renamed(self, row: dict[str, object]) -> dict[str, object]:
        """The row, with the names of ours where they count."""
        if not self._known or self._pair is None or not row.keys() >= {*self._pair}:
            return row
        roles = {role.field: name for name in row if (role := self._columns.role(name)) is not None}
        if not roles.keys().isdisjoint(("iteration", "epoch")):
            return row
        step, total = self._pair
        self._columns.called["step"] = step
        ours = {step: "step", total: "total_steps"}
        rate, clock = roles.get("steps_per_s"), roles.get("elapsed_s")
        if rate is not None and clock is not None:
            n, passed_s, each_s = (as_number(row[name]) or 0.0 for name in (step, clock, rate))
            if abs(each_s * passed_s - n) <= _AGREE * n:
                row = {name: value for name, value in row.items() if name != rate}
        return {ours.get(name, name): value for name, value in row.items()}


def _of_agent(names: Iterable[str]) -> tuple[str, str] | None:
    """What may count the steps of an agent, and how many there are to be."""
    plain = {plainest(name): name for name in names if "step" in name.lower()}
    return next(
        ((plain[one], plain[f"total{one}"]) for one in _AGENTS_STEPS if one in plain and f"total{one}" in plain),
        None,
    )


class _Rise:
    """How a column of whole numbers rises from row to row."""

    def __init__(self) -> None:
        self._newest: float | None = None
        self._apart = 0.0
        self._rows = self._regular = 0

    def see(self, n: float | None) -> bool:
        """Take in the next one. Does it still count?"""
        if n is None or n < 0 or n % 1 or whole(n) is None:
            return False
        before, self._newest = self._newest, n
        if before is None:
            return True
        self._apart = self._apart or n - before
        self._rows += 1
        self._regular += n - before == self._apart
        return n > before and not (n - before) % self._apart

    def counts(self, *, every: bool) -> bool:
        """Has it counted the rows? `every`: it may be what every so many of have a row. Some rows may not have been looked at."""
        enough = self._regular >= _ROWS and self._regular >= _MOSTLY * self._rows
        return enough and (every or self._apart == 1)
