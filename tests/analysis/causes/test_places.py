"""Where slow iterations lost their time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from itermon.analysis.causes import places
from itermon.analysis.causes.stacks import Stacks
from itermon.analysis.findings import Cause, Place, SlowPlace, Spike
from itermon.analysis.run import Run
from itermon.events import (
    CHECKPOINT,
    DATA,
    TRAINING,
    UNEXPLAINED,
    ClockKind,
    Event,
    Iteration,
    RunInfo,
    SpanEnd,
    Stack,
    Strength,
)
from itermon.reports.sentences import of_spike

READ = ("numpy/memmap.py:230 __new__", "data.py:48 read_shard", "train.py:9 main", "train.py:20 <module>")
SAVE = ("zipfile.py:7 write", "save.py:3 keep")
LOADER = ("torch/utils/data/dataloader.py:701 __next__", "train.py:3 main")


def look(
    index: int, waited_s: float, frames: tuple[str, ...] = READ, count: int = 1, own: int | None = 1
) -> Stack:
    return Stack(1e9, index, waited_s, frames, own, count)


def run_of(*told: Event, slow: dict[int, float], count: int = 300) -> list[Event]:
    """A run of 0.1 s an iteration; what is told of one comes before its end."""
    events: list[Event] = [RunInfo(name="x", clock=ClockKind.HOOK, time_includes=(CHECKPOINT,))]
    at_s = 1e9
    for index in range(count):
        at_s += slow.get(index, 0.1)
        events += [event for event in told if event.iteration == index]  # type: ignore[attr-defined]
        events.append(Iteration(index, slow.get(index, 0.1), at_s=at_s))
    return events


def seen(*told: Event, slow: dict[int, float], count: int = 300) -> Run:
    run = Run()
    run.apply(run_of(*told, slow=slow, count=count))
    return run


def place_of(run: Run, index: int) -> Place | None:
    spikes = {spike.index: spike for spike in run.findings(spikes=None).spikes}
    return spikes[index].place


def test_where_all_looks_agree_all_that_was_lost_was_lost_there() -> None:
    run = seen(look(50, 0.6), look(50, 10.0, count=8), slow={50: 12.4})
    place = place_of(run, 50)
    assert place is not None
    assert (place.at, place.innermost) == ("data.py:48 read_shard", "numpy/memmap.py:230 __new__")
    assert (place.looks, place.of_looks, place.is_native) == (9, 9, False)
    assert place.seconds == pytest.approx(12.3, abs=0.01)
    (spike,) = (one for one in run.findings(spikes=None).spikes if one.index == 50)
    assert of_spike(spike) == [
        "+12.3 s unexplained",
        f"12.3 s of 12.4 s in {READ[1]} ({READ[0]}), by 9 looks; called from {READ[2]}, {READ[3]}",
    ]


def test_where_they_differ_the_place_has_its_share_by_the_moments_of_the_looks() -> None:
    run = seen(look(50, 1.0), look(50, 3.0, SAVE), look(50, 7.0, SAVE), slow={50: 10.1})
    place = place_of(run, 50)
    assert place is not None
    assert (place.at, place.looks, place.of_looks) == ("save.py:3 keep", 2, 3)
    assert place.seconds == pytest.approx(8.0, abs=0.1)


def test_what_a_stop_took_was_not_lost_at_a_place() -> None:
    saved = SpanEnd(CHECKPOINT, iteration=50, duration_s=4.0, strength=Strength.HOOK)
    place = place_of(seen(saved, look(50, 5.0), slow={50: 6.1}), 50)
    assert place is not None
    assert place.seconds == pytest.approx(2.0, abs=0.01)
    assert place_of(seen(saved, look(50, 4.05), slow={50: 4.1}), 50) is None


def test_without_a_frame_of_the_users_own_the_innermost_is_named() -> None:
    run = seen(look(50, 1.0, ("ssl.py:5 read",), own=None), slow={50: 3.1})
    assert of_spike(run.findings(spikes=None).spikes[-1])[1] == "3.00 s of 3.10 s in ssl.py:5 read, by 1 look"
    assert run.findings().slow_place is None


def test_a_look_at_the_very_end_decides_nothing() -> None:
    assert place_of(seen(look(50, 0.65), slow={50: 0.7}), 50) is None


def test_over_a_run_the_place_that_cost_most_is_named() -> None:
    slow = {50: 2.0, 90: 2.0, 130: 3.0, 170: 0.4}
    told = [look(50, 1.0), look(90, 1.0), look(130, 1.0, SAVE)]
    run = seen(*told, slow=slow)
    found = run.findings().slow_place
    assert found is not None
    assert (found.at, found.iterations) == ("data.py:48 read_shard", 2)
    assert found.seconds == pytest.approx(3.8, abs=0.05)
    verdict = run.findings().verdict
    assert any("2 of 4 slow iterations were in data.py:48 read_shard" in said for said in verdict.evidence)


def test_a_place_that_took_most_of_it_is_in_the_headline() -> None:
    verdict = seen(look(50, 9.0), slow={50: 30.0}).findings().verdict
    assert "most of it in data.py:48 read_shard; no cause was found" in verdict.headline
    assert verdict.next_step == "Look at data.py:48 read_shard: 29.9 s went there, in 1 iteration."


def test_a_loaders_own_wait_is_a_cause_and_stays_one() -> None:
    run = seen(*(look(50, wait_s, LOADER) for wait_s in (1.0, 2.0)), slow={50: 5.0}, count=3000)
    (spike,) = (one for one in run.findings(spikes=None).spikes if one.index == 50)
    assert [(cause.kind, cause.strength) for cause in spike.causes] == [(DATA, Strength.HOOK)]
    assert {row.cause for row in run.findings().ledger} - {TRAINING} == {DATA}
    assert run.findings().slow_place is None


def test_the_findings_do_not_depend_on_the_batches_nor_on_who_asks() -> None:
    told = [look(50, 0.6), look(50, 10.0, LOADER), look(90, 2.0, LOADER), look(250, 1.0)]
    events = run_of(*told, slow={50: 12.4, 90: 4.0, 250: 3.0}, count=260)
    events += run_of(look(50, 2.0, SAVE), slow={50: 4.0}, count=60)
    whole, one_by_one = Run(), Run()
    whole.apply(events)
    for event in events:
        one_by_one.apply([event])
        if len(one_by_one.columns) % 7 == 0:
            one_by_one.findings(spikes=None)
    assert whole.findings(spikes=None) == one_by_one.findings(spikes=None)


def test_another_process_has_places_of_its_own() -> None:
    events = run_of(look(50, 1.0), slow={50: 3.0}) + run_of(slow={50: 3.0})
    run = Run()
    run.apply(events)
    assert [spike.place for spike in run.findings(spikes=None).spikes if spike.index == 50] == [None, None]
    assert run.findings().slow_place is None


def test_what_other_ranks_did_is_not_the_shown_ones() -> None:
    run = Run()
    run.apply([*run_of(slow={50: 3.0}), Stack(1.0, 50, 1.0, READ, 1, rank=3)])
    assert run.findings().slow_place is None


def test_what_is_known_of_it_is_kept() -> None:
    run = seen(look(50, 1.0), slow={50: 3.0}, count=1000)
    expected = SlowPlace("data.py:48 read_shard", 1, pytest.approx(2.9, abs=0.01))  # type: ignore[arg-type]
    assert run.findings().slow_place == expected
    assert run.intake.stacks.found
    run.apply([Iteration(1000, 0.1)])
    assert run.findings().slow_place == expected
    assert UNEXPLAINED in {row.cause for row in run.findings().ledger}


def spike(lost_s: float, *, kind: str = UNEXPLAINED, clean_s: float = 0.1) -> Spike:
    return Spike(40, 40, lost_s + clean_s, clean_s, (Cause(kind, lost_s, Strength.GUESS, "why"),))


def at_place(*frames: str, waited_s: float = 0.1, own: int | None = 0, native: bool = False) -> Stack:
    return Stack(1e9, 40, waited_s, frames, own, 1, native)


DEEP = ("a.py:1 f", "b.py:2 g", "c.py:3 h", "d.py:4 i", "e.py:5 j", "f.py:6 k")


@pytest.mark.parametrize(
    ("own", "callers"), [(0, DEEP[1:4]), (1, DEEP[2:5]), (3, DEEP[4:6]), (5, ()), (None, DEEP[1:4])]
)
def test_three_callers_of_the_own_place_are_shown(own: int | None, callers: tuple[str, ...]) -> None:
    place = places.place_of([at_place(*DEEP, own=own)], spike(4.0))
    assert place is not None
    assert place.callers == callers
    assert place.at == ("" if own is None else DEEP[own])


def test_half_a_second_is_lost_at_a_place_and_nothing_is_not() -> None:
    found = places.place_of([at_place(*DEEP)], spike(0.5))
    assert found is not None
    assert found.seconds == pytest.approx(0.5)
    assert places.place_of([at_place(*DEEP, waited_s=0.0)], spike(0.0)) is None
    assert places.place_of([], spike(0.5)) is None
    assert places.place_of([at_place(*DEEP)], spike(0.5, kind=CHECKPOINT)) is None


def test_of_one_place_the_newest_look_is_shown_and_it_is_native_if_each_is() -> None:
    first = at_place("x.py:1 read", *DEEP, own=1, waited_s=0.5)
    second = at_place("y.py:2 wait", *DEEP, own=1, waited_s=2.0, native=True)
    place = places.place_of([first, second], spike(4.0))
    assert place is not None
    assert (place.at, place.innermost, place.looks, place.is_native) == (DEEP[0], "y.py:2 wait", 2, False)
    place = places.place_of([second], spike(4.0))
    assert place is not None
    assert place.is_native


def test_a_place_says_where_an_unexplained_cause_lost_its_time() -> None:
    looks = [at_place(*DEEP)]
    assert [c.evidence for c in places.placed(spike(4.0), looks).causes] == ["where is known, why is not"]
    assert [c.evidence for c in places.placed(spike(4.0, kind=DATA), looks).causes] == ["why"]
    assert places.placed(spike(4.0), []) == spike(4.0)


class Indices(list[int]):
    """Columns of which only the numbers of the iterations are known."""

    @property
    def index(self) -> Indices:
        return self


@pytest.mark.parametrize(
    ("index", "starts", "found", "kept"),
    [
        (5, [], "a.py:1 f", True),
        (0, [], "a.py:1 f", True),
        (71, [0], "a.py:1 f", True),
        (72, [0], "a.py:1 f", False),  # of the newest 2 * 64 the causes may change
        (199, [0], "a.py:1 f", False),
        (200, [0], None, False),  # it has not ended
        (5, [0, 100], None, False),
        (105, [0, 100], "a.py:1 f", False),
    ],
)
def test_an_unexplained_iteration_is_looked_up_in_the_newest_process_and_kept_once_final(
    monkeypatch: pytest.MonkeyPatch, index: int, starts: list[int], found: str | None, kept: bool
) -> None:
    at: list[int] = []
    causes = (Cause(DATA, 1.0, "log"), Cause(UNEXPLAINED, 3.0, "log"))
    looked = Spike(index, index, 4.1, 0.1, causes)
    monkeypatch.setattr(places, "spike_at", lambda _, position: at.append(position) or looked)
    stacks = Stacks()
    stacks.add(Stack(1e9, index, 0.1, DEEP, 0))
    labels: Any = SimpleNamespace(
        record=SimpleNamespace(columns=Indices(range(200)), stacks=stacks, starts=starts)
    )
    slow = places.slow_place(labels)
    assert (slow and slow.at) == found
    assert at == ([index] if found else [])
    assert (index in stacks.found) is kept
    if kept:
        assert places.slow_place(labels) == slow
        assert at == [index]


def test_what_mostly_waits_for_data_was_not_lost_at_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    causes = (Cause(DATA, 3.0, "log"), Cause(UNEXPLAINED, 1.0, "log"))
    monkeypatch.setattr(places, "spike_at", lambda *_: Spike(5, 5, 4.1, 0.1, causes))
    stacks = Stacks()
    stacks.add(Stack(1e9, 5, 0.1, DEEP, 0))
    labels: Any = SimpleNamespace(record=SimpleNamespace(columns=Indices(range(200)), stacks=stacks, starts=[0]))
    assert places.slow_place(labels) is None
    assert stacks.found == {5: ("", 0.0)}
