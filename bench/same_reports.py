"""Does this version report the same of every real log as another one?

    git worktree add /tmp/before v0.1.0
    pip install --no-deps --target /tmp/before-site /tmp/before
    python bench/same_reports.py /tmp/before-site [--corpus FOLDER] [--show 5]

`itermon report --json` of every file below the corpus (its folder `misread` apart), by both versions. Each field
that differs is printed as `file: field: before -> after`, and counted; floats where nine digits differ.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

LEFT_OUT = ("misread", "gpu", "INDEX.md")
CLOCKED = (".ending.silent_s", ".verdict.ending")
"""How long ago a file was written depends on when a version came to it."""


def files_of(corpus: Path) -> list[Path]:
    """The real logs, largest first, so that two processes end at about the same time."""
    found = [p for p in corpus.rglob("*") if p.is_file() and p.relative_to(corpus).parts[0] not in LEFT_OUT]
    return sorted(found, key=lambda p: (-p.stat().st_size, p))


def report_all(files: list[str]) -> None:
    """The child: one line of JSON a file, `[path, exit code, report or error]`."""
    for file in files:
        out, err = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
        sys.argv = ["itermon", "report", "--json", file]
        code: object = 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                runpy.run_module("itermon", run_name="__main__")
            except SystemExit as end:
                code = end.code
        text, said = (stream.detach().getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
        print(json.dumps([file, code, json.loads(text) if text else said]), flush=True)


def start(site: str | None, files: list[Path]) -> subprocess.Popen[bytes]:
    """Reports by the version installed in `site`; `None`: by the one that this Python imports."""
    env = {**os.environ, "TZ": "UTC"} | ({"PYTHONPATH": site} if site else {})
    command = [sys.executable, __file__, "--child", *map(str, files)]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, cwd="/")


def reports(child: subprocess.Popen[bytes]) -> dict[str, Any]:
    """What a child reported: exit code and report of each file."""
    out, _ = child.communicate()
    if child.returncode:
        raise SystemExit(f"a version ended with exit code {child.returncode}")
    return {file: [code, found] for file, code, found in map(json.loads, out.splitlines())}


def differences(before: Any, after: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Each leaf that differs, with its place."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            yield from differences(before.get(key), after.get(key), f"{at}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from differences(one, other, f"{at}[{place}]")
    elif isinstance(before, float) and isinstance(after, float):
        if abs(before - after) > 1e-9 * max(abs(before), abs(after)) and not at.endswith(CLOCKED):
            yield at, before, after
    elif before != after and not at.endswith(CLOCKED):
        yield at, before, after


def main() -> None:
    """Run both, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", nargs="?", metavar="SITE", help="where the version to compare with is installed")
    parser.add_argument("--corpus", action="append", metavar="FOLDER", help="default: ../shared/corpus")
    parser.add_argument("--show", type=int, default=3, help="differing fields to print of each file")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        report_all(options.child)
        return
    from corpus import real_logs  # it imports this version, which a child must not

    corpus = real_logs(options.corpus or [])
    if corpus is None:
        return
    if not options.before:
        print("no other version named (see --help): nothing compared")
        return
    corpus = corpus.resolve()  # the children run in another folder
    files = files_of(corpus)
    children = [start(site, files) for site in (options.before, None)]
    with ThreadPoolExecutor() as both:
        before, after = both.map(reports, children)
    if not any(code == 0 for code, _ in after.values()):
        raise SystemExit("no file was read: nothing compared")
    changed = 0
    for file in map(str, sorted(files)):
        found = list(differences(before[file], after[file]))
        changed += bool(found)
        name = Path(file).relative_to(corpus)
        for at, one, other in found[: options.show]:
            print(f"{name}: {at}: {json.dumps(one)[:160]} -> {json.dumps(other)[:160]}")
        if len(found) > options.show:
            print(f"{name}: {len(found) - options.show} more")
    print(f"{len(files)} files, {changed} with a difference")


if __name__ == "__main__":
    main()
