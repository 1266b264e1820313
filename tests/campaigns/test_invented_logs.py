"""Trainings that never were, printed as scripts print: nothing is said of their logs that did not happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from invented_logs import invented, judged
from inventing.scripts import KINDS

if TYPE_CHECKING:
    from pathlib import Path

SEEDS, PARTS = 320, 8
_FINE = "the time is a mean so far, and the rows follow each other faster than their stamps can tell"
KNOWN = {4: _FINE, 180: _FINE, 200: _FINE, 269: _FINE}
"""Seeds of which something wrong is said, and why."""


@pytest.mark.parametrize("part", range(PARTS))
def test_no_figure_contradicts_what_happened(part: int, tmp_path: Path) -> None:
    wrong = {seed: list(map(str, judged(seed, tmp_path)[2])) for seed in range(part, SEEDS, PARTS)}
    assert {seed: faults for seed, faults in wrong.items() if faults and seed not in KNOWN} == {}


def test_logs_are_of_every_kind_and_the_same_for_a_seed() -> None:
    kinds = {invented(seed)[1].kind for seed in range(120)}
    assert len(kinds) == len(KINDS)
    assert invented(7)[2].text == invented(7)[2].text != invented(8)[2].text


def test_most_logs_are_read(tmp_path: Path) -> None:
    read = [bool(judged(seed, tmp_path)[1].format) for seed in range(100)]
    assert sum(read) >= 80
