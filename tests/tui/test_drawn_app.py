"""What all our apps do: stop like any program of the shell, but never with a trainer that is piped into them."""

import os
import signal

import pytest
from fed_app import fed

from itermon.tui import drawn_app

pytestmark = pytest.mark.usefixtures("unhurried")


@pytest.mark.parametrize(
    ("leader", "stops"),
    [("itself", True), ("the script that called it", True), ("the trainer of its pipeline", False)],
)
async def test_ctrl_z_stops_its_own_job_and_no_trainer(
    leader: str, monkeypatch: pytest.MonkeyPatch, *, stops: bool
) -> None:
    pids = {"itself": os.getpid(), "the script that called it": os.getppid()}
    sent: list[tuple[int, int]] = []
    app = fed("healthy")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        monkeypatch.setattr(drawn_app.os, "getpgrp", lambda: pids.get(leader, 0))  # 1 may be who called it
        monkeypatch.setattr(drawn_app.os, "killpg", lambda *to: sent.append(to))
        monkeypatch.setattr(type(app), "is_headless", False)
        app.action_suspend()
        monkeypatch.setattr(type(app), "is_headless", True)
        await pilot.pause()
        assert sent == ([(0, signal.SIGTSTP)] if stops else [])
        assert ("Ctrl-Z would stop the training too" in app.rows[-1]) is not stops
