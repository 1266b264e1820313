"""Lines made of pairs, `lm loss: 7.36E+00 | grad norm: 3.95 |`: a grammar that many formats share."""

from __future__ import annotations

from itertools import pairwise

from ..parsing.values import number, scalars

_WRAPPED = ("np.", "tensor(")  # NumPy 2 prints its scalars so, inside of containers


def pairs(text: str, between: str = "|", inside: str = ":") -> dict[str, str]:
    """`a: 1 | b c: 2 |` → `{"a": "1", "b c": "2"}`; what holds no `inside` is left out. Linear in the text."""
    found = {}
    for part in text.split(between):
        key, separator, value = part.partition(inside)
        if separator:
            found[key.strip()] = value.strip()
    return found


def numbers(text: str, between: str = "|", inside: str = ":") -> dict[str, float]:
    """Like `pairs`, for the pairs whose value is a number, also in its wrapping: `np.float64(0.5)`, `tensor(0.5)`.

    A unit behind it, `105.2 ms`, is dropped.
    """
    found = {}
    for key, value in pairs(text, between, inside).items():
        if value.startswith(_WRAPPED):
            value = value.partition("(")[2].rstrip(")")  # noqa: PLW2901 - what is in it
        first = value.split(maxsplit=1)[:1]
        if first and (read := number(first[0])) is not None:
            found[key] = read
    return found


def words(text: str) -> dict[str, float]:
    """`lr: 0.01, eta: 1:52:14, time: 1.865` → the pairs whose value is a number, whatever parts them."""
    found = {}
    for key, value in pairwise(text.replace(",", " ").split()):
        if key[-1] == ":" and (read := number(value)) is not None:
            found[key[:-1]] = read
    return found


_UNDERSTOOD = frozenset(("loss", "lr", "learning_rate"))


def metrics(read: dict[str, float]) -> dict[str, float]:
    """What a line says of the training, beside what has a place of its own."""
    return {name: value for name, value in scalars(read.items(), _UNDERSTOOD).items() if not of_validation(name)}


def of_validation(name: str) -> bool:
    """Is it what the validation found?"""
    return name.startswith("val_")
