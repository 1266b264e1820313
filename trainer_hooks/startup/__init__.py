"""The folder that `itermon run --hooks` puts on `PYTHONPATH`: the trainer runs its `sitecustomize.py` first.

Nothing happens when this package is imported. In the trainer, where the folder is on the path and not its parent,
nobody imports it at all.
"""

from __future__ import annotations

from pathlib import Path


def startup_folder() -> Path:
    """The folder to put on `PYTHONPATH`."""
    return Path(__file__).parent
