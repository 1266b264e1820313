"""What the environment says of the terminal."""

from __future__ import annotations

import pytest

from itermon.tui.drawing import background, terminal


@pytest.mark.parametrize(
    ("environment", "colours"),
    [
        ({"COLORTERM": "truecolor", "TERM": "xterm-256color"}, 1 << 24),
        ({"TERM": "xterm-256color"}, 256),
        ({"TERM": "tmux-256color"}, 256),
        ({"TERM": "xterm"}, 16),
        ({"TERM": "linux"}, 16),
        ({}, 16),
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, 2),
    ],
)
def test_how_many_colours(environment: dict[str, str], colours: int) -> None:
    assert terminal.colours(environment) == colours


@pytest.mark.parametrize(("light", "name"), [(True, "light"), (False, "dark"), (None, "dark")])
def test_the_palette_follows_it(monkeypatch: pytest.MonkeyPatch, light: bool | None, name: str) -> None:
    monkeypatch.setattr(background, "is_light", lambda: light)
    assert terminal.scheme(256, "", {"TERM": "xterm-256color"}) == name


def test_what_was_chosen_is_taken_and_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "is_light", lambda: pytest.fail("asked"))
    assert terminal.scheme(256, "light", {"TERM": "xterm"}) == "light"
    assert terminal.scheme(16, "light", {"TERM": "xterm"}) == "ansi"
    assert terminal.scheme(256, "", {"TERM": "dumb"}) == "dark"
    assert terminal.scheme(256, "", {}) == "dark"


def test_the_console_of_linux_gets_blocks() -> None:
    replaced = terminal.replaced({"TERM": "linux"})
    assert replaced["\u28ff"] == "█"
    assert replaced["╭"] == "┌"
    assert not terminal.replaced({"TERM": "xterm-256color"})
