"""The named values of a line of text, as a row: `loss: 2.5`, `loss=  2.5`, `loss 2.5`, `12.3k tok/s`, `1.45 it/sec`.

And its places: `iter 10`, `Step [20/500]`. A date is no number, and `0:02:11` is one only as a time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ...patterns import lazy_pattern
from ..families.pairs import each_named, with_time
from ..other_languages import COUNTING, in_english
from ..parsing.columns import guess
from ..parsing.grammar import shape_of
from ..parsing.phases import validates
from ..parsing.values import COUNTER, newest_in, short_counters
from ..sets.sections import named_by_set, sections

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

_LONGEST = 2_000
_KEY = r"[^\W\d](?:[\w/.\-]|%(?=[_/\-]|['\"]? {0,2}[:=])){0,40}"
"""A name; `val_MDD%_env0` and `acc%` are whole ones."""
NUMBER = r"[-+]?(?:(?:\d{1,3}(?:,\d{3}){1,6}(?!,?\d)|\d{1,21}(?!\d|,\d))(?:\.\d{0,20})?(?:[eE][-+]?\d{1,3})?|\.\d{1,20}|[nN][aA][nN]|[iI]nf(?:inity)?)"
_UNITS = r"(?:ms|us|secs?|seconds?|mins?|minutes?|hours?|hrs?|[smhkKM%])"
_UNIT = rf"(?: ?{_UNITS}(?!\w|\.\w)| \({_UNITS}\))?"
NO_DATE = r"(?!\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?![\d.]))"
_CLOCK = r"(?:\d{1,4} days?, )?\d{1,5}:\d\d(?::\d\d(?:\.\d{1,9})?)?"
_COMPOUND = (
    r"\d{1,5} ?(?:d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?)"
    r"(?:[ ,]{0,3}\d{1,6}(?:\.\d{1,9})? ?(?:h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?|ms(?:ecs?)?)(?![A-Za-z_.])){1,4}"
)
"""`0h 30min  9s 763ms`, `1m39s`, read whole."""
VALUE = rf"(?:{_CLOCK}|{_COMPOUND}|{NUMBER}{_UNIT})(?!\w|\.\w|:\d|-\d\d:\d\d:\d\d)"
"""No day of a clock that counts on, `time=0-00:13:39`."""
_DIGITS_FIRST = (
    r"(?<![\w.,:/%-])\d{1,2}(?!ms|min|sec|hr|it|st\b|nd\b|rd\b|th\b)[A-Za-z]{2,20}(?=['\"]? {0,2}[:=：])"
)
"""A name that begins with a digit, `5HT=0.95`; no number with its unit."""
_NO_STAMP = (
    r"(?<!\d [AaPp]\.)(?!(?:(?<=:\d\d )|(?<=\d [AaPp][Mm] )|(?<=[-+]\d\d\d\d )|(?<=[.,]\d\d\d )|(?<=\d\d\d\d\d\d ))(?:[AaPp]\.?[Mm]|UTC|GMT|[ECMP][SD]T|CES?T|[IJK]ST|BST|MSK"
    r"|(?:Mon|Tue|Tues|Wed|Wednes|Thu|Thur|Thurs|Fri|Sat|Satur|Sun)(?:day)?)\b)"
)
_UNIT_BEHIND = r"(?!(?<=\d)(?:h|m|s|ms|min|sec)(?:\d|[ ,;|)\]]))"
_HALF_OF_DAY = rf"(?<![A-Za-z]){_UNIT_BEHIND}{_NO_STAMP}"
"""`10:27 PM : 0.98`, `10:27:00 UTC loss 0.5`: what stands behind a time of day is of the stamp, and of no name; nor is a duration's unit, `1m39s loss: 0.5`."""
_READABLE = "(?<![\ufffd\x80-\x9f])"  # what stands behind a byte of another encoding is half a letter, and no name
_PAIR = lazy_pattern(
    rf"{_HALF_OF_DAY}{_READABLE}(?<![a-z]['’](?=s ))({_DIGITS_FIRST}|{_KEY}(?: {_KEY}){{0,2}}(?: ?\((?:\w{{1,8}}|%)\))?)['\"]? {{0,2}}(?:[:=：]|->) {{0,20}}\[?\"?~?{NO_DATE}({VALUE})"
)
_WORD = lazy_pattern(
    rf"(?i)(?<![\w/]){_NO_STAMP}((?:(?:[a-z]{{2,12}}|(?-i:[A-Z]))(?:[_ ] {{0,3}}|-)){{0,2}}(?:train(?:ing)?)?loss(?:_[a-z]{{2,12}})?|损失|(?:step|iter|batch|data|epoch)_time|lr|grad(?:[_ -]norm)?|(?:(?!and |with |the )[a-z]{{2,12}} )?norm|mfu|dt|time|timer|(?:(?:epoch|total)-)?elapsed|ppl|time/(?:iter|step|batch)|m?s/batch|m?s/it|it/s|tok(?:en)?s?/s(?:ec)?) {{1,12}}\[?"
    rf"{NO_DATE}({VALUE})"
)
_IS = lazy_pattern(
    rf"(?i)(?<![\w]){_NO_STAMP}((?:(?!the |this |our |and |with )[a-z]{{2,12}}[_ ]){{0,2}}loss)(?: so far)? is:? {{1,4}}({NUMBER})(?!\w|\.\w)"
)
"""`avg loss so far is 0.25`; whose it is stands in front: `val loss is 0.25`."""
_TIME_IS = lazy_pattern(
    rf"(?i)(?<![\w-])((?:running |epoch )?time) (?:is|was) {{1,3}}(\d{{1,7}}\.\d{{1,20}}{_UNIT})(?!\w|\.\w)"
)
"""`The running time is 40.75`: with its decimals, for a time of day has none."""
_ELAPSED = lazy_pattern(
    rf"(?i)(?<![\w.:])({_COMPOUND}|{_CLOCK}|\d{{1,9}}(?:\.\d{{1,6}})? ?(?:s|secs?|seconds?|m|mins?|minutes?)) (elapsed)(?! ?[:=]| time)\b"
)
"""`292s elapsed`: a clock whose name stands behind it."""
_TOOK = lazy_pattern(
    r"(?i)(?<![\w.-])(took|train(?:ing)?) {1,3}(\d{1,7}(?:\.\d{1,9})? ?(?:ms|s|secs?|seconds?|mins?|minutes?))(?![\w/]|\.\w| per )"
)
"""`Epoch 3 loss 0.5 | train 5.25s`, `took 61.5 sec`: a time whose unit shows what it is."""
_BOTH = lazy_pattern(
    rf"(?i)(?<![\w/])(tr|trn|train|training) {{1,3}}(\d{{1,6}}\.\d{{1,20}})(?![\w.%]| ?{_UNITS}\b)[ ,;|/()-]{{1,6}}(vl|val|valid|validation|dev|test) {{1,3}}(\d{{1,6}}\.\d{{1,20}})(?![\w.%]| ?{_UNITS}\b)"
)
"""`train 2.5 | val 2.25`: of the training and of what is evaluated."""
_STEP = r"(?:iterations?|iters?|its?|steps?|batch(?:es)?)"
_RATE = lazy_pattern(
    rf"(?i)(?<![\w.])(\d(?:,?\d){{0,20}}(?:\.\d{{0,20}})?(?:e[-+]?\d{{1,3}})?(?-i:[kM])?) ?(tok(?:en)?s?/s(?:ec)?|(?:ms|s|sec|secs|seconds?) ?(?:/|per) ?{_STEP}|{_STEP} ?(?:/|per) ?(?:s|secs?|seconds?))\b"
    r"(?! {0,2}[:=] {0,2}[\d.])"
)

