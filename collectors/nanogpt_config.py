"""nanoGPT's config files, which are Python: read as text, never executed.

A config file (`config/train_gpt2.py`) is a list of assignments that override the defaults of `train.py`. Numbers,
text, True/False/None and arithmetic of them (`5 * 8`) are read, earlier names too (`lr_decay_iters = max_iters`);
for all else one line reports what was not read.
"""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, NamedTuple

from ..events import Config, holds
from ..opening import read_bytes
from ..words import did_you_mean
from .clean import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

Value = int | float | str | bool | None

MAX_FILE_BYTES = 1 << 20
_MOST_LINES = 5_000
_MOST_CHARACTERS = 10_000  # of a line

_MOST = 1e30  # no setting is larger
_MAX_POWER = 64  # 10 ** 64 is more than any setting; 10 ** 10 ** 10 would never end

_FIELDS = {
    "batch_size": "micro_batch_size",
    "block_size": "block_size",
    "n_layer": "layers",
    "n_head": "heads",
    "n_embd": "embedding",
    "max_iters": "max_iterations",
    "warmup_iters": "warmup_iterations",
    "eval_interval": "evaluation_interval",
    "eval_iters": "evaluation_iterations",
    "log_interval": "log_interval",
    "dataset": "dataset",
    "bias": "bias",
    "compile": "compiled",
}
_MEANING = frozenset({*_FIELDS, "gradient_accumulation_steps", "always_save_checkpoint", "dtype"})
_KNOWN = _MEANING | {
    "out_dir", "eval_only", "init_from", "wandb_log", "wandb_project", "wandb_run_name", "dropout",
    "learning_rate", "weight_decay", "beta1", "beta2", "grad_clip", "decay_lr", "lr_decay_iters", "min_lr",
    "backend", "device", "seed", "save_interval", "vocab_size",
}  # fmt: skip
"""What nanoGPT and its forks call their settings."""

_ALIKE, _MOST_NAMES = 0.85, 500
_TYPES: dict[str, type] = {"dataset": str, "bias": bool, "compile": bool}  # all others are counts
# train.py sets `allow_tf32` for matmul and cuDNN, so with float32 the multiplications, and the peak, are TF32's.
_PRECISIONS = {"bfloat16": "bf16", "float16": "fp16", "float32": "tf32"}

_NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


class ConfigFile(NamedTuple):
    """What a config file sets, and one line for each thing in it that could not be read."""

    config: Config
    problems: list[str]


def read_config(path: Path) -> ConfigFile:
    """Read the file at `path`. Never raises for what is in it; `OSError` if it cannot be opened."""
    data = read_bytes(path, MAX_FILE_BYTES + 1)
    origin = clean(f"config file {path.name}")
    if len(data) > MAX_FILE_BYTES:
        return ConfigFile(Config(origin=origin), [f"{path}: larger than {MAX_FILE_BYTES:,} bytes: no config file"])
    values, problems = assignments(data.decode(errors="replace"))
    problems += near_misses(values)
    return ConfigFile(as_config(values, origin), [f"{path}: {problem}" for problem in problems])


def near_misses(names: Iterable[str]) -> list[str]:
    """A line for each of the names that no trainer has, and that is nearly one which means something here."""
    given = [*names][:_MOST_NAMES]
    missing = _MEANING - {*given}
    near = ((name, did_you_mean(name, missing, _ALIKE)) for name in given if name not in _KNOWN)
    return [f"{clean(name[:80])} means nothing here{meant}" for name, meant in near if meant]


def assignments(text: str) -> tuple[dict[str, Value], list[str]]:
    """The settings that `text` assigns, later ones winning, and what could not be read, by line."""
    values: dict[str, Value] = {}
    problems: list[str] = []
    for number, statement in _statements(text, problems):
        name = _assigned_name(statement)
        if name is None:
            if not _says_nothing(statement):
                problems.append(f"line {number}: only plain assignments are read, not this statement")
            continue
        try:
            values[name] = _value(statement.value, values)  # type: ignore[attr-defined]
        except (ValueError, ArithmeticError, RecursionError) as error:
            problems.append(f"line {number}: {name} is not read: {error}")
    return values, problems


