"""A GPU of AMD's that answers nothing at all."""

from itermon.collectors.amd.gpu import Gpu
from itermon.collectors.amd.library import Library
from itermon.collectors.gpus.device import Device

from .amdsmi_standin import Standin


def test_a_gpu_that_answers_nothing_is_lost_and_not_asked_again() -> None:
    library = Library(lambda: 0.0)
    library.module = Standin({})
    gpu = Gpu(library, Device(0, 0))
    assert gpu.sample(1.0).lost == "answers nothing: not supported here"
    asked = len(library.module.calls)
    assert gpu.sample(2.0).lost == "answers nothing: not supported here"
    assert len(library.module.calls) == asked
