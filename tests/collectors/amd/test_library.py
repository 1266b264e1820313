"""AMD's package where it is not there, or its driver's library is not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from itermon.collectors.amd.library import MISSING, NO_LIBRARY, AmdError, Library


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is searched for packages, and no ROCm anywhere."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *(p for p in sys.path if "site-packages" not in p)])
    monkeypatch.delitem(sys.modules, "amdsmi", raising=False)
    monkeypatch.delenv("ROCM_HOME", raising=False)
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "rocm"))
    return tmp_path


def test_without_the_package_the_way_to_it_is_said(packages: Path) -> None:
    with pytest.raises(AmdError, match="not there") as error:
        Library().open()
    assert str(error.value) == MISSING


def test_without_the_drivers_library_the_package_is_not_even_loaded(
    packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would print so on the screen."""
    (packages / "amdsmi").mkdir()
    (packages / "amdsmi" / "__init__.py").write_text("print('Unable to find libamd_smi.so'); raise KeyError\n")
    with pytest.raises(AmdError) as error:
        Library().open()
    assert str(error.value) == NO_LIBRARY
    assert capsys.readouterr().out == ""


def test_a_package_of_another_version_than_the_driver_is_said(
    packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (packages / "amdsmi").mkdir()
    (packages / "amdsmi" / "__init__.py").write_text("raise AttributeError('no such symbol')\n")
    monkeypatch.setattr("itermon.collectors.amd.library._loads", lambda path: True)
    with pytest.raises(AmdError, match="does not fit"):
        Library().open()


def test_a_function_or_a_constant_of_another_version_is_not_there() -> None:
    library = Library()
    library.module = object()
    with pytest.raises(AmdError, match="has no amdsmi_get_new") as error:
        library.call("amdsmi_get_new")
    assert error.value.is_for_good
    with pytest.raises(AmdError, match=r"has no AmdSmiClkType\.GFX"):
        library.constant("AmdSmiClkType", "GFX")
