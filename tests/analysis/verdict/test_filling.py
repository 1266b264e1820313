"""What is said of memory that will be full."""

from __future__ import annotations

import pytest
from made_findings import facts
from msgspec.structs import replace

from itermon.analysis.filling.filling import DISK, EPOCH, GPU, MACHINE, MEMORY, SHARED
from itermon.analysis.findings import Filling, MemoryJump, Progress
from itermon.analysis.verdict import filling
from itermon.events import CHECKPOINT, EVALUATION

GIB = 1 << 30
LEAK = Filling(
    what=MEMORY,
    left_bytes=20 * GIB,
    bytes_per_iteration=1 << 20,
    full_at_iteration=41_234,
    low_iteration=38_400,
    high_iteration=44_000,
    full_at_s=17_200.0,
    at_s=10_000.0,
    since_iteration=1_000,
    since_at_s=100.0,
    limit_bytes=64 * GIB,
)


def test_a_leak_that_ends_the_run_is_the_headline_with_its_evidence() -> None:
    said = filling.filling_up(facts(filling=(LEAK,), progress=Progress(max_iterations=100_000)))
    assert said is not None
    assert said.kind == "memory-full"
    assert said.headline == "Memory will be full at iteration 41,000 ± 3,000, in about 2 h."
    assert "It grows by 1.00 MiB an iteration, since iteration 1,000; 20.0 GiB of 64.0 GiB left." in said.evidence
    assert said.healthy is False


@pytest.mark.parametrize(("last", "warned"), [(38_400, False), (38_401, True), (None, True)])
def test_what_would_be_full_after_the_end_is_no_headline(last: int | None, warned: bool) -> None:
    made = facts(filling=(LEAK,), progress=Progress(max_iterations=last))
    assert (filling.filling_up(made) is not None) == warned
    (beside,) = filling.beside(made, "compute-bound")
    assert beside.startswith("Memory will be full at iteration 41,000 ± 3,000, in about 2 h")
    assert (", after the end of the run: " in beside) == (not warned)
    assert filling.beside(made, "memory-full") == ()


@pytest.mark.parametrize(("stop", "words"), [(EVALUATION, "evaluation"), (CHECKPOINT, "checkpoint")])
def test_the_jump_at_each_stop_is_named(stop: str, words: str) -> None:
    jumps = replace(LEAK, jump_at=stop, jump_bytes=310 * 2**20, jumps=9)
    assert filling.grows(jumps) == (
        f"it grows by 310 MiB at each {words}, 9 times so far, since iteration 1,000; 20.0 GiB of 64.0 GiB left"
    )


@pytest.mark.parametrize(
    ("what", "kind", "begins"),
    [
        (MACHINE, "memory-full", "The machine's memory"),
        (GPU, "memory-full", "Memory of GPU 3"),
        (SHARED, "memory-full", "Shared memory (/dev/shm)"),
        (DISK, "disk-full", "The disk of the checkpoints"),
    ],
)
def test_each_thing_has_its_words(what: str, kind: str, begins: str) -> None:
    one = replace(LEAK, what=what, gpu=3, limit_bytes=None if what == DISK else 64 * GIB)
    said = filling.filling_up(facts(filling=(one,)))
    assert said is not None
    assert (said.kind, said.next_step[-1]) == (kind, ".")
    assert said.headline.startswith(f"{begins} will be full at iteration ")
    assert (filling.grows(one).endswith("; 20.0 GiB left")) == (what == DISK)


@pytest.mark.parametrize(("left", "said"), [(6.4 * GIB, True), (6.5 * GIB, False)])
def test_a_run_that_ended_with_little_left_has_that_beside_its_end(left: float, said: bool) -> None:
    ended = facts(filling=(replace(LEAK, left_bytes=int(left)),), ended="lost")
    assert filling.filling_up(ended) is None
    begins = "Memory was nearly full, and had grown since iteration 1,000: 6.40 GiB of 64.0 GiB left at its end"
    assert filling.beside(ended, "failed") == ((begins,) if said else ())


def test_nothing_that_fills_up_says_nothing() -> None:
    assert filling.filling_up(facts()) is None
    assert filling.beside(facts(), "") == ()


@pytest.mark.parametrize(
    ("full", "low", "high", "words"),
    [
        (41_234, 38_400, 44_000, "41,000 ± 3,000"),
        (41_234, 41_000, 44_900, "41,000 ± 4,000"),
        (41_234, 37_400, 41_300, "41,000 ± 4,000"),
        (1_234, 1_230, 1_239, "1,234 ± 5"),
        (1_234, 1_222, 1_246, "1,230 ± 20"),
        (1_234, 1_234, 1_234, "1,234 ± 0"),
        (1_234, 1_233, 1_235, "1,234 ± 1"),
    ],
)
def test_an_iteration_is_said_as_exactly_as_it_is_known(full: int, low: int, high: int, words: str) -> None:
    one = replace(LEAK, full_at_iteration=full, low_iteration=low, high_iteration=high)
    assert f"at iteration {words}, " in filling.beside(facts(filling=(one,)), "low-mfu")[0]


@pytest.mark.parametrize(
    ("left", "limit", "said"),
    [(6.4, 64, True), (6.5, 64, False), (4.0, 0, True), (4.1, 0, False)],
)
def test_of_a_run_that_ended_memory_that_was_nearly_full_is_told(left: float, limit: int, said: bool) -> None:
    """Of a disk, whose size is not known, ten times what is left: 40,960 iterations of 1 MiB are 40 GiB."""
    one = replace(
        LEAK,
        left_bytes=int(left * GIB),
        limit_bytes=limit * GIB or None,
        since_iteration=1_000,
        full_at_iteration=41_960,
    )
    assert filling._NEARLY == 0.1
    assert bool(filling.beside(facts(filling=(one,), ended="failed"), "failed")) is said


def test_a_jump_needs_its_bytes_and_a_name() -> None:
    for jump in ({"jump_at": EVALUATION}, {"jump_bytes": 5}):
        assert "an iteration" in filling.grows(replace(LEAK, **jump))
    named = replace(LEAK, jump_at=EVALUATION, jump_bytes=GIB, jumps=3)
    assert filling.grows(named).startswith("it grows by 1.00 GiB at each evaluation, 3 times so far, since")


@pytest.mark.parametrize(
    ("jump", "said"),
    [
        (MemoryJump(MEMORY, EVALUATION, 1.2 * GIB, 4), "Resident memory jumps by 1.20 GiB at each evaluation"),
        (MemoryJump(GPU, CHECKPOINT, 3 * GIB, 4, gpu=2), "Memory of GPU 2 jumps by 3.00 GiB at each checkpoint"),
        (MemoryJump(MEMORY, EPOCH, 1.2 * GIB, 4), "Resident memory jumps by 1.20 GiB at each epoch"),
    ],
)
def test_jumps_are_said_without_a_forecast(jump: MemoryJump, said: str) -> None:
    assert filling.beside(facts(jumps=(jump,)), "compute-bound") == (f"{said}, 4 times so far",)
