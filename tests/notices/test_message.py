"""What is said: the run first, then where it is, why, and what to do."""

import json

from itermon.events import Severity
from itermon.notices.message import Message, Phase, as_data, lines, text, title

FAILED = Message(
    id="r1/failed:0:40",
    run="gpt2",
    phase=Phase.BEGAN,
    kind="failed",
    severity=Severity.ERROR,
    state="it failed: out of memory",
    evidence=("CUDA out of memory.",),
    action="lower the batch size",
    host="box",
    iteration=1_240,
    iterations=5_000,
    loss=3.21,
    elapsed_s=7_800.0,
    cost=12.5,
)


def test_the_title_has_the_run_and_what_it_is() -> None:
    assert title(FAILED) == "itermon · gpt2: it failed: out of memory"
    assert title(Message(id="", run="", phase=Phase.ENDED, kind="silent")) == "itermon · run: over: silent"


def test_below_it_stand_the_place_the_evidence_and_the_next_step() -> None:
    assert lines(FAILED) == [
        "iteration 1,240 of 5,000 · loss 3.2100 · 2 h 10 m so far · $12.50 · on box",
        "CUDA out of memory.",
        "next: lower the batch size",
    ]


def test_what_is_over_needs_no_next_step() -> None:
    over = Message(id="", run="a", phase=Phase.ENDED, kind="silent", action="look at it", remaining_s=60.0)
    assert lines(over) == ["1 m 00 s to go"]


def test_what_is_unknown_is_left_out() -> None:
    assert lines(Message(id="", run="a", phase=Phase.BEGAN, kind="silent")) == []


def test_a_message_is_bounded() -> None:
    long = Message(id="", run="r" * 9_999, phase=Phase.BEGAN, kind="x", evidence=("e" * 9_999,) * 99)
    assert len(title(long)) <= 120
    assert len(text(long)) <= 120 + 12 * 301


def test_a_program_gets_numbers_and_the_texts() -> None:
    data = json.loads(json.dumps(as_data(FAILED)))
    assert (data["kind"], data["phase"], data["severity"]) == ("failed", "began", "error")
    assert (data["iteration"], data["loss"]) == (1_240, 3.21)
    assert data["title"] == title(FAILED)
    assert data["text"].splitlines()[1:] == lines(FAILED)


def test_a_text_from_outside_is_clean_wherever_it_stands() -> None:
    hostile = Message(id="i\x1b[2J", run="a\x1b]0;x\x07b", phase=Phase.BEGAN, kind="x", evidence=("c\nd\x9b2J",))
    assert title(hostile) == "itermon · ab: x"
    assert lines(hostile) == ["c d"]
    assert "\x1b" not in str(as_data(hostile))
