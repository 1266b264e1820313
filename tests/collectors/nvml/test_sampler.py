"""The real pynvml, our sampler, and a driver that does what a script says."""

from __future__ import annotations

import pytest

from itermon.collectors.gpus.device import Device
from itermon.collectors.nvml.library import Library
from itermon.collectors.nvml.sampler import NvmlSampler
from itermon.events import NORMAL_LIMITS, THROTTLING_LIMITS, GpuSample

from .conftest import HEALTHY


def without(*keys):
    """The healthy scene without the lines that speak of these."""
    return "".join(line for line in HEALTHY.splitlines(keepends=True) if not any(key in line for key in keys))


def test_a_gpu_that_gives_everything_gives_every_field(play):
    last = play().samples()[-1]
    assert last.absent == {
        "xid": "none seen",
        "trainer_memory_bytes": "the trainer's process is not known: name it with --pid",
    }
    assert (last.power_w, last.power_method) == (pytest.approx(690), "energy")
    assert last == GpuSample(
        at_s=1_700_000_003.0, gpu=0, name="NVIDIA Stand-in", uuid="GPU-00000000-0000", power_w=last.power_w,
        power_method="energy", power_limit_w=700, energy_j=last.energy_j, memory_used_bytes=100_000_000_000,
        memory_reserved_bytes=700_000_000, memory_total_bytes=150_000_000_000, utilization=1.0,
        sm_activity=pytest.approx(0.965), tensor_activity=0.52, dram_activity=pytest.approx(0.41),
        temperature_c=64,
        sm_clock_hz=1935e6, sm_clock_max_hz=1980e6, limits=("power cap",),
        pcie_read_bytes_per_s=7 * 2**20, pcie_write_bytes_per_s=3 * 2**20, nvlink_bytes_per_s=300 * 2**20,
        ecc_errors=0, absent=last.absent,
    )  # fmt: skip
    assert last.energy_j == pytest.approx(5000 + 3 * 690)


def test_the_first_pass_says_what_needs_a_second_one(play):
    first, second = play(times=range(2)).samples()
    assert (first.power_w, first.power_method) == (640.0, "sensor")
    waiting = {field for field, reason in first.absent.items() if reason == "needs two samples"}
    assert waiting == {
        "sm_activity", "tensor_activity", "dram_activity",
        "pcie_read_bytes_per_s", "pcie_write_bytes_per_s", "nvlink_bytes_per_s",
    }  # fmt: skip
    assert not waiting & second.absent.keys()


def test_power_is_energy_over_the_time_that_really_passed(play):
    times = [0, 1, 4.5, 5]
    script = HEALTHY + "\n1 0 energy_mj 5690000+100000/s\n4.5 0 energy_mj 6040000+400000/s\n"
    assert [s.power_w for s in play(script, times).samples()[1:]] == pytest.approx([690, 100, 400])


@pytest.mark.parametrize("course", ["5000", "9000000\n2 0 energy_mj 10"])
def test_an_energy_counter_that_stands_still_or_steps_back_gives_way_to_the_sensor(play, course):
    sample = play(HEALTHY + f"\n0 0 energy_mj {course}\n", times=range(3)).samples()[-1]
    assert (sample.power_w, sample.power_method) == (640.0, "sensor")


def test_a_module_of_gpu_and_cpu_says_whose_power_it_is(play):
    sample = play(without("energy", "power_mw") + "0 0 module_mw 900000\n").samples()[-1]
    assert (sample.power_w, sample.power_method) == (900.0, "sensor of the module")


def test_pcie_counters_that_wrap_do_not_break_the_rate(play):
    script = without("gpm") + f"0 0 pcie_rx {2**32 - 3_000_000}+2000000/s\n"
    rates = [s.pcie_read_bytes_per_s for s in play(script).samples()]
    assert rates == [None, 2e6, 2e6, 2e6]


def test_numbers_that_cannot_be_are_no_numbers(play):
    absurd = "celsius 4000", "utilization 4294967", "gpm_2 -7", "gpm_5 nan", "limit_mw 4294967295"
    sample = play(HEALTHY + "".join(f"0 0 {line}\n" for line in absurd)).samples()[-1]
    for field in ("temperature_c", "utilization", "sm_activity", "tensor_activity", "power_limit_w"):
        assert getattr(sample, field) is None, field
        assert sample.absent[field].startswith("implausible"), field


