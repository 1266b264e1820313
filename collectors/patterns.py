"""Regular expressions that are compiled at their first use.

itermon knows some eighty formats and hundreds of wordings, of which one log needs a few: to compile them all took
a fifth of the time of a small report.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, AnyStr, cast

if TYPE_CHECKING:
    from re import Pattern


def lazy_pattern(written: AnyStr, flags: int = 0) -> Pattern[AnyStr]:
    """What `re.compile` returns, as far as it is used. What is wrong with it shows at its first use, not here."""
    return cast("Pattern[AnyStr]", _Lazy(written, flags))


class _Lazy:
    """Stands for a pattern. Each of its methods is fetched once, and found here from then on."""

    def __init__(self, written: str | bytes, flags: int) -> None:
        self._written, self._flags = written, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._written, self._flags), name)
        setattr(self, name, found)
        return found
