"""Inside the trainer: what happens there, as events. Imports the standard library, `msgspec` and `events`."""

from .automatic import watch
from .hooks import Hooks

__all__ = ["Hooks", "watch"]
