"""What all events have in common: their base, their bounds, their version."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec

VERSION = 1
"""Version of the vocabulary. It grows only when an old reader would misread a new writer."""

# What a hostile or broken peer may send is bounded where it is decoded; making an event here checks nothing.
# The bounds lie far beyond what there is, and low enough that what is computed of a few of them fits in a double.
Index = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]  # from 2^53 on a double cannot tell neighbours apart
Count = Annotated[int, msgspec.Meta(ge=1, lt=1 << 53)]
Rank = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e10)]  # three hundred years
UnixTime = Annotated[float, msgspec.Meta(ge=0, le=1e11)]
LARGEST = 3.4e38
Number = Annotated[float, msgspec.Meta(ge=-LARGEST, le=LARGEST)]  # a loss, a gradient norm: all that float32 holds
Quantity = Annotated[float, msgspec.Meta(ge=0, le=1e21)]  # watts, joules, hertz, cores, bytes a second, dollars
Share = Annotated[float, msgspec.Meta(ge=0, le=1e4)]  # of 1; a printed MFU of a wrong peak may be beyond 1
Flops = Annotated[float, msgspec.Meta(ge=1, le=1e30)]  # of a token, or of a GPU in a second: never nothing
ExitCode = Annotated[int, msgspec.Meta(ge=-255, le=255)]
Celsius = Annotated[float, msgspec.Meta(ge=-273.15, le=1e4)]


class Word(str, Enum):
    """The base of closed sets of words. Each is a text and reads as one, in messages as in JSON."""

    __str__ = str.__str__


class Event(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type"):
    """The base of all events. Immutable; cheap to make; encodes without its unknown fields."""
