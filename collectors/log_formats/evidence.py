"""Are the columns of a table a training's? A number that counts is not enough: measurements, batches of goods and tests have one too.

What only a training has must stand beside it: a loss, a learning rate, an accuracy, a reward, the time of a step. A loss alone says
nothing: insurers, traders, cables and networks lose something as well.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from ..patterns import lazy_pattern
from .families.bare_names import names_whose
from .parsing.columns import guess
from .parsing.phases import validates

if TYPE_CHECKING:
    from collections.abc import Iterable

_COUNTS = frozenset(("iteration", "epoch"))
_TRAINS = frozenset(
    ("loss", "val_loss", "learning_rate", "gradient_norm", "mfu", "tokens_per_s", "step_s", "steps_per_s", "epoch_s", "data_wait_s")
)  # fmt: skip
"""Fields of a row, as `columns.py` finds them."""
_TENSORBOARDS = {"wall time", "step", "value"}
"""What TensorBoard exports: one scalar of a training, whichever."""
_MEASURES = lazy_pattern(
    r"loss(?:es)?|acc|accuracy|rewards?|returns?|scores?|fitness|entropy|ppl|perplexity|epsilon|lr|mae|mse|rmse|kl|best|box|cls|obj|"
    r"giou|m?iou|map|dice|f1|auc|bleu|wer|cer|psnr|ssim|nll|elbo|grad|gradient|train|training|val|valid|validation"
)
"""Words in names of what a training or its evaluation measures."""
_COUNTERS = lazy_pattern(r"timesteps?|episodes?|gen|generations?|updates?|nimgs")
ROUNDS = frozenset(("round", "commround", "communicationround", "globalround", "serverround", "flround"))
_OF_ONE = frozenset(
    (
        "client",
        "clientid",
        "cid",
        "worker",
        "workerid",
        "node",
        "nodeid",
        "agent",
        "agentid",
        "rank",
        "player",
        "team",
    )
)
"""Where a column names one of several, each has its rows of a round."""
_BATCH_SIZES = frozenset(("batchsize", "trainbatchsize"))
_LEARNS = lazy_pattern(r"loss|acc(?:uracy)?$|auc|f1$|perplexity|learningrate|^(?:train|val|test)")
_LOST = lazy_pattern(r"(?i)\bloss ?[:=]? {0,12}\d{1,9}(?:\.\d{1,9})? ?(?:%|db\b)")
_WITH_UNIT = lazy_pattern(r"(?i)loss\W{1,3}(?:db|%|k?w|kg|usd|eur|\$)\W?$")
"""A training's loss has no unit: that of cables, engines and traders has one."""
_SOURCE = lazy_pattern(
    r"\{[A-Za-z_][\w.\[\]()]{0,40}(?:![rs])?(?::[^{}'\" ]{0,12})?\}|(?<![\d%])%[\d.]{0,6}[dfgse]\b|\+=|\bself\.|\w\(self\b|\bdef \w+\("
)
"""Source code that prints such a line, or computes its values: `f"step {step} loss {loss:.3f}"`, `loss += 2.5`."""
_SETS = lazy_pattern(r"['\"]loss['\"]: ?['\"](?!(?i:nan|inf))[a-zA-Z]")
"""`{'loss': 'huber', 'iteration': 1, ...}`: settings, one of which names the loss."""
_OBJECT = lazy_pattern(r"(?<!\w)[A-Z]\w{0,60}\((?:[A-Za-z_]\w{0,60}=[^=]{1,200}, ?){3}")
"""`Namespace(lr=0.1, iterations=30000, loss='l1', ...)`: an object's arguments."""
_SWITCH = lazy_pattern(r"[\w'\"] ?[:=] ?(?:True|False|None)\b")
_MOST_SWITCHES = 2
"""Rows have hardly more of them: `done: True`."""
_OF_LOSS = lazy_pattern(
    r"(?i)(?:lambda|alpha|beta|weights?|coeff?|factor|w)[ _-](?:of[ _-])?(?:\w{1,20}_)?loss|loss[ _-](?:lambda|alpha|beta|weights?|coeff?|factor)"
)
"""`loss_weight`, `lambda_loss`: what a script is given."""
_FOUND = lazy_pattern(r"(?i)loss|acc|reward|score|norm|time|\bdt\b|/s\b|s/")
_FEWEST, _LONGEST_PREFIX = 3, 40
"""Names that share what stands in front of them."""
_WORD = lazy_pattern(r"[A-Za-z]+1?")


def of_a_training(names: Iterable[str]) -> bool:
    """Does a table with columns of these names hold a training's rows?"""
    return _of_a_training((*names,))


