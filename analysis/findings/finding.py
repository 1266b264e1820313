"""The base of every finding."""

from __future__ import annotations

import msgspec


class Finding(msgspec.Struct, frozen=True, gc=False):
    """The base of all parts."""
