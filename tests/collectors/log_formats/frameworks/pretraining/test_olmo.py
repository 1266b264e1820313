"""What OLMo's records say besides their example: the tokens of a step, and where an unsharded checkpoint was written."""

from __future__ import annotations

from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, Config, Event, SpanEnd, Strength


def read(totals: list[int]) -> list[Event]:
    lines = []
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
