"""The epoch of a checkpoint that a run goes on from: `=> loaded checkpoint 'last.pth' (epoch 12)`."""

from __future__ import annotations

from ...patterns import lazy_pattern

_LOADED = lazy_pattern(
    r"(?i)\b(?:re)?(?:load|stor|sum)(?:ed|ing)\b.{0,200}\bcheckpoint\b.{0,200}\bepoch\W{1,4}(\d{1,6})\b(?!\.\d)"
)


def loaded_epoch(text: str) -> float | None:
    """The epoch that a line which tells of a loaded checkpoint names; `None` for any other line."""
    found = _LOADED.search(text[:600])
    return float(found[1]) if found else None