@lru_cache(maxsize=64)
def shared_prefix(names: tuple[str, ...]) -> str:
    """What stands in front of all names, where only without it one counts: `stage2_` of `stage2_step`, `stage2_loss`, `stage2_lr`.

    What says whose the values are is none: `val_step`, `val_loss`.
    """
    first, last = (min(names), max(names)) if len(names) >= _FEWEST else ("", "")
    shared = sum(
        1 for _ in takewhile(lambda both: both[0] == both[1], zip(first[:_LONGEST_PREFIX], last, strict=False))
    )
    prefix = first[: max(first.rfind(mark, 0, shared) for mark in "_/.") + 1]
    if not prefix or validates(prefix) or any(map(_counts, names)):
        return ""
    return prefix if any(_counts(name[len(prefix) :]) for name in names) else ""


def _counts(name: str) -> bool:
    return (role := guess(name)) is not None and role.field in _COUNTS


@lru_cache(maxsize=64)  # rows of a table have its names again and again; hostile ones are of 64 kB
def _of_a_training(names: tuple[str, ...]) -> bool:
    if {name.strip().lower() for name in names} == _TENSORBOARDS:
        return True
    if are_settings(names):
        return False
    counts, measures = False, set[str]()
    begin = len(shared_prefix(names))
    for name in (one[begin:] for one in names):
        role, words = guess(name), _words(name)
        field = role.field if role and role.shows_a_training else ""
        counts = counts or field in _COUNTS or any(map(_COUNTERS.fullmatch, words))
        if (field in _TRAINS or any(map(_MEASURES.fullmatch, words))) and not _WITH_UNIT.search(name):
            measures.add(name)
    return len(measures) >= (1 if counts else 2)


def are_settings(names: Iterable[str]) -> bool:
    """`batch_size=64 learning_rate=0.5 epochs=100 steps=1000`: how many there are to be, and no loss of any."""
    plain = {name.strip().lower().replace("_", "").replace("-", "").replace(" ", "") for name in names}
    if "epochs" not in plain or "epoch" in plain or plain.isdisjoint(_BATCH_SIZES):
        return False
    return not any(role.field in ("loss", "val_loss") for role in map(guess, names) if role)


def counts_epochs_alone(names: Iterable[str]) -> bool:
    """Does a table with columns of these names count epochs, and name no loss? It may be one of finished models, each with its best epoch."""
    fields, bare = set[str](), False
    for name in names:
        role, bare = guess(name), bare or names_whose(name)
        fields.add(role.field if role else "")
    return "epoch" in fields and fields.isdisjoint(("iteration", "loss", "val_loss")) and not bare


def plainest(name: str) -> str:
    """`Time_Steps` as `timestep`."""
    return name.lower().rstrip("s").replace("_", "").replace(" ", "")


def counts_at_most_rounds(names: Iterable[str]) -> bool:
    """Is a round, if one is counted, that of a training of several clients, with one row each? Games and tournaments have rounds as well."""
    plain = {plainest(name): name for name in names}
    if plain.keys().isdisjoint(ROUNDS):
        return True
    finer = any(_counts(name) or _COUNTERS.fullmatch(one) for one, name in plain.items())
    return plain.keys().isdisjoint(_OF_ONE) and not finer and any(map(_LEARNS.search, plain))


def loses_else(text: str) -> bool:
    """Does a line tell what a network or a cable lost: `loss: 2%`, `loss 0.5 dB`?"""
    return "oss" in text and _LOST.search(text[:2000]) is not None


def _words(name: str) -> set[str]:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name[:80])
    return {word.lower() for word in _WORD.findall(apart)}


def is_source(text: str) -> bool:
    """Is a line source code that prints a row, or computes its values?"""
    return _SOURCE.search(text[:2000]) is not None


def weighs_a_loss(text: str) -> bool:
    """`steps: 30000, lambda_loss: 0.5, lr: 0.1`: is the weight of a loss all that a line says of one, and of what a training finds?"""
    rest, weights = _OF_LOSS.subn("", text[:2000])
    return weights > 0 and _FOUND.search(rest) is None


def tells_settings(text: str) -> bool:
    """Is a line settings of a script, or of an object, one of which may name the loss or the number of iterations?"""
    text = text[:2000]
    if ("True" in text or "False" in text or "None" in text) and len(_SWITCH.findall(text)) > _MOST_SWITCHES:
        return True
    return ("=" in text and _OBJECT.search(text) is not None) or (
        "loss" in text and (_SETS.search(text) is not None or weighs_a_loss(text))
    )
