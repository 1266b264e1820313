"""On what it trains and in which precision, with stand-ins for torch's tensors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import Config
from itermon.trainer_hooks.automatic import device

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher

    from .conftest import Recorder


class Autocast:
    """As torch's."""

    def __init__(self, fast_dtype: str, *, enabled: bool = True) -> None:
        self.fast_dtype, self._enabled = fast_dtype, enabled

    def __enter__(self) -> Autocast:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def autocast(module: Callable[..., ModuleType]) -> Any:
    fresh = type("Autocast", (Autocast,), {"__enter__": lambda context: context})
    module("torch.amp.autocast_mode", autocast=fresh)
    return fresh


@pytest.fixture
def torch(module: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch) -> Any:
    for name in ("torch.distributed", "peft"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    cuda = SimpleNamespace(is_initialized=lambda: True, get_device_name=lambda device: f"GPU {device.index}")
    return module("torch", cuda=cuda, get_float32_matmul_precision=lambda: "highest")


@pytest.fixture
def iterate(watcher: Watcher, torch: Any, autocast: Any) -> Callable[..., None]:
    """End an iteration of an optimizer with parameters of these types."""
    device.install(watcher)

    def iterate(*kinds: str, on: str = "cpu") -> None:
        place = SimpleNamespace(type=on, index=1)
        tensors = [SimpleNamespace(device=place, dtype=f"torch.{kind}") for kind in kinds]
        watcher.optimizers = lambda: [SimpleNamespace(param_groups=[{"params": tensors}])]
        for act in watcher.on_iteration:
            act()

    return iterate


def told(recorder: Recorder) -> list[Config]:
    return [event for event in recorder.events if isinstance(event, Config)]


@pytest.mark.parametrize(
    ("kinds", "precision"),
    [
        (("float32", "float32"), "fp32"),
        (("bfloat16",), "bf16"),
        (("float16",), "fp16"),
        (("float32", "bfloat16"), None),
        (("float64",), None),
    ],
)
def test_a_training_on_the_cpu_says_so_once_with_its_precision(
    kinds: tuple[str, ...], precision: str | None, iterate: Callable[..., None], recorder: Recorder
) -> None:
    iterate(*kinds)
    iterate(*kinds)
    assert told(recorder) == [Config(origin="hook", precision=precision, extra={"device": "cpu"})]


def test_a_gpu_is_named_where_torch_uses_it_already(
    iterate: Callable[..., None], recorder: Recorder, torch: Any
) -> None:
    torch.get_float32_matmul_precision = lambda: "high"
    iterate("float32", on="cuda")
    assert told(recorder) == [Config(origin="hook", precision="tf32", gpu_name="GPU 1")]
    torch.cuda.is_initialized = lambda: False
    assert device.of_device(SimpleNamespace(type="cuda")) == {}


def test_the_precision_of_autocast_is_what_is_computed_with_and_is_watched_in_the_first_iteration_alone(
    iterate: Callable[..., None], recorder: Recorder, autocast: Any
) -> None:
    with autocast("torch.float16", enabled=False), autocast("torch.bfloat16"):
        assert hasattr(autocast.__enter__, "__wrapped__")
    iterate("float32")
    assert [config.precision for config in told(recorder)] == ["bf16"]
    assert not hasattr(autocast.__enter__, "__wrapped__")


@pytest.mark.parametrize("why", ["WORLD_SIZE", "peft"])
def test_parameters_of_float32_prove_nothing_where_something_else_computes(
    why: str, iterate: Callable[..., None], recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "peft":
        monkeypatch.setitem(sys.modules, why, ModuleType(why))
    else:
        monkeypatch.setenv(why, "2")
    iterate("float32")
    assert [config.precision for config in told(recorder)] == [None]


def test_what_the_script_has_said_itself_stays(iterate: Callable[..., None], recorder: Recorder) -> None:
    recorder.given |= {"precision", "device"}
    iterate("float32")
    assert told(recorder) == []


def test_processes_that_began_after_the_hooks_are_counted(
    iterate: Callable[..., None], recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    spawned = SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True, get_world_size=lambda: 4)
    monkeypatch.setitem(sys.modules, "torch.distributed", spawned)  # type: ignore[misc]
    iterate()
    assert told(recorder) == [Config(origin="hook", world_size=4)]


def test_an_autocast_that_does_not_say_that_it_is_on_is_off(
    iterate: Callable[..., None], autocast: Any, recorder: Recorder
) -> None:
    autocast.__enter__(SimpleNamespace(fast_dtype="torch.bfloat16"))
    iterate("float32")
    assert [event.precision for event in told(recorder)] == ["fp32"]


def test_of_parameters_on_several_devices_the_first_says_where_it_trains(
    watcher: Watcher, torch: Any, recorder: Recorder
) -> None:
    device.install(watcher)
    tensors = [
        SimpleNamespace(device=SimpleNamespace(type=kind, index=0), dtype="torch.bfloat16")
        for kind in ("cuda", "cpu")
    ]
    watcher.optimizers = lambda: [SimpleNamespace(param_groups=[{"params": [one]}]) for one in tensors]
    for act in watcher.on_iteration:
        act()
    assert told(recorder) == [Config(origin="hook", precision="bf16", gpu_name="GPU 0")]
