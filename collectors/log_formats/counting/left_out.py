"""Lines like rows that are left out: an epoch of the training with its accuracy, and no loss.

    Average Training accuracy 0.50 - epoch 1/100
A loss makes a row of such a script's lines. Where epochs have none, nothing is read of them, and how many there were is said.
"""

from __future__ import annotations

from ....words import plural
from ...patterns import lazy_pattern

_EPOCH = r"\bepoch\W{0,3}(\d{1,9})(?!\w|\.\d)"
_ACCURACY = r"\btrain(?:ing)?[ _](?:set )?acc(?:uracy)?\b(?: is)?[\s:=]{1,4}\d{0,3}\.\d"
_LIKE_A_ROW = lazy_pattern(rf"(?i){_ACCURACY}.{{0,40}}?{_EPOCH}|{_EPOCH}.{{0,40}}?{_ACCURACY}")
_LONGEST = 200


class LeftOut:
    """Counts them."""

    def __init__(self) -> None:
        self.lines = 0

    def epoch(self, text: str) -> float | None:
        """The epoch of a line that tells of its accuracy and of no loss."""
        if "poch" not in text or "cc" not in text or len(text) > _LONGEST or "oss" in text:
            return None
        found = _LIKE_A_ROW.search(text)
        return None if found is None else float(found[1] or found[2])

    def word(self) -> str | None:
        """What is said of them."""
        if not self.lines:
            return None
        lines = plural(self.lines, "line")
        return f"{lines} with an epoch and its training accuracy, and no loss, left out: no row was read there"