_BARE_SECONDS = lazy_pattern(
    r"(?:(?<= - )|(?<=[|,] )|(?<!\w)[Ee]poch[: ]{1,2}\d{1,6}(?: ?/ ?\d{1,6})? [\[(])(\d{1,6}(?:\.\d{1,6})?s)(?= - | ?[|,]|[\])](?: ?[-|,:] ?| {1,3})[A-Za-z]|(?:\\n)?\"?,?$)"
)
"""`Epoch 1/500 - 0.21s - loss: 2.5`, `Epoch 1/500 [0.21s] | loss: 2.5`: a time without a name; of the row, or of a clock. A notebook's line ends with marks."""

_N = rf"({COUNTER}(?:(?:\.\d{{1,3}})?[kKM](?!\w))?)(?!\d)"
"""Of a counter: `400`, `121,400`, or rounded, `13K`."""
_PLACE = lazy_pattern(
    rf"(?i)(?<!s/)(?<!c/)(?<!time/)(?<!best[ _-])(?<!max[ _-])(?:\b|(?<=:\d\d)|(?<=\btrain_))(global[_ ]step|step|iter(?:ation)?|it(?=: {{0,8}}\d| ?= {{0,12}}\d| \d{{1,9}}/\d)|epoch|{'|'.join(COUNTING)}|batch|update|episode|ep(?=[ .:#]{{0,3}}\d)|e(?= {{0,3}}\d{{1,6}}/\d|(?<=\[e)\d{{1,6}}\]))s?(?:\b|(?<=\be)|(?<=\bep)|(?=\d{{1,9}}[\]\s:,-]))(?: train(?=:))?['\"\]]?[ :=：#\[(]{{0,12}}['\"]?{_N}"
    rf"(?: {{0,8}}(?:/|(?:out )?of) {{0,8}}{_N}| {{0,2}}\| {{0,2}}{_N}(?= {{0,2}}\]))?"
)
_UNIT_WORD = lazy_pattern(r"(?:[A-Za-z_]{1,20}/(?:s|secs?|seconds?|mins?|h)|ms|secs?|seconds?|[KMGT]i?B) ")
_ROUNDED, _SOURCE_FILE = lazy_pattern(r".?\d[kKMG]? "), lazy_pattern(r"/\S{1,60}\.(?:py|h|cc|cpp|cu)$")
_AGENT = lazy_pattern(r"(?i)\b(?:reward|return|score|eps(?:ilon)?|epch)")
_LEVELS = ("DEBUG", "INFO", "WARN", "WARNING", "ERROR", "CRITICAL")
_PROCESS_IDS = frozenset(("pid", "tid", "ppid", "lineno", "threadid", "thread_id", "process_id"))
_CODE_PLACES = frozenset(("line", "thread", "process"))
_IN_FILE = lazy_pattern(r"\.(?:py|pyx|cc|cpp|cu|ipynb)\W{0,5}(?:at )?line$")
_LEVEL = lazy_pattern(r"\b(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL)\b")
_BEHIND_LEVEL = lazy_pattern(r"(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL):$")
_OF_ANOTHER = frozenset(("min", "max", "std", "global", "median"))
_MODULE = lazy_pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_BEFORE_CODE, _IN_CODE = lazy_pattern(r"[\w>]:$"), lazy_pattern(r" ?(?:[-|] |[\])])")
_COUNTS = lazy_pattern(r"(?i)(?<!best )(?<!max )\b(?:epoch|step|iter|iteration|batch|episode)$")
_IN_BRACKETS, _FRACTION = lazy_pattern(r"\[ {0,9}\d{1,9} {0,9}[\]/:]"), lazy_pattern(r"\.\d")
_MEASURE = lazy_pattern(
    rf"(?i)(?:\.\d{{1,20}})?(?:(?:[um]?s|secs?|min|[KMGT]i?B)\b| (?:[um]?s|sec(?:ond)?s?|min(?:ute)?s?|hours?|hrs?|[KMGT]i?B)(?: ?(?:/|per) ?{_STEP})?(?= ?[,;|)\]]| - | ?$))|(?<=m) ?\d{{1,2}} ?s\b"
)
"""Behind the number of `Batch: 1.98s`, `Step: 0.25 s/it`, `Iter 35 ms |`: a time or a size, and no place; in `step 12 sec: 0.5` it names what follows."""

