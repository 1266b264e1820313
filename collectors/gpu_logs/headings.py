"""What a column of a recording is, by its heading: one table of the names that programs give to GPUs' figures.

A heading is read as words: `gpu.0.powerWatts`, `power.draw [W]`, `metrics/cuda:0 (gpu:3)/power_usage (W)/mean`
and `GPU0_power_w` all say "power" in watts, and three of them of which GPU. What says which GPU, and in which
unit, is taken out; what is left has to be a name of the table as a whole, so that `power_plan` is none.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..patterns import lazy_pattern

SHARE, WATTS, BYTES, CELSIUS, HERTZ, JOULES, TEXT = "share", "watts", "bytes", "celsius", "hertz", "joules", "text"

UNITS: dict[str, tuple[str, float]] = {
    "%": (SHARE, 0.01),
    "pct": (SHARE, 0.01),
    "percent": (SHARE, 0.01),
    "percentage": (SHARE, 0.01),
    "w": (WATTS, 1.0),
    "watt": (WATTS, 1.0),
    "watts": (WATTS, 1.0),
    "mw": (WATTS, 1e-3),
    "kw": (WATTS, 1e3),
    "c": (CELSIUS, 1.0),
    "°c": (CELSIUS, 1.0),
    "degc": (CELSIUS, 1.0),
    "celsius": (CELSIUS, 1.0),
    "hz": (HERTZ, 1.0),
    "khz": (HERTZ, 1e3),
    "mhz": (HERTZ, 1e6),
    "ghz": (HERTZ, 1e9),
    "b": (BYTES, 1.0),
    "bytes": (BYTES, 1.0),
    "kib": (BYTES, 2.0**10),
    "kb": (BYTES, 2.0**10),
    "mib": (BYTES, 2.0**20),
    "mb": (BYTES, 2.0**20),  # as nvidia-smi dmon writes MiB
    "gib": (BYTES, 2.0**30),
    "gb": (BYTES, 2.0**30),
    "j": (JOULES, 1.0),
    "mj": (JOULES, 1e-3),
    "kj": (JOULES, 1e3),
    "joules": (JOULES, 1.0),
}
"""Units as people write them, in lower case: what they measure, and how many of ours one is."""

TIME, DATE, ELAPSED, INDEX, NAME, UUID, REASONS, POWER_SHARE = (
    "time",
    "date",
    "elapsed",
    "index",
    "name",
    "uuid",
    "reasons",
    "power_share",
)
"""Columns that are no field of `GpuSample` as they stand."""

_NAMES = """
power_w watts: power|power draw|power draw average|power draw instant|power usage|power consumption|power average
power_w watts: pwr|powr|total power|board power|power now|avg power|average power|draw
power_limit_w watts: enforced power limit|power limit|power management limit|power cap|enforced limit|pmlmt|limit
energy_j joules: total energy consumption|energy|energy consumed|totec
utilization share: utilization|utilisation|util|sm|sm util|gputl|compute utilization|usage|load|busy
sm_activity share: smact|sm active|sm activity|prof sm active
tensor_activity share: tenso|tensor active|tensor activity|prof pipe tensor active|pipe tensor active
dram_activity share: drama|dram active|dram activity|prof dram active
temperature_c celsius: temperature|temp|gtemp|tmptr|gput|core temp|core temperature|die temperature
sm_clock_hz hertz: clocks sm|clocks current sm|clock sm|sm clock|smclk|pclk|clock|core clock|clock speed
sm_clock_hz hertz: clocks gr|clocks current graphics|clock graphics|graphics clock|gr clock|clocks graphics
sm_clock_hz hertz: freq|frequency
sm_clock_max_hz hertz: clocks max sm|max sm clock|sm clock max|clocks max graphics|clocks max gr|max clock
memory_used_bytes bytes: memory used|mem used|used memory|used mem|memory allocated|memory usage|mem usage
memory_used_bytes bytes: memory|mem|fb used|fbusd|fb|vram|vram used
memory_total_bytes bytes: memory total|mem total|total memory|total mem|fb total|fbttl|vram total
memory_reserved_bytes bytes: memory reserved|mem reserved
ecc_errors text: ecc errors uncorrected volatile total|uncorrected memory errors|dbecc
time text: timestamp|time stamp|time|datetime|date time|wall time|iso time|query time|created at|utc|ts
time text: timestamp s|timestamp ms|timestamp utc|timestamp iso|unix timestamp
time text: unix|unix s|unix ms|unix time|epoch|epoch s|epoch ms
date text: date
elapsed text: elapsed|elapsed s|time relative s|relative time|relative s|seconds|uptime|time s|t
index text: index|idx|id|entity|number|minor|minor number|rank|local rank
name text: name|model|product name|modelname|type
uuid text: uuid|pci bus id|bus id|serial
reasons text: clocks throttle reasons active|clocks event reasons active|throttle reasons|throttlr|event reasons
"""
"""Field, what it measures, and its names: of nvidia-smi, wandb, nvitop, DCGM (short as `dcgmi dmon` has them, and
long), and of people's own scripts."""

