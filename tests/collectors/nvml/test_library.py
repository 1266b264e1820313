"""The library is initialised and shut down in pairs, and says of each call what came of it and what it took."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from itermon.collectors.nvml.errors import FUNCTION_NOT_FOUND, UNKNOWN, NvmlError
from itermon.collectors.nvml.library import Library


class RefusedError(Exception):
    """As pynvml's."""

    def __init__(self, *value: int) -> None:
        super().__init__()
        if value:
            (self.value,) = value


class Pynvml:
    """A package whose functions do what a test says."""

    NVMLError = RefusedError

    def __init__(self, **does: Callable[..., object]) -> None:
        self.calls: list[str] = []
        for name in ("nvmlInit", "nvmlShutdown", *does):
            setattr(self, name, self._called(name, does.get(name, lambda: None)))

    def _called(self, name: str, does: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            self.calls.append(name)
            return does(*arguments)

        return call


def failing(error: Exception) -> Callable[..., object]:
    def fail(*_: object) -> object:
        raise error

    return fail


def library(**does: Callable[..., object]) -> Library:
    made = Library()
    made.module = Pynvml(**does)
    return made


def test_what_was_initialised_is_shut_down_once() -> None:
    nvml = library()
    nvml.open()
    nvml.close()
    nvml.close()
    assert nvml.module.calls == ["nvmlInit", "nvmlShutdown"]


def test_what_could_not_be_initialised_is_not_shut_down() -> None:
    nvml = library(nvmlInit=failing(RefusedError(9)))
    with pytest.raises(NvmlError):
        nvml.open()
    nvml.close()
    assert nvml.module.calls == ["nvmlInit"]


def test_a_driver_that_is_gone_takes_no_handles_back_and_may_come_again() -> None:
    nvml = library(nvmlShutdown=failing(RefusedError(1)))
    for _ in range(2):
        nvml.open()
        nvml.close()
    assert nvml.module.calls == ["nvmlInit", "nvmlShutdown"] * 2


@pytest.mark.parametrize(
    ("error", "code"),
    [(RefusedError(15), 15), (RefusedError(), UNKNOWN), (ValueError(), UNKNOWN), (OSError(), UNKNOWN)],
)
def test_whatever_goes_wrong_is_one_error_with_its_call(error: Exception, code: int) -> None:
    with pytest.raises(NvmlError) as said:
        library(nvmlAsk=failing(error)).call("nvmlAsk", 7)
    assert (said.value.code, said.value.call) == (code, "nvmlAsk")


def test_a_call_that_the_package_does_not_have_is_not_made() -> None:
    with pytest.raises(NvmlError) as said:
        library().call("nvmlAsk")
    assert said.value.code == FUNCTION_NOT_FOUND


def test_what_is_under_way_and_what_a_call_took_can_be_seen() -> None:
    times = iter([5.0, 7.5])
    nvml = Library(clock=times.__next__)
    nvml.module = Pynvml(nvmlAsk=lambda gpu: (gpu, nvml.under_way))
    assert nvml.call("nvmlAsk", 3) == (3, ("nvmlAsk", 5.0))
    assert (nvml.under_way, nvml.took_s) == (None, {"nvmlAsk": 2.5})
