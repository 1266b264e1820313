"""The parts of one GPU that are measured: of each kind the whole card's, where it has one, not a tile's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .library import IntelError

if TYPE_CHECKING:
    from .library import Library

# zes_engine_group_t, zes_temp_sensors_t, zes_freq_domain_t, zes_mem_loc_t (zes_api.h); the best comes first.
_ENGINES = (1, 11, 0)  # all that computes; render and compute; all
_SENSORS = (1, 0, 6)  # the GPU itself; all of the card; its board
_GPU_CLOCK = 0
_ON_CARD = 1

_KINDS = {
    "pwr": ("zesDeviceEnumPowerDomains", "zesPowerGetProperties", "zes_power_properties_t"),
    "freq": ("zesDeviceEnumFrequencyDomains", "zesFrequencyGetProperties", "zes_freq_properties_t"),
    "engine": ("zesDeviceEnumEngineGroups", "zesEngineGetProperties", "zes_engine_properties_t"),
    "temp": ("zesDeviceEnumTemperatureSensors", "zesTemperatureGetProperties", "zes_temp_properties_t"),
    "mem": ("zesDeviceEnumMemoryModules", "zesMemoryGetProperties", "zes_mem_properties_t"),
}
"""By the name that their handles have: how they are listed, and what each of them says of itself."""


class Parts(NamedTuple):
    """Handles; an empty list where the driver shows none, or `refused` says why it does not."""

    power: list[Any]
    clock: list[Any]
    clock_max_hz: float | None
    engines: list[Any]
    sensors: list[Any]
    memory: list[Any]
    refused: dict[str, str]


def parts_of(library: Library, device: Any) -> Parts:
    """The parts of `device`. Raises `IntelError` where the GPU, or the library as a whole, is gone."""
    found: dict[str, list[tuple[Any, Any]]] = {}
    refused: dict[str, str] = {}
    for kind, (listing, properties, structure) in _KINDS.items():
        try:
            handles = library.handles(listing, f"zes_{kind}_handle_t", device)
            found[kind] = [(handle, library.filled(properties, structure, handle)) for handle in handles]
        except IntelError as error:
            if error.is_of_gpu:
                raise
            found[kind], refused[kind] = [], error.reason
    clocks = [one for one in found["freq"] if one[1].type == _GPU_CLOCK]
    fastest_mhz = max((said.max for _, said in clocks), default=0.0)
    return Parts(
        power=_of_card(found["pwr"])[:1],
        clock=[handle for handle, _ in clocks],
        clock_max_hz=fastest_mhz * 1e6 if fastest_mhz > 0 else None,
        engines=_of_card(_best(found["engine"], _ENGINES)),
        sensors=[handle for handle, _ in _best(found["temp"], _SENSORS)],
        memory=[handle for handle, said in found["mem"] if said.location == _ON_CARD],
        refused=refused,
    )


def _best(found: list[tuple[Any, Any]], kinds: tuple[int, ...]) -> list[tuple[Any, Any]]:
    """Those of the first of `kinds` of which there are any."""
    return next(([one for one in found if one[1].type == kind] for kind in kinds if _any(found, kind)), [])


def _any(found: list[tuple[Any, Any]], kind: int) -> bool:
    return any(said.type == kind for _, said in found)


def _of_card(found: list[tuple[Any, Any]]) -> list[Any]:
    """Those of the whole card; of its tiles where it has none."""
    whole = [handle for handle, said in found if not said.onSubdevice]
    return whole or [handle for handle, _ in found]