def _statements(text: str, problems: list[str]) -> list[tuple[int, ast.stmt]]:
    """The statements of `text`, each with its line. Where the whole is no Python, lines that are by themselves."""
    try:
        return [(statement.lineno, statement) for statement in _parsed(text)]
    except _NO_PYTHON as error:
        line = getattr(error, "lineno", None) or 1
        reason = getattr(error, "msg", None) or str(error) or "nested too deeply"
        problems.append(f"line {line}: not Python: {reason[:200]}")
    found: list[tuple[int, ast.stmt]] = []
    for number, line in enumerate(text.split("\n")[:_MOST_LINES], 1):
        try:
            found += [(number, statement) for statement in _parsed(line) if _assigned_name(statement)]
        except _NO_PYTHON:
            continue
    return found


def _parsed(text: str) -> list[ast.stmt]:
    if len(max(text.split("\n"), key=len)) > _MOST_CHARACTERS:
        raise ValueError(f"a line of more than {_MOST_CHARACTERS:,} characters")
    return ast.parse(text).body


def as_config(values: dict[str, Value], origin: str) -> Config:
    """nanoGPT's settings as a `Config`.

    `gradient_accumulation_steps` counts the micro-steps of all ranks together, so it gives the tokens per
    iteration whatever the world size, which no config file says; `gradient_accumulation`, that of one rank, stays
    unknown.
    """
    values = {clean(name): clean(value) if isinstance(value, str) else value for name, value in values.items()}
    known: dict[str, Value] = {}
    for name, field in _FIELDS.items():
        value = values.get(name)
        if isinstance(value, float) and value.is_integer():  # 6e5
            value = int(value)
        if type(value) is _TYPES.get(name, int) and holds(field, value):
            known[field] = value
    factors = [values.get(name) for name in ("batch_size", "block_size", "gradient_accumulation_steps")]
    if all(type(factor) is int and factor > 0 for factor in factors):
        tokens = factors[0] * factors[1] * factors[2]  # type: ignore[operator]
        if holds("tokens_per_iteration", tokens):
            known["tokens_per_iteration"] = tokens
    if isinstance(values.get("always_save_checkpoint"), bool):
        known["checkpoint_needs_improvement"] = not values["always_save_checkpoint"]
    precision = _PRECISIONS.get(str(values.get("dtype")))
    if precision:
        known["precision"] = precision
    taken = _FIELDS.keys() | {"always_save_checkpoint", "dtype"}
    extra = {name: str(value) for name, value in values.items() if name not in taken}
    return Config(origin=origin, extra=extra, **known)  # type: ignore[arg-type]


def _assigned_name(statement: ast.stmt) -> str | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return name
    return None


def _says_nothing(statement: ast.stmt) -> bool:
    """A docstring, an import and `pass` set nothing."""
    match statement:
        case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom() | ast.Pass():
            return True
    return False


def _value(node: ast.expr, names: dict[str, Value]) -> Value:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None as value):
            return value if isinstance(value, str | None) else _setting(value)
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _arithmetic(op, _number(left, names), _number(right, names))
    raise ValueError(f"`{ast.unparse(node)[:60]}` is no number, text or arithmetic of them")


def _arithmetic(op: ast.operator, left: float, right: float) -> float:
    if isinstance(op, ast.Pow) and (abs(right) > _MAX_POWER or abs(left) > 1e9):
        raise ValueError("that power is no setting")
    result = _BINARY[type(op)](left, right)
    return _setting(result)


def _setting(value: float) -> float:
    if isinstance(value, complex) or not abs(value) <= _MOST:
        raise ValueError("that number is no setting")
    return value


def _number(node: ast.expr, names: dict[str, Value]) -> float:
    value = _value(node, names)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"`{ast.unparse(node)[:60]}` is no number")
    return value
