"""What macOS' registry of devices says of the GPUs, by its own program `ioreg`: anybody may ask it."""

from __future__ import annotations

import plistlib
import time
from typing import TYPE_CHECKING, Any
from xml.parsers.expat import ExpatError

from ..gpus.asking import DriverError
from ..host.programs import output_of

if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND = ["/usr/sbin/ioreg", "-a", "-r", "-d", "1", "-w", "0", "-c", "IOAccelerator"]

_LONGEST_S = 5.0
_MOST_BYTES = 4 << 20  # a GPU's entry is about 20 kB
_MOST_GPUS = 16
_GONE = 1
_UNREADABLE = (
    plistlib.InvalidFileException,
    ExpatError,
    ValueError,
    ArithmeticError,
    RecursionError,
    AttributeError,
)


class RegistryError(DriverError):
    """There is no answer."""

    GONE = frozenset({_GONE})


class Registry:
    """Asks `ioreg`. Not thread-safe but for `under_way`."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        run: Callable[[list[str], float, int], tuple[bytes, str]] = output_of,
    ) -> None:
        self.clock = clock
        self.under_way: tuple[str, float] | None = None  # the program now asked, and since when
        self.took_s: dict[str, float] = {}
        self._run = run

    def close(self) -> None:
        """Nothing is kept open."""

    def gpus(self) -> list[dict[str, Any]]:
        """The entry of each GPU. Raises `RegistryError`: it cannot be asked, or not be read."""
        began_s = self.clock()
        self.under_way = ("ioreg", began_s)
        try:
            told, trouble = self._run(COMMAND, _LONGEST_S, _MOST_BYTES)
            said = plistlib.loads(told) if told.strip() else []
        except OSError as error:
            raise RegistryError(f"ioreg cannot be asked: {error.strerror or error}", _GONE) from None
        except (
            plistlib.InvalidFileException,
            ExpatError,
            ValueError,
            OverflowError,
            RecursionError,
            AttributeError,
        ):
            raise RegistryError("what ioreg prints cannot be read", _GONE) from None
        finally:
            self.under_way = None
            self.took_s["ioreg"] = self.clock() - began_s
        if not isinstance(said, list) or (not said and trouble.strip()):
            raise RegistryError(f"ioreg: {trouble.strip()[:200] or 'no list of GPUs'}", _GONE)
        return [entry for entry in said if isinstance(entry, dict)][:_MOST_GPUS]
