"""The chooser of lanes: it lists what there is, shows and hides, and the choice is there the next time."""

from pathlib import Path

import pytest
from fed_app import Fed

from itermon.events import Batch, GpuSample, Iteration, RunInfo, SourceState
from itermon.tui import preferences

pytestmark = pytest.mark.usefixtures("unhurried")
NOW_S = 1_795_269_720.0


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "state" / "runs"))


def app_with_scalars() -> Fed:
    events: list[object] = [RunInfo(name="run", clock="log")]
    for n in range(100):
        at_s = NOW_S - 200 + 2 * n
        events += [GpuSample(at_s, power_w=600.0, power_limit_w=700.0)]
        events += [Iteration(n, 2.0, 3.0 - n / 100, at_s=at_s, learning_rate=0.5, scalars={"reward": n / 4})]
    return Fed([Batch(events, state=SourceState.LIVE)])  # type: ignore[arg-type]


async def test_m_lists_what_there_is_and_enter_shows_and_hides_it() -> None:
    app = app_with_scalars()
    async with app.run_test(size=(120, 50)) as pilot:
        await pilot.pause()
        assert "─ GPU power · m: more ─" in app.text  # without a choice
        await pilot.press("m")
        await pilot.pause()
        rows = [row for row in app.rows if "○" in row or "●" in row]
        assert [" ".join(row.strip("│▶ ").split()) for row in rows] == [
            "○ learning rate 0.5 0.5 0.5",
            "○ reward 24.75 0 24.75",
            "● GPU power 600 W 600 W 600 W",
        ]
        await pilot.press(*"rew", "enter", "escape")
        await pilot.pause()
        assert "─ reward · m: more ─" in app.text
        assert "─ GPU power · m: more ─" in app.text
        await pilot.press("m", *"power", "enter", "escape")
        await pilot.pause()
        assert "─ GPU power" not in app.text
    assert preferences.load().lanes == ("reward",)


async def test_what_was_chosen_for_other_sources_stays_chosen() -> None:
    app = app_with_scalars()
    app.watch_screen.view = app.watch_screen.view.__class__(curves=("mAP",))
    async with app.run_test(size=(120, 50)) as pilot:
        await pilot.press("m", *"rew", "enter")
        await pilot.pause()
    assert preferences.load().lanes == ("mAP", "reward")


async def test_a_source_without_scalars_says_so() -> None:
    app = Fed([Batch([RunInfo(), Iteration(0, 1.0, 2.0)], state=SourceState.LIVE)])
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("m")
        await pilot.pause()
        assert "this source gives nothing but times and losses" in app.text