_WRAPPED = lazy_pattern(
    rf"\b(?:(?:tf|np|numpy|jnp|torch)\.)?(?:[tT]ensor|(?:Device)?[aA]rray|float\d\d)\( ?\[{{0,2}}({NUMBER})\]{{0,2}}"
    r"(?:, ?\w{1,20}=(?:\([^()]{0,20}\)|[^(),]{0,60})){0,4}\)"
)
"""`tensor(0.54, device='cuda:0', grad_fn=<NllLossBackward>)`, `np.float64(0.54)`: a number, as libraries show their own."""
_WRAPS = ("ensor(", "rray(", "loat")


def unwrapped(text: str) -> str:
    """A line with its tensors and arrays of one number as plain numbers."""
    return _WRAPPED.sub(r"\1", text) if "(" in text and any(map(text.__contains__, _WRAPS)) else text


_KIND_OF_LOSS = lazy_pattern(r"(\b[Ll]oss) \([A-Z]{2,8}\)(?= ?[:=])")
"""`Training loss (NLL): 2.5`: which one it is."""
_HYPHENS = lazy_pattern(r"(?i)(?:epoch|step|iter(?:ation)?|batch|episode)-\d{1,9}\b")
_HYPHENED = lazy_pattern(r"([A-Za-z])-(?=\d)")


