"""The vocabulary survives its carrier, and says what is wrong with what is no event."""

from array import array

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon import events

ANYTHING: dict[object, st.SearchStrategy[object]] = {
    float: st.floats(allow_nan=False, allow_infinity=False),
    events.UnixTime: st.floats(0, 1e11),
    events.Index: st.integers(0, 2**53 - 1),
}


@pytest.mark.parametrize("kind", events.AnyEvent.__args__)
@given(data=st.data())
def test_every_event_survives_json(kind: type[events.Event], data: st.DataObject) -> None:
    fields = {
        f.name: data.draw(ANYTHING.get(f.type, st.text())) for f in msgspec.structs.fields(kind) if f.required
    }
    event = kind(**fields)
    line = events.encode(event)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert events.decode(line) == event


def test_iterations_in_a_block_are_the_same_as_singly() -> None:
    block = events.Iterations(
        array("q", [7, 8]), array("d", [0.5, 0.25]), array("d", [3, 2]), array("d", [0.4, 0.5])
    )
    expand = [events.Iteration(7, 0.5, 3.0, 0.4), events.Iteration(8, 0.25, 2.0, 0.5)]
    assert [*events.expand([events.Dropped(1), block, events.Dropped(2)])] == [
        events.Dropped(1),
        *expand,
        events.Dropped(2),
    ]
    assert (len(block), block[-1], [*block[1:]]) == (2, expand[1], expand[1:])
    assert not block[2:]


def test_a_type_of_a_newer_version_is_told_apart_from_garbage() -> None:
    with pytest.raises(events.UnknownEventError, match="hologram"):
        events.decode(b'{"type":"hologram","at_s":1}')
    for garbage in (
        b"",
        b"garbage",
        b"[]",
        b'{"type":"iteration"}',
        b'{"type":"iteration","index":"x"}',
        b"\xff",
    ):
        with pytest.raises(events.BadEventError) as caught:
            events.decode(garbage)
        assert not isinstance(caught.value, events.UnknownEventError)


def test_unknown_fields_of_a_newer_version_are_ignored() -> None:
    line = b'{"type":"iteration","index":7,"duration_s":1.5,"colour":"blue"}'
    assert events.decode(line) == events.Iteration(index=7, duration_s=1.5)


def test_a_line_that_is_too_long_is_refused_unread() -> None:
    with pytest.raises(events.BadEventError, match="at most"):
        events.decode(b" " * (events.MAX_LINE_BYTES + 1))


@pytest.mark.parametrize(
    "field", ['"index":-1', '"index":1e30', '"duration_s":-1.0', '"duration_s":1e300', '"at_s":-5']
)
def test_a_number_that_cannot_be_is_refused(field: str) -> None:
    with pytest.raises(events.BadEventError, match="not an event"):
        events.decode(f'{{"type":"iteration","index":3,{field}}}'.encode())
