"""What is kept of the last frame is what a fresh drawing would show, whatever happens between two frames."""

from __future__ import annotations

from copy import deepcopy
from random import Random

import pytest
from screen_states import NOW_S, header, iterations, samples, states

from itermon.analysis.run import Run
from itermon.analysis.snapshot import Snapshot
from itermon.events import CHECKPOINT, GAP, End, Event, Message, SourceState, SpanBegin
from itermon.tui.layout import draw_screen
from itermon.tui.panels.heads import HeadsPanel
from itermon.tui.panels.kept import Kept
from itermon.tui.panels.panel import Panel
from itermon.tui.panels.verdict import VerdictPanel
from itermon.tui.scene import Scene, Standing
from itermon.tui.view import View

SIZES = [(200, 49), (120, 35), (80, 39), (80, 23), (40, 11), (20, 5)]


def moved(view: View, run: Run, dice: Random) -> View:
    """Where the reader may look next."""
    total = len(run.columns)
    found = run.next_spike(view.cursor, -1)
    return dice.choice(
        [
            view.zoomed(0.5, total),
            view.zoomed(2.0, total),
            view.panned(dice.choice([-1, 1]), total),
            view.with_next_scale(),
            view.with_cursor(found.position if found else None, total),
            View(),
        ]
    )


@pytest.mark.parametrize("seed", range(6))
def test_a_kept_frame_is_a_fresh_frame(seed: int) -> None:
    dice = Random(seed)
    ends = [End("finished"), End("failed")]
    others: list[Event] = [*samples(2), SpanBegin(CHECKPOINT), Message("loss spike"), *ends]
    waiting = [*header(max_iterations=300), *iterations(320)]
    run, kept, view, size, now_s = Run(), Kept(), View(), (120, 35), NOW_S
    state = SourceState.LIVE
    for _ in range(30):
        for what in dice.sample(("events", "sample", "clock", "view", "size", "state", "nothing"), 2):
            if what == "events":
                count = dice.choice((0, 1, 5, 150))
                run.apply(waiting[:count])
                del waiting[:count]
            elif what == "sample":
                run.apply([dice.choice(others)])
            elif what == "clock":
                now_s += dice.choice((0.0, 0.5, 7.0, 300.0, 90_000.0))
            elif what == "view" and len(run.columns):
                view = moved(view, run, dice)
            elif what == "size":
                size = dice.choice(SIZES)
            elif what == "state":
                state = dice.choice([*SourceState])
        standing = Standing(title="train.log", state=state, now_s=now_s)
        rows = deepcopy(kept.standing_rows, {id(run): run})  # which lanes there were before is kept on purpose
        drawn = draw_screen(Scene(run, run.findings(now_s), standing, view), size, kept)
        fresh = Snapshot(run.intake, run.past, 50).at(now_s)
        assert drawn == draw_screen(Scene(run, fresh, standing, view), size, Kept(rows))


@pytest.mark.parametrize(("name", "each_s"), [("healthy", 0.5), ("silent", 61.0)])
def test_while_only_the_clock_moves_only_the_heads_and_the_verdict_draw(
    name: str, each_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, kept, drew = states()[name], Kept(), []
    run = state.run()

    for panel in all_panels(Panel):
        original = panel.draw
        monkeypatch.setattr(
            panel, "draw", lambda self, scene, size, was=original: drew.append(self.name) or was(self, scene, size)
        )
    for tick in range(3):
        drew.clear()
        now_s = state.now_s + each_s * tick
        draw_screen(Scene(run, run.findings(now_s), state.standing(), state.view), (120, 35), kept)
    assert sorted(drew) == sorted([HeadsPanel.name, VerdictPanel.name])


def all_panels(base: type[Panel]) -> list[type[Panel]]:
    """Every panel that draws."""
    below = [one for each in base.__subclasses__() for one in [each, *all_panels(each)]]
    return [one for one in below if "draw" in vars(one)]


def test_an_event_that_no_finding_shows_may_still_be_on_the_chart() -> None:
    state = states()["healthy"]
    run = state.run()
    found = run.findings(state.now_s)
    before = Scene(run, found, state.standing(), state.view).still
    assert Scene(run, found, state.standing(), state.view).still == before
    run.apply([samples(1)[0]])
    assert Scene(run, found, state.standing(), state.view).still != before


def test_at_its_end_a_run_keeps_no_lane_that_took_no_time() -> None:
    run, kept = Run(), Kept()
    run.apply([*header(max_iterations=300), *iterations(300)])
    scene = Scene(run, run.findings(NOW_S), Standing(now_s=NOW_S), View())
    draw_screen(scene, (120, 35), kept)
    kept.standing_rows._causes.append(GAP)  # it had some while its clock was read
    run.apply([End("finished")])
    ended = Scene(run, run.findings(NOW_S), Standing(now_s=NOW_S), View())
    draw_screen(ended, (120, 35), kept)
    assert GAP not in [row.cause for row in ended.causes]
