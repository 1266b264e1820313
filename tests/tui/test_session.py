"""What the screen watches: previews give way to the history, and every batch tells how its source stands."""

from itermon.events import Batch, GpuSample, Iteration, SourceState
from itermon.tui.session import Session


def iterations(first: int, last: int) -> list[Iteration]:
    return [Iteration(n, 1.0) for n in range(first, last + 1)]


def shown(session: Session) -> int | None:
    return session.findings(None).progress.iterations_seen


def test_a_preview_is_shown_until_the_history_has_been_read() -> None:
    session = Session()
    session.take(Batch(iterations(900, 999), state=SourceState.READING, preview=True))
    session.take(Batch(iterations(0, 499), state=SourceState.READING, history=0.5))
    assert session.is_preview
    assert shown(session) == 100
    assert session.history == 0.5
    session.take(Batch(iterations(500, 999), state=SourceState.LIVE))
    assert not session.is_preview
    assert shown(session) == 1_000


def test_a_sampler_counts_in_the_preview_and_in_the_run() -> None:
    session = Session()
    session.take(Batch(iterations(900, 999), state=SourceState.READING, preview=True))
    session.take(Batch([GpuSample(1.0, name="H200")]))
    assert session.is_preview
    assert len(session.findings(None).gpus) == 1
    session.take(Batch(iterations(0, 999), state=SourceState.LIVE))
    assert len(session.findings(None).gpus) == 1


def test_a_restart_voids_what_came_before() -> None:
    session = Session()
    session.take(Batch(iterations(0, 99), state=SourceState.LIVE))
    session.take(Batch(iterations(0, 9), state=SourceState.LIVE, restart=True))
    assert shown(session) == 10


def test_time_stands_still_for_a_run_whose_source_is_over() -> None:
    session = Session()
    assert session.moves
    session.take(Batch((), state=SourceState.FAILED, note="no permission"))
    assert not session.moves
    assert session.note == "no permission"


def test_a_replay_has_its_own_clock() -> None:
    session = Session()
    assert session.now_s(5.0) == 5.0
    session.take(Batch((), state=SourceState.LIVE, now_s=17.0))
    assert session.now_s(5.0) == 17.0


def test_an_iteration_that_a_resumed_run_repeats_is_told_from_the_first() -> None:
    session = Session()
    session.take(Batch([Iteration(n, 1.0) for n in (0, 1, 2)], state=SourceState.LIVE))
    session.take(Batch([Iteration(n, 1.0) for n in (1, 2, 3)], state=SourceState.LIVE))
    assert [session.iteration_at(position) for position in range(6)] == [
        (0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (3, 0)
    ]  # fmt: skip
