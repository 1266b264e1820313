"""`Epoch 3, train = 0.34, val = 0.48`: names that say whose a value is, and not what it is.

They are losses where no loss is named and the training's falls from row to row, as no accuracy does that is worth a log. Else, and
until that is seen, each is a metric by its name: a time, a share and a count of samples have such names, too.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ...patterns import lazy_pattern
from ..parsing.values import finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_HOW = r"(?:[ _]?(?:last|mean|avg|average|total|epoch))?"
TRAIN = rf"(?:tr|trn|train|training){_HOW}"
EVALUATED = rf"(?:vl|val|valid|validation|dev|test){_HOW}"
_TRAIN, _EVALUATED = lazy_pattern(TRAIN), lazy_pattern(EVALUATED)


def names_whose(name: str) -> bool:
    """Does a name say whose its values are, and no more?"""
    return _TRAIN.fullmatch(name.lower()) is not None or _EVALUATED.fullmatch(name.lower()) is not None


FEWEST, SURE = 4, 6
"""Rows that show a fall: each value below all before it, or most of them."""
MOSTLY = 0.8
MOST = 64
ALIKE = 4.0
"""So many times the other is a loss at most, at the first row: an evaluation's time or samples are few beside the training's."""


PLAYER = lazy_pattern(r"(?:^|_)(?:net)?(?:(g|gen|generator)|d|dis|disc|discriminator)(?:_|$)")


def names_training(plain: str) -> bool:
    """`info_train_loss`, `mean_train_loss`: no other name that ends in `loss` is ever put in its place."""
    return plain.endswith(("_train_loss", "_training_loss")) and not PLAYER.search(plain)


_PART_OF_LOSS = lazy_pattern(
    r"(?:^|_)loss_(?:src|tgt|gen(?:erator)?|disc?|discriminator|critic|actor|cls|class(?:ification)?|box|recon|base|kld?|mse|l[12]|[abdgqxy]|\d)(?:_mean)?$|^train_loss_(?!scal|std|var|min|max|w)[a-z]{2,9}$"
)
"""A loss of one of several parts: `avg_loss_tgt`, `loss_g`, `loss_src_mean`."""

_LOSS = frozenset(("loss", "losses"))
_WHOLE = frozenset(("total", "tot", "overall", "sum", "all", "combined"))
_SAYS_NO_PART = frozenset((
    "train", "training", "tr", "val", "valid", "validation", "vali", "eval", "evaluation", "test", "dev", "avg", "average",
    "mean", "epoch", "batch", "step", "iter", "iteration", "running", "moving", "smooth", "smoothed", "ema", "last", "cur",
    "current", "per", "is",
))  # fmt: skip
NAMED_PARTS = frozenset(("ce_loss", "train_ce_loss", "actor_loss", "nll_loss"))
"""Each is the loss where it is the only one."""


def may_be_loss(plain: str) -> bool:
    """Does a name that no table has say that it is some loss, also behind that word: `loss_avg`?"""
    words = set(_WORDS.findall(plain))
    said = plain.endswith("loss") or ("loss" in words and words <= _LOSS | _SAYS_NO_PART)
    return said or _PART_OF_LOSS.search(plain) is not None or is_whole(plain)


_NO_LOSS = lazy_pattern(
    r"(?:^|_)(?:best|lowest|min)(?:_|$)|(?:^|_)-?(?:n|neg|negative|negated|minus)_?loss(?:_|$)|loss_(?:std|stddev|var|variance|scale|weight|ratio)$"
)
"""The best so far, a loss with its sign turned, `nloss`, and what is told about a loss."""


def is_no_loss(plain: str) -> bool:
    """Is it none of now, or none at all, whatever its name ends with?"""
    return _NO_LOSS.search(plain) is not None


def is_whole(plain: str) -> bool:
    """`loss_total_train`, `avg_total_loss`, `val_loss_(sum)`: all parts of a loss, whichever way it is said."""
    words = set(_WORDS.findall(plain))
    return bool(words & _LOSS and words & _WHOLE) and words <= _LOSS | _WHOLE | _SAYS_NO_PART


def part_in(name: str) -> frozenset[str]:
    """The words in the name of a loss that say which part it is: none in that of the whole."""
    plain = name.lower()
    return frozenset() if is_whole(plain) else _part(plain)


def _part(plain: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(plain)) - _LOSS - _SAYS_NO_PART


def are_parts(names: Sequence[str]) -> bool:
    """Of losses by their plain names, the first the one that would be the loss: are they parts, of which none is the whole?"""
    parts = [_part(name) for name in names]
    return bool(parts[0]) and len({part for part in parts if part}) > 1


def are_players(names: Sequence[str]) -> bool:
    """Are they losses of a generator and of its discriminator?"""
    players = [PLAYER.search(name) for name in names]
    return len({player[1] is None for player in players if player is not None}) == 2


_WORDS = lazy_pattern(r"[^\W_]+")


_PLAYERS, _PARTS = "players", "parts"


def beside_others(losses: Sequence[str], own: Sequence[str]) -> str:
    """What the first of a row's `losses` is, by their plain names: one of players, or of parts, that none is the whole of.

    `own`: those of the training alone, or of the evaluation.
    """
    return _PLAYERS if are_players(losses) else _PARTS if are_parts(own) else ""


class Wholes:
    """Is a loss the training's, or one of several parts? Its first row decides for all, whatever their shapes.

    Epoch: 3 avg_loss_a: 2.5                         the loss
    Epoch: 4 avg_loss_a: 2.25 loss_b: 0.5            ... and so it is here: its newest value is the newest loss
    """

    def __init__(self) -> None:
        self._apart: dict[str, bool] = {}

    def is_apart(self, loss: str, seen: str) -> bool:
        """In a row that shows it as `seen`. Of two players neither ever says how well it goes."""
        self._apart[loss] = seen == _PLAYERS or self._apart.get(loss, bool(seen))
        return self._apart[loss]


class Pair(NamedTuple):
    """The names of both in a row."""

    train: str
    evaluated: str  # "" in a row that has none


class BareNames:
    """Are the values of the names in a log's rows losses?"""

    def __init__(self) -> None:
        self.are: Pair | None = None  # the names of losses
        self._named = False  # something else is the loss
        self._seen: list[float] = []
        self._falls = 0  # of all pairs of values
        self._unlike = False

    def learn(self, other: BareNames) -> None:
        """Take over what another reader found out of more rows."""
        self._named = self._named or other._named
        self.are = None if self._named else self.are or other.are

    def loss_is_named(self) -> None:
        """In some row: those are metrics, then."""
        self._named, self.are = True, None

    def of(self, others: Mapping[str, float], written: Iterable[tuple[str, object]]) -> Pair | None:
        """The names of the losses among the values of a row without one, if that is what they are. `written`: as they stand there.

        Where not each row is evaluated, some have the training's alone.
        """
        if self.are is not None and self.are.train in others and self.are.evaluated not in others:
            return Pair(self.are.train, "")
        if self._named or len(others) < 2 or (pair := _pair(tuple(others))) is None:
            return None
        if self.are is None:
            decimals = all("." in str(value) for name, value in written if name in pair)
            self.are = (
                pair if self._falls_on(others[pair.train], others[pair.evaluated], decimals=decimals) else None
            )
        return pair if pair == self.are else None

    def _falls_on(self, train: float, evaluated: float, *, decimals: bool) -> bool:
        if not self._seen:
            low, high = sorted((abs(train), abs(evaluated)))
            self._unlike = high > ALIKE * low
        self._unlike = self._unlike or not decimals
        if self._unlike or len(self._seen) >= MOST or finite(train) is None or self._seen[-1:] == [train]:
            return False
        self._falls += sum(before > train for before in self._seen)
        self._seen.append(train)
        count = len(self._seen)
        share = self._falls / max(1, count * (count - 1) / 2)
        return (count >= FEWEST and share == 1) or (count >= SURE and share >= MOSTLY)


