"""What a model's methods are called for, after its training too, of which no callback hears.

They are wrapped for the class of all models, and the model itself stays as it is, to be copied and pickled.
`model.fit(callbacks=[...])` is looked up before its callbacks are made: so all is wrapped on import.
"""

from __future__ import annotations

import functools
import weakref
from typing import TYPE_CHECKING, Any

from ...events import CHECKPOINT, EVALUATION
from ..spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable

_callbacks: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # by the model that they train


def belongs_to(model: Any, callback: Any) -> None:
    """From now on the `hooks` of `callback` are told what `model` is called for; `failed` is, of a `fit`."""
    _callbacks[model] = callback


def wrap(model_class: Any) -> None:
    """Wrap the methods of `model_class`."""
    wraps = {"fit": _training, "evaluate": _evaluation, "save": _saving, "save_weights": _saving}
    for method, watched in wraps.items():
        setattr(model_class, method, watched(getattr(model_class, method)))


def _training(fit: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fit)
    def watched(model: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return fit(model, *arguments, **named)
        except BaseException as error:
            if (callback := _callbacks.get(model)) is not None:
                callback.failed(error)
            raise

    return watched


def _evaluation(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(evaluate)
    def watched(model: Any, *arguments: Any, **named: Any) -> Any:
        if (hooks := _hooks(model)) is None:
            return evaluate(model, *arguments, **named)
        with Span(hooks, EVALUATION) as found:
            result = evaluate(model, *arguments, **named)
            found.update(_loss(result))
            return result

    return watched


def _saving(save: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(save)
    def watched(model: Any, filepath: Any, *arguments: Any, **named: Any) -> Any:
        if (hooks := _hooks(model)) is None:
            return save(model, filepath, *arguments, **named)
        with Span(hooks, CHECKPOINT, str(filepath)):
            return save(model, filepath, *arguments, **named)

    return watched


def _hooks(model: Any) -> Any:
    callback = _callbacks.get(model)
    return None if callback is None else callback.hooks


def _loss(result: Any) -> dict[str, Any]:
    """Of what `evaluate` returns: its loss, a list that begins with it, or a dict."""
    if isinstance(result, dict):
        result = result.get("loss")
    elif isinstance(result, list):
        result = result[0] if result else None
    return {} if result is None else {"val_loss": result}
