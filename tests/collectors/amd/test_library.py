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


class Package:
    """Stands in for the package: each call is answered by what `answers` has for it."""

    class AmdSmiException(Exception):  # noqa: N818 - as the package calls it
        def __init__(self, code: object) -> None:
            self.err_code = code

    class AmdSmiInitFlags:
        INIT_AMD_GPUS = 2

    def __init__(self, **answers: object) -> None:
        self.asked: list[tuple[str, tuple[object, ...]]] = []
        self._answers = answers

    def __getattr__(self, name: str) -> object:
        if not name.startswith("amdsmi_"):
            raise AttributeError(name)

        def function(*arguments: object) -> object:
            self.asked.append((name, arguments))
            answer = self._answers.get(name)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return function


def opened(**answers: object) -> tuple[Library, Package]:
    library = Library(iter(range(100)).__next__)
    library.module = package = Package(**answers)
    library.open()
    return library, package


def test_what_was_opened_is_shut_down_once_and_nothing_else_is() -> None:
    Library().close()
    library, package = opened()
    library.close()
    library.close()
    assert [name for name, _ in package.asked] == ["amdsmi_init", "amdsmi_shut_down"]
    assert package.asked[0][1] == (2,)


def test_a_driver_that_is_gone_may_be_closed() -> None:
    library, package = opened(amdsmi_shut_down=Package.AmdSmiException(34))
    library.close()
    library.close()
    assert [name for name, _ in package.asked] == ["amdsmi_init", "amdsmi_shut_down"]


@pytest.mark.parametrize(
    ("code", "words", "for_good"),
    [
        (2, "not supported here", True),
        (3, "not in this version", True),
        (10, "no permission", True),
        (-10, "no permission", True),
        (30, "busy", False),
        (31, "GPU is not there any more", False),
        (40, "no data", False),
        (77, "error 77", False),
        (None, "refused", False),
    ],
)
def test_a_refusal_is_said_in_words_and_whether_to_ask_again(code: object, words: str, for_good: bool) -> None:
    library, _ = opened(amdsmi_get_power_info=Package.AmdSmiException(code))
    with pytest.raises(AmdError) as error:
        library.call("amdsmi_get_power_info")
    assert (str(error.value), error.value.is_for_good) == (words, for_good)


def test_an_answer_that_the_package_cannot_read_is_an_error_and_its_time_is_kept() -> None:
    library, _ = opened(amdsmi_get_power_info=ValueError("odd"), amdsmi_get_gpu_activity={"gfx": 5})
    with pytest.raises(AmdError, match="cannot be read"):
        library.call("amdsmi_get_power_info")
    assert library.call("amdsmi_get_gpu_activity", "handle") == {"gfx": 5}
    assert library.under_way is None
    assert library.took_s == {"amdsmi_init": 1, "amdsmi_get_power_info": 1, "amdsmi_get_gpu_activity": 1}
