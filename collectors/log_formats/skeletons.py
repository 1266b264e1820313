"""Beginnings of a new format, in TOML or in Python: a small format that works, with comments that say what to change."""

from __future__ import annotations

import re

from .parsing.vocabulary import KINDS, UNITS, WORDS

_LOG = "[step 1/9] loss=2.5 time=381.5ms\nvalidation loss 2.25\n[step 2/9] loss=2.25 time=380.5ms"

_TOML = r"""# The log format of @NAME@, for itermon. Try it: itermon formats test @STEM@.toml train.log
# It is read from the folder that `itermon formats` names.

name = "@NAME@"
about = "time: one step, without evaluation"   # one line: what the printed time includes
time_includes = []                              # evaluation, checkpoint, data, gc: what is inside the printed time
# mean = true                                   # the printed time is a mean over the steps since the last line
# from_stamps = true                            # no time is printed: the time stamps of the lines give it
# first_epoch = 1                               # epochs count from 1 (where steps count within an epoch)

# One [[line]] for each kind of line. The first that matches counts. N as the whole of a group stands for a number;
# a ^ is where the trainer's own text begins, behind the prefix of a launcher. The groups' names are fixed:
@GROUPS@
[[line]]
kind = "iteration"
contains = "time="                              # a literal in each such line: optional, makes reading faster
pattern = '^\[step (?P<iteration>\d+)/(?P<total>\d+)\] loss=(?P<loss>N) time=(?P<duration_ms>N)ms'

[[line]]
kind = "evaluation"
contains = "validation"
pattern = '^validation loss (?P<val_loss>N)'

# Some lines of a real log, and what must be read of them: `itermon formats test @STEM@.toml` compares.
[[example]]
log = '''
@LOG@
'''
iterations = [
  { index = 1, duration_s = 0.3815, loss = 2.5 },
  { index = 2, duration_s = 0.3805, loss = 2.25 },
]
evaluations = [{ iteration = 2, values = { val_loss = 2.25 } }]
checkpoints = []
"""

_PYTHON = r'''"""@NAME@: one line on who writes such logs.

    [step 1/9] loss=2.5 time=381.5ms
What the printed time includes, whether it waits for the GPU, where steps count from: all that a reader must know.

This file belongs below collectors/log_formats/frameworks/, in the room that fits: nothing else needs to be changed.
"""

from __future__ import annotations

from itermon.collectors.log_formats.base import Example
from itermon.collectors.log_formats.parsing.grammar import Line
from itermon.collectors.log_formats.parsing.lines import LineParser


class @CLASS@(LineParser):
    """What is special in reading it. Lines that the grammar cannot express have a handler: see `mingpt.py`."""

    name = "@NAME@"
    about = "time: one step, without evaluation"
    time_includes = ()  # events.EVALUATION, CHECKPOINT, DATA, GC: what is inside the printed time
    # mean = True  # the printed time is a mean over the steps since the last line
    # from_stamps = True  # no time is printed: the time stamps of the lines give it
    # synchronised = True  # the trainer waits for the GPU before it reads its clock
    # A literal, the pattern and the kind of line; the first that matches counts. N as the whole of a group is a number.
    # The groups' names are fixed, and checked at import:
@GROUPS@
    lines = (
        Line("time=", r"^\[step (?P<iteration>\d+)/(?P<total>\d+)\] loss=(?P<loss>N) time=(?P<duration_ms>N)ms"),
        Line("validation", r"^validation loss (?P<val_loss>N)", "evaluation"),
    )
    examples = (
        Example(
            """
@LOG@
""",
            # index, seconds, number of steps that these are the mean of, loss
            iterations=((1, 0.3815, 1, 2.5), (2, 0.3805, 1, 2.25)),
            evaluations=((2, {"val_loss": 2.25}),),
            checkpoints=(),
        ),
    )
'''


def toml_skeleton(name: str) -> str:
    """A TOML file that describes a format called `name`."""
    return _filled(_TOML, name, "")


def python_skeleton(name: str) -> str:
    """A Python module with a format called `name`."""
    return _filled(_PYTHON, name, "    ")


def stem_of(name: str) -> str:
    """What its file is called, without the suffix: letters, digits and underscores."""
    return re.sub(r"\W+", "_", name.lower()).strip("_") or "format"


def vocabulary_table() -> list[tuple[str, str, str, str]]:
    """The legal names of groups as rows: kinds of lines, name, unit, meaning."""
    return [(", ".join(word.kinds), word.name, word.quantity, word.meaning) for word in WORDS]


def _filled(text: str, name: str, indent: str) -> str:
    stem = stem_of(name)
    fields = {
        "NAME": re.sub(r'["\\]|[^ -~]', "", name).strip(),
        "STEM": stem,
        "CLASS": "".join(part.capitalize() for part in stem.split("_") if part).lstrip("0123456789") or "Format",
        "LOG": _LOG,
        "GROUPS": "".join(f"{indent}# {line}\n" for line in _groups()).rstrip("\n") + ("\n" if not indent else ""),
    }
    return re.sub(r"@([A-Z]+)@", lambda found: fields[found[1]], text)


def _groups() -> list[str]:
    lines = []
    for kind, meaning in KINDS.items():
        names = ", ".join(word.name for word in WORDS if kind in word.kinds)
        lines.append(f"  {kind}: {meaning}")
        lines += [f"      {part}" for part in _wrapped(names)]
    units = "; ".join(f"{quantity}: {', '.join(units)}" for quantity, units in UNITS.items() if units)
    return [*lines, f"  a unit may stand behind a name, duration_ms: {units}"]


def _wrapped(text: str, width: int = 100) -> list[str]:
    lines = [""]
    for word in text.split():
        lines[-1:] = [f"{lines[-1]} {word}".strip()] if len(lines[-1]) + len(word) < width else [lines[-1], word]
    return [line for line in lines if line]
