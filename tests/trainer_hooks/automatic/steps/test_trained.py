"""Which modules are the model, and which are copies of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from itermon.trainer_hooks.automatic.steps.boundaries import Boundaries
from itermon.trainer_hooks.automatic.steps.trained import first_tensor, is_copy

from .conftest import Optimizer, step

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher


class Module:
    def __init__(self, tensors: list[Any], parts: int = 1) -> None:
        self._modules = dict.fromkeys(map(str, range(parts)))
        self._parameters = dict(enumerate(tensors))

    def parameters(self) -> list[Any]:
        return list(self._parameters.values())


def tensors(count: int, *, trains: bool = True) -> list[Any]:
    return [SimpleNamespace(requires_grad=trains) for _ in range(count)]


def test_the_model_holds_half_of_the_tensors_of_every_optimizer(boundaries: Boundaries) -> None:
    generator, critic = tensors(8), tensors(6)
    ones = [Optimizer(tensors=generator), Optimizer(tensors=critic)]
    step(boundaries, ones[0])
    assert boundaries.is_model(Module(generator))
    assert boundaries.is_model(Module(generator[:5]))
    assert not boundaries.is_model(Module(generator[:4])), "4 of 9: a part of it"
    assert not boundaries.is_model(Module(generator[:4], parts=0)), "a layer"
    assert not boundaries.is_model(Module(tensors(9))), "another model: a teacher"
    step(boundaries, *ones[::-1], *ones[::-1])
    assert not boundaries.is_model(Module(generator)), "one part of two that play a game"
    assert boundaries.is_model(Module(generator + critic))


def test_before_any_optimizer_is_known_nothing_is_trained(watcher: Watcher) -> None:
    model = Module(tensors(3))
    assert not Boundaries(watcher, all_seen=True).is_model(model)
    assert Boundaries(watcher).is_model(model), "one may have been made before we looked"
    assert not Boundaries(watcher).is_model(Module(tensors(3, trains=False)))


def test_copies_in_another_precision_tell_nothing(watcher: Watcher, module: Any) -> None:
    class Parameter:
        requires_grad = True

    module("torch.nn.parameter", Parameter=Parameter)
    boundaries, model = Boundaries(watcher), Module([Parameter(), Parameter()])
    step(boundaries, optimizer := Optimizer(tensors=tensors(2)))
    assert boundaries.is_model(model), "DeepSpeed's optimizer has copies of what the model holds"
    assert first_tensor(optimizer)


def test_a_layer_is_small_for_one_optimizer_at_least(watcher: Watcher, module: Any) -> None:
    """Of copies of the tensors only their number is known."""
    module("torch.nn.parameter", Parameter=type("Parameter", (), {}))
    boundaries, ones = Boundaries(watcher, all_seen=True), [Optimizer(tensors=tensors(n)) for n in (4, 19)]
    step(boundaries, *ones, *ones, *ones)
    assert len(boundaries.at_work()) == 2
    assert not boundaries.is_model(Module(tensors(9), parts=0)), "of 5 and of 20"
    assert boundaries.is_model(Module(tensors(10), parts=0))
    assert boundaries.is_model(Module(tensors(9)))


def test_a_copy_has_tensors_of_the_shapes_of_half_of_what_each_optimizer_changes() -> None:
    def shaped(*sizes: int) -> Any:
        return [SimpleNamespace(shape=(size,)) for size in sizes]

    def changes(*sizes: int) -> Any:
        return SimpleNamespace(param_groups=[{"params": shaped(*sizes)}])

    four, three = changes(1, 2, 3, 4), changes(1, 2, 3)
    assert is_copy(Module(shaped(1, 2, 9)), [four])
    assert not is_copy(Module(shaped(1, 9)), [four])
    assert not is_copy(Module(shaped(1, 9)), [three]), "one of three is less than half"
    assert not is_copy(Module(shaped(1, 2)), [four, changes(7, 8)]), "of each"
    assert not is_copy(Module(shaped(1, 1)), [changes(1, 2, 3, 3)]), "each shape as often"
    assert not is_copy(Module(shaped(1)), [])
