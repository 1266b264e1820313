"""Doing something to a module once it is loaded, without loading it: a trainer without torch must stay without."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def when_imported(name: str, act: Callable[[ModuleType], None]) -> None:
    """Call `act`, which must not raise, with the module `name`: now if it is loaded, else once it has been."""
    module = sys.modules.get(name)
    if module is not None and not _is_loading(module):
        act(module)
        return
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    _finder.waiting.setdefault(name, []).append(act)


def wrap_when_imported(
    name: str,
    function: str,
    wrap: Callable[[Any], Any],
    guard: Callable[[Callable[[ModuleType], None]], Callable[[ModuleType], None]],
) -> None:
    """Put `wrap` of it in the place of a `function` ("save", "Trainer.save_model") of the module `name`.

    A module that has no such function stays as it is.
    """
    *owners, last = function.split(".")

    def replace(module: ModuleType) -> None:
        owner: Any = module
        for part in owners:
            owner = getattr(owner, part, None)
        if hasattr(owner, last):
            setattr(owner, last, wrap(getattr(owner, last)))

    when_imported(name, guard(replace))


def _is_loading(module: ModuleType) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


class _Finder:  # not an `importlib.abc.MetaPathFinder`: importing that alone costs 5 ms
    """Finds nothing itself: lets the others find a module that is waited for, and wraps its loader."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[Callable[[ModuleType], None]]] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the other finders give, with a loader that calls what waits for the module."""
        if name not in self.waiting:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = cast("Any", _Loader(spec.loader, self.waiting))
                return spec
        return None


class _Loader:
    def __init__(self, loader: Any, waiting: dict[str, list[Callable[[ModuleType], None]]]) -> None:
        self._loader = loader
        self._waiting = waiting

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        # From here on the module has its own loader again: pickling and resources look at it.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        # Not before: transformers asks for torch's spec, to see whether it is there, and loads it later.
        for act in self._waiting.pop(module.__name__, ()):
            act(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


_finder = _Finder()