_TWO_KEYS = lazy_pattern(
    r"(?i)(?<![\w/])(?:(epoch|ep)s?(?: ?[/,&] ?| and | )(step|iteration|iter|it|batch|update)|(step|iteration|iter|batch)(?:e?s)?(?: ?[/,&] ?| and | )(epoch))s?"
    r"['\"]?(?: {0,3}[:=] {0,4}| {1,4})[\[(]? {0,4}(\d{1,9})(?: ?[/,] ?| {1,4}(?:and )?)(\d{1,9})(?![\w./%])"
)
"""`epoch/iter: 4/999`, `Epoch and iter 4 999`: a number of each name; a stroke in the name, so the one behind the colon does not say of how many."""

_EPOCH_BEHIND = lazy_pattern(r"(?i)(?<![\w.])(\d{1,6})-(epoch)\b(?= ?[(\[] ?\d{1,9} ?/)")


def epoch_first(text: str) -> str:
    """`0-epoch (99/44660): loss`: the epoch's number stands before the word, and what follows is a place within it."""
    text = _GLUED.split(text, maxsplit=1)[0] if text.count("-") > 1 and text.count(":") > 1 else text
    if "][" in text and "poch" not in text:
        return _TWO_BRACKETS.sub("Epoch: ", text, count=1)
    return _EPOCH_BEHIND.sub(r"\2 \1", text, count=1) if "-" in text and "poch" in text else text


_TWO_BRACKETS = lazy_pattern(
    r"(?i)\b(?:iter(?:ation)?|step|batch) ?:? ?(?=\[ {0,5}\d{1,6}\] ?\[ {0,7}\d{1,9} {0,2}/ {0,2}\d{1,9}\])"
)
"""`Iter: [199][50/391]`: the first is the epoch, whatever the word before it says."""

_GLUED = lazy_pattern(
    r"(?<=[\w.]\.)(?=\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)|(?<=\d|[a-z])(?=\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\.\d+: [A-Z] )"
)
"""`loss: 1.2017-06-23 09:59:32.6: I gpu_device (/gpu:0)`: another stream's line, in the midst of a row."""


_LOSSES = lazy_pattern(
    r"\b[Ll]oss(?:es)?:? {1,3}((?:[A-Za-z]\w{0,40}[:=]-?[\d.]{1,20}(?:e[-+]?\d{1,3})?[ ,|]{1,3}){1,40})total(?=[:=])"
)
"""`Loss box:0.5 mask:0.25 total:0.75`: the word in front says what all of them are."""


def two_keys(text: str) -> str:
    """`epoch/iter: 4/999` as `epoch: 4, iter: 999`: two names and the number of each."""
    return _TWO_KEYS.sub(r"\1\3: \5, \2\4: \6", text) if "poch" in text or "POCH" in text else text


def _plain(text: str) -> str:
    """`Epoch-1-Batch-5: Train: Loss-0.25, Accuracy-0.5`: a hyphen stands for a colon where one counts in front; not in a file's name."""
    text = short_counters(two_keys(in_english(each_named(newest_in(text)))))
    if "oss (" in text:
        text = _KIND_OF_LOSS.sub(r"\1", text)
    if "oss" in text and "total" in text:
        text = _LOSSES.sub(r"\1total_loss", text)
    hyphened = "-" in text[:16] and _HYPHENS.match(text) is not None and ": " in text
    return _HYPHENED.sub(r"\1: ", text) if hyphened else text


COUNTED = ("global_step", "step", "iteration", "iter", "it", "update", "batch", "episode")
"""What counts iterations, as `columns.py` ranks the names."""


def places_of(text: str) -> dict[str, tuple[str, str]]:
    """Of what a line is which, by the words that count: the number, and that of all, or ""."""
    text = _plain(text)
    return {word: (text[first], text[of]) for word, first, of in _steps(shape_of(text))}


def spelled(word: str, text: str) -> str:
    """A word in lower case as the text has it."""
    at = text.lower().find(word)
    return text[at : at + len(word)] if at >= 0 else word


