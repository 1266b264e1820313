"""The time each format needs for a hostile line of 1 MB: at most 50 ms is asked, whatever stands in it.

    python bench/hostile_lines.py

The lines are made of each format's own literals and of the starts of its patterns, repeated to 1 MB, so that every
pattern has as many places to begin as there can be. The worst of all lines is shown for each format, next to `bare`:
a search for a word that is not there, which is what no format can be faster than.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from itermon.collectors.log_formats.parsing.lines import LineParser
from itermon.collectors.log_formats.registry import all_formats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from itermon.collectors.log_formats.base import LogFormat

SIZE = 1_000_000
ANY = (
    "a", "1", " ", "1 ", "a ", ",", "1,", "{", '{"', "[", "=", "a=", "a=1 ", "a: 1, ", "|", "1/", "1/1 ", "-", "e", ".",
    "nan", "step ", "step 1 ", "iter 1: ", "loss ", "loss: 1 ", "Epoch ", "Epoch 1 ", '{"step": ', '"a": 1, ', "{'loss': ",
    "{'loss': 1, 'epoch': 1} ", "1% ", "1%|", "1/1 [", "1/1 [1:1<1:1, 1it/s", "█", "\ufffd", "2025-01-01 00:00:00 ", "N",
)  # fmt: skip


def hostile(log_format: LogFormat) -> Iterator[str]:
    """Lines of 1 MB made of what this format looks for."""
    parts = set(ANY)
    parser = log_format.parser
    if isinstance(parser, type) and issubclass(parser, LineParser):
        for kind in parser.kinds():
            words = re.findall(r"[\w:=|/ ]{2,}", re.sub(r"\(\?P<\w+>|\\[a-z]|\\", "1", kind.pattern.pattern))
            parts |= {kind.contains or "a", *(word[:40] for word in words)}
            yield "".join(f"{word} 1 " for word in words)[: SIZE // 2] * 40 if words else kind.contains
            yield kind.contains + " " * SIZE
            yield kind.contains + "1" * SIZE
            yield (kind.contains + "a") * (SIZE // (len(kind.contains) + 1))
    for part in parts:
        yield (part * (SIZE // len(part) + 1))[:SIZE]
        yield (part * (SIZE // len(part) + 1))[: SIZE - 1] + "}"


def seconds(what: Callable[[], object]) -> float:
    """The best of two."""
    best = float("inf")
    for _ in range(2):
        began = time.perf_counter()
        what()
        best = min(best, time.perf_counter() - began)
    return best


def main() -> None:
    """Print the table."""
    bare = re.compile("zzz")
    print(f"{'format':<34} {'worst':>9}  line")
    worst_of_all = 0.0
    for log_format in all_formats():
        worst, which = 0.0, ""
        for text in hostile(log_format):
            parser = log_format.parser()
            took = seconds(lambda text=text, parser=parser: parser.line(text, None))
            took = max(took, seconds(lambda text=text, matches=log_format.matches: matches(text)))
            if took > worst:
                worst, which = took, text[:40]
        worst_of_all = max(worst, worst_of_all)
        print(f"{log_format.name:<34} {worst * 1e3:>6.1f} ms  {which!r}{'  <--' if worst > 0.05 else ''}")
    floor = seconds(lambda: bare.search("a" * SIZE))
    print(f"{'bare':<34} {floor * 1e3:>6.1f} ms\nworst {worst_of_all * 1e3:.1f} ms, of 50 ms")


if __name__ == "__main__":
    main()