@lru_cache(maxsize=512)
def _pair(names: tuple[str, ...]) -> Pair | None:
    """One name of each: of several evaluations the first that is no test."""
    lower = {name: name.strip().lower()[:40] for name in names}
    train = [name for name in names if _TRAIN.fullmatch(lower[name])]
    evaluated = [name for name in names if _EVALUATED.fullmatch(lower[name])]
    if len(train) != 1 or not evaluated:
        return None
    return Pair(train[0], next((name for name in evaluated if not lower[name].startswith("test")), evaluated[0]))


FEWEST_IDLE = 8
"""Rows, at least: a part may begin to count later, behind a warm-up."""


class IdleLosses:
    """Parts of a loss that are switched off: 0 in each row, beside a loss that is not.

    {"vicreg_loss": 0.0, "distill_loss": 2.5, "step": 10}        the loss is the second
    """

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}  # with a 0, as long as there was nothing else
        self._others = False  # is there one that was something else?

    def see(self, name: str, value: float) -> None:
        """A value of one of them."""
        rows = self._rows.get(name, 0)
        self._rows[name] = rows + 1 if value == 0 and rows >= 0 else -1
        self._others = self._others or value != 0

    def names(self) -> list[str]:
        """Those that say nothing of how well the training goes."""
        return [name for name, rows in self._rows.items() if rows >= FEWEST_IDLE] if self._others else []


class ClosingLosses:
    """Losses of rows that close an epoch between those of its steps, under a name of their own: means, and not the newest.

    {"step": 400, "loss": 2.5}
    {"step": 412, "epoch": 1, "train_loss": 4.0, "val_loss": 2.75}
    """

    _SELDOM = 8

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}

    def see(self, name: str, *, evaluated: bool) -> bool:
        """The name of the next row's loss, and whether an evaluation's stands beside it; is it such a one?"""
        rows = self._rows[name] = self._rows.get(name, 0) + 1
        return evaluated and rows * self._SELDOM <= max(self._rows.values())
