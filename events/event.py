"""What all events have in common: their base, their bounds, their version."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec

VERSION = 1
"""Version of the vocabulary. It grows only when an old reader would misread a new writer."""

# What a hostile or broken peer may send is bounded where it is decoded; making an event here checks nothing.
Index = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
Count = Annotated[int, msgspec.Meta(ge=1, lt=1 << 53)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e10)]
UnixTime = Annotated[float, msgspec.Meta(ge=0, le=1e11)]


class Word(str, Enum):
    """The base of closed sets of words. Each is a text and reads as one, in messages as in JSON."""

    __str__ = str.__str__


class Event(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type"):
    """The base of all events. Immutable; cheap to make; encodes without its unknown fields."""
