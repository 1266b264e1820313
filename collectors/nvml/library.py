"""NVML through `pynvml`: loaded late, initialised, shut down; the one place where its functions are called."""

from __future__ import annotations

import _ctypes
import ctypes
import time
from typing import TYPE_CHECKING, Any

from .errors import (
    FUNCTION_NOT_FOUND,
    LIBRARY_NOT_FOUND,
    UNKNOWN,
    VERSION_MISMATCH,
    NvmlError,
)

if TYPE_CHECKING:
    from collections.abc import Callable


class Library:
    """The driver's library. Not thread-safe but for `under_way`: one thread asks, any may look.

    `clock` gives seconds that only grow. `took_s` holds the newest duration of each call: its price here.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.under_way: tuple[str, float] | None = None  # the call now asked, and since when
        self.took_s: dict[str, float] = {}
        self.module: Any = None
        self._functions: dict[str, Callable[..., Any]] = {}
        self._open = False

    def open(self) -> None:
        """Load the library and initialise it. Raises `NvmlError`."""
        if self.module is None:
            self.module = _load()
        try:
            self.call("nvmlInit")
        except NvmlError as error:
            if error.code == VERSION_MISMATCH:
                self._unload()
            raise
        self._open = True

    def close(self) -> None:
        """Shut NVML down, if it is initialised: all its handles are void then."""
        if not self._open:
            return
        self._open = False
        try:
            self.call("nvmlShutdown")
        except NvmlError:
            # A driver that is gone cannot take its handles back: they went with it.
            return

    def call(self, name: str, *arguments: Any) -> Any:
        """The answer of `pynvml.<name>(*arguments)`. Raises `NvmlError`, whatever went wrong."""
        function = self._functions.get(name) or self._function(name)
        began_s = self.clock()
        self.under_way = (name, began_s)
        try:
            return function(*arguments)
        except self.module.NVMLError as error:
            raise NvmlError(int(getattr(error, "value", UNKNOWN)), name) from None
        except (ValueError, TypeError, OSError, MemoryError, ctypes.ArgumentError):
            # What is no answer: a name that is no text, a size that no memory holds.
            raise NvmlError(UNKNOWN, name) from None
        finally:
            self.under_way = None
            self.took_s[name] = self.clock() - began_s

    def _unload(self) -> None:
        """Let go of a library that no longer fits the driver: `open` loads the one that is there then.

        Without that the loader would give the old one, whatever lies on the disk, for as long as we live.
        """
        loaded, self.module.nvmlLib = getattr(self.module, "nvmlLib", None), None
        getattr(self.module, "_nvmlGetFunctionPointer_cache", {}).clear()
        if loaded is not None:
            _ctypes.dlclose(loaded._handle)

    def _function(self, name: str) -> Callable[..., Any]:
        function = getattr(self.module, name, None)
        if function is None:  # an older pynvml than this call
            raise NvmlError(FUNCTION_NOT_FOUND, name)
        self._functions[name] = function
        return function  # type: ignore[no-any-return]


def _load() -> Any:
    try:
        import pynvml  # noqa: PLC0415 - 30 ms, and only where a driver is looked for
    except ImportError:
        raise NvmlError(LIBRARY_NOT_FOUND, "import pynvml") from None
    # An unofficial package of the same name lacks most of what we call; NVIDIA's has this.
    if not hasattr(pynvml, "_nvmlGetFunctionPointer"):
        raise NvmlError(LIBRARY_NOT_FOUND, "pynvml (not NVIDIA's: pip install nvidia-ml-py)")
    return pynvml
