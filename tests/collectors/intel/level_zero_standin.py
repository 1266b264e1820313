"""What stands in for Level Zero's loader below the maker's own package: functions that fill C structures."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

UNSUPPORTED, LOST, GONE, NO_PERMISSION = 0x78000003, 0x70000001, 0x78000001, 0x70010000
POWER_CAP, THERMAL = 1 << 0, 1 << 3


@dataclass
class Card:
    """One GPU: parts by kind, each with what its structure says."""

    name: bytes = b"Intel(R) Data Center GPU Max 1100"
    type: int = 1
    uuid: bytes = bytes(range(16))
    power: list[dict[str, Any]] = field(default_factory=lambda: [{"onSubdevice": 1}, {"onSubdevice": 0}])
    energy: list[tuple[int, int]] = field(default_factory=lambda: [(1_000_000, 0), (5_000_000, 0)])
    limits: list[dict[str, int]] = field(
        default_factory=lambda: [
            {"level": 1, "limitUnit": 2, "enabled": 1, "limit": 300_000},
            {"level": 3, "limitUnit": 2, "enabled": 1, "limit": 600_000},
        ]
    )
    clocks: list[dict[str, Any]] = field(
        default_factory=lambda: [
            {"type": 0, "max": 1550.0, "actual": 1400.0, "throttleReasons": POWER_CAP},
            {"type": 1, "max": 3200.0, "actual": 3200.0, "throttleReasons": 0},
        ]
    )
    engines: list[dict[str, Any]] = field(
        default_factory=lambda: [
            {"type": 0, "activeTime": 1, "timestamp": 1},
            {"type": 1, "activeTime": 500_000, "timestamp": 1_000_000},
        ]
    )
    sensors: list[dict[str, Any]] = field(
        default_factory=lambda: [{"type": 0, "celsius": 70.0}, {"type": 1, "celsius": 64.0}]
    )
    memory: list[dict[str, Any]] = field(
        default_factory=lambda: [
            {"location": 1, "free": 8 << 30, "size": 48 << 30},
            {"location": 0, "free": 1, "size": 2},
        ]
    )
    processes: list[dict[str, int]] = field(default_factory=lambda: [{"processId": 4242, "memSize": 9 << 30}])
    refuses: dict[str, int] = field(default_factory=dict)  # function -> code


ENUMERATED = {
    "zesDeviceEnumPowerDomains": "power",
    "zesDeviceEnumFrequencyDomains": "clocks",
    "zesDeviceEnumEngineGroups": "engines",
    "zesDeviceEnumTemperatureSensors": "sensors",
    "zesDeviceEnumMemoryModules": "memory",
}
FILLED = {
    "zesPowerGetProperties": "power",
    "zesFrequencyGetProperties": "clocks",
    "zesFrequencyGetState": "clocks",
    "zesEngineGetProperties": "engines",
    "zesEngineGetActivity": "engines",
    "zesTemperatureGetProperties": "sensors",
    "zesMemoryGetProperties": "memory",
    "zesMemoryGetState": "memory",
}


class Function:
    """One of the loader's: the package sets its types, and calls it."""

    def __init__(self, loader: Loader, name: str) -> None:
        self._loader, self._name = loader, name
        self.argtypes: Any = None
        self.restype: Any = None

    def __call__(self, *arguments: Any) -> int:
        self._loader.calls.append(self._name)
        return self._loader.answer(self._name, *arguments)


class Loader:
    """The shared library, over made-up cards. A handle is `1 + card`, a part's `1000 * (1 + card) + part`."""

    def __init__(self, *cards: Card) -> None:
        self.cards = list(cards)
        self.init = 0
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Function:
        if not name.startswith("zes"):
            raise AttributeError(name)
        return Function(self, name)

    def answer(self, name: str, *arguments: Any) -> int:
        if name == "zesInit":
            return self.init
        if name == "zesDriverGet":
            return listed([1], *arguments)
        if name == "zesDeviceGet":
            return listed([1 + n for n in range(len(self.cards))], *arguments[1:])
        handle = arguments[0].value
        number, part = (handle - 1, 0) if handle < 1000 else (handle // 1000 - 1, handle % 1000)
        card = self.cards[number]
        if name in card.refuses:
            return card.refuses[name]
        return self.of_card(name, card, number, part, *arguments[1:])

    def of_card(self, name: str, card: Card, number: int, part: int, *out: Any) -> int:
        if name in ENUMERATED:
            return listed([1000 * (1 + number) + n for n in range(len(getattr(card, ENUMERATED[name])))], *out)
        if name in FILLED:
            return fill(out[0]._obj, getattr(card, FILLED[name])[part])
        if name == "zesDeviceGetProperties":
            said = out[0]._obj
            said.core.type, said.core.name = card.type, card.name
            said.core.uuid.id[:] = list(card.uuid)
            return 0
        if name == "zesPowerGetEnergyCounter":
            return fill(out[0]._obj, dict(zip(("energy", "timestamp"), card.energy[part], strict=True)))
        if name == "zesTemperatureGetState":
            out[0]._obj.value = card.sensors[part]["celsius"]
            return 0
        if name == "zesPowerGetLimitsExt":
            return structures(card.limits, *out)
        assert name == "zesDeviceProcessesGetState", name
        return structures(card.processes, *out)


def listed(handles: list[int], count: Any, array: Any = None) -> int:
    """As an enumeration answers: how many, or the handles themselves."""
    if array is None:
        count._obj.value = len(handles)
    else:
        for place in range(min(count._obj.value, len(handles))):
            array[place] = type(array)._type_(handles[place])
    return 0


def structures(said: list[dict[str, int]], count: Any, array: Any = None) -> int:
    if array is None:
        count._obj.value = len(said)
    else:
        for place in range(min(count._obj.value, len(said))):
            fill(array[place], said[place])
    return 0


def fill(structure: Any, values: dict[str, Any]) -> int:
    for name, value in values.items():
        if hasattr(structure, name):
            setattr(structure, name, value)
    return 0


def package(monkeypatch: pytest.MonkeyPatch, loader: Loader | None) -> None:
    """Intel's own package, loaded anew over `loader` (`None`: there is no such library)."""

    def load(path: str) -> Loader:
        assert "ze_loader" in path
        if loader is None:
            raise OSError(path)
        return loader

    monkeypatch.setattr(ctypes, "CDLL", load)
    monkeypatch.delitem(sys.modules, "pyzes", raising=False)
