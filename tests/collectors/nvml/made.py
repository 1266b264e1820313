"""A driver that is a dictionary: for what needs no library to load and no process to load it in."""

from __future__ import annotations

from types import SimpleNamespace

import pynvml

from itermon.collectors.nvml.errors import NOT_SUPPORTED, NvmlError

FIELD_TYPES = {"double": (0, "dVal"), "unsigned": (1, "uiVal"), "unsigned long": (2, "ulVal"),
               "unsigned long long": (3, "ullVal"), "long long": (4, "sllVal"), "int": (5, "siVal"),
               "unsigned short": (6, "usVal")}  # fmt: skip


def field(value, kind="unsigned long long", code=0):
    """An answer of `nvmlDeviceGetFieldValues`."""
    number, member = FIELD_TYPES.get(kind, (len(FIELD_TYPES), "of tomorrow"))
    return SimpleNamespace(nvmlReturn=code, valueType=number, value=SimpleNamespace(**{member: value}))


class MadeLibrary:
    """Stands in for `Library`: `answers` by call, each a value, an error code in an `NvmlError`, or a function."""

    def __init__(self, **answers):
        self.answers = answers
        self.asked = []
        self.now_s = 0.0
        self.module = pynvml
        self.under_way = None
        self.took_s = {}

    def clock(self):
        return self.now_s

    def open(self):
        self.asked.append("open")

    def close(self):
        self.asked.append("close")

    def call(self, name, *arguments):
        self.asked.append(name)
        answer = self.answers.get(name, NvmlError(NOT_SUPPORTED, name))
        if callable(answer):
            answer = answer(*arguments)
        if isinstance(answer, NvmlError):
            raise answer
        return answer
