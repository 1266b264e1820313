"""Where the reader looks: zooming and panning never leave the run, and the cursor is always seen."""

from hypothesis import given
from hypothesis import strategies as st

from itermon.tui.view import FEWEST, View

moves = st.lists(st.sampled_from(["in", "out", "left", "right", "cursor", "none"]), max_size=30)


def moved(view: View, move: str, total: int) -> View:
    match move:
        case "in" | "out":
            return view.zoomed(0.5 if move == "in" else 2, total)
        case "left" | "right":
            return view.panned(-1 if move == "left" else 1, total)
        case "cursor":
            return view.with_cursor(total // 3, total)
    return view.with_cursor(None, total)


@given(moves, st.integers(1, 3_000))
def test_a_window_stays_inside_the_run_and_shows_the_cursor(done: list[str], total: int) -> None:
    view = View()
    for move in done:
        view = moved(view, move, total)
        first, last = view.window(total)
        assert 0 <= first <= last < total
        if move == "cursor":
            assert view.cursor is not None
            assert first <= view.cursor <= last


def test_the_window_that_follows_moves_in_steps() -> None:
    view = View(span=400)
    firsts = [view.window(total)[0] for total in range(1_000, 1_051)]
    assert len(set(firsts)) <= 3
    assert all(view.window(total)[1] == total - 1 for total in range(1_000, 1_051))


def test_zooming_in_ends_where_it_would_say_nothing() -> None:
    view = View()
    for _ in range(30):
        view = view.zoomed(0.5, 10_000)
    assert view.span == FEWEST


def test_zooming_out_ends_at_the_whole_run() -> None:
    assert View(span=600).zoomed(2, 1_000) == View()


def test_a_window_that_was_moved_back_stays_while_the_run_grows() -> None:
    view = View(span=100).panned(-1, 1_000)
    assert view.window(1_000) == view.window(2_000)


def test_panning_to_the_newest_follows_again() -> None:
    view = View(span=100).panned(-1, 1_000).panned(1, 1_000)
    assert view.last is None
