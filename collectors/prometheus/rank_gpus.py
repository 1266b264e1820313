"""The GPUs of a few ranks: what their own exporters say, with what NVIDIA's says of the same GPU beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...events.fleet import BY_PLACE, BY_UUID, RankGpu
from .questions import of_dcgm, of_dcgm_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ...events.fleet import RankKey
    from .answers import Series
    from .questions import OfRun

    Ask = Callable[[str], list[Series]]
    Place = tuple[str, str]

_OURS = {
    "itermon_gpu_power_watts": "power_w",
    "itermon_gpu_power_limit_watts": "power_limit_w",
    "itermon_gpu_clock_hertz": "clock_hz",
    "itermon_gpu_clock_boost_hertz": "boost_hz",
}
_DCGM_BLANK = 2.0**47  # from there on DCGM's numbers mean "not known", "not supported", ...: dcgm_structs.h
_DCGM = {
    "DCGM_FI_DEV_POWER_USAGE": ("power_w", 1.0),
    "DCGM_FI_DEV_SM_CLOCK": ("clock_hz", 1e6),
    "DCGM_FI_DEV_GPU_TEMP": ("temperature_c", 1.0),
    "DCGM_FI_DEV_XID_ERRORS": ("xid", 1.0),
}
"""Its newest value wins over ours: it is asked at the same moment, and is the machine's own."""


def rank_gpus(ask: Ask, run: OfRun, hosts: Mapping[RankKey, str]) -> dict[RankKey, RankGpu]:
    """The GPU of each rank in `hosts`, which says on which host it is. A rank without one is left out."""
    found: dict[RankKey, dict[str, Any]] = {key: {} for key in hosts}
    places: dict[RankKey, set[str]] = {key: set() for key in hosts}
    for one in ask(run.gpus(dict.fromkeys(rank for rank, _ in hosts))):
        labels = one.labels
        key = labels.get("rank", ""), labels.get("instance", "")
        if key not in found:
            continue
        gpu = found[key]
        places[key].add(labels.get("gpu", ""))
        gpu.setdefault("uuid", labels.get("UUID", ""))
        if name := _OURS.get(labels.get("__name__", "")):
            gpu[name] = one.value
        elif one.value and (reason := labels.get("reason")):
            gpu["limited"] = (*gpu.get("limited", ()), reason)
    _join_by_uuid(ask, found.values())
    _join_by_place(ask, [(gpu, hosts[key], places[key]) for key, gpu in found.items() if gpu])
    return {key: RankGpu(**gpu) for key, gpu in found.items() if gpu}


def _join_by_uuid(ask: Ask, gpus: Iterable[dict[str, Any]]) -> None:
    by_uuid = {gpu["uuid"]: gpu for gpu in gpus if gpu.get("uuid")}
    for one in ask(of_dcgm(by_uuid)) if by_uuid else ():
        if (gpu := by_uuid.get(one.labels.get("UUID", ""))) is not None:
            gpu["joined"] = BY_UUID
            _put(gpu, one)


def _join_by_place(ask: Ask, gpus: Iterable[tuple[dict[str, Any], str, set[str]]]) -> None:
    """Of those that no UUID joins: by host and index, where these mean one GPU on both sides, and no UUID differs.

    A part of a GPU (MIG) has no index that is its own: "0/1" is none of DCGM's.
    """
    open_now: dict[Place, list[dict[str, Any]]] = {}
    for gpu, host, indices in gpus:
        if "joined" not in gpu and host and len(indices) == 1 and (index := min(indices)).isdecimal():
            open_now.setdefault((host, index), []).append(gpu)
    if not open_now:
        return
    said: dict[Place, dict[tuple[str, str], list[Series]]] = {}
    for one in ask(of_dcgm_at({host for host, _ in open_now}, {index for _, index in open_now})):
        labels = one.labels
        place = labels.get("Hostname", ""), labels.get("gpu", "")
        source = labels.get("instance", ""), labels.get("UUID", "")
        said.setdefault(place, {}).setdefault(source, []).append(one)
    for place, gpus_there in open_now.items():
        sources = said.get(place, {})
        if len(sources) != 1:
            continue  # nobody speaks of it, or two do: which of them is meant is not known
        [((_, uuid), series)] = sources.items()
        for gpu in gpus_there:
            if not (uuid and gpu["uuid"]):
                gpu["joined"] = BY_PLACE
                for one in series:
                    _put(gpu, one)


def _put(gpu: dict[str, Any], one: Series) -> None:
    name, unit = _DCGM.get(one.labels.get("__name__", ""), ("", 1.0))
    if name and one.value < _DCGM_BLANK:
        gpu[name] = int(one.value) if name == "xid" else one.value * unit
