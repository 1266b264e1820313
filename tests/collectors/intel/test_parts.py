"""Of each kind of part the whole card's, of the kinds the one that says most."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from itermon.collectors.intel.library import IntelError
from itermon.collectors.intel.parts import Parts, parts_of

BUSY, LOST = 0x70010001, 0x70000001

ALL, BOTH, COMPUTE = 0, 11, 1  # groups of engines
CARD, CORE, BOARD, MEMORY_SENSOR = 0, 1, 6, 2


class Card:
    """A library with one card: by kind of handle what its parts say; a handle is its place in the list."""

    def __init__(self, **kinds):
        self.kinds = kinds

    def handles(self, listing, handle_type, device):
        kind = handle_type.split("_")[1]
        assert device == "card"
        assert listing.startswith("zesDeviceEnum")
        found = self.kinds.get(kind, [])
        if isinstance(found, IntelError):
            raise found
        return [(kind, place) for place in range(len(found))]

    def filled(self, _properties, _structure, handle):
        kind, place = handle
        return self.kinds[kind][place]


def part(kind=0, *, tile=False, location=1, most=0.0):
    return SimpleNamespace(type=kind, onSubdevice=tile, location=location, max=most)


def parts(**kinds) -> Parts:
    return parts_of(Card(**kinds), "card")


def places(handles):
    return [place for _, place in handles]


@pytest.mark.parametrize(
    ("kinds", "chosen"),
    [
        ([ALL, BOTH, COMPUTE, COMPUTE], [2, 3]),
        ([ALL, BOTH, ALL], [1]),
        ([5, ALL], [1]),
        ([5, 7], []),
        ([], []),
    ],
)
def test_the_engines_are_those_that_say_most_of_computing(kinds, chosen):
    assert places(parts(engine=[part(kind) for kind in kinds]).engines) == chosen


@pytest.mark.parametrize(
    ("kinds", "chosen"),
    [([BOARD, CARD, CORE], [2]), ([BOARD, CARD, MEMORY_SENSOR], [1]), ([MEMORY_SENSOR, BOARD], [1])],
)
def test_the_sensor_is_the_nearest_to_the_gpu(kinds, chosen):
    assert places(parts(temp=[part(kind) for kind in kinds]).sensors) == chosen


def test_a_tile_is_taken_only_where_there_is_nothing_of_the_whole_card():
    tiles, whole = [part(1, tile=True), part(1, tile=True)], part(1)
    assert places(parts(engine=tiles).engines) == [0, 1]
    assert places(parts(engine=[*tiles, whole]).engines) == [2]
    assert places(parts(pwr=[*tiles, whole, whole]).power) == [2]
    assert places(parts(pwr=tiles).power) == [0]
    assert places(parts(temp=[part(1, tile=True), part(1)]).sensors) == [0, 1]


def test_the_clock_is_the_gpus_and_the_memory_is_on_the_card():
    found = parts(freq=[part(1, most=9_000.0), part(most=1_600.0), part(most=1_500.0)])
    assert (places(found.clock), found.clock_max_hz) == ([1, 2], 1.6e9)
    assert places(parts(mem=[part(location=0), part(location=1), part(location=2)]).memory) == [1]


@pytest.mark.parametrize(
    ("most_mhz", "most_hz"), [([], None), ([0.0], None), ([-1.0], None), ([0.5], 5e5), ([-1.0, 2.0], 2e6)]
)
def test_a_highest_clock_that_is_none_is_not_known(most_mhz, most_hz):
    assert parts(freq=[part(most=most) for most in most_mhz]).clock_max_hz == most_hz


def test_a_kind_that_is_refused_says_why_and_the_others_are_there():
    found = parts(pwr=IntelError("in use", BUSY), temp=[part(CORE)])
    assert (found.power, found.refused) == ([], {"pwr": "in use"})
    assert places(found.sensors) == [0]
    assert parts(temp=[part(CORE)]).refused == {}


def test_a_gpu_that_is_lost_is_an_error():
    with pytest.raises(IntelError):
        parts(pwr=IntelError("GPU is lost", LOST))
