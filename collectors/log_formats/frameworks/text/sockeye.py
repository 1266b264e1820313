"""Sockeye: a line each 50 batches (1 and 2 on MXNet, 3 on PyTorch).

    [2020-05-01:10:00:00:INFO:sockeye.training:__call__] Epoch[0] Batch [50]  Speed: 1234.56 samples/sec 23456.78 tokens/sec 2.50 updates/sec  perplexity=90.5
    [2022-05-01:10:00:00:INFO:sockeye.training:__call__] E=0 B=50  s/sec=1234.56 tok/sec=23456.78 u/sec=2.50  ppl=90.5
Batches are counted through all epochs. Updates a second are those of the optimizer: a batch's time follows from the stamps, which have a
form of their own. `Checkpoint [1]` lines say what was found.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...parsing.grammar import NUMBER_PATTERN, Line, handler
from ...parsing.lines import LineParser
from ...parsing.stamps import stamp
from ...parsing.values import number

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_STAMP = r"\[(20\d\d-\d\d-\d\d):(\d\d:\d\d:\d\d):[A-Z]+:"
_FOUND = rf"\bValidation-([\w-]{{1,40}})=({NUMBER_PATTERN})(?:\s|$)"


class Sockeye(LineParser):
    """Batches, through all epochs."""

    name = "Sockeye"
    reads_instead_of = ("MXNet",)  # whose Speedometer counts anew with each epoch
    about = "time stamps' difference over the batches between, with evaluation, checkpoint and data"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps = True
    lines = (
        Line(
            "tokens/sec",
            r"\bEpoch\[\d+\] Batch \[(?P<iteration>\d+)\]\s+Speed: [\d.]{1,20} samples/sec\s+[\d.]{1,20} tokens/sec",
            "batch",
        ),
        Line("u/sec=", r"\bE=\d+ B=(?P<iteration>\d+)\s+s/sec=[\d.]{1,20} tok/sec=[\d.]{1,20} u/sec=", "batch"),
        Line(
            "Checkpoint [",
            r"Checkpoint \[\d+\]\s+(?P<rest>(?:Validation|Train|Updates|Learning|Time)\S*=.*)$",
            "found",
        ),
    )
    examples = (
        Example(
            """
[2020-05-01:10:00:00:INFO:sockeye.training:__call__] Epoch[0] Batch [50]\tSpeed: 1234.56 samples/sec\t23456.78 tokens/sec\t2.50 updates/sec\tperplexity=90.5
[2020-05-01:10:00:25:INFO:sockeye.training:__call__] Epoch[0] Batch [100]\tSpeed: 1234.56 samples/sec\t23456.78 tokens/sec\t2.50 updates/sec\tperplexity=90.5
[2020-05-01:10:00:30:INFO:sockeye.training:fit] Checkpoint [1]\tValidation-perplexity=80.5
[2020-05-01:10:01:25:INFO:sockeye.training:__call__] Epoch[1] Batch [150]\tSpeed: 1234.56 samples/sec\t23456.78 tokens/sec\t2.50 updates/sec\tperplexity=90.5
""",
            iterations=((50, None, 1, None), (100, 0.5, 50, None), (150, 1.2, 50, None)),
            evaluations=((101, {"perplexity": 80.5}),),
            variant="Sockeye on MXNet",
        ),
        Example(
            """
[2022-05-01:10:00:00:INFO:sockeye.training:__call__] E=0 B=50\ts/sec=1234.56 tok/sec=23456.78 u/sec=2.50\tppl=90.5
[2022-05-01:10:00:25:INFO:sockeye.training:__call__] E=0 B=100\ts/sec=1234.56 tok/sec=23456.78 u/sec=2.50\tppl=90.5
""",
            iterations=((50, None, 1, None), (100, 0.5, 50, None)),
            variant="Sockeye on PyTorch",
        ),
    )

    @handler(iterations=True)
    def batch(self, fields: Fields, line: LogLine) -> list[Event]:
        """Some batches."""
        return self.iteration(fields, _stamped(line))

    @handler(texts=("rest",))
    def found(self, fields: Fields, line: LogLine) -> list[Event]:
        """What a checkpoint's evaluation found."""
        values = {
            name: value
            for name, text in re.findall(_FOUND, fields["rest"][:2000])
            if (value := number(text)) is not None
        }
        return self.evaluation(values, _stamped(line)) if values else []


def _stamped(line: LogLine) -> LogLine:
    found = re.search(_STAMP, line.text[:120])
    at_s = stamp(f"{found[1]} {found[2]}") if found else None
    return line if at_s is None else line.at(at_s)
