"""A pickle of plain data, from anybody: numbers, texts, lists and dicts. Whatever would call something is refused.

The reader in C allocates what a hostile pickle asks for (a memo of 2^32 places); the one in Python keeps its memo
in a dict.
"""

from __future__ import annotations

import io
import pickle
from typing import Any, NoReturn

_CALLS = (
    *(pickle.GLOBAL, pickle.STACK_GLOBAL, pickle.INST, pickle.OBJ, pickle.REDUCE, pickle.BUILD, pickle.NEWOBJ),
    *(pickle.NEWOBJ_EX, pickle.EXT1, pickle.EXT2, pickle.EXT4, pickle.PERSID, pickle.BINPERSID),
    *(pickle.NEXT_BUFFER, pickle.READONLY_BUFFER),
)


class NotPlainError(ValueError):
    """A pickle that is damaged, or holds more than plain data."""


def _refuse(reader: Any) -> NoReturn:  # noqa: ARG001 - as the reader calls it
    raise NotPlainError("it holds more than plain data")


class _Reader(pickle._Unpickler):
    dispatch = {**pickle._Unpickler.dispatch, **{code[0]: _refuse for code in _CALLS}}  # noqa: RUF012

    def find_class(self, module: str, name: str) -> NoReturn:
        raise NotPlainError(f"it asks for {module}.{name}")


def loads(data: bytes) -> object:
    """The data of a pickle. Raises `NotPlainError` for anything else."""
    try:
        return _Reader(io.BytesIO(data)).load()
    except NotPlainError:
        raise
    except Exception as error:  # noqa: BLE001 - a damaged pickle can raise nearly anything
        raise NotPlainError(f"it is damaged ({type(error).__name__})") from None
