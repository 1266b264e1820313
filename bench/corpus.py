"""The real logs for the benches that read them, and the tests' folder for what benches and tests share."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from real_logs import CORPUS


def real_logs(arguments: list[str]) -> Path | None:
    """The folder that a bench was given, or the usual one. Where it is none: `None`, and one line says so."""
    folder = Path(arguments[0]) if arguments else CORPUS
    if folder.is_dir():
        return folder
    print(f"{folder}: no such folder: real logs are not part of the project, and nothing is measured on them")
    return None
