"""The folder on a trainer's `PYTHONPATH` holds what Python runs first, and nothing that hides a user's module."""

from __future__ import annotations

from itermon.trainer_hooks.startup import startup_folder


def test_the_folder_gives_a_trainer_sitecustomize_alone() -> None:
    modules = {path.stem for path in startup_folder().glob("*.py")}
    assert modules == {"sitecustomize", "__init__"}
