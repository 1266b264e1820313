"""NVML's numbers are those of NVIDIA's own binding; each has its words."""

import pynvml
import pytest

from itermon.collectors.nvml import errors

WORDS = {
    "UNINITIALIZED": "NVML is not initialised",
    "INVALID_ARGUMENT": "not known to this driver",
    "NOT_SUPPORTED": "not supported here",
    "NO_PERMISSION": "no permission",
    "NOT_FOUND": "not found",
    "DRIVER_NOT_LOADED": "the driver is not loaded",
    "TIMEOUT": "timed out",
    "IRQ_ISSUE": "the GPU's interrupts do not arrive",
    "LIBRARY_NOT_FOUND": "the library is not there",
    "FUNCTION_NOT_FOUND": "this driver is too old for it",
    "CORRUPTED_INFOROM": "the GPU's infoROM is corrupted",
    "GPU_IS_LOST": "GPU is lost: fallen off the bus, or no longer reachable",
    "RESET_REQUIRED": "GPU needs a reset",
    "OPERATING_SYSTEM": "blocked by the operating system",
    "LIB_RM_VERSION_MISMATCH": "the driver was upgraded underneath",
    "IN_USE": "in use",
    "MEMORY": "out of memory",
    "NO_DATA": "no data",
    "VGPU_ECC_NOT_SUPPORTED": "not supported on a vGPU",
    "INSUFFICIENT_RESOURCES": "out of resources",
    "ARGUMENT_VERSION_MISMATCH": "this driver knows another version of it",
    "DEPRECATED": "no longer in this driver",
    "NOT_READY": "not ready",
    "GPU_NOT_FOUND": "GPU is not there any more",
    "INVALID_STATE": "not possible in this state",
    "UNKNOWN": "unknown error",
}


def codes(*names):
    return {getattr(pynvml, f"NVML_ERROR_{name}") for name in names}


@pytest.mark.parametrize("name", WORDS)
def test_a_code_has_its_words(name):
    (code,) = codes(name)
    assert errors.words(code) == WORDS[name]


def test_a_code_that_nobody_knows_is_a_number():
    assert errors.words(4711) == "NVML error 4711"


def test_what_asking_again_cannot_help_what_loses_a_gpu_and_what_loses_all():
    assert codes(
        "NOT_SUPPORTED", "NO_PERMISSION", "FUNCTION_NOT_FOUND", "VGPU_ECC_NOT_SUPPORTED",
        "ARGUMENT_VERSION_MISMATCH", "DEPRECATED",
    ) == errors.PERMANENT  # fmt: skip
    assert codes("GPU_IS_LOST", "RESET_REQUIRED", "GPU_NOT_FOUND") == errors.LOST
    gone = ("UNINITIALIZED", "DRIVER_NOT_LOADED", "LIBRARY_NOT_FOUND", "LIB_RM_VERSION_MISMATCH")
    assert codes(*gone) == errors.GONE


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("LIBRARY_NOT_FOUND", "no NVIDIA driver found"),
        ("DRIVER_NOT_LOADED", "the NVIDIA driver is not loaded"),
        ("LIB_RM_VERSION_MISMATCH", "the NVIDIA driver was upgraded underneath"),
        ("NO_PERMISSION", "no permission to ask the NVIDIA driver"),
        ("UNKNOWN", "NVML says 'unknown error'"),
        ("TIMEOUT", "NVML does not answer: nvmlInit: timed out"),
    ],
)
def test_why_nvml_as_a_whole_does_not_answer_is_a_sentence(name, said):
    (code,) = codes(name)
    assert errors.trouble(errors.NvmlError(code, "nvmlInit")).startswith(said)