def called_of(text: str, places: Mapping[str, object]) -> dict[str, str]:
    """How the log spells what counts its epochs or its episodes, where that is no such word: `Ep 7`; or its steps, `[7/90]`."""
    if places.keys().isdisjoint(COUNTED) and "[" in text and _IN_BRACKETS.search(text[:_LONGEST]):
        return {"step": "the number in brackets"} | called_of(text.replace("[", "("), places)
    word = "epoch" if "epoch" in places else "episode" if "episode" in places else ""
    if not word or word in (lower := text.lower()):
        return {}
    foreign = next((one for one, english in COUNTING.items() if english == word and one in lower), None)
    if foreign is not None:
        return {word: foreign}
    return next(({word: one[1]} for one in _PLACE.finditer(text) if one[1].lower() in ("e", "ep")), {})


def values_of(text: str) -> dict[str, object]:
    """The values of a line by their names as they stand there; of two of one name the first."""
    text = unwrapped(_plain(text[:_LONGEST]))
    pairs, others = _places(shape := shape_of(text))
    of, row = sections(shape), dict[str, object]()
    row |= {named_by_set(text, of, name, value.start): text[value] for name, value in pairs}
    for name, value in others:
        row.setdefault(named_by_set(text, of, name, value.start), text[value])
    return with_time(row)


@lru_cache(maxsize=256)
def _places(shape: str) -> tuple[tuple[tuple[slice, slice], ...], list[tuple[slice | str, slice]]]:
    """Where a line of this shape has its values: those that its pairs name, and others.

    In their order, or where two may have one name the last first: then the first of them stays.
    """
    named = (found for found in _PAIR.finditer(shape) if not _names_no_value(found))
    pairs = tuple((_name(found), slice(*found.span(2))) for found in named)
    if len({shape[name] for name, _ in pairs}) < len(pairs):
        pairs = pairs[::-1]
    others: list[tuple[slice | str, slice]] = [*map(_spans, _IS.finditer(shape) if " is" in shape else ())]
    others += map(_spans, _TIME_IS.finditer(shape) if "ime is" in shape or "ime was" in shape else ())
    words = [*_WORD.finditer(shape)]
    if "/" in shape or " per " in shape:
        told = {found.start(2) for found in words}
        rates = (found for found in _RATE.finditer(shape) if found.start(1) not in told or not _names_next(found))
        others += ((_unit(found[2].lower()), slice(*found.span(1))) for found in rates)
    others += map(_spans, words)
    if "tr" in shape.lower() and (both := _BOTH.search(shape)) is not None:
        others += [(slice(*both.span(n)), slice(*both.span(n + 1))) for n in (1, 3)]
    if "lapsed" in shape:
        others += ((slice(*one.span(2)), slice(*one.span(1))) for one in _ELAPSED.finditer(shape))
    bare = [*_BARE_SECONDS.finditer(shape)]
    took = [*_TOOK.finditer(shape)] if "took" in shape or "rain" in shape else []
    name = "took" if took and took[0][1].lower() == "took" else "training_time"
    others += ((name, slice(*took[0].span(2))),) if len(took) == 1 else ()
    return pairs, [*others, *((("time", slice(*bare[0].span(1))),) if len(bare) == 1 else ())]


def _names_no_value(pair: re.Match[str]) -> bool:
    """Is it a logger's, `INFO:0`, `mynet INFO: [1/200]`, `trainer:after_step:246 - `, or the place of the row: `VAL. Epoch: 0`?"""
    name, number = pair[1], pair[2].rstrip(",").isdigit()
    if name.rpartition(" ")[2] in _LEVELS or (name in _OF_ANOTHER and _in_brackets(pair)):
        return True
    if number and (_is_of_logger(pair) or _SOURCE_FILE.search(name) or _is_of_module(pair)):
        return True
    if number and _IN_CODE.match(pair.string, pair.end()) and _BEFORE_CODE.match(pair.string[: pair.start()][-2:]):
        return True
    return number and " " in name and _COUNTS.search(name) is not None and guess(name) is None


def _is_of_logger(pair: re.Match[str]) -> bool:
    """`train.py[line:123] - INFO: `, `pid: 45 | INFO | `, `main:88 - INFO - `, `INFO:root:[3, 20]`: what has printed the line."""
    word, front = pair[1].lower().rpartition(" ")[2], pair.string[: pair.start(1)]
    if word in _PROCESS_IDS or (_BEHIND_LEVEL.search(front[-10:]) and guess(pair[1]) is None):
        return True
    level = _LEVEL.search(pair.string, pair.end(), pair.end() + 60)
    if word in _CODE_PLACES:
        return level is not None or _IN_FILE.search(f"{front[-20:]}{pair[1]}") is not None
    if level is None or any(map(str.isalpha, front)) or guess(pair[1]) is not None:
        return False
    return not any(map(str.isalnum, pair.string[pair.end() : level.start()]))


