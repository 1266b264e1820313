"""What can speak against a rank, the strongest first."""

from __future__ import annotations

DEAD = "dead"
"""Its process is gone."""

MISSING = "missing"
"""The others waited for it by name, and it did not come."""

BEHIND = "behind"
"""It has not reached what the others wait in."""

AHEAD = "ahead"
"""It is past what the others wait in: it left that out."""

DIFFERENT = "different"
"""It is in another collective than the others, or in one of another size."""

ELSEWHERE = "elsewhere"
"""It is in no collective, and the others wait in one."""

UNHEARD = "unheard"
"""All others said that they wait, and it said nothing."""
