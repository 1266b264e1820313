"""Random events: valid ones with odd values, and nearly valid ones. Made from the vocabulary's own types."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import inspect

from itermon.events import AnyEvent

if TYPE_CHECKING:
    from random import Random

TEXTS = (
    "", "a", "evaluation", "checkpoint", "evaluation + checkpoint", "gc", "data", "hook", "log", "arrival", "sum",
    "finished", "failed", "lost", "NVIDIA H100 80GB HBM3", "A100", "bf16", "fp8", "\x1b[2J\x1b]0;x\x07", "[bold]x[/]",
    "漢字", "e\u0301" * 9, "\u202e", "\u200b", "👩‍👩‍👧", "x" * 3000, "thermal", "power cap", "\r\n\t", "%s {0}",
)  # fmt: skip
FLOATS = (
    0.0,
    -0.0,
    5e-324,
    1e-12,
    1e-3,
    0.021,
    1.0,
    21.0,
    84.0,
    1e6,
    1e10,
    1e15,
    1e308,
    -1.0,
    -1e308,
    math.nan,
    math.inf,
)
INTS = (0, 1, 2, 3, 7, 64, 1024, 4096, 10**6, (1 << 31) - 1, (1 << 53) - 1)
BAD = (None, True, "x", -1, 1 << 53, 1 << 63, 10**400, 1.5, [], {}, [[]], {"a": {"b": 1}}, "NaN")


def _kinds() -> dict[str, inspect.StructType]:
    info = inspect.type_info(AnyEvent)
    assert isinstance(info, inspect.UnionType)
    return {str(kind.tag): kind for kind in info.types if isinstance(kind, inspect.StructType)}


KINDS = _kinds()
_GPU_FIELDS, _HOST_FIELDS, _CONFIG_FIELDS = (
    [f.encode_name for f in KINDS[tag].fields if f.encode_name not in ("at_s", "gpu")]
    for tag in ("gpu", "host", "config")
)
LIKELY = (
    "iteration",
    "iteration",
    "iteration",
    "iteration",
    "begin",
    "end_span",
    "gpu",
    "host",
    "config",
    "progress",
)


class Maker:
    """Makes events as JSON. Half of the iterations go on as a training does, so that there is something to analyse."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._index = rng.choice((0, 0, 1, 10**6))
        self._at_s = rng.choice((0.0, 1.7e9, 1e11 - 1e5))
        self._step = rng.choice((1, 1, 1, 10, 1000))
        self._usual_s = rng.choice((1e-4, 0.03, 1.0, 21.0, 9e3))

    def line(self) -> bytes:
        """One event as a line of JSON; one in twenty is not quite one."""
        rng = self._rng
        tag = rng.choice(LIKELY) if rng.random() < 0.8 else rng.choice(tuple(KINDS))
        if tag == "iteration" and rng.random() < 0.8:
            fields = self._next_iteration()
        else:
            fields = {
                f.encode_name: self._value(f.type) for f in KINDS[tag].fields if f.required or rng.random() < 0.4
            }
        if rng.random() < 0.05 and fields:
            fields[rng.choice(tuple(fields))] = rng.choice(BAD)
        text = json.dumps({"type": tag, **fields})
        return text.encode(errors="replace") + b"\n"

    def stretch(self) -> list[bytes]:
        """Events that belong together: a few dozen iterations of one or more ranks, with samples, spans and phases."""
        rng = self._rng
        ranks = rng.choice((None, None, [0], [0, 1], [0, 1, 2, 3], [7, 3]))
        odd = {name: self._value_of("gpu", name) for name in rng.sample(_GPU_FIELDS, 4)}
        events: list[dict[str, Any]] = []
        if rng.random() < 0.3:
            events.append(
                {
                    "type": "run",
                    "clock": rng.choice(("hook", "log", "arrival", "sum")),
                    "resumed": rng.random() < 0.5,
                }
            )
            self._index = rng.choice((self._index, max(0, self._index - 20), 0))
        if rng.random() < 0.5:
            events.append(
                {"type": "config"}
                | {name: self._value_of("config", name) for name in rng.sample(_CONFIG_FIELDS, 9)}
            )
        every, kind = rng.choice((7, 10, 1000)), rng.choice(("evaluation", "checkpoint", "data", "gc", "compile"))
        for _ in range(rng.randrange(20, 120)):
            iteration = self._next_iteration()
            at_s = iteration["at_s"] = max(0.0, self._at_s)
            if self._index % every == 0:
                events += [{"type": "begin", "kind": kind, "at_s": at_s, "iteration": self._index % (1 << 53)},
                           {"type": "end_span", "kind": kind, "at_s": at_s, "duration_s": rng.choice((0.0, 1e-9, 1.0, 1e10)),
                            "values": {"val_loss": rng.choice((2.5, 0.0, -1e38, 3e38)), "bytes": 1e15}}]  # fmt: skip
            for rank in ranks or [None]:
                own = {} if rank is None else {"rank": rank}
                wait = (
                    {"data_wait_s": rng.choice((0.0, 1e-12, self._usual_s / 2, 1e10))}
                    if rng.random() < 0.5
                    else {}
                )
                events.append({"type": "iteration", **iteration, **own, **wait})
                if rng.random() < 0.4:
                    phases = {
                        name: rng.choice((0.0, self._usual_s / 3, 1e10))
                        for name in ("forward", "backward", "optimizer")
                    }
                    events.append({"type": "phases", "iteration": iteration["index"], "phases": phases, **own})
            for gpu in range(rng.choice((0, 1, 2))):
                watts = {
                    "power_w": rng.choice((5e-324, 90.0, 350.0, 1e21)),
                    "power_limit_w": 700.0,
                    "sm_clock_hz": 1e9,
                }
                events.append({"type": "gpu", "at_s": at_s, "gpu": gpu, **watts, **odd})
            if rng.random() < 0.3:
                events.append(
                    {"type": "host", "at_s": at_s}
                    | {name: self._value_of("host", name) for name in rng.sample(_HOST_FIELDS, 5)}
                )
        return [json.dumps(event).encode() + b"\n" for event in events]

    def _value_of(self, tag: str, name: str) -> Any:
        return self._value(next(f.type for f in KINDS[tag].fields if f.encode_name == name))

    def _next_iteration(self) -> dict[str, Any]:
        rng = self._rng
        if rng.random() < 0.01:
            self._index = rng.choice((0, max(0, self._index - 50), self._index))
        self._index += self._step
        duration_s = self._usual_s * rng.choice((1.0, 1.0, 1.0, rng.uniform(0.9, 1.1), 4.0, 300.0))
        self._at_s += duration_s * rng.choice((1, 1, 1, 2, 0, -1))
        fields: dict[str, Any] = {"index": self._index % (1 << 53)}
        if rng.random() < 0.95:
            fields["duration_s"] = duration_s
        if rng.random() < 0.5:
            fields["at_s"] = max(0.0, self._at_s)
        if rng.random() < 0.5:
            fields["loss"] = rng.choice((2.5, 2.5, 1e308, -1e308, 0.0, rng.random()))
        if rng.random() < 0.1:
            fields |= rng.choice(
                ({"rank": rng.randrange(4)}, {"averaged_over": rng.choice((2, 100, (1 << 53) - 1))})
            )
        if rng.random() < 0.1:
            fields |= {"mfu": rng.choice(FLOATS[:8]), "tokens": rng.choice(INTS), "data_wait_s": duration_s / 2}
        return fields

    def _value(self, kind: inspect.Type) -> Any:
        rng = self._rng
        match kind:
            case inspect.UnionType():
                return self._value(rng.choice(kind.types))
            case inspect.BoolType():
                return rng.random() < 0.5
            case inspect.IntType():
                return rng.choice((*INTS, self._index))
            case inspect.FloatType():
                most, least = kind.le, kind.ge
                fitting = [x for x in FLOATS if (most is None or x <= most) and (least is None or x >= least)]
                return rng.choice((*(x for x in fitting if math.isfinite(x)), min(self._at_s, most or self._at_s)))
            case inspect.StrType():
                return rng.choice(TEXTS)
            case inspect.EnumType():
                return rng.choice(list(kind.cls)).value
            case inspect.LiteralType():
                return rng.choice(kind.values)
            case inspect.DictType():
                return {rng.choice(TEXTS): self._value(kind.value_type) for _ in range(rng.randrange(4))}
            case inspect.VarTupleType():
                return [self._value(kind.item_type) for _ in range(rng.randrange(4))]
            case inspect.CustomType() | inspect.AnyType():
                return rng.choice(TEXTS)
        return None


def decodes(line: bytes) -> bool:
    """Is this line an event of the vocabulary?"""
    try:
        msgspec.json.decode(line, type=AnyEvent)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True
