"""Updates beside the steps of an environment."""

import pytest
from log_examples import iterations

from itermon.collectors.log_formats.families.updates import steps_of_updates, without_their_steps
from itermon.collectors.log_formats.generic.counted_rows import CountedRows
from itermon.collectors.log_formats.generic.key_value import KeyValue
from itermon.events import Config


@pytest.mark.parametrize(
    ("update", "steps", "expected"),
    [
        ((5.0, 24.0), (2560.0, 12500.0), {"step"}),
        ((24.0, 24.0), (12288.0, 12500.0), {"step"}),
        ((5.0, 24.0), (9000.0, 12500.0), set()),
        ((5.0, 24.0), (5.0, 24.0), set()),
        ((5.0, None), (2560.0, 12500.0), set()),
        ((5.0, 24.0), (2560.0, None), set()),
    ],
    ids=["together", "a rest", "apart", "the same", "no total", "no other total"],
)
def test_steps_are_those_of_updates_where_both_come_to_their_ends_together(update, steps, expected) -> None:
    assert steps_of_updates({"update": update, "step": steps}) == expected


def test_the_steps_have_another_name_beside_updates() -> None:
    assert (
        without_their_steps("Update 5/24 Global Step: 2,560/12,500 | loss")
        == "Update 5/24 environment: 2,560 | loss"
    )
    for same in ("Update 5/24 Step: 9000/12500", "Update 5/24", "Step: 5/24", "Update 5/24 Update 5/24 Step: 1/2"):
        assert without_their_steps(same) == same


@pytest.mark.parametrize("parser", [CountedRows, KeyValue])
def test_updates_count_the_run(parser) -> None:
    values = " | Loss: 0.5" if parser is KeyValue else "\n  Win: 0.25 | Reward: 0.5"
    text = "\n".join(f"[Update {n}/24] Step: {512 * n}/12500 | FPS: 90{values}" for n in range(1, 7))
    reader = parser()
    events = [event for line in text.splitlines() for event in reader.line(line, None)] + list(reader.release())
    assert [one.index for one in iterations(events)] == [1, 2, 3, 4, 5, 6]
    assert {one.max_iterations for one in events if isinstance(one, Config) and one.max_iterations} == {24}
