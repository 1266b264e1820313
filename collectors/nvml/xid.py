"""Xid events: what the driver reports of a GPU's errors as they happen."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from .errors import TIMEOUT, NvmlError

if TYPE_CHECKING:
    from ..gpus.asking import Asker
    from .library import Library

_XID_CRITICAL = 8  # nvmlEventTypeXidCriticalError
_MOST_AT_ONCE = 32

# The commonest, from NVIDIA's Xid catalogue. Whose fault: of the program, of the hardware.
_WORDS = {
    13: "graphics engine exception: mostly a fault of the program",
    31: "GPU memory page fault: mostly a fault of the program (an illegal address)",
    43: "the GPU stopped working on a program that went wrong",
    45: "a program's work was cleaned up early: it died or was stopped",
    48: "double-bit ECC error: the hardware",
    61: "the GPU's microcontroller has stopped: the hardware",
    62: "the GPU's microcontroller has halted: the hardware",
    63: "a row of memory was remapped after an ECC error",
    64: "a row of memory could not be remapped: the hardware",
    74: "NVLink error: the hardware or its connection",
    79: "the GPU has fallen off the bus: the hardware, its power or its heat",
    92: "many single-bit ECC errors: the hardware",
    94: "contained ECC error: the program it hit is lost, the others go on",
    95: "uncontained ECC error: the GPU needs a reset",
    119: "the GPU's system processor does not answer: reset or reboot",
    120: "the GPU's system processor failed: reset or reboot",
}


def describe(xid: int) -> str:
    """An Xid in words."""
    meaning = _WORDS.get(xid, "see NVIDIA's Xid catalogue")
    return f"Xid {xid}: {meaning}"


class XidEvents:
    """One event set for all GPUs, asked without waiting: no thread of its own has to hang in it."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._set: Any = None
        self._registered: set[int] = set()

    def register(self, handle: Any, ask: Asker) -> None:
        """Hear of this GPU's Xids, if its driver tells them; else `ask.why("xid")` says why not."""
        if self._set is None:
            self._set = ask.ask("xid", "nvmlEventSetCreate")
        if self._set is None or not ask.wanted("xid"):
            return
        ask.ask("xid", "nvmlDeviceRegisterEvents", handle, _XID_CRITICAL, self._set)
        if ask.wanted("xid"):
            self._registered.add(address(handle))

    def read(self) -> list[tuple[int, int]]:
        """What happened since the last call, as (address of the handle, Xid). Never waits, never raises."""
        happened: list[tuple[int, int]] = []
        while self._registered and len(happened) < _MOST_AT_ONCE:
            try:
                event = self._library.call("nvmlEventSetWait_v2", self._set, 0)
            except NvmlError as error:
                if error.code != TIMEOUT:  # that is "nothing happened"; anything else and the set is of no use
                    self._registered.clear()
                break
            if event.eventType & _XID_CRITICAL:
                happened.append((address(event.device), int(event.eventData)))
        return happened

    def close(self) -> None:
        """Give the set back."""
        events, self._set = self._set, None
        self._registered.clear()
        if events is not None:
            try:
                self._library.call("nvmlEventSetFree", events)
            except NvmlError:
                return  # the driver took it with it


def address(handle: Any) -> int:
    """What distinguishes one device handle from another: each call makes a new object around the same pointer."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0
