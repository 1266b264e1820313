"""Intel's package where it is not there, or its driver's library is not; and codes in words."""

from __future__ import annotations

import ctypes
import importlib.util

import pytest

from itermon.collectors.intel.library import MISSING, NO_LIBRARY, IntelError, Library

from .level_zero_standin import GONE, LOST, UNSUPPORTED, Card, Loader, package

needs_pyzes = pytest.mark.skipif(importlib.util.find_spec("pyzes") is None, reason="pyzes is not installed")


def test_without_the_package_the_way_to_it_is_said(monkeypatch):
    monkeypatch.setattr("itermon.collectors.intel.library.find_spec", lambda name: None)
    with pytest.raises(IntelError) as error:
        Library().open()
    assert str(error.value) == MISSING


@needs_pyzes
def test_without_the_drivers_library_there_is_no_driver(monkeypatch):
    package(monkeypatch, None)
    with pytest.raises(IntelError) as error:
        Library().open()
    assert str(error.value) == NO_LIBRARY


@needs_pyzes
def test_a_library_that_cannot_be_initialised_says_why(monkeypatch):
    loader = Loader()
    loader.init = GONE
    package(monkeypatch, loader)
    with pytest.raises(IntelError, match="not initialised") as error:
        Library().open()
    assert error.value.is_of_all


@pytest.mark.parametrize(
    ("code", "words", "for_good", "of_gpu", "of_all"),
    [
        (UNSUPPORTED, "not supported here", True, False, False),
        (LOST, "GPU is lost: reset, removed, or its driver was updated", False, True, False),
        (GONE, "the library is not initialised", False, True, True),
        (1, "not ready", False, False, False),
        (0x7FFFFFFE, "error 0x7ffffffe", False, False, False),
    ],
)
def test_codes_are_said_in_words(code, words, for_good, of_gpu, of_all):
    library = Library()
    library.module = type("Made", (), {"zesAny": staticmethod(lambda: ctypes.c_int32(code).value)})
    with pytest.raises(IntelError) as raised:
        library.call("zesAny")
    error = raised.value
    assert (error.reason, error.is_for_good, error.is_of_gpu, error.is_of_all) == (words, for_good, of_gpu, of_all)
    assert library.under_way is None
    assert "zesAny" in library.took_s


def test_a_function_of_another_version_is_not_there():
    library = Library()
    library.module = object()
    with pytest.raises(IntelError, match="this pyzes has no zesNew") as error:
        library.call("zesNew")
    assert error.value.is_for_good


@needs_pyzes
def test_a_driver_that_lists_beyond_all_bounds_is_not_believed(monkeypatch):
    package(monkeypatch, Loader(*[Card() for _ in range(70)]))
    library = Library()
    library.open()
    driver = library.handles("zesDriverGet", "zes_driver_handle_t")
    assert len(library.handles("zesDeviceGet", "zes_device_handle_t", driver[0])) == 64


@pytest.mark.parametrize(("constants", "kind"), [({"ZES_STRUCTURE_TYPE_PCI_PROPERTIES": 2}, 2), ({}, 0)])
def test_a_structure_says_which_it_is_where_the_package_knows_its_number(constants, kind):
    structure = type("Pci", (ctypes.Structure,), {"_fields_": [("stype", ctypes.c_int32)]})
    library = Library()
    library.module = type(
        "Made", (), {"zes_pci_properties_t": structure, "zesAny": staticmethod(lambda *_: 0), **constants}
    )
    assert library.filled("zesAny", "zes_pci_properties_t", None).stype == kind