def _is_of_module(pair: re.Match[str]) -> bool:
    """`[INFO] package.module:   96: `: a line of the source, behind which what is logged begins."""
    front, behind = pair.string[: pair.start(1)], pair.string[pair.end() :]
    name = pair[1].rpartition(" ")[2]
    if not behind.startswith(": ") or guess(name) is not None:
        return False
    in_front = f"{front}{pair[1][: -len(name)]}"
    levelled = _LEVEL.search(in_front) is not None
    first = not any(map(str.isalpha, _LEVEL.sub("", in_front)))
    return first and (levelled or _MODULE.fullmatch(name) is not None)


def _in_brackets(pair: re.Match[str]) -> bool:
    """`step_time=0.04 (min=0.04s, max=0.47)`: whose it is stands in front of the bracket."""
    before = pair.string[max(0, pair.start() - 60) : pair.start()]
    return before.rfind("(") > max(before.rfind(")"), 0)


def _names_next(rate: re.Match[str]) -> bool:
    """Whether it stands before a number: in `lr 0.25 tok/s 500` it names that one, in `lr 0.25 500 tok/s` its own."""
    return rate.string[rate.end() : rate.end() + 2].lstrip(" ")[:1].isdigit()


def _spans(found: re.Match[str]) -> tuple[slice, slice]:
    return slice(*found.span(1)), slice(*found.span(2))


def _unit(written: str) -> str:
    return "tok/s" if written.startswith("tok") else written.replace(" per ", "/")


def _name(found: re.Match[str]) -> slice:
    """The unit of the number before it is no part of a name: `tp=723.0 samples/s events=0`, `404.25/s/gpu LR: 0.5`."""
    begin, end = found.span(1)
    of_a_unit = begin > 1 and found.string[begin - 1] == "/" and found.string[begin - 2].isdigit()
    if of_a_unit or (found.string[begin - 1 : begin] == "=" and not validates(found[1])):  # `data=cars lags=336`
        begin += found[1].find(" ") + 1
    if _ROUNDED.fullmatch(found.string, max(0, begin - 3), begin) and (unit := _UNIT_WORD.match(found[1])):
        begin += unit.end()
    return slice(begin, end - 3 if found[1].endswith(" is") else end)


@lru_cache(maxsize=256)
def _steps(shape: str) -> tuple[tuple[str, slice, slice], ...]:
    """Where a line of this shape says of what it is which: the word, the number, and that of all; the last first.

    A fraction is a rate, beside a whole number or behind a stroke: `iter 10 | rew/step 3.8365`.
    """
    found = [one for one in _PLACE.finditer(shape) if not _MEASURE.match(shape, one.end(2))][::-1]
    whole = [one for one in found if not _FRACTION.match(shape, one.end(2))]
    found = whole or [one for one in found if shape[one.start() - 1 : one.start()] != "/"]
    return tuple((_word(one), slice(*one.span(2)), _length(one)) for one in found)


def _word(found: re.Match[str]) -> str:
    """What counts, by its whole name: `Ep 7` is an epoch, and beside a reward an episode."""
    word = found[1].lower().replace(" ", "_")
    if word not in ("e", "ep"):
        return COUNTING.get(word, word)
    return "episode" if _AGENT.search(found.string) else "epoch"


def _length(found: re.Match[str]) -> slice:
    """Where it stands how many there are. `Epoch:[ 0 | 19 ]` may name the last of them: too few to end at."""
    group = 3 if found[3] else 4 if found[4] and _word(found) != "epoch" else 0
    return slice(*found.span(group)) if group else slice(0)


def inner_of(places: Mapping[str, tuple[str, str]]) -> str | None:
    """`iteration:4 step:13/29`: what is one of so many is inside what is counted without an end, whatever its name."""
    if len(places) != 2 or "epoch" in places or "batch" in places or "global_step" in places:
        return None
    (outer, (_, outer_of)), (inner, (_, inner_of)) = sorted(places.items(), key=lambda one: bool(one[1][1]))
    return inner if inner_of and not outer_of and COUNTED.index(inner) < COUNTED.index(outer) else None
