"""What OLMo's records say besides their example: the tokens of a step, and where an unsharded checkpoint was written."""

from __future__ import annotations

from collections.abc import Sequence

from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, EVALUATION, Config, Event, SpanEnd, Strength


def read(totals: list[int], head: Sequence[str] = (), tail: Sequence[str] = ()) -> list[Event]:
    lines = [*head]
    for step, total in enumerate(totals, 10):
        lines += [
            f"2025-03-01 10:00:{step:02d} host:0 olmo.train:9 INFO [step={step}/900,epoch=0]",
            "    train/CrossEntropyLoss=2.5",
            f"    throughput/total_tokens={total:,}",
        ]
    lines += [
        "2025-03-01 10:01:00 host:0 olmo.train:13 INFO Saving unsharded checkpoint...",
        "2025-03-01 10:01:30 host:0 olmo.train:13 INFO Unsharded checkpoint saved to /runs/a/step12",
        "2025-03-01 10:01:40 host:0 olmo.train:9 INFO [step=30/900,epoch=0]",
        "    train/CrossEntropyLoss=2.5",
        *tail,
    ]
    reader = LogReader(lines)
    return reader.feed("".join(f"{line}\n" for line in lines).encode())


def tokens(totals: list[int]) -> list[int | None]:
    configs = [event for event in read(totals) if isinstance(event, Config)]
    return [config.tokens_per_iteration for config in configs if config.tokens_per_iteration]


def test_what_the_seen_tokens_grow_by_twice_is_what_a_step_has() -> None:
    assert tokens([1_000, 3_000, 5_000, 7_000]) == [2_000]
    assert tokens([1_000, 3_000]) == []
    assert tokens([1_000, 3_000, 5_001, 7_000]) == []
    assert tokens([5_000, 3_000, 1_000]) == []


def test_an_unsharded_checkpoint_is_timed_by_its_two_lines() -> None:
    saved = [event for event in read([1_000]) if isinstance(event, SpanEnd) and event.strength == Strength.LOG]
    assert [(event.kind, event.duration_s) for event in saved] == [(CHECKPOINT, 30.0)]


def test_a_checkpoint_before_the_first_step_leaves_those_behind_it_to_be_told_of() -> None:
    head = [
        "2025-03-01 09:59:00 host:0 train:1 INFO Saving pre-train checkpoint...",
        "2025-03-01 09:59:20 host:0 train:1 INFO Checkpoint saved to /runs/a/step0",
    ]
    saved = [
        event for event in read([1_000], head) if isinstance(event, SpanEnd) and event.strength == Strength.LOG
    ]
    assert [(event.kind, event.duration_s) for event in saved] == [(CHECKPOINT, None), (CHECKPOINT, 30.0)]


def test_what_an_evaluation_behind_the_last_step_found_is_of_that_step() -> None:
    tail = ["2025-03-01 10:01:50 host:0 olmo.train:9 INFO a task", "    eval/downstream/a_task=0.5"]
    (found,) = (event for event in read([1_000], (), tail) if isinstance(event, SpanEnd) and event.values)
    assert (found.kind, found.iteration, found.after, found.values) == (
        EVALUATION,
        31,
        30,
        {"downstream/a_task": 0.5},
    )
