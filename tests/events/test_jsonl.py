"""The vocabulary survives its carrier, and says what is wrong with what is no event."""

import typing

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from itermon import events


def anything(kind: object) -> st.SearchStrategy[object]:
    """A value that the field's type and its bounds allow."""
    if kind in BOUNDED:
        return BOUNDED[kind]
    if origin := typing.get_origin(kind):
        parts = [anything(part) for part in typing.get_args(kind) if part is not Ellipsis]
        if origin is dict:
            return st.dictionaries(*parts, max_size=3)
        if origin is tuple:
            return st.lists(*parts, max_size=3).map(tuple)
        return st.one_of(parts)
    if isinstance(kind, type) and issubclass(kind, events.Word):
        return st.sampled_from(list(kind))
    return PLAIN[kind]


PLAIN: dict[object, st.SearchStrategy[object]] = {
    bool: st.booleans(),
    str: st.text(max_size=20),
    type(None): st.none(),
}
BOUNDED: dict[object, st.SearchStrategy[object]] = {
    events.UnixTime: st.floats(0, 1e11),
    events.Seconds: st.floats(0, 1e10),
    events.Rank: st.integers(0, 2**31 - 1),
    events.Number: st.floats(-3.4e38, 3.4e38),
    events.Quantity: st.floats(0, 1e21),
    events.Share: st.floats(0, 1e4),
    events.Flops: st.floats(1, 1e30),
    events.Celsius: st.floats(-273.15, 1e4),
    events.ExitCode: st.integers(-255, 255),
    events.Index: st.integers(0, 2**53 - 1),
    events.Count: st.integers(1, 2**53 - 1),
}


def any_event(kind: type[events.Event]) -> st.SearchStrategy[events.Event]:
    """Each field is set in some and has its default in others."""
    types = typing.get_type_hints(kind, include_extras=True)
    required = {f.name: anything(types[f.name]) for f in msgspec.structs.fields(kind) if f.required}
    others = {name: anything(types[name]) for name in kind.__struct_fields__ if name not in required}
    return st.fixed_dictionaries(required, optional=others).map(lambda fields: kind(**fields))


@pytest.mark.parametrize("kind", events.AnyEvent.__args__)
@settings(max_examples=30)
@given(data=st.data())
def test_every_field_of_every_event_survives_json(kind: type[events.Event], data: st.DataObject) -> None:
    event = data.draw(any_event(kind))
    line = events.encode(event)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert events.decode(line) == event
    assert events.encode_all([event, event]) == 2 * line


@pytest.mark.parametrize("kind", events.AnyEvent.__args__)
def test_what_is_not_known_is_not_written(kind: type[events.Event]) -> None:
    required = [f for f in msgspec.structs.fields(kind) if f.required]
    event = kind(**{f.name: "x" if f.type is str else 1 for f in required})
    assert set(msgspec.json.decode(events.encode(event))) == {"type", *(f.name for f in required)}


def unbounded(kind: object) -> set[object]:
    """The types in `kind` that have no bounds."""
    if kind in BOUNDED:
        return set()
    return {kind}.union(*map(unbounded, typing.get_args(kind)))


def test_every_number_of_the_vocabulary_has_bounds() -> None:
    for kind in events.AnyEvent.__args__:  # type: ignore[attr-defined]
        for name, held in typing.get_type_hints(kind, include_extras=True).items():
            assert not {int, float} & unbounded(held), f"{kind.__name__}.{name}"


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"config","peak_flops":0}',
        '{"type":"config","world_size":0}',
        '{"type":"config","tokens_per_iteration":0}',
        '{"type":"config","cost_per_hour":-1}',
        '{"type":"gpu","at_s":1,"power_w":-5}',
        '{"type":"gpu","at_s":1,"utilization":1e308}',
        '{"type":"iteration","index":1,"mfu":-1}',
        '{"type":"iteration","index":1,"loss":1e308}',
        '{"type":"iteration","index":1,"rank":-1}',
        '{"type":"end_span","kind":"x","values":{"val_loss":1e308}}',
        '{"type":"iteration","index":9223372036854775803}',
        '{"type":"iteration","index":' + "9" * 400 + "}",
        '{"type":"iteration","index":' + "9" * 5000 + "}",
        '{"type":"config","max_iterations":' + "9" * 400 + "}",
    ],
)
def test_what_has_no_meaning_is_refused(line: str) -> None:
    with pytest.raises(events.BadEventError, match=r"not an event|not JSON"):
        events.decode(line.encode())


@pytest.mark.parametrize(
    ("name", "value", "held"),
    [("world_size", 8, True), ("world_size", 0, False), ("peak_flops", 0.0, False), ("layers", 10**400, False),
     ("layers", "12", False), ("dataset", "text", True), ("nothing", 1, False)],
)  # fmt: skip
def test_what_a_config_can_hold(name: str, value: object, held: bool) -> None:
    assert events.holds(name, value) is held


def test_a_float_that_json_cannot_hold_is_null() -> None:
    assert events.encode(events.Iteration(1, loss=float("nan"))) == b'{"type":"iteration","index":1,"loss":null}\n'


@pytest.mark.parametrize("code", [0xDC9B, 0xD800])
def test_text_that_no_utf8_can_hold_is_written_with_a_mark_in_its_place(code: int) -> None:
    half = chr(code)
    event = events.Config(origin=f"config file {half}.py", extra={f"a{half}": f"b{half}"}, max_iterations=9)
    safe = events.Config(origin="config file \ufffd.py", extra={"a\ufffd": "b\ufffd"}, max_iterations=9)
    assert events.decode(events.encode(event)) == safe
    assert events.encode_all([safe, event]) == 2 * events.encode(safe)
    assert events.as_json({half: [1, (half,)]}) == '{"\ufffd":[1,["\ufffd"]]}'.encode()


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


@pytest.mark.parametrize(
    "field", ['"index":-1', '"index":1e30', '"duration_s":-1.0', '"duration_s":1e300', '"at_s":-5']
)
def test_a_number_that_cannot_be_is_refused(field: str) -> None:
    with pytest.raises(events.BadEventError, match="not an event"):
        events.decode(f'{{"type":"iteration","index":3,{field}}}'.encode())


@pytest.mark.parametrize(
    ("line", "field", "weakest"),
    [
        (b'{"type":"begin","kind":"gc","strength":"oracle"}', "strength", events.Strength.GUESS),
        (b'{"type":"run","clock":"atomic"}', "clock", events.ClockKind.ARRIVAL),
        (b'{"type":"message","text":"x","level":"fatal"}', "level", events.Severity.INFO),
        (b'{"type":"end","reason":"early stop"}', "reason", events.EndReason.FINISHED),
    ],
)
def test_a_word_of_a_newer_version_loses_no_event(line: bytes, field: str, weakest: events.Word) -> None:
    assert getattr(events.decode(line), field) is weakest


@pytest.mark.parametrize("length", [events.MAX_LINE_BYTES, events.MAX_LINE_BYTES + 1])
def test_the_longest_line_that_is_read(length: int) -> None:
    line = b'{"type":"dropped","count":7}'.ljust(length)
    if length <= events.MAX_LINE_BYTES:
        assert events.decode(line) == events.Dropped(7)
    else:
        with pytest.raises(events.BadEventError, match=f"a line of {length:,} bytes"):
            events.decode(line)
