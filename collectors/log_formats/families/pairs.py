"""Lines made of pairs, `lm loss: 7.36E+00 | grad norm: 3.95 |`: a grammar that many formats share."""

from __future__ import annotations

from itertools import pairwise

from ...patterns import lazy_pattern
from ..parsing.values import number, scalars
from .updates import without_their_steps

_WRAPPED = ("np.", "tensor(")  # NumPy 2 prints its scalars so, inside of containers

_NAME, _NUMBER = r"[A-Za-z][\w .]{0,30}", r"[-+]?\d{0,12}\.\d{1,20}(?:[eE][-+]?\d{1,3})?"
_NAMES_AND_VALUES = lazy_pattern(
    rf"[\[(]({_NAME}(?:[,/|] ?{_NAME}){{1,7}})[\])] ?[:=] ?[\[(]({_NUMBER}(?:[,/|] ?{_NUMBER}){{1,7}})[\])]"
)
_PARTS = lazy_pattern(r"[,/|] ?")
_SECONDS = lazy_pattern(r"\d{1,9}(?:\.\d{1,9})? ?(?:s|secs?|seconds?|mins?|minutes?)")


def with_time(row: dict[str, object]) -> dict[str, object]:
    """A row of `t=120s` has a `time`, too: its unit says what the letter is short for. Without one it may be anything."""
    if _SECONDS.fullmatch(str(row.get("t", ""))):
        row.setdefault("time", row["t"])
    return row


def each_named(text: str) -> str:
    """`[Avg. Loss, Loss]: [10.44, 7.16]` as `Avg. Loss: 10.44, Loss: 7.16`: names in a bracket, and as many values in the next.

    Steps of an environment have another name beside the updates that they are made for.
    """
    text = without_their_steps(text) if "pdate" in text and "/" in text else text
    found = _NAMES_AND_VALUES.search(text) if ("[" in text or "(" in text) else None
    if found is None:
        return text
    names, values = _PARTS.split(found[1]), _PARTS.split(found[2])
    if len(names) != len(values):
        return text
    named = ", ".join(f"{name.strip()}: {value}" for name, value in zip(names, values, strict=True))
    return f"{text[: found.start()]}{named}{text[found.end() :]}"


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
    """`lr: 0.01, eta: 1:52:14, time: 1.865` → the pairs whose value is a number, whatever parts them.

    In the file of a notebook a tab is written as two characters, as the line's end is.
    """
    found = {}
    for key, value in pairwise(text.replace(",", " ").replace("\\t", " ").replace("\\n", " ").split()):
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
