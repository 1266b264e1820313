"""Notices while a screen is up."""

import time

from incidents_by_hand import found, incident
from waiting import eventually

from itermon.analysis.findings import Eta, Progress
from itermon.notices.on_screen import OnScreen
from itermon.notices.telling import About
from itermon.notices.terminals import terminal_of

GHOSTTY = terminal_of({"TERM": "xterm-ghostty", "LANG": "C.UTF-8"})
NOW_S = 1_772_600_000.0


def test_title_progress_and_notification_go_to_the_terminal_of_the_screen() -> None:
    now = [NOW_S]
    notices = OnScreen(About("run", "gpt"), GHOSTTY, [], clock=lambda: now[0])
    finish = time.strftime("%H:%M", time.localtime(NOW_S + 600))
    well = found(progress=Progress(iteration=43, fraction=0.43), eta=Eta(finish_at_s=NOW_S + 600))
    notices.look(well)
    first = f"\x1b[22;2t\x1b]2;itermon 43 % · {finish} · ok\x1b\\\x1b]9;4;1;43\x07"
    assert notices.to_write() == first
    notices.look(well)
    assert notices.to_write() == "", "not in every frame"
    now[0] += 10.0
    notices.look(well)
    assert notices.to_write() == "\x1b]9;4;1;43\x07", "a bar is renewed"
    now[0] += 10.0
    notices.look(found(incident("disk-full"), progress=Progress(iteration=43, fraction=0.43)))
    written = [notices.to_write()]
    eventually(lambda: written.append(notices.to_write()) or "777;notify" in "".join(written))
    assert "\x1b]2;itermon 43 % · disk-full\x1b\\" in "".join(written)
    assert "\x1b]9;4;2;43\x07" in "".join(written)
    assert "itermon · gpt: it is disk-full" in "".join(written)
    assert notices.close(60.0) == "\x1b[23;2t\x1b]9;4;0\x07"
    assert notices.trouble == ""


def test_one_that_never_looked_leaves_the_title_alone() -> None:
    assert OnScreen(About("run", "gpt"), terminal_of({}), []).close(60.0) == ""


def test_what_was_over_before_the_screen_came_up_is_no_news() -> None:
    notices = OnScreen(About("run", "gpt"), GHOSTTY, [], clock=lambda: NOW_S)
    notices.look(found(incident("failed", began_at_s=NOW_S - 5.0), ended="failed"))
    notices.close(60.0)
    assert "777" not in notices.to_write()
