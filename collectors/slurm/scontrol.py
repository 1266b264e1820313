"""`scontrol show job`: where a job writes, with the words that `sbatch` lets one write in a file's name."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMAND = ("scontrol", "show", "job")
"""With a job's number behind it."""

_ALONE = ("Command", "WorkDir", "StdErr", "StdIn", "StdOut", "Comment", "AdminComment")
"""Fields that have a line of their own: their values may hold blanks."""

_MOST_WIDTH = 10
_NOWHERE = ("", "/dev/null", "(null)", "none", "/dev/null/")


def records_of(said: str) -> list[dict[str, str]]:
    """Each job that is shown: its fields. Blank lines stand between them."""
    return [_fields(part) for part in re.split(r"\n\s*\n", said) if "JobId=" in part]


def _fields(part: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in map(str.strip, part.splitlines()):
        key, _, value = line.partition("=")
        if key in _ALONE:
            fields.setdefault(key, value)
        elif key == "JobId":
            before, found, name = line.partition(" JobName=")  # the last of its line, and it may hold blanks
            fields |= dict(re.findall(r"(\w+)=(\S*)", before)) | ({"JobName": name} if found else {})
        else:
            for name, value in re.findall(r"([\w/:]+)=(\S*)", line):
                fields.setdefault(name, value)
    return fields


def is_job(record: Mapping[str, str], number: int) -> bool:
    """Is it the job of this number, and not another task of its array?"""
    return record.get("JobId") == str(number)


def log_of(record: Mapping[str, str]) -> str:
    """The file that the job's output goes to; "" where it goes to none, or the name is not known to the end.

    Newer Slurm writes the name as it is, older as it was asked for: what is left of the `%` words is put in.
    A backslash in the name means that none of them counts.
    """
    asked = record.get("StdOut", "")
    if asked in _NOWHERE:
        return ""
    path = _filled(asked, record) if "\\" not in asked else asked.replace("\\", "").replace("%", "%%")
    if "%" in path.replace("%%", "") or not path:
        return ""
    path = path.replace("%%", "%")
    return path if path.startswith("/") else os.path.join(record.get("WorkDir", ""), path)  # noqa: PTH118 - text


def _filled(asked: str, record: Mapping[str, str]) -> str:
    """The name with its words put in."""
    known = _words(record)

    def word(found: re.Match[str]) -> str:
        value = known.get(found[2])
        if found[2] == "%":
            return "%%"
        if value is None:
            return found[0]
        width = min(int(found[1] or 0), _MOST_WIDTH)
        return value.zfill(width) if value.isdecimal() else value

    return re.sub(r"%(\d*)([a-zA-Z%])", word, asked)


def _words(record: Mapping[str, str]) -> dict[str, str]:
    """The words of `sbatch`'s file names. Of a node, a step or a task: the first, as of a batch script."""
    number = record.get("JobId", "")
    node = re.split(r"[\[,]", record.get("BatchHost", "") or record.get("NodeList", ""))[0]
    known = {
        "A": record.get("ArrayJobId", number),
        "a": record.get("ArrayTaskId", "4294967294"),  # what Slurm writes for a job that is no array (NO_VAL)
        "b": str(int(task) % 10) if (task := record.get("ArrayTaskId", "")).isdecimal() else "",
        "j": number,
        "J": number,
        "N": node.partition(".")[0],
        "n": "0",
        "s": "batch",
        "t": "0",
        "u": record.get("UserId", "").partition("(")[0],
        "x": record.get("JobName", ""),
    }
    return {name: value for name, value in known.items() if value}
