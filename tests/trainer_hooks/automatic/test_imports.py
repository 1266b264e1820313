"""Modules are met when the trainer imports them, and not before."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from itermon.trainer_hooks.automatic.imports import _finder, when_imported


@pytest.fixture
def module_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "late_module.py"
    sys.modules.pop("late_module", None)
    _finder.waiting.clear()
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def test_a_module_is_met_when_it_is_imported_and_not_before(module_path: Path) -> None:
    module_path.write_text("value = 1\n")
    met: list[Any] = []
    when_imported("late_module", met.append)
    assert met == []
    module = importlib.import_module("late_module")
    assert met == [module]
    assert module.__spec__ is not None
    assert type(module.__spec__.loader) is type(module.__loader__) is SourceFileLoader, "its own loader, not ours"
    when_imported("late_module", met.append)
    assert met == [module, module]


def test_a_module_that_is_just_being_loaded_is_met_when_it_is_whole(module_path: Path) -> None:
    module_path.write_text("import sys\nsys.met_at_once = []\nsys.ask()\nsys.met_at_once += sys.met\nvalue = 1\n")
    met: list[Any] = []
    sys.met = met  # type: ignore[attr-defined]
    sys.ask = lambda: when_imported("late_module", met.append)  # type: ignore[attr-defined]
    importlib.import_module("late_module")
    assert sys.met_at_once == []  # type: ignore[attr-defined]
    for name in ("met", "ask", "met_at_once"):
        delattr(sys, name)


def test_a_module_that_was_only_asked_for_is_met_when_it_is_imported(module_path: Path) -> None:
    module_path.write_text("value = 1\n")
    met: list[Any] = []
    when_imported("late_module", met.append)
    assert importlib.util.find_spec("late_module") is not None
    assert met == []
    module = importlib.import_module("late_module")
    assert met == [module]


def test_we_are_asked_before_the_others_and_give_what_they_give(module_path: Path) -> None:
    module_path.write_text("value = 1\n")
    when_imported("late_module", lambda module: None)
    assert sys.meta_path[0] is _finder
    spec = importlib.util.find_spec("late_module")
    assert spec is not None
    assert spec.loader is not None
    assert spec.loader.get_source("late_module") == "value = 1\n"  # type: ignore[attr-defined]


def test_a_module_that_somebody_made_by_hand_is_met_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("made_by_hand")
    assert module.__spec__ is None
    monkeypatch.setitem(sys.modules, "made_by_hand", module)
    met: list[Any] = []
    when_imported("made_by_hand", met.append)
    assert met == [module]


def test_a_loader_that_makes_its_module_itself_does_so(module_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Special(ModuleType):
        """As an extension's module is."""

    class Loader:
        def create_module(self, spec: ModuleSpec) -> ModuleType:
            return Special(spec.name)

        def exec_module(self, module: ModuleType) -> None:
            pass

    loader: Any = Loader()
    finder: Any = SimpleNamespace(find_spec=lambda name, *_: ModuleSpec(name, loader))
    monkeypatch.setattr(sys, "meta_path", [finder])
    met: list[Any] = []
    when_imported("late_module", met.append)
    assert type(importlib.import_module("late_module")) is Special
    assert met == [sys.modules["late_module"]]


def test_a_loader_of_the_old_kind_is_left_as_it_is(module_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loader: Any = object()  # it has `load_module` at most
    finder: Any = SimpleNamespace(find_spec=lambda name, *_: ModuleSpec(name, loader))
    monkeypatch.setattr(sys, "meta_path", [finder])
    when_imported("late_module", lambda module: None)
    spec = importlib.util.find_spec("late_module")
    assert spec is not None
    assert spec.loader is loader


def test_a_module_that_fails_or_is_missing_fails_as_ever(module_path: Path) -> None:
    met: list[Any] = []
    when_imported("late_module", met.append)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("late_module")
    module_path.write_text("raise ValueError('its own')\n")
    when_imported("late_module", met.append)
    with pytest.raises(ValueError, match="its own"):
        importlib.import_module("late_module")
    assert met == []
