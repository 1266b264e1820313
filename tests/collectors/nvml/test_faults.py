"""Every call fails with every code, GPUs come and go: nothing escapes, nothing stays lent, absent is None."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from itermon.collectors.nvml import errors
from itermon.events import GpuSample

from .conftest import HEALTHY, build
from .standin import environment

UPGRADE = """
import sys
from itermon.collectors.nvml.library import Library
from itermon.collectors.nvml.errors import NvmlError
library = Library()
try:
    library.open()
except NvmlError as error:
    print(error.code, flush=True)
sys.stdin.readline()
library.open()
print(library.call("nvmlSystemGetDriverVersion"), flush=True)
"""
"""What a sampler does whose driver is upgraded: initialise in vain, and again when the new library is there."""

NOTHING_LENT = {"inits": 0, "samples": 0, "sets": 0}
CODES = [
    1,
    2,
    3,
    4,
    6,
    7,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
    25,
    26,
    27,
    28,
    29,
    999,
    4711,
]
CALLS = sorted(set(re.findall(r"\b(nvml[A-Z]\w+)\(", Path(__file__).with_name("nvml_standin.c").read_text())))
MEASURED = [
    f.name for f in msgspec.structs.fields(GpuSample)
    if f.default is None and f.name not in ("mig", "xid", "trainer_memory_bytes")
]  # fmt: skip


def check_honest(sample: GpuSample) -> None:
    """A value, or `None` and a reason; a lost GPU has no values at all."""
    for field in MEASURED:
        value = getattr(sample, field)
        if sample.lost:
            assert value is None
        elif value is None:
            assert sample.absent[field]
        else:
            assert field not in sample.absent


@pytest.mark.parametrize("code", CODES)
def test_a_call_that_fails_takes_its_own_fields_and_no_more(play, code):
    whole = play(times=range(3)).samples()[-1]
    for call in CALLS:
        played = play(HEALTHY + f"\n0 0 fail:{call} {code}\n0 - fail:{call} {code}\n", times=range(3))
        assert played.lent == NOTHING_LENT, call
        samples = played.samples()
        for sample in samples:
            check_honest(sample)
        if not samples or samples[-1].lost:
            assert played.messages(), call
            continue
        # What is there is what the healthy GPU says: a fault makes no value up.
        for field in MEASURED:
            value = getattr(samples[-1], field)
            if value is not None and field not in ("power_w", "memory_used_bytes", "pcie_read_bytes_per_s",
                                                   "pcie_write_bytes_per_s", "nvlink_bytes_per_s"):  # fmt: skip
                assert value == getattr(whole, field), (call, field)


@pytest.mark.parametrize("code", sorted(errors.PERMANENT))
def test_what_is_not_supported_is_asked_once(play, code):
    script = HEALTHY + f"\n0 0 fail:nvmlDeviceGetUtilizationRates {code}\n"
    played, whole = play(script, times=range(6)), play(times=range(6))
    samples = played.samples()
    assert {s.utilization for s in samples} == {None}
    assert {s.absent["utilization"] for s in samples} == {errors.words(code)}
    per_pass = [played.calls[i + 1] - played.calls[i] for i in range(5)]
    assert set(per_pass[1:]) == {whole.calls[3] - whole.calls[2] - 1}


def test_what_was_not_ready_is_asked_again_after_half_a_minute(play):
    script = HEALTHY + "\n0 0 fail:nvmlDeviceGetUtilizationRates 27\n3 0 fail:nvmlDeviceGetUtilizationRates 0\n"
    samples = play(script, times=range(35)).samples()
    assert [s.utilization for s in samples] == [None] * 30 + [1.0] * 5
    assert samples[0].absent["utilization"] == "not ready"


def test_a_field_that_fails_leaves_the_others_of_its_batch(play):
    sample = play(HEALTHY + "\n0 0 fail:83 3\n0 0 fail:197 2\n").samples()[-1]
    assert sample.energy_j is None
    assert sample.absent["energy_j"] == "not supported here"
    assert (sample.power_w, sample.power_method) == (640.0, "sensor")
    assert sample.limits == ("power cap",)


def test_a_field_that_this_driver_does_not_know_is_not_supported_for_ever(play):
    script = "".join(line for line in HEALTHY.splitlines(keepends=True) if "gpm" not in line)
    sample = play(script + "\n0 0 fail:197 2\n3 0 fail:197 0\n", times=range(40)).samples()[-1]
    assert sample.absent["pcie_write_bytes_per_s"] == "not supported here"
    assert sample.pcie_read_bytes_per_s == 5e6


def test_after_a_pause_gpm_begins_with_a_fresh_sample(play):
    script = HEALTHY + "\n3 - fail:nvmlGpmMetricsGet 27\n4 - fail:nvmlGpmMetricsGet 0\n"
    there = [s.sm_activity is not None for s in play(script, times=range(36)).samples()]
    assert there == [False, True, True] + [False] * 31 + [True] * 2


def test_a_gpu_that_is_lost_after_5_s_and_back_after_60_is_seen_again(play):
    script = "0 - gpus 2\n" + HEALTHY + "\n5 1 fail:* 15\n60 1 fail:* 0\n"
    played = play(script, times=range(100))
    lost = [s for s in played.samples(1) if s.lost]
    assert [int(s.at_s) - 1_700_000_000 for s in lost] == list(range(5, 65))
    assert {s.lost for s in lost} >= {"GPU is lost: fallen off the bus, or no longer reachable"}
    assert all(getattr(s, field) is None for s in lost for field in MEASURED)
    assert played.samples(1)[-1].power_w == pytest.approx(690)
    # The other one goes on; for one pass after each retry there is nothing to compare its counters with.
    others = played.samples(0)
    assert len(others) == 100
    assert not any(s.lost for s in others)
    assert sum(s.power_method != "energy" for s in others) == 3
    texts = [text for text in played.messages() if text.startswith("GPU 1")]
    assert "fallen off the bus" in texts[0]
    assert texts[-1] == "GPU 1: it answers again"
    assert played.lent == NOTHING_LENT


@pytest.mark.parametrize(
    ("code", "words"), [(9, "is not loaded"), (18, "upgraded underneath"), (1, "not initialised")]
)
def test_a_driver_that_goes_is_said_and_found_when_it_is_back(play, code, words):
    script = HEALTHY + f"\n5 - fail:* {code}\n40 - fail:* 0\n"
    played = play(script, times=range(70))
    samples = played.samples()
    assert len(samples) == 70
    lost = [int(s.at_s) - 1_700_000_000 for s in samples if s.lost]
    assert lost == list(range(5, 65))
    assert {words in s.lost and "answers nothing" not in s.lost for s in samples if s.lost} == {True}
    assert samples[-1].power_w == pytest.approx(690)
    assert played.lent == NOTHING_LENT


def test_no_driver_is_one_sentence_said_once(play):
    played = play("0 - fail:nvmlInitWithFlags 9\n", times=range(100))
    (message,) = [event for events in played.passes for event in events]
    assert "the kernel module does not answer" in message.text
    assert message.about == "gpu"


def test_a_driver_that_comes_late_is_found(play):
    played = play(HEALTHY + "\n0 - fail:nvmlInitWithFlags 9\n20 - fail:nvmlInitWithFlags 0\n", times=range(40))
    assert [int(s.at_s) - 1_700_000_000 for s in played.samples()] == list(range(30, 40))


def test_a_driver_without_gpus_is_one_sentence(play):
    played = play("0 - gpus 0\n", times=range(3))
    assert played.messages() == ["no GPU: the NVIDIA driver is there, but shows none"]


def test_a_gpu_that_answers_nothing_is_lost_and_says_why(play):
    played = play("0 - gpus 1\n", times=range(3))
    assert {s.lost for s in played.samples()} == {"answers nothing: not supported here"}


def test_an_old_driver_without_the_newer_functions_still_gives_what_it_has(old_driver):
    player = old_driver(
        "nvmlDeviceGetFieldValues", "nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetTemperatureV",
        "nvmlDeviceGetCurrentClocksEventReasons", "nvmlGpmQueryDeviceSupport", "nvmlEventSetWait_v2",
        "nvmlDeviceGetMigMode",
    )  # fmt: skip
    sample = player.play(HEALTHY, times=range(3)).samples()[-1]
    assert (sample.power_w, sample.power_method) == (640.0, "sensor")
    assert sample.energy_j == pytest.approx(5000 + 2 * 690)
    assert sample.memory_used_bytes == 100_700_000_000
    assert sample.memory_reserved_bytes is None
    assert sample.absent["memory_reserved_bytes"] == "counted as used: this driver is too old for it"
    assert sample.temperature_c == 64
    assert sample.limits == ("power cap",)
    assert sample.sm_activity is None
    assert sample.absent["sm_activity"] == "this driver is too old for it"


@pytest.mark.parametrize("call", CALLS[::4])  # a quarter of them: each costs a build of the library
def test_a_driver_without_one_function_loses_no_more_than_its_fields(call, old_driver):
    played = old_driver(call).play(HEALTHY, times=range(3))
    for sample in played.samples():
        check_honest(sample)
    assert played.lent["samples"] <= (2 if call == "nvmlGpmSampleFree" else 0)


def test_thousands_of_passes_with_faults_at_random_leave_nothing_behind(play):
    played = play("0 - gpus 8\n0 - seed 7\n0 - random 20\n" + HEALTHY, times=range(1500))
    samples = [s for gpu in range(8) for s in played.samples(gpu)]
    assert len(samples) > 5000
    assert 0.02 < sum(bool(s.lost) for s in samples) / len(samples) < 0.98
    for sample in samples:
        check_honest(sample)
    assert played.lent == NOTHING_LENT


def test_after_an_upgrade_of_the_driver_the_new_library_is_loaded(tmp_path):
    folder, script = build(tmp_path), tmp_path / "script"
    script.write_text("0 - fail:nvmlInitWithFlags 18\n")
    child = subprocess.Popen(
        [sys.executable, "-c", UPGRADE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=environment(folder, script),
    )  # fmt: skip
    assert child.stdout
    assert child.stdout.readline() == "18\n"
    # A new file in the place of the old, as a package manager does it.
    (folder / "libnvidia-ml.so.1").unlink()
    build(folder, define='DRIVER_VERSION="999.99"')
    script.write_text("")
    answer, _ = child.communicate("go on\n", timeout=20)
    assert answer == "999.99\n"
