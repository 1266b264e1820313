"""What a process prints once of what it was started with, and on."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.plain.dumps import Dumps

HEADING = "------------ Options -------------"


@pytest.mark.parametrize(
    ("lines", "times"),
    [
        ((HEADING, HEADING, None, HEADING), 2),  # two ranks, and another launch
        ((HEADING, None, HEADING, None, HEADING), 3),
        (("Namespace(a=1)", HEADING, None, "Namespace(a=2)", HEADING), 2),  # in two ways
        ((None, HEADING, None, HEADING), 0),  # none before the first row: of something else
        (("the options of it", None, "the options of it"), 0),
    ],
)
def test_each_process_prints_what_it_was_started_with(lines: tuple[str | None, ...], times: int) -> None:
    dumps, begun = Dumps(), False
    for line in lines:
        if line is None:
            begun = True
            dumps.goes_on()
        else:
            dumps.again(line, begun=begun)
    assert dumps.times == times


@pytest.mark.parametrize(
    "heading",
    [
        "System environment:",
        "2024-05-01 10:00:00,123 - mmdet - INFO - Environment info:",
        "[05/01 10:00:00] detectron2 INFO: Environment info:",
        "[05/01 10:00:00 detectron2]: Environment info:",
        "2024-05-01 10:00:00,123 fcos_core INFO: Collecting env info (might take some time)",
    ],
)
def test_a_process_says_once_what_it_finds_on_its_machine(heading: str) -> None:
    dumps = Dumps()
    assert not dumps.again(heading, begun=False)
    dumps.goes_on()
    assert dumps.again(heading.replace("10:00", "11:30"), begun=True)
    assert not dumps.again("The environment info: none", begun=True)
