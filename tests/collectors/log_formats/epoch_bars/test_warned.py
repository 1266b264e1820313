"""Warnings of a process's imports that come again in front of a bar begin another process."""

from __future__ import annotations

import pytest

from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration

IMPORTS = "/src/train.py:24: DeprecationWarning: an alias is deprecated.\n  from old import alias\nUsing the default device\n"


def bar(steps: int, total: int = 40) -> str:
    frames = (f"{100 * n // total:3}%|##| {n}/{total} [00:{n:02}<00:30,  1.00s/it]" for n in range(1, steps + 1))
    return "\n".join((f"  0%|  | 0/{total} [00:00<?, ?it/s]", *frames, ""))


def indices(text: str) -> list[int]:
    return [one.index for one in LogReader().feed(("train loss\n" + text).encode()) if isinstance(one, Iteration)]


def test_a_process_counts_anew_behind_its_imports() -> None:
    assert indices(IMPORTS + bar(40) + IMPORTS + bar(12))[-1] == 12
    assert indices(IMPORTS + bar(40) + bar(12))[-1] == 52


@pytest.mark.parametrize(
    "said", ["Using the default device\n", IMPORTS.replace("Deprecation", "User").replace("24", "99")]
)
def test_what_no_import_said_is_each_epoch_s(said: str) -> None:
    assert indices(IMPORTS + bar(40) + said + bar(12))[-1] == 52


def test_what_was_said_twice_is_said_by_more_than_one_process() -> None:
    assert indices(IMPORTS + IMPORTS + bar(40) + IMPORTS + bar(12))[-1] == 52
