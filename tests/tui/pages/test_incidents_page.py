"""The incidents page: the newest first, in words, and never wider than its frame."""

from __future__ import annotations

import pytest
from fed_app import Fed
from screen_states import states

from itermon.analysis.findings import Findings, Incident
from itermon.events import Severity
from itermon.tui.drawing import lines
from itermon.tui.pages.incidents_page import NONE, incident_lines

STALL = Incident("silent", "a", began_iteration=99, over=True, state="Nothing new for 2 m 10 s.")
NAN = Incident(
    "loss-not-finite", "b", Severity.ERROR, began_iteration=150, state="The loss is NaN.", action="Stop it."
)


def test_the_newest_stands_first_with_what_helps() -> None:
    said = [lines.text(line) for line in incident_lines(Findings(incidents=(STALL, NAN)), 60)]
    assert said == [
        " ▲ loss NaN  since iteration 150",
        "   The loss is NaN.",
        "   Stop it.",
        " ○ silent  after iteration 99",
        "   Nothing new for 2 m 10 s.",
    ]


@pytest.mark.parametrize("width", [30, 78])
def test_without_any_it_says_so(width: int) -> None:
    said = incident_lines(Findings(), width)
    assert " ".join(lines.text(line).strip() for line in said) == NONE
    assert all(lines.width(line) <= width for line in said)


@pytest.mark.usefixtures("unhurried")
async def test_its_key_opens_it() -> None:
    app = Fed(states()["healthy"].batches)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("i")
        await pilot.pause()
        assert any("incidents" in row for row in app.rows)
