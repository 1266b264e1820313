"""Intel's library through `pyzes`: loaded late and initialised; the one place where it is called."""

from __future__ import annotations

import ctypes
import sys
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..gpus.asking import DriverError

if TYPE_CHECKING:
    from collections.abc import Callable

MISSING = "pyzes is not there: pip install 'itermon[intel]'"
NO_LIBRARY = "no Intel GPU driver found: Level Zero's loader (libze_loader.so.1) cannot be loaded"

_MOST = 64
"""Parts of one kind in one GPU; the largest has 8 memory modules and 20 engines. More are not believed."""

# ze_result_t (ze_api.h), in words; the first never change while the library is open.
_NEVER = {
    0x70010000: "no permission",
    0x70020000: "a library that the driver needs is not there",
    0x78000002: "not in this version",
    0x78000003: "not supported here",
}
_WORDS = {
    **_NEVER,
    1: "not ready",
    0x70000001: "GPU is lost: reset, removed, or its driver was updated",
    0x70000006: "GPU needs a reset",
    0x70000007: "GPU sleeps",
    0x70010001: "in use",
    0x78000001: "the library is not initialised",
    0x78000004: "not known to this driver",
    0x78000020: "GPU is in survivability mode: its firmware needs an update",
}


class IntelError(DriverError):
    """A call that failed: why, and its `ze_result_t` (0: none was given)."""

    FOR_GOOD = frozenset(_NEVER)
    LOST = frozenset({0x70000001, 0x70000006, 0x78000020})
    GONE = frozenset({0x78000001})
    NO_CALL = 0x78000002


class Library:
    """The driver's library. Not thread-safe but for `under_way`: one thread asks, any may look."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.under_way: tuple[str, float] | None = None  # the call now asked, and since when
        self.took_s: dict[str, float] = {}  # the newest duration of each call: its price here
        self.module: Any = None

    def open(self) -> None:
        """Load the library and initialise it. Raises `IntelError`."""
        if self.module is None:
            self.module = _load()
        self.call("zesInit", 0)

    def close(self) -> None:
        """Nothing: Sysman has no end but that of the process, and handles stay what they are."""

    def call(self, name: str, *arguments: Any) -> None:
        """Call `pyzes.<name>(*arguments)`, which fills its arguments. Raises `IntelError`, whatever went wrong."""
        function = getattr(self.module, name, None)
        if function is None:
            raise IntelError(f"this pyzes has no {name}", IntelError.NO_CALL or 0)
        began_s = self.clock()
        self.under_way = (name, began_s)
        try:
            code = int(function(*arguments)) & 0xFFFFFFFF
        except (ValueError, TypeError, AttributeError, OSError, MemoryError, ctypes.ArgumentError):
            raise IntelError("its answer cannot be read") from None
        finally:
            self.under_way = None
            self.took_s[name] = self.clock() - began_s
        if code:
            raise IntelError(_WORDS.get(code, f"error {code:#x}"), code)

    def handles(self, name: str, kind: str, *of: Any) -> list[Any]:
        """What `name` lists (drivers, GPUs, parts) of `of`: handles of the type `kind`. Raises `IntelError`."""
        count = ctypes.c_uint32(0)
        self.call(name, *of, ctypes.byref(count), None)
        count.value = min(count.value, _MOST)
        made = (getattr(self.module, kind) * count.value)()
        for one in made:
            _typed(self.module, one, kind)
        if count.value:
            self.call(name, *of, ctypes.byref(count), made)
        return list(made)[: count.value]

    def filled(self, name: str, structure: str, handle: Any) -> Any:
        """The `structure` that `name` fills for `handle`. Raises `IntelError`."""
        made = getattr(self.module, structure)()
        _typed(self.module, made, structure)
        self.call(name, handle, ctypes.byref(made))
        return made


def _typed(module: Any, made: Any, structure: str) -> None:
    """Let a structure say which it is, where its kind does: the driver reads it."""
    if hasattr(made, "stype"):
        name = structure.removeprefix("zes_").removesuffix("_t").upper()
        made.stype = getattr(module, f"ZES_STRUCTURE_TYPE_{name}", 0)


def _load() -> Any:
    if find_spec("pyzes") is None:
        raise IntelError(MISSING)
    try:
        import pyzes  # noqa: PLC0415 - it loads the driver's library, and only where one is looked for
    except Exception:  # noqa: BLE001 - without the library it raises OSError, or a bare Exception
        sys.modules.pop("pyzes", None)
        raise IntelError(NO_LIBRARY) from None
    return pyzes
