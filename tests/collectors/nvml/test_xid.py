"""Xids in words, and the event set that they come from."""

import ctypes
from types import SimpleNamespace

import pytest

from itermon.collectors.gpus.asking import Asker
from itermon.collectors.nvml.errors import TIMEOUT, NvmlError
from itermon.collectors.nvml.xid import XidEvents, address, describe

from .made import MadeLibrary

WORDS = {
    13: "graphics engine exception", 31: "GPU memory page fault", 43: "the GPU stopped working on a program",
    45: "a program's work was cleaned up early", 48: "double-bit ECC error",
    61: "the GPU's microcontroller has stopped", 62: "the GPU's microcontroller has halted",
    63: "a row of memory was remapped",
    64: "a row of memory could not be remapped", 74: "NVLink error", 79: "the GPU has fallen off the bus",
    92: "many single-bit ECC errors", 94: "contained ECC error", 95: "uncontained ECC error",
    119: "the GPU's system processor does not answer", 120: "the GPU's system processor failed",
    14: "see NVIDIA's Xid catalogue",
}  # fmt: skip
HANDLE = ctypes.c_void_p(4096)


@pytest.mark.parametrize("xid", WORDS)
def test_an_xid_has_its_words(xid):
    assert describe(xid).startswith(f"Xid {xid}: {WORDS[xid]}")


def heard(library, *, ticks=1):
    xids = XidEvents(library)
    xids.register(HANDLE, Asker(library))
    return [xids.read() for _ in range(ticks)], xids


def library_with(events):
    queue = iter(events)
    return MadeLibrary(
        nvmlEventSetCreate="set",
        nvmlDeviceRegisterEvents=lambda *_: None,
        nvmlEventSetWait_v2=lambda *_: next(queue, NvmlError(TIMEOUT, "wait")),
        nvmlEventSetFree=lambda *_: None,
    )


def event(kind=8, xid=79):
    return SimpleNamespace(eventType=kind, eventData=xid, device=HANDLE)


def test_only_critical_xids_are_taken_and_the_next_look_goes_on():
    library = library_with([event(), event(kind=1), event(xid=48), NvmlError(TIMEOUT, "wait"), event(xid=94)])
    assert heard(library, ticks=2)[0] == [[(4096, 79), (4096, 48)], [(4096, 94)]]


def test_an_error_of_the_set_ends_the_listening():
    library = library_with([NvmlError(999, "wait"), event()])
    assert heard(library, ticks=2)[0] == [[], []]


def test_at_most_32_are_taken_at_once():
    assert [len(each) for each in heard(library_with([event()] * 40), ticks=2)[0]] == [32, 8]


def test_a_driver_without_events_is_not_asked_for_them():
    library = MadeLibrary()
    assert heard(library)[0] == [[]]
    assert "nvmlEventSetWait_v2" not in library.asked
    library = MadeLibrary(nvmlEventSetCreate="set")  # but refuses to register
    assert heard(library)[0] == [[]]
    assert "nvmlEventSetWait_v2" not in library.asked


def test_the_set_is_given_back_once_and_nobody_is_listened_to_then():
    library = library_with([event()])
    _, xids = heard(library, ticks=0)
    xids.close()
    xids.close()
    assert library.asked.count("nvmlEventSetFree") == 1
    assert xids.read() == []


def test_a_handle_has_an_address():
    assert (address(HANDLE), address(ctypes.c_void_p(None))) == (4096, 0)
