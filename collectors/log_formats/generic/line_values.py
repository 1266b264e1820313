"""The named values of a line of text, as a row: `loss: 2.5`, `loss=  2.5`, `loss 2.5`, `12.3k tok/s`, `1.45 it/sec`.

A date is no number, and `0:02:11` is one only as a time.
"""

from __future__ import annotations

from ...patterns import lazy_pattern

_LONGEST = 2_000
_KEY = r"[A-Za-z_][\w/.\-]{0,40}"
NUMBER = r"[-+]?(?:\d[\d,]{0,20}(?:\.\d{0,20})?(?:[eE][-+]?\d{1,3})?|\.\d{1,20}|[nN][aA][nN]|[iI]nf(?:inity)?)"
_UNITS = r"(?:ms|us|secs?|seconds?|mins?|minutes?|hours?|hrs?|[smhkKM%])"
_UNIT = rf"(?: ?{_UNITS}(?!\w|\.\w)| \({_UNITS}\))?"
NO_DATE = r"(?!\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?![\d.]))"
_CLOCK = r"(?:\d{1,4} days?, )?\d{1,5}:\d\d(?::\d\d(?:\.\d{1,9})?)?"
_COMPOUND = r"\d{1,5} ?(?:h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?)[ ,]{1,2}\d{1,5}(?:\.\d{1,9})? ?(?:m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![\w.])"
VALUE = rf"(?:{_CLOCK}|{_COMPOUND}|{NUMBER}{_UNIT})(?!\w|\.\w|:\d)"
_PAIR = lazy_pattern(
    rf"({_KEY}(?: {_KEY}){{0,2}}(?: ?\(\w{{1,8}}\))?) {{0,2}}[:=] {{0,12}}\[?\"?{NO_DATE}({VALUE})"
)
_WORD = lazy_pattern(
    rf"(?i)(?<![\w/])(loss|lr|grad(?:_norm| norm)?|norm|mfu|dt|time|timer|elapsed|ppl|m?s/batch|m?s/it|it/s) {{1,12}}\[?"
    rf"{NO_DATE}({VALUE})"
)
_IS = lazy_pattern(
    rf"(?i)(?<![\w])((?:avg |average |mean |train(?:ing)? )?loss)(?: so far)? is:? {{1,4}}({NUMBER})(?![\w.])"
)
_STEP = r"(?:iterations?|iters?|its?|steps?|batch(?:es)?)"
_RATE = lazy_pattern(
    rf"(?i)\b(\d[\d,]{{0,20}}(?:\.\d{{0,20}})?(?:e[-+]?\d{{1,3}})?(?-i:[kM])?) ?(tok(?:en)?s?/s(?:ec)?|(?:ms|s|sec|secs|seconds?) ?(?:/|per) ?{_STEP}|{_STEP} ?(?:/|per) ?(?:s|secs?|seconds?))\b"
)


def values_of(text: str) -> dict[str, object]:
    """The values of a line by their names as they stand there; of two of one name the first."""
    text = text[:_LONGEST]
    row: dict[str, object] = {_name(found[1]): found[2] for found in reversed([*_PAIR.finditer(text)])}
    for found in _IS.finditer(text) if " is" in text else ():
        row.setdefault(found[1], found[2])
    for value, unit in _RATE.findall(text) if "/" in text or " per " in text else ():
        row.setdefault("tok/s" if unit.lower().startswith("tok") else unit.lower().replace(" per ", "/"), value)
    for found in _WORD.finditer(text):
        row.setdefault(found[1], found[2])
    return row


def _name(written: str) -> str:
    return written.strip().removesuffix(" is")
