"""What one line between rows says: that an evaluation or a save begins, or is over, or what an evaluation found."""

from __future__ import annotations

from itertools import islice

from ....events import CHECKPOINT, EVALUATION
from ...patterns import lazy_pattern
from ..announced_stops import announced
from ..parsing.grammar import LONGEST, PREFIX
from ..parsing.phases import Phase, of_line, validates
from .saves import tells_of_a_save

LONGEST_TOLD = 160
"""Characters behind a logger's prefix: more is prose that speaks of checkpoints."""

_MOST_RESULTS = 12

_KINDS = (EVALUATION, CHECKPOINT)
_HINTS = ("val", "test", "eval", "infer", "dev", "sav", "checkpoint", "ckpt", "writ", "stor", "dump")
"""Each line that tells of one holds one of them, in small letters."""

_RESULT = lazy_pattern(
    r"([A-Za-z][\w ./@-]{1,60}?)(?: is)?[ \"']{0,2}[:=] {0,4}\{?(?:['\"][\w -]{1,30}['\"]: |(?i:acc|loss|f1|auc|m?iou|map|bleu|rouge|meteor|cider|wer|cer|ppl|psnr|ssim|dice|recall|precision|score)[\w@-]{0,12}[:=]? )?[-+]?\d*\.\d"
)
"""`Val Energy: 1.25`, `FSD_test.acc:0.95`, `Validation ROUGE: {'rouge1': 0.25`, `Dev BLEU: BLEU-1 63.5`: a value with decimals, and its name."""

_BARE_RESULT = lazy_pattern(
    r"(?i)(?<!best )(?<!best_)\b(?:test|val(?:id(?:ation)?)?|eval(?:uation)?|dev)[ _-](?:acc(?:uracy)?|loss|error|f1|auc|score|m?iou|map|ppl|bleu) -?\d{1,9}\.\d"
)
"""`train acc 0.75, test acc 0.5`: nothing stands between the name and the value."""

_OF_NO_EVALUATION = lazy_pattern(
    r"(?i)\b(?:best|time|took|weight|split|ratio|size|every|interval|frac\w*|patience)\b|_(?:size|ratio|split|frac\w*|time)\b"
)


_TAG = lazy_pattern(r"(?i)[\[(<【](?:eval(?:uation)?|val(?:id(?:ation)?)?|test|dev)[\])>】]\W{0,4}$")
"""`[eval] loss:2.5 f1=0.75`: what stands in front of the first value, whatever a logger puts before it."""

_MEASURED = lazy_pattern(
    r"(?i)\b(?:acc(?:uracy)?|loss|f1|auc|m?iou|map|bleu|rouge|cer|wer|ppl|perplexity|psnr|ssim|dice|recall|precision|error|score)\b[^\d\n]{0,12}\d*\.\d"
)
"""`Validation Summary Epoch: [1] Average CER 85.5`: what is measured, and a value with decimals."""


def said_of(text: str) -> tuple[str | None, bool]:
    """Which kind of stop a line tells of, and whether it begins."""
    low = text[:LONGEST].lower()
    if not any(map(low.__contains__, _HINTS)):
        return None, False
    said = PREFIX.sub("", text[:LONGEST], count=1)
    results = [*islice(_RESULT.finditer(said), _MOST_RESULTS)]
    if results:
        evaluates = any(validates(one[1]) and not _OF_NO_EVALUATION.search(one[1]) for one in results)
        head = said[: results[0].start()]
        evaluates = evaluates or announced(head) == (EVALUATION, False) or _TAG.search(head) is not None
        return (EVALUATION if evaluates or _sums_up(said) else None), False
    if _BARE_RESULT.search(said) or _sums_up(said):
        return EVALUATION, False
    kind, begins = (announced(text) if len(said) <= LONGEST_TOLD else None) or (None, False)
    return (kind, begins) if kind in _KINDS else (None, False)


def _sums_up(said: str) -> bool:
    """Does a short line that is an evaluation's, by its first words, hold what was measured?"""
    if len(said) > LONGEST_TOLD or _MEASURED.search(said) is None or _OF_NO_EVALUATION.search(said):
        return False
    return of_line(said) is Phase.EVALUATION and not tells_of_a_save(said)
