"""Numbers that nobody expects: in the lines of logs, and in Python text that should be a config file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

NUMBERS = (
    "9" * 30, "9" * 400, "9" * 5000, "1" + "0" * 308, "-" + "9" * 400, "1e308", "-1e308", "1e-308", "1e999", "-1e999", "1e+400",
    "5e-324", "nan", "NaN", "inf", "-inf", "Infinity", "-Infinity", "-0", "-0.0", "-1", "--5", "+-3", "0", "0.0", "00000000007",
    "9007199254740991", "9007199254740992", "9007199254740993", "9223372036854775803", "9223372036854775808",
    "18446744073709551616", "18446744073709551615", "4294967296", "65536", "1e10", "1e16", "1e18", "1e30", "1e39",
    "\u0661\u0662\u0663", "\uff11\uff12\uff13", "\u0967\u0968", "\u00b2", "\u2460", "\u00bd", "\u4e09",
    "1,234,567", "1,2,3", ",,,", "1 234 567", "1_000_000", "1__0", "1'234'567", "1,5", "1.234,5", "0x1F", "0b11", "0o17",
    "1e", "e5", ".", "..", "1.2.3", "", " ", "1e-5000", "0." + "0" * 400 + "1", "1" * 15, "1" * 16, "1" * 17, "\u221e", "None", "True",
)  # fmt: skip
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:,\d+)*(?:\.\d+)?(?:[eE][-+]?\d+)?")

ATOMS = (
    "1", "0", "-1", "1e308", "1e-308", "1e999", "2**64", "10**10**10", "0x" + "f" * 5000, "9" * 4000, "9" * 5000, "True", "None",
    "'x'", '"' + "y" * 3000 + '"', "b'x'", "1j", "...", "lambda: 0", "[1]", "(1,)", "{}", "max_iters", "n_layer", "nowhere", "1_000",
    "f'{1}'", "'\\ud800'", "'\\x1b[2J'", "0.1", "5 * 8", "1 if 1 else 2", "not 1", "~5", "open('x')", "x := 3", "int('9' * 9999)",
)  # fmt: skip
NAMES = (
    "batch_size", "block_size", "n_layer", "n_head", "n_embd", "max_iters", "warmup_iters", "eval_interval", "eval_iters",
    "log_interval", "dataset", "bias", "compile", "gradient_accumulation_steps", "always_save_checkpoint", "dtype", "x", "_", "\u00e9",
)  # fmt: skip
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "<<", "@", "and", ",", "<")
_NEST = ("-", "(", "[", "lambda: ", "not ", "+", "~", "{", "lambda x=", "a[", "f(", "- -", "1+", "2**", "1 if ")


def misprinted(rng: Random, log: str) -> tuple[str, set[int]]:
    """The log with some of its numbers replaced, and the numbers (from 0) of the lines that are as they were."""
    lines = log.split("\n")
    places = [n for n, line in enumerate(lines) if NUMBER.search(line)]
    touched = set(rng.sample(places, min(len(places), rng.choice((1, 1, 1, 2, len(places))))))
    value = rng.choice(NUMBERS)
    for n in touched:
        found = list(NUMBER.finditer(lines[n]))
        wanted = set(rng.sample(range(len(found)), min(len(found), rng.choice((1, 1, 2, 99)))))
        for at in sorted(wanted, reverse=True):
            if rng.random() < 0.2:
                value = rng.choice(NUMBERS)
            start, end = found[at].span()
            lines[n] = lines[n][:start] + value + lines[n][end:]
    return "\n".join(lines), {n for n in range(len(lines)) if n not in touched}


def places(log: str) -> list[tuple[int, int, int]]:
    """Every number of the log: its line, where it begins and ends. Of lines that differ in their numbers, the first."""
    seen: set[str] = set()
    found = []
    for n, line in enumerate(log.split("\n")):
        shape = NUMBER.sub("0", line)
        if shape not in seen:
            seen.add(shape)
            found += [(n, *match.span()) for match in NUMBER.finditer(line)]
    return found


def misprinted_at(log: str, place: tuple[int, int, int], value: str) -> tuple[str, set[int]]:
    """As `misprinted`, with `value` in one place."""
    lines, (n, start, end) = log.split("\n"), place
    lines[n] = lines[n][:start] + value + lines[n][end:]
    return "\n".join(lines), set(range(len(lines))) - {n}


def config_text(rng: Random) -> str:
    """Something like a config file."""
    lines = []
    for _ in range(rng.randrange(1, 12)):
        value = _expression(rng, 4)
        if rng.random() < 0.1:
            value = rng.choice(_NEST) * rng.choice((10, 90, 300, 3_000, 100_000)) + value
        end = rng.choice(("", "", "", "", ")", "  # x", ";", "\x00", "\\"))
        lines.append(f"{rng.choice(NAMES)} {rng.choice(('=', '=', '=', '=', '+=', ': int ='))} {value}{end}")
    return "\n".join(lines)


def _expression(rng: Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.5:
        return rng.choice(ATOMS)
    if rng.random() < 0.2:
        return f"-({_expression(rng, depth - 1)})"
    return f"{_expression(rng, depth - 1)} {rng.choice(OPERATORS)} {_expression(rng, depth - 1)}"