def test_every_reason_for_a_lower_clock_has_a_word(play):
    sample = play(HEALTHY + "\n0 0 limits 511\n").samples()[-1]
    assert sample.limits is not None
    assert len(sample.limits) == 9
    assert set(sample.limits) == NORMAL_LIMITS | THROTTLING_LIMITS
    assert not NORMAL_LIMITS & THROTTLING_LIMITS


def test_throttling_between_two_samples_is_seen_by_the_drivers_own_counters(play):
    script = HEALTHY + "\n0 0 limits 0\n0 0 power_cap_ns 0\n2.2 0 thermal_ns 300000000\n"
    assert [s.limits for s in play(script, times=range(5)).samples()] == [(), (), (), ("thermal",), ()]


def test_eight_gpus_are_eight_samples_of_one_pass(play):
    script = "0 - gpus 8\n" + HEALTHY + "".join(f"0 {gpu} celsius {40 + gpu}\n" for gpu in range(8))
    for events in play(script).passes:
        assert [s.temperature_c for s in events if isinstance(s, GpuSample)] == [40 + gpu for gpu in range(8)]


def test_instances_of_a_divided_gpu_are_samples_of_their_own(play):
    played = play("0 - gpus 2\n" + HEALTHY + "\n0 0 mig 2\n")
    first, second = [s for s in played.passes[-1] if isinstance(s, GpuSample) and s.gpu == 0]
    assert (first.mig, second.mig, played.samples(1)[-1].mig) == (0, 1, None)
    assert first.uuid == "MIG-00000000-0000"
    assert first.memory_used_bytes == 100_000_000_000
    assert first.sm_activity == pytest.approx(0.965)
    for field in ("power_w", "energy_j", "utilization", "temperature_c", "limits", "power_limit_w", "ecc_errors"):
        assert getattr(first, field) is None, field
        assert "whole GPU only" in first.absent[field], field


@pytest.mark.parametrize(
    ("wish", "variables", "shown"),
    [
        (None, {}, [0, 1, 2, 3]),
        ("2", {"CUDA_VISIBLE_DEVICES": "0"}, [2]),
        ("3, GPU-00000001", {}, [3, 1]),
        ("all", {"CUDA_VISIBLE_DEVICES": "0"}, [0, 1, 2, 3]),
        (None, {"CUDA_VISIBLE_DEVICES": "3,1"}, [3, 1]),
        (None, {"CUDA_VISIBLE_DEVICES": "GPU-00000002-0000"}, [2]),
        (None, {"CUDA_VISIBLE_DEVICES": "1,9,2"}, [1]),
        (None, {"CUDA_VISIBLE_DEVICES": "-1"}, []),
        (None, {"CUDA_VISIBLE_DEVICES": ""}, []),
        ("7", {}, []),
    ],
)
def test_gpus_are_chosen_by_the_person_or_by_the_trainers_environment(play, wish, variables, shown):
    played = play("0 - gpus 4\n" + HEALTHY, wish=wish, variables=variables, times=range(2))
    assert {s.gpu for s in played.passes[-1] if isinstance(s, GpuSample)} == set(shown)
    assert bool(played.messages()) == (not shown)


def test_the_gpus_that_the_trainer_computes_on_win_over_its_environment(play):
    script = (
        "0 - gpus 4\n" + HEALTHY + "\n0 2 pid 4242\n0 2 pid_memory 90000000000\n0 1 pid 99\n0 1 pid_memory 7\n"
    )
    played = play(script, pids=[4241, 4242], variables={"CUDA_VISIBLE_DEVICES": "0"})
    assert {s.gpu for s in played.passes[-1] if isinstance(s, GpuSample)} == {2}
    assert played.samples(2)[-1].trainer_memory_bytes == 90_000_000_000


def test_in_a_container_the_hosts_process_ids_are_not_believed(play):
    script = HEALTHY + "\n0 0 pid 4294967\n0 0 pid_memory 90000000000\n"
    sample = play(script, pids=[4294967], host_ids=False).samples()[-1]
    assert sample.trainer_memory_bytes is None
    assert sample.absent["trainer_memory_bytes"] == "in a container the driver gives the host's process ids"


def test_processes_are_asked_every_ten_seconds(play):
    script = HEALTHY + "\n0 0 pid 4242\n0 0 pid_memory 1000+1000/s\n"
    samples = play(script, pids=[4242], times=range(25)).samples()
    assert [s.trainer_memory_bytes for s in samples] == [1000] * 10 + [11000] * 10 + [21000] * 5


