"""Totals that a head tells: in a sentence, which goes before settings, or by a name, where rows come to it.

training set to a maximum of 500000 steps            a sentence: `max_iters: 1000` above it is of something else
total_iter: 500000                                   a name that may be another's, until a row stands there
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

_STEPS = r"(?:steps|iterations|iters|updates)"
_NUMBER = r"(?<![\w.])(\d{1,3}(?:[,_]\d{3}){1,3}|\d{1,12})(k|K|M)?"
_OF = r"(?:(?:training|optimi[sz]ation|gradient|global|total) ){0,2}"
_TRAINS = r"\b(?:will|going to|starts? to) (?:be )?(?:train|run|optimi[sz]e|fine-?tune)(?:d|ed)?\b"
_ALL = r"\btotal (?:number of )?(?:training|train|optimi[sz]ation|gradient(?: descent)?|update|global) "
_SENTENCE = lazy_pattern(
    rf"(?i)\bmaximum of {_NUMBER} {_OF}{_STEPS}\b"
    rf"|{_TRAINS}(?:(?!\bmore\b)[^.\d]){{0,30}}?"
    rf"\b(?:for|until|to|up to) (?:a total of |step |iteration )?{_NUMBER} {_OF}{_STEPS}\b"
    rf"|{_ALL}{_STEPS}(?: (?:is|are|will be))?[ :=]{{1,6}}{_NUMBER}(?![\w.%/*])"
)
_OF_A_PART = lazy_pattern(
    r"(?i)\b(?:per|each|every|warm\w*|pre-?train\w*|eval\w*|valid\w*|discriminator|phase|stage|fold|epoch"
    rf"|save\w*|log\w*)\b|{_STEPS} ?/"
)
_HINTS = ("step", "iter", "update")

_NAMED = lazy_pattern(
    r"(?i)(?<![\w.-])(?:--)?(?:total_(?:iters?|iterations?|steps|timesteps)|n_?iters?"
    r"|num_(?:iters?|iterations|steps)|n_steps|iters|iterations|max_(?:iters?|iterations|steps)"
    r"|train(?:ing)?[_ ](?:steps|iters|iterations))['\"]?\s{0,3}[:=]\s{0,3}(\d{2,12})(?![\w./%*])"
    r"|\btrain\w* (?:with|for) (\d{2,12}) (?:steps|iterations|iters)\b"
)
_MOST = 64


def told(lines: Sequence[tuple[int, str]]) -> dict[int, int]:
    """The total that sentences tell, with its line; none where they tell several."""
    found: dict[int, int] = {}
    for number, text in lines:
        if not any(map(text.lower().__contains__, _HINTS)) or (said := _SENTENCE.search(text[:400])) is None:
            continue
        if _OF_A_PART.search(text[:400]):
            continue
        groups = [one for one in said.groups() if one]
        scale = {"k": 1_000, "M": 1_000_000}.get(groups[1].replace("K", "k"), 1) if len(groups) > 1 else 1
        found.setdefault(int(groups[0].replace(",", "").replace("_", "")) * scale, number)
    return found if len(found) == 1 else {}


def named(lines: Sequence[tuple[int, str]]) -> dict[int, int]:
    """What names that may mean a total say, each with its line."""
    found: dict[int, int] = {}
    for number, text in lines:
        if any(map(text.lower().__contains__, _HINTS)):
            for said in _NAMED.finditer(text):
                if len(found) < _MOST:
                    found[int(said[1] or said[2])] = number
    return found


def by_epochs(said: dict[int, int], epochs: int, each: int) -> int | None:
    """Of several ends the one that is after all epochs, or within the last one: as many are begun as it takes."""
    if epochs * each in said:
        return epochs * each
    within = [one for one in said if (epochs - 1) * each < one < epochs * each]
    return within[0] if len(within) == 1 else None
