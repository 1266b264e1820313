"""AMD's library through `amdsmi`: loaded late, initialised, shut down; the one place where it is called."""

from __future__ import annotations

import ctypes
import os
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..gpus.asking import DriverError

if TYPE_CHECKING:
    from collections.abc import Callable

MISSING = "amdsmi is not there: pip install 'itermon[amd]' (its version has to fit the installed ROCm)"
NO_LIBRARY = "no AMD driver found: amdsmi is there, libamd_smi.so is not (it comes with ROCm)"

_SHARED = "libamd_smi.so"

# Status codes (amdsmi.h), in words; the first set never changes while the library is open.
_NEVER = {2: "not supported here", 3: "not in this version", 10: "no permission"}
_WORDS = {
    **_NEVER,
    1: "not known to this driver",
    4: "the library cannot be loaded",
    8: "timed out",
    9: "to be asked again",
    12: "input or output failed",
    13: "bad address",
    16: "an error inside the library",
    30: "busy",
    31: "GPU is not there any more",
    32: "the library is not initialised",
    34: "the AMD driver is not loaded",
    40: "no data",
}
GONE = frozenset({32, 34})
"""With these the whole library is of no use any more: it has to be opened again."""

LOST = frozenset({31})
"""With this one GPU is."""


class AmdError(DriverError):
    """A call that failed: why, and its code (0: none was given)."""

    FOR_GOOD, LOST, GONE, NO_CALL = frozenset(_NEVER), LOST, GONE, 3


class Library:
    """The driver's library. Not thread-safe but for `under_way`: one thread asks, any may look."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.under_way: tuple[str, float] | None = None  # the call now asked, and since when
        self.took_s: dict[str, float] = {}  # the newest duration of each call: its price here
        self.module: Any = None
        self._open = False

    def open(self) -> None:
        """Load the library and initialise it. Raises `AmdError`."""
        if self.module is None:
            self.module = _load()
        self.call("amdsmi_init", self.constant("AmdSmiInitFlags", "INIT_AMD_GPUS"))
        self._open = True

    def close(self) -> None:
        """Shut it down, if it is initialised: all its handles are void then."""
        if not self._open:
            return
        self._open = False
        try:
            self.call("amdsmi_shut_down")
        except AmdError:
            return  # a driver that is gone has taken its handles with it

    def constant(self, kind: str, name: str) -> Any:
        """A member of one of the package's enumerations. Raises `AmdError` where this version has none."""
        value = getattr(getattr(self.module, kind, None), name, None)
        if value is None:
            raise AmdError(f"this amdsmi has no {kind}.{name}", 3)
        return value

    def call(self, name: str, *arguments: Any) -> Any:
        """The answer of `amdsmi.<name>(*arguments)`. Raises `AmdError`, whatever went wrong."""
        function = getattr(self.module, name, None)
        if function is None:
            raise AmdError(f"this amdsmi has no {name}", 3)
        began_s = self.clock()
        self.under_way = (name, began_s)
        try:
            return function(*arguments)
        except self.module.AmdSmiException as error:
            code = getattr(error, "err_code", None)
            code = abs(code) if isinstance(code, int) else 0
            raise AmdError(_WORDS.get(code, f"error {code}" if code else "refused"), code) from None
        except (ValueError, TypeError, KeyError, AttributeError, OSError, MemoryError, ctypes.ArgumentError):
            raise AmdError("its answer cannot be read") from None
        finally:
            self.under_way = None
            self.took_s[name] = self.clock() - began_s


def _load() -> Any:
    package = find_spec("amdsmi")
    if package is None or package.origin is None:
        raise AmdError(MISSING)
    # Without the driver's library the package prints so, on whatever screen there is, and fails: it is not asked.
    if not any(_loads(path) for path in _places(Path(package.origin).parent)):
        raise AmdError(NO_LIBRARY)
    try:
        import amdsmi  # noqa: PLC0415 - only where an AMD driver is looked for
    except (ImportError, OSError, KeyError, AttributeError):
        raise AmdError("amdsmi does not fit the installed ROCm: install the version of the driver") from None
    return amdsmi


def _places(package: Path) -> list[str]:
    """Where the package looks for it."""
    rocm = os.environ.get("ROCM_HOME") or os.environ.get("ROCM_PATH") or "/opt/rocm"
    return [f"{rocm}/lib/{_SHARED}", _SHARED, str(package / _SHARED)]


def _loads(path: str) -> bool:
    try:
        ctypes.CDLL(path)
    except OSError:
        return False
    return True
