"""Lines that say that an evaluation, a save, a load or a compilation begins or ends, whoever prints them. One table.

    ***** Running Evaluation *****
    [I] Saving checkpoint at step 3000
    :::MLLOG {"time_ms": 1594216803075, "event_type": "INTERVAL_START", "key": "eval_start", ...}
    549/5490 [05:02<38:38, 2.13it/s]The following columns in the evaluation set don't have a corresponding argument

A format reads those of its own framework, with their results and times. Of all others only this is taken: why nothing
comes now. It is over with the next iteration at the latest, and counts for nothing: see `stops/told_stops.py`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ...events import CHECKPOINT, COMPILE, DATA, EVALUATION, Iteration, SpanBegin, SpanEnd, Strength
from ..patterns import lazy_pattern
from .parsing.grammar import PREFIX, shape_of, without_logger
from .parsing.stamps import stamp

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from ...events import Event

_EVALUATION = (
    r"(?:eval(?:uation)?s?|evaluating|validat(?:ion|ing|e)|val|tests?|testing|predicti(?:on|ng)|inference)"
)
_SAVED = r"(?:checkpoints?|ckpts?|(?:best |final )?model|weights|(?:training |optimizer |best )?state|snapshot|parameters)"
_FILE = r"[\w./~=-]{1,100}\.(?:pth?|ckpt|safetensors|keras)(?![\w.])"
_LOADED = r"(?:data ?(?:set|loader)?s?|shards?|checkpoints?|ckpts?|model|weights|annotations)"
_FEW = r"(?:[\w'.-]{1,30} ){0,3}?"
_OF_A_SAVE = r"(?:(?!train|fit|load|build|creat|compil|eval|valid|test|initiali)[\w'.-]{1,30} ){0,3}?"
"""What is finished is saved: `Finished training the model` tells of none."""
_ANY = r"(?:(?!(?:of|for|from|in|on|with|by|to) )[^\s,;:]{1,40} ){0,4}?"
"""What was saved may be called anything: `Saved best R@1 checkpoint`, `Saved the best-so-far (F1@10) model`."""
_BEGINS = r"(?:running|start(?:s|ed|ing)?|begin(?:s|ning)?|began|performing|doing|entering)"
_ENDS = r"(?:finished|completed?|done(?: with)?|ended|end of)"
_OVER = r"(?:finished|completed?|done|ended|over|took)"
_FRONT = r"^\W*(?:(?:info|warning|debug)\b\W*|\[[^\]]{1,60}\]\W*){0,2}"
_ALONE = r"(?:{})(?: (?:on|of|at|in|for|after|to)?\W?(?:the )?[\w/.-]{{0,60}}){{0,3}}(?:\W{{0,3}}\d{{1,9}})?(?: ?\.{{2,}}|\W{{0,5}})$"
"""What a line says and nothing else: `Eval epoch: 4`, `Saving..`, `Testing on the test set ...`."""


class Stop(NamedTuple):
    """A kind of stop, and what says in small letters that it begins or ends."""

    kind: str
    begins: re.Pattern[str]
    ends: re.Pattern[str]


STOPS = (
    Stop(
        EVALUATION,
        lazy_pattern(
            rf"\b{_BEGINS} to (?:evaluate|validate|test)\b|\b{_BEGINS} (?:of )?{_FEW}{_EVALUATION}\b(?! (?:loss|acc))|\b{_EVALUATION} (?:has |is )?(?:start(?:s|ed|ing)|begins|began|start(?=\W*$))\b"
            rf"|\bgenerating {_FEW}(?:samples?|images?|predictions?)\b|\bcolumns in the (?:evaluation|test|prediction) set\b"
            r'|"(?:eval|evaluation|validation|test)_start"|'
            + _FRONT
            + r"(?:(?:evaluat|validat|test)ing (?:the |our )?(?:(?:current|best|trained) )?(?:model|network|policy|agent)\b|"
            + _ALONE.format(
                r"eval(?:uation(?= on (?:the )?[\w-]{1,30} (?:data ?)?set\b))?|evaluat(?:ing|e)|validat(?:ing|e)|testing|predicting"
            )
            + ")"
        ),
        lazy_pattern(
            rf"\b{_ENDS} (?:the )?{_FEW}{_EVALUATION}\b|\b{_EVALUATION} (?:is |has )?{_OVER}\b(?! {{0,2}}\d{{1,9}} ?/)"
            r"|\b(?:evaluation|validation|test) results? (?:for|on|of|in) "
            r'|"(?:eval|evaluation|validation|test)_(?:stop|end)"'
        ),
    ),
    Stop(
        CHECKPOINT,
        lazy_pattern(
            rf"\b(?:saving|writing|storing|dumping) (?:to )?(?:the |a )?{_ANY}{_SAVED}\b|{_FRONT}saving(?:\W*| (?:to )?\S*[/\\]\S*)\W*$"
            r'|"(?:checkpoint|save)_start"'
        ),
        lazy_pattern(
            rf"\b(?:saved|wrote|written|stored|dumped) {_ANY}{_SAVED}\b|\b{_SAVED} (?:(?:with|of|from|at|for) [^:;]{{1,80}}? (?=ha|was|were|is|are))?(?:ha(?:s|ve) been |was |were |is |are )?(?:saved|written)\b"
            rf"|\b{_ENDS} {_OF_A_SAVE}(?:sav(?:e|ing)|checkpoint(?:ing)?|{_SAVED})\b"
            rf'|\b(?:sav(?:e|ing)|checkpoint(?:ing)?) (?:is |has )?{_OVER}\b|"(?:checkpoint|save)_(?:stop|end)"'
            rf"|\b(?:saved|wrote|written|stored|dumped):? {{1,3}}(?:(?:to|as|in|→|[=-]>) {{1,2}})?{_FILE}|{_FRONT}save (?:a |the |new |best |current ){{0,3}}{_SAVED} (?:to|as|in|at|into) (?!.*\bevery\b)[\w./~]"
            rf"|^\W{{0,20}}save:(?=\S{{0,99}}\d)[\w./\\=-]{{1,99}}\.(?:pth?|ckpt|safetensors|keras)(?:-\d{{1,9}})?\W*$"  # a setting has a blank
        ),
    ),
    Stop(
        COMPILE,
        lazy_pattern(rf"{_FRONT}(?:re-?)?compil(?:ing|ation)\b|\b{_BEGINS} (?:to )?{_FEW}compil(?:ation|ing|e)\b"),
        lazy_pattern(rf"\bcompil(?:ed|ation) {_FEW}{_OVER}\b|\b{_ENDS} {_FEW}compil(?:ing|ation)\b"),
    ),
    Stop(
        DATA,
        lazy_pattern(
            rf"{_FRONT}(?:re|down)?loading (?:the )?{_FEW}{_LOADED}\b|\b{_BEGINS} (?:to )?load(?:ing)? {_FEW}{_LOADED}\b"
        ),
        lazy_pattern(rf"\bloaded {_FEW}{_LOADED}\b|\b{_ENDS} {_FEW}(?:re|down)?load(?:ing)?\b"),
    ),
)

_BY_LOGGERS = (EVALUATION, CHECKPOINT)

_HINTS = (
    "eval",
    "valid",
    "test",
    "predict",
    "infer",
    "sav",
    "checkpoint",
    "ckpt",
    "writ",
    "stor",
    "dump",
    "compil",
    "load",
    "generating",
)
"""Each line that says it holds one of these: to look for them takes 0.5 µs, for all that is in the table 20."""

_NOT_YET = lazy_pattern(
    r"\b(?:will|would|shall|should|can|may|must|to|not) be (?:saved|written|stored|dumped|evaluated|tested)\b"
)
"""`Checkpoints will be saved to out/` tells of none."""

_SETTING = lazy_pattern(
    r"\b(?:sav|writ|stor|dump)(?:e|ing) (?:(?:the|all|its|model|training|your) ){0,3}(?:checkpoints|ckpts|snapshots) (?:to|in|into|under|at|every)\b"
    r"(?!.*(?<![a-z])(?:epoch|step|iter(?:ation)?|update|batch|round)s?[\W_]{0,3}\d)"
    r"|\b(?:checkpoints|ckpts|snapshots|models) (?:are|get) (?:saved|written|stored)\b"
    r"|(?:sav(?:ed?|ing)|written|checkpoint(?:s|ing|ed)?|evaluat(?:ed?|ing|ion)|validat(?:ed?|ing|ion)|test(?:ed|ing)?)\b"
    r"(?:[ :=-]{1,3}(?:is|are|runs?|done|models?|weights|the|happens|performed|frequency)){0,3}[ :=-]{1,3}(?:once )?(?:every|per|each)\b"
)
"""`Saving checkpoints to out`, `Model is saved every 500 steps`: where, or how often, is a setting, and no save. With the epoch it is one."""

_NO_MODEL = lazy_pattern(
    r"\bsav(?:ed|ing) (?:(?!model|check|ckpt|weight|state)[\w'.-]{1,30} ){0,3}?"
    r"(?:config(?:uration)?s?|settings|arg(?:ument)?s|options|hyper-?param\w*|(?:source )?code)\b(?! (?:and|&|\+))"
    r"|\b(?:model|checkpoint|weights|state)(?:'s)? (?:predictions?|outputs?|results?|metrics|scores|summary|plots?|graph|diagram|history|samples"
    r"|images|figures?|curves?|logits|embeddings|card|inputs?|data)\b(?! (?:and|&|\+))"
    r"|\bsav(?:ed|ing)\b.{0,150}?[\w*-]\.(?:png|jpe?g|gif|svg|pdf|csv|tsv|xlsx?|html?|mp4|wav)(?!\.?\w)"
    r"|\bsav(?:ed|ing):? (?:(?!model|check|ckpt|weight|state)[\w'.-]{1,30} ){0,4}?(?:[^\s/\\]{0,99}[/\\]){0,9}"
    r"(?![^\s/\\]{0,99}(?:model|check|ckpt|weight|state))[\w*-][^\s/\\]{0,99}\.(?:jsonl?|ya?ml|txt|npy|log)(?![\w.]\w)"
)
"""`Saved config snapshot to out/config.json`, `Saving model predictions to out/test.csv`, `Saving out/predictions.json...`: nothing of what was trained."""

SAVED_BEFORE = lazy_pattern(
    r"(?i)\b(?:skip(?:ped|ping)|ignor(?:ed|ing)) (?:of )?(?:the |any )?saved\b|\bstopping \b.{0,150}\bsaved (?:as|in|to|at)\b"
)
"""`Skipping saved state; fast-forwarding the new one`: what another process saved. `Stopping early. Best model saved as a.pt`: long before."""

_NOT_NOW = lazy_pattern(
    r"\b(?:will|won't|not|never|no|skip\w*|until|unless|if|when|every|disabled?|error|fail\w*|cannot)\b"
)
"""`Will start evaluation at epoch 10`, `Skipping evaluation`, `Failed to save`."""

_VALUE = lazy_pattern(r"[:=] ?-?\d*\.\d| \d+\.\d{2}")
"""`Testing loss: 0.31`, `validation and scoring 15.04`: what came of it, so it is over."""

_LONGEST = 200
"""Characters of what is said: a longer line is no announcement, or says it at its beginning."""

_FRAME_END = "]"
_SHORTEST = 8


class AnnouncedStops:
    """Knows what was announced since the newest iteration."""

    def __init__(self) -> None:
        self._begun = False
        self._stamped = False  # has the log a clock of its own?
        self._open: str | None = None

    def events(self, text: str, found: Sequence[Event], at_s: float | None) -> list[Event]:
        """What `text` announces, of which the format read `found`, once there is an iteration: at most one begin, and the end of what it ends."""
        if found:
            self._open = None  # the format knows better
            if not isinstance(found[-1], Iteration):
                return []
            self._begun = True
            self._stamped = found[-1].at_s not in (None, at_s)
        if found or "it/s" in text or "s/it" in text:
            text = text.rpartition(_FRAME_END)[2]  # behind the frame of a bar
        said = announced(text) if self._begun and len(text) >= _SHORTEST else None
        if said is None:
            return []
        kind, begins = said
        if begins == (self._open == kind):
            return []
        if not begins:
            self._open = None
            return [SpanEnd(kind, at_s, strength=Strength.GUESS, void=True)]
        if self._stamped and (stamped_s := stamp(text)) is not None:
            at_s = stamped_s
        before, self._open = self._open, kind
        ended = [SpanEnd(before, at_s, strength=Strength.GUESS, void=True)] if before else []
        return [*ended, SpanBegin(kind, at_s, strength=Strength.GUESS, detail=text.strip()[:60])]


def announced(text: str) -> tuple[str, bool] | None:
    """The kind of stop that a line speaks of, and whether it begins; `None`: it speaks of none."""
    low = text[:_LONGEST].lower()
    return _read(shape_of(text[:_LONGEST])) if any(map(low.__contains__, _HINTS)) else None


@lru_cache(maxsize=256)
def _read(shape: str) -> tuple[str, bool] | None:
    said = without_logger(PREFIX.sub("", shape, count=1)).strip().lower()  # a logger's letters are capitals
    whole = without_logger(PREFIX.sub("", shape.lower(), count=1)).strip()
    if " be " in said and _NOT_YET.search(said):
        return None
    if "sav" in said and (_NO_MODEL.search(said) or SAVED_BEFORE.search(said)):
        return None
    if _SETTING.search(said):
        return None
    for stop in STOPS:
        if stop.ends.search(said):
            return stop.kind, False
    if _NOT_NOW.search(said.partition("columns in the")[0]) or _VALUE.search(said):
        return None
    # Behind a logger's name a load is one of the many that a head tells of: nothing waits for it.
    begins = (one for one in STOPS if one.begins.search(said if one.kind in _BY_LOGGERS else whole))
    return next(((one.kind, True) for one in begins), None)
