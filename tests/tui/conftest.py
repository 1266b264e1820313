"""What the tests of the whole app share."""

import pytest


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine: a tick takes all that waits, and what a log says comes in the same frame."""
    monkeypatch.setattr("itermon.tui.app.BUDGET_S", 60.0)
    monkeypatch.setattr("itermon.tui.app.LONGEST_REST_S", 0.0)
    monkeypatch.setattr("itermon.tui.aside.PATIENCE_S", 60.0)
