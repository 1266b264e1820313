"""Of which set a value is that stands in a section of its line."""

from __future__ import annotations

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.generic.key_value import KeyValue
from itermon.events import SpanEnd


def found(text: str) -> list[dict[str, float]]:
    return [one.values for one in of(SpanEnd, read("key: value", text)) if one.values]


@pytest.mark.parametrize(
    "row",
    [
        "| Epoch {n}, time= 8.5s | Train: skipped | Valid: time= 2.5s loss={n}.25, acc= 75.0% |",
        "Epoch {n}/9 ; train: none ; [val] : loss {n}.25 acc 0.75 ; lr 0.001",
    ],
)
def test_a_loss_in_the_section_of_the_validation_is_none_of_the_trainings(row: str) -> None:
    lines = [row.format(n=n) for n in range(1, 9)]
    parser = KeyValue()
    parser.learn(lines)
    events = [event for line in lines for event in parser.line(line, None)]
    rows = iterations(events)
    assert [one.loss for one in rows] == [None] * 8
    assert [one.values["val_loss"] for one in of(SpanEnd, events)] == [n + 0.25 for n in range(1, 9)]
    assert all("acc" not in (one.scalars or {}) for one in rows)


def test_both_sections_have_their_own() -> None:
    text = "\n".join(f"Epoch {n} | Train: loss={n}.5 acc=0.5 | Valid: loss={n}.25 acc=0.75" for n in (1, 2, 3))
    rows = iterations(read("key: value", text))
    assert [(one.loss, (one.scalars or {}).get("acc")) for one in rows] == [(n + 0.5, 0.5) for n in (1, 2, 3)]
    assert found(text) == [{"val_loss": n + 0.25} for n in (1, 2, 3)]