_FIELDS = {
    name: (field, of)
    for line in _NAMES.strip().splitlines()
    for field, of in (line.partition(":")[0].split(),)
    for name in line.partition(":")[2].strip().split("|")
}
_ONE_REASON = lazy_pattern(r"clocks (?:throttle|event) reasons (.+)")
REASONS_BY_NAME = {
    "idle": "idle",
    "applications clocks setting": "application clocks",
    "sw power cap": "power cap",
    "hw slowdown": "hardware slowdown",
    "hw thermal slowdown": "hardware thermal",
    "hw power brake slowdown": "power brake",
    "sw thermal slowdown": "thermal",
    "sync boost": "sync boost",
}
"""nvidia-smi's columns of one reason each, in our words."""

_DEVICE = lazy_pattern(r"(?<![a-z])(?:gpu|device|cuda|card|accelerator)s?(?![a-rt-z])")
_NUMBERED = lazy_pattern(r"(?<![a-z])(?:gpu|cuda|device|card)[ _.:/#-]{0,2}(\d{1,4})(?!\d)")
_CAMEL = lazy_pattern(r"(?<=[a-z])(?=[A-Z][a-z])")
_BRACKETS = lazy_pattern(r"[\[(]([^\[\]()]{1,16})[\])]")
_STATISTICS = ("min", "max", "last")  # nvitop gives each value four times; its mean is taken
_SYSTEM_WORDS = frozenset({"dcgm", "fi", "dev", "nvidia", "system", "smi", "metrics"})


class Column(NamedTuple):
    """What a column holds: of which GPU, where each has columns of its own, and in which unit, where the heading
    says it."""

    field: str
    of: str
    gpu: int | None = None
    scale: float | None = None
    reason: str = ""


def column(heading: str, unit: str = "") -> Column | None:
    """What stands under `heading`, in `unit` where another row says it; `None` for what is not known."""
    text = heading.strip().lstrip("#").strip()
    if "process" in text.casefold() or (text.startswith("gpu/") and text.count("/") == 1):
        return None  # of wandb and trackio: the same once more for the GPUs of one process; of all GPUs together
    text, gpu = _without_number(text)
    text, found = _unit(text, unit)
    words = _words(text)
    if words and words[-1] in UNITS and not found:
        *words, found = words
    if words and words[-1] in ("mean", "avg") and len(words) > 1:
        words = words[:-1]
    elif words and "/" in heading and words[-1] in _STATISTICS:
        return None
    return _named(" ".join(words), UNITS.get(found), gpu, text)


def _named(name: str, unit: tuple[str, float] | None, gpu: int | None, text: str) -> Column | None:
    dimension, scale = unit or ("", None)
    if name == "power" and dimension == SHARE:
        return Column(POWER_SHARE, SHARE, gpu, scale)
    if not name:
        return _unnamed(dimension, scale, gpu, text)
    if found := _ONE_REASON.fullmatch(name):
        reason = REASONS_BY_NAME.get(found[1])
        if reason:
            return Column(REASONS, TEXT, gpu, None, reason)
    field, of = _FIELDS.get(name, ("", ""))
    if not field or (dimension and of not in (dimension, TEXT)):
        return None
    return Column(field, of, gpu, scale)


def _unnamed(dimension: str, scale: float | None, gpu: int | None, text: str) -> Column | None:
    """A heading that only names a GPU and perhaps a unit: wandb calls the utilization `gpu.0.gpu`."""
    if dimension == WATTS:
        return Column("power_w", WATTS, gpu, scale)
    if dimension == CELSIUS:
        return Column("temperature_c", CELSIUS, gpu, scale)
    if gpu is not None and _DEVICE.search(text.casefold()):
        return Column("utilization", SHARE, gpu, scale or 0.01)
    if gpu is None and not dimension and _DEVICE.search(text.casefold()):
        return Column(INDEX, TEXT)
    return None


def _without_number(text: str) -> tuple[str, int | None]:
    """The heading from behind the number of its GPU on, and the number: nvitop gives CUDA's, then the driver's."""
    numbers = list(_NUMBERED.finditer(text.casefold()))
    if not numbers:
        return text, None
    last = numbers[-1]
    rest = text[last.end() :]
    return (rest if re.search(r"[A-Za-z%]", rest) else text[: last.start()]), int(last[1])


def _unit(text: str, unit: str) -> tuple[str, str]:
    """The heading without the unit in brackets, and the unit: that of the row of units where there is one."""
    found = _BRACKETS.search(text)
    if found and found[1].strip().casefold() in UNITS:
        text, unit = text[: found.start()] + " " + text[found.end() :], unit or found[1]
    return text, unit.strip().casefold()


def _words(text: str) -> list[str]:
    spaced = _CAMEL.sub(" ", text).casefold()
    words = [word for word in re.split(r"[^0-9a-z%°]+", spaced) if word and word not in _SYSTEM_WORDS]
    return [word for word in words if not _DEVICE.fullmatch(word)]
