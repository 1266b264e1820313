"""Field ids are NVIDIA's, each type of value has its member, and what steps back has wrapped or is new."""

import pynvml
import pytest

from itermon.collectors.gpus.asking import Asker
from itermon.collectors.nvml.counters import FIELDS, Counters

from .made import FIELD_TYPES, MadeLibrary, field


def test_the_field_ids_are_those_of_nvidias_binding():
    assert {name: fields for name, fields in FIELDS.items() if name not in _BY_NUMBER} == {
        "energy": (pynvml.NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, 0),
        "power cap": (pynvml.NVML_FI_DEV_PERF_POLICY_POWER, 0),
        "nvlink_write": (pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 2**32 - 1),
        "nvlink_read": (pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX, 2**32 - 1),
    }
    assert {name: FIELDS[name] for name in _BY_NUMBER} == _BY_NUMBER


# Newer than the oldest binding that we take.
_BY_NUMBER = {
    "power": (185, 0), "power of the module": (185, 1), "thermal": (269, 0), "hardware thermal": (270, 0),
    "power brake": (271, 0), "pcie_write": (197, 0), "pcie_read": (198, 0),
}  # fmt: skip


def counters(*passes, name="energy", seconds=1.0):
    """Counters after these answers to one question, so far apart."""
    library = MadeLibrary()
    made = Counters(Asker(library), None)
    for answer in passes:
        answers = [answer if each == name else field(0, code=3) for each in FIELDS if made._ask.wanted(each)]
        library.answers["nvmlDeviceGetFieldValues"] = lambda *_, answers=answers: answers
        made.read()
        library.now_s += seconds
    return made


@pytest.mark.parametrize("kind", FIELD_TYPES)
def test_each_type_of_value_is_read(kind):
    assert counters(field(7, kind)).values == {"energy": 7}


def test_a_type_of_tomorrow_is_no_value():
    assert counters(field(7, "of tomorrow")).values == {}


def test_a_rate_is_the_growth_over_the_time_between_two_passes():
    one = counters(field(0))
    assert (one.elapsed_s, one.change("energy"), one.rate("energy"), one.why("energy")) == (
        None, None, None, "needs two samples",
    )  # fmt: skip
    two = counters(field(0), field(100), seconds=4.0)
    assert (two.elapsed_s, two.change("energy"), two.rate("energy"), two.why("energy")) == (4.0, 100, 25.0, "")
    assert counters(field(50), field(50)).rate("energy") == 0.0
    assert counters(field(0), field(100), seconds=0.0).rate("energy") is None
    assert counters(field(0), field(100), seconds=-0.5).rate("energy") is None
    assert counters(field(0), field(100), seconds=0.5).rate("energy") == 200.0


@pytest.mark.parametrize(
    ("name", "before", "after", "change"),
    [
        ("pcie_read", 2**32 - 10, 20, 30),
        ("pcie_write", 1, 0, 2**32 - 1),
        ("pcie_read", 2**32, 20, None),  # had more than 32 bits: begun anew
        ("pcie_read", 20, 20, 0),
        ("nvlink_read", 2**32 - 10, 20, None),
        ("energy", 2**32 - 10, 20, None),
    ],
)
def test_only_a_counter_of_32_bits_wraps(name, before, after, change):
    assert counters(field(before), field(after), name=name).change(name) == change


def test_why_there_is_no_value():
    assert counters(field(0, code=4)).why("energy") == "no permission"
    assert counters(field(0, code=2)).why("energy") == "not supported here"
    without = Counters(Asker(MadeLibrary()), None)
    without.read()
    assert without.why("energy") == "not supported here"
