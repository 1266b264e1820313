"""Text from outside stays text: nothing of it is obeyed by the terminal, read as markup, or shears the screen.

The collectors clean what comes in; this is the last line, for what ever gets past them.
"""

import pytest
from rich.style import Style
from screen_states import states

from itermon.analysis.findings import Findings, Progress, Verdict
from itermon.events import Iteration, RunInfo, SourceState
from itermon.tui.drawing import lines
from itermon.tui.drawing.cells import Painter
from itermon.tui.drawing.theme import theme_for
from itermon.tui.layout import draw_screen
from itermon.tui.scene import Scene, Standing
from itermon.tui.view import View

PAYLOADS = {
    "clear": "\x1b[2J",
    "clipboard": "\x1b]52;c;aGVsbG8=\x1b\\",
    "clipboard, BEL": "\x1b]52;c;aGVsbG8=\x07",
    "title": "\x1b]0;owned\x07",
    "reset": "\x1bc",
    "DCS": "\x1bPq#0\x1b\\",
    "tmux title": "\x1bkowned\x1b\\",
    "alternate screen": "\x1b[?1049l",
    "C1 CSI": "\x9b2J",
    "C1 OSC": "\x9d0;owned\x9c",
    "NUL and shifts": "a\x00b\x0ec\x0fd",
    "backspaces": "abc\x08\x08\x08xyz",
    "return": "abc\rxyz",
    "line feed": "one\ntwo",
    "bidirectional": "abc\u202exyz",
    "surrogate": "abc\udc80xyz",
    "markup": "[/] [@click=app.quit]x[/] [link=https://x]y[/link] [INFO] [$primary]",
}


@pytest.fixture(params=PAYLOADS)
def payload(request: pytest.FixtureRequest) -> str:
    return PAYLOADS[request.param]


def written(text: str, *, ascii_only: bool) -> str:
    """What goes to the terminal for a screen with `text` wherever a source can put it."""
    run = states()["healthy"].run()
    run.apply([RunInfo(name=text, source_format=text, host=text)])
    found = run.findings(states()["healthy"].now_s)
    standing = Standing(title=text, state=SourceState.LIVE, note=text, now_s=found.progress.last_event_at_s or 0.0)
    screen = draw_screen(Scene(run, found, standing, View()), (120, 35))
    painter = Painter(theme_for(1 << 24, ascii_only=ascii_only))
    return painter.difference(screen) or ""


@pytest.mark.parametrize("ascii_only", [False, True])
def test_no_control_character_of_it_reaches_the_terminal(payload: str, ascii_only: bool) -> None:
    shown = written(payload, ascii_only=ascii_only)
    assert not [c for c in shown if not c.isprintable() and c != "\x1b"]
    for part in shown.split("\x1b")[1:]:
        assert part[:1] == "["
        assert part.lstrip("[0123456789;")[:1] in ("m", "H", "C"), f"ESC {part[:9]!r}"


def test_brackets_are_shown_as_they_are() -> None:
    assert "[INFO]" in written(PAYLOADS["markup"], ascii_only=False)


def test_a_theme_makes_any_text_drawable() -> None:
    for ascii_only in (False, True):
        theme = theme_for(16, ascii_only=ascii_only)
        for text in PAYLOADS.values():
            assert theme.glyphs(text).isprintable()
            assert lines.width(((theme.glyphs(text), ""),)) == lines.width(((text, ""),))


def test_an_unknown_style_is_plain() -> None:
    assert isinstance(theme_for(16).style("[bold red]"), Style)
    assert theme_for(16).style("no such name") == theme_for(16).style("")


def test_a_findings_text_of_any_kind_fills_its_row(payload: str) -> None:
    found = Findings(
        name=payload, progress=Progress(iteration=1), verdict=Verdict(headline=payload, evidence=(payload,))
    )
    run = states()["log-only"].run()
    run.apply([Iteration(2_000, 21.0)])
    for line in draw_screen(Scene(run, found, Standing(title=payload), View()), (120, 35)):
        shown = "".join(theme_for(16).glyphs(text) for text, _ in line)
        assert lines.width(((shown, ""),)) == 120
