"""What is copied is the whole of it: the verdict, or the evidence while it is open."""

from collections.abc import Awaitable, Callable

from fed_app import fed
from screen_states import states

from itermon.tui.copied import to_copy


def test_the_verdict_is_copied_whole_with_the_run_that_it_is_of() -> None:
    scene = states()["healthy"].scene()
    copied = to_copy(scene)
    verdict = scene.found.verdict
    assert copied.name == "the verdict"
    assert "iteration 1,247 of 10,000" in copied.text.splitlines()[0]
    words = " ".join(copied.text.split())
    for said in (verdict.headline, *verdict.evidence, verdict.next_step):
        assert " ".join(said.split()) in words
    assert all(line == line.rstrip() for line in copied.text.splitlines())


def test_the_evidence_is_copied_while_it_is_open() -> None:
    copied = to_copy(states()["why"].scene())
    assert copied.name.startswith("the evidence: why iteration 1,000")
    assert "iteration 1,000 took" in copied.text


def copies(got: list[str], *, goes: bool = True) -> Callable[[str], Awaitable[bool]]:
    async def copy(text: str) -> bool:
        got.append(text)
        return goes

    return copy


async def test_the_key_says_what_was_copied_until_it_has_been_read(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    app = fed("healthy")
    got: list[str] = []
    monkeypatch.setattr("itermon.tui.drawn_screen.NOTE_S", 0.0)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        before = app.rows[-1]
        app.watch_screen._copy = copies(got)
        app.watch_screen.set_timer = lambda *_: None  # type: ignore[method-assign, assignment]
        await pilot.press("y")
        await pilot.pause()
        assert "copied the verdict (" in app.rows[-1]
        assert "1,247" in got[0]
        app.watch_screen._forget("another note")
        assert "copied the verdict (" in app.rows[-1]
        app.watch_screen._forget(app.watch_screen._note)
        await pilot.pause()
        assert app.rows[-1] == before
        app.watch_screen._copy = copies(got, goes=False)
        await pilot.press("slash", "y")
        await pilot.pause()
        assert "nothing was copied" in app.rows[-1]
