"""Which devices are meant: `--gpu` as a person writes it, and CUDA_VISIBLE_DEVICES by CUDA's own rules."""

import pytest

from itermon.collectors.gpus.choice import asked_for, visible
from itermon.collectors.gpus.device import Device

GPUS = [Device(n, f"h{n}", "A100", f"GPU-{n}{n}cd-e{n}") for n in range(3)]
MIG = [Device(0, "i", "A100 1g", f"MIG-aa{n}", n, "h0", "GPU-00cd-e0", 5 + n) for n in range(2)]
ALL = [*MIG, *GPUS[1:]]


def names(chosen):
    return [device.uuid for device in chosen.devices]


@pytest.mark.parametrize(
    ("wish", "found", "missing"),
    [
        (" all ", ["MIG-aa0", "MIG-aa1", "GPU-11cd-e1", "GPU-22cd-e2"], ""),
        ("2,1", ["GPU-22cd-e2", "GPU-11cd-e1"], ""),
        ("0", ["MIG-aa0", "MIG-aa1"], ""),
        (" 1 ,, gpu-1,1", ["GPU-11cd-e1"], ""),
        ("GPU-", [], "GPU-"),  # four letters are no beginning of a UUID
        ("9,mig-a,7", ["MIG-aa0", "MIG-aa1"], "9,7"),
        ("", [], ""),
    ],
)
def test_numbers_and_beginnings_of_uuids_are_asked_for(wish, found, missing):
    chosen = asked_for(ALL, wish)
    assert names(chosen) == found
    said = f"--gpu {missing}: no such GPU here; there is 0, 1, 2 (itermon gpus lists them)"
    assert chosen.note == (said if missing else "")


def test_a_machine_without_gpus_says_none():
    assert "there is none" in asked_for([], "1").note


@pytest.mark.parametrize(
    ("setting", "found"),
    [
        (None, ["MIG-aa0", "MIG-aa1", "GPU-11cd-e1", "GPU-22cd-e2"]),
        ("", []),
        ("2,1", ["GPU-22cd-e2", "GPU-11cd-e1"]),
        ("2, 9, 1", ["GPU-22cd-e2"]),  # what is no device ends the list,
        ("2,2,1", ["GPU-22cd-e2"]),  # ... and so does what comes twice,
        ("GPU-11cd,MIG-a", ["GPU-11cd-e1"]),  # ... and what two names begin with
        ("0,1", ["MIG-aa0", "GPU-11cd-e1"]),  # of a divided one CUDA takes the first instance
        ("MIG-GPU-00cd-e0/6/0", ["MIG-aa1"]),  # as drivers before 470 wrote it
        ("MIG-GPU-00cd-e0/7/0", []),
        ("MIG-GPU-11cd-e1/6/0", []),
    ],
)
def test_what_cuda_sees_is_visible(setting, found):
    assert visible(ALL, setting, "PCI_BUS_ID") == (
        [device for name in found for device in ALL if device.uuid == name],
        "",
    )


@pytest.mark.parametrize(
    ("devices", "setting", "order", "noted"),
    [
        (ALL, "1", None, True),
        (ALL, "1", "FASTEST_FIRST", True),
        (ALL, "1", "PCI_BUS_ID", False),
        (ALL, "GPU-11cd", None, False),  # a name is no number
        (GPUS, "1", None, False),  # all alike: any order is the same
    ],
)
def test_numbers_that_may_count_otherwise_are_noted(devices, setting, order, noted):
    assert bool(visible(devices, setting, order).note) == noted