def test_an_xid_is_told_once_and_stays_on_the_gpu(play):
    played = play("0 - gpus 2\n" + HEALTHY + "\n2 1 xid 79\n", times=range(5))
    assert played.messages() == [
        "GPU 1: Xid 79: the GPU has fallen off the bus: the hardware, its power or its heat"
    ]
    assert [s.xid for s in played.samples(1)] == [None, None, 79, 79, 79]
    assert {s.xid for s in played.samples(0)} == {None}


def test_a_hostile_name_is_harmless(play):
    sample = play(HEALTHY + "\n0 0 name \x1b]0;owned\x07 H200\n").samples()[-1]
    assert sample.name == "H200" or "\x1b" not in sample.name


def test_a_call_that_hangs_is_named_with_every_gpu_that_waits_for_it():
    now = [100.0]
    sampler = NvmlSampler(library=Library(lambda: now[0]), wall=lambda: 5.0)
    sampler._chosen = [Device(0, None, "H200", "GPU-0"), Device(1, None, "H200", "GPU-1")]
    assert sampler.hung(2.0) == []
    sampler.library.under_way = ("nvmlDeviceGetMemoryInfo", 100.0)
    now[0] = 101.0
    assert sampler.hung(2.0) == []
    now[0] = 130.0
    why = "the driver hangs: nvmlDeviceGetMemoryInfo has not come back for 30 s"
    assert [(s.gpu, s.lost) for s in sampler.hung(2.0)] == [(0, why), (1, why)]


def test_an_initialisation_that_hangs_is_told_once():
    now = [0.0]
    sampler = NvmlSampler(library=Library(lambda: now[0]))
    sampler.library.under_way = ("nvmlInit", 0.0)
    now[0] = 30.0
    (message,) = sampler.hung(2.0)
    assert "nvmlInit" in message.text
    assert sampler.hung(2.0) == []


def test_the_gpus_of_this_machine_are_not_taken_for_those_of_a_run_elsewhere(play):
    missing = dict.fromkeys(("0", "1", "4", "5"), "nobody here writes this log")
    played = play(times=range(6), missing=missing)
    assert [len([s for s in events if isinstance(s, GpuSample)]) for events in played.passes] == [0, 0, 1, 1, 0, 0]
    assert played.messages() == ["nobody here writes this log"]
    assert len(play(times=range(3), missing=missing, wish="0").samples()) == 3


def test_a_name_that_is_no_text_is_no_name_and_the_rest_is_there(play):
    sample = play(HEALTHY + "\n0 0 name H200 \udcff\udcfe\n").samples()[-1]
    assert (sample.name, sample.temperature_c) == ("", 64)


def test_memory_that_the_driver_does_not_split_by_process_is_not_zero(play):
    sample = play(HEALTHY + "\n0 0 pid 4242\n", pids=[4242]).samples()[-1]
    assert sample.trainer_memory_bytes is None
    assert sample.absent["trainer_memory_bytes"] == "the driver does not report memory by process"


def test_an_xid_is_remembered_when_nvml_was_initialised_anew(play):
    played = play(HEALTHY + "\n2 0 xid 79\n5 0 fail:* 15\n20 0 fail:* 0\n", times=range(40))
    assert [s.xid for s in played.samples()][-3:] == [79] * 3
    assert sum("Xid" in text for text in played.messages()) == 1


def test_in_a_container_a_number_that_happens_to_match_chooses_no_gpu(play):
    script = "0 - gpus 4\n" + HEALTHY + "\n0 2 pid 4242\n"
    played = play(script, pids=[4242], host_ids=False, variables={"CUDA_VISIBLE_DEVICES": "0"})
    assert {s.gpu for s in played.passes[-1] if isinstance(s, GpuSample)} == {0}


@pytest.mark.parametrize(("order", "warnings"), [(None, 1), ("PCI_BUS_ID", 0)])
def test_numbers_of_cuda_are_called_ambiguous_where_the_gpus_differ(play, order, warnings):
    script = "0 - gpus 2\n" + HEALTHY + "\n0 1 name NVIDIA T4\n"
    variables = {"CUDA_VISIBLE_DEVICES": "1"} | ({"CUDA_DEVICE_ORDER": order} if order else {})
    played = play(script, variables=variables)
    assert len(played.messages()) == warnings
    assert played.samples(1)
