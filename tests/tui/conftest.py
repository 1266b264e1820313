"""What the tests of the whole app share."""

import pytest
from fed_app import Link

from itermon.tui.drawing import canvas, textual_compat


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine: a tick takes all that waits, and what a log says comes in the same frame."""
    monkeypatch.setattr("itermon.tui.app.BUDGET_S", 60.0)
    monkeypatch.setattr("itermon.tui.app.LONGEST_REST_S", 0.0)
    monkeypatch.setattr("itermon.tui.aside.PATIENCE_S", 60.0)


@pytest.fixture
def link(monkeypatch: pytest.MonkeyPatch) -> Link:
    """The terminal that the canvas writes to."""
    made = Link()
    monkeypatch.setattr(canvas, "DirectOutput", made)
    monkeypatch.setattr(textual_compat, "DirectOutput", made)
    return made
