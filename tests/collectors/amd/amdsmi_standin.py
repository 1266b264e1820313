"""What stands in for AMD's package: its functions and errors, as version 7.0 describes them, over made-up GPUs."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any


class AmdSmiException(Exception):  # noqa: N818 - its name
    """As the package's."""


class AmdSmiLibraryException(AmdSmiException):
    """As the package's: with the code of the library."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.err_code = abs(code)


class _Init(IntEnum):
    INIT_AMD_GPUS = 2


class _Clock(IntEnum):
    GFX = 0


class _Place(IntEnum):
    EDGE = 0
    HOTSPOT = 1


class _Metric(IntEnum):
    CURRENT = 0


NOT_SUPPORTED, NO_PERMISSION, NOT_FOUND, NOT_INIT, NO_DRIVER = 2, 10, 31, 32, 34


def mi300x() -> dict[str, Any]:
    """What each function answers of a busy MI300X."""
    return {
        "amdsmi_get_gpu_asic_info": {"market_name": "AMD Instinct MI300X"},
        "amdsmi_get_gpu_device_uuid": "c0ff0000-0000-1000-8000-000000000001",
        "amdsmi_get_power_info": {"current_socket_power": 742, "average_socket_power": "N/A", "socket_power": 742},
        "amdsmi_get_power_cap_info": {"power_cap": 750_000_000, "max_power_cap": 750_000_000},
        "amdsmi_get_gpu_vram_usage": {"vram_total": 196_592, "vram_used": 150_000},
        "amdsmi_get_gpu_activity": {"gfx_activity": 99, "umc_activity": 61, "mm_activity": "N/A"},
        "amdsmi_get_clock_info": {"clk": 1_404, "max_clk": 2_100},
        "amdsmi_get_energy_count": {"energy_accumulator": 1_000_000, "counter_resolution": 15.3, "timestamp": 1},
        "amdsmi_get_temp_metric": 71,
        "amdsmi_get_violation_status": {
            "active_ppt_pwr": True,
            "active_socket_thrm": False,
            "active_hbm_thrm": "N/A",
        },
        "amdsmi_get_gpu_process_list": [{"pid": 4242, "memory_usage": {"vram_mem": 9 << 30}}],
    }


class Standin:
    """The package. `answers` are those of each GPU; an exception among them is raised, a function is called."""

    AmdSmiException = AmdSmiException
    AmdSmiInitFlags = _Init
    AmdSmiClkType = _Clock
    AmdSmiTemperatureType = _Place
    AmdSmiTemperatureMetric = _Metric

    def __init__(self, *answers: dict[str, Any]) -> None:
        self.gpus = list(answers)
        self.init: int = 0  # the code that initialising gives
        self.calls: list[str] = []

    def amdsmi_init(self, flag: object) -> None:
        self.calls.append("amdsmi_init")
        assert flag is _Init.INIT_AMD_GPUS
        if self.init:
            raise AmdSmiLibraryException(self.init)

    def amdsmi_shut_down(self) -> None:
        self.calls.append("amdsmi_shut_down")

    def amdsmi_get_processor_handles(self) -> list[int]:
        return list(range(len(self.gpus)))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not name.startswith("amdsmi_get_"):
            raise AttributeError(name)

        def answer(handle: int, *arguments: object) -> Any:
            self.calls.append(name)
            assert all(isinstance(argument, IntEnum) for argument in arguments)
            said = self.gpus[handle].get(name, AmdSmiLibraryException(NOT_SUPPORTED))
            if callable(said):
                said = said(*arguments)
            if isinstance(said, Exception):
                raise said
            return said

        return answer
