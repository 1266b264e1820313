"""Which tests a mutation is tried on, and a process for them that starts at once."""

from __future__ import annotations

import os
import resource
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coverage
import msgspec
import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from mutations import Mutation

# Tests that take so many times as long as without a mutation hang: of the clock on the wall and, because that says
# little on a busy machine, of the processor, which stops a loop without end first. Each is this long at least.
TOO_LATE, SHORTEST_WALL_S = 4, 120.0
TOO_BUSY, SHORTEST_CPU_S = 2, 20.0
FRAMEWORKS_S = 150.0
MEMORY_BYTES = 8 << 30
OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]


class Executed(msgspec.Struct):
    """Which tests execute each line of each module, the folders whose tests start processes, the time of each."""

    tests: dict[str, dict[int, list[str]]]
    with_processes: set[str] = set()
    took_s: dict[str, float] = {}


@dataclass
class Stage:
    """Tests to run together: all below `paths`, or only those named; by another Python if one is given."""

    paths: list[str]
    took_s: float  # without a mutation
    only: set[str] | None = None
    python: Path | None = None

    @property
    def wall_limit_s(self) -> float:
        return max(TOO_LATE * self.took_s, SHORTEST_WALL_S)

    @property
    def cpu_limit_s(self) -> float:
        return max(TOO_BUSY * self.took_s, SHORTEST_CPU_S)


@dataclass
class Recorder:
    """A pytest plugin that records what each test executes, and writes it to a file."""

    copy: Path
    top: str
    into: Path
    executed: Executed = field(default_factory=lambda: Executed({}))
    folder: str = ""

    def pytest_sessionstart(self) -> None:
        self.coverage = coverage.Coverage(data_file=None, config_file=False, include=[f"{self.copy / self.top}/*"])
        self.coverage.start()
        sys.addaudithook(self.audit)

    def audit(self, event: str, _: Any) -> None:
        if event in {"subprocess.Popen", "os.fork", "os.posix_spawn"}:
            self.executed.with_processes.add(self.folder)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.folder = Path(item.nodeid.partition("::")[0]).parent.as_posix()
        self.coverage.switch_context(item.nodeid)
        began_s = time.monotonic()
        try:
            return (yield)
        finally:
            self.executed.took_s[item.nodeid] = time.monotonic() - began_s

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        for file in data.measured_files():
            lines = data.contexts_by_lineno(file)
            module = Path(file).relative_to(self.copy).as_posix()
            self.executed.tests[module] = {line: [each for each in tests if each] for line, tests in lines.items()}
        self.into.write_bytes(msgspec.json.encode(self.executed))


class Shrinkless:
    """A failing example is not made smaller: that it fails is all that is asked."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings

        settings.register_profile("mutants", settings(), phases=[Phase.explicit, Phase.generate])
        settings.load_profile("mutants")


@dataclass
class Chosen:
    """Of the tests that are found, only these."""

    names: set[str]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self.names]


def mirror_of(module: Path) -> Path:
    """`tests/analysis/record/test_columns.py`"""
    return Path("tests") / module.parent / f"test_{module.stem.lstrip('_')}.py"


def stages(copy: Path, mutation: Mutation, executed: Executed, frameworks: Path | None) -> list[Stage]:
    """The tests that execute the mutation's statement; where none does, all of its module, room and top folder."""
    path = Path(mutation.path)
    mirror, room = mirror_of(path), Path("tests") / path.parent
    lines = {mutation.line, *range(mutation.statement[0], mutation.statement[1] + 1)}
    covering = {test for line in lines for test in executed.tests.get(mutation.path, {}).get(line, [])}
    if covering:
        own = {test for test in covering if test.startswith(f"{mirror.as_posix()}::")}
        found = [_named(names, executed) for names in (own, covering - own) if names]
        if any(Path(folder).is_relative_to(room) for folder in executed.with_processes):
            found.append(_below(room, executed))
    else:
        folders = [room, *room.parents][: len(room.parts) - 1]
        found = [_below(place, executed) for place in (mirror, *folders) if (copy / place).exists()]
    if frameworks and path.parts[0] == "trainer_hooks":
        found.append(_with_torch(copy, path, frameworks))
    return found


def _with_torch(copy: Path, module: Path, python: Path) -> Stage:
    """The module's own tests inside a framework, or all those of plain PyTorch."""
    mirror = Path("tests") / "frameworks" / f"test_{module.stem}.py"
    all_of_torch = sorted(each.relative_to(copy) for each in (copy / mirror.parent).glob("test_torch*.py"))
    tests = [mirror] if (copy / mirror).exists() else all_of_torch
    return Stage([str(each) for each in tests], FRAMEWORKS_S, python=python)


def _named(tests: set[str], executed: Executed) -> Stage:
    return Stage(sorted({t.partition("::")[0] for t in tests}), sum(executed.took_s[t] for t in tests), tests)


def _below(place: Path, executed: Executed) -> Stage:
    took_s = sum(s for test, s in executed.took_s.items() if Path(test.partition("::")[0]).is_relative_to(place))
    return Stage([str(place)], took_s)


def run_stage(copy: Path, stage: Stage, plugins: Iterable[object] = ()) -> int:
    """Run it in a child process, which has the heavy imports already; the child's id. It ends as pytest does."""
    child = os.fork()
    if child:
        return child
    code = 3
    try:
        os.setsid()
        if stage.took_s:
            resource.setrlimit(resource.RLIMIT_CPU, (int(stage.cpu_limit_s), int(stage.cpu_limit_s)))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
        os.chdir(copy)
        output = os.open(copy.parent / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.environ["PYTHONPATH"] = str(copy / ".build")
        if stage.python:
            os.execv(stage.python, [str(stage.python), "-m", "pytest", *OPTIONS, *stage.paths])
        sys.path[0] = str(copy / ".build")
        sys.argv = ["pytest"]
        chosen = [] if stage.only is None else [Chosen(stage.only)]
        plugins = [Shrinkless(), *plugins, *chosen]
        code = int(pytest.main([*OPTIONS, f"--rootdir={copy}", *stage.paths], plugins=plugins))
    finally:
        os._exit(code)


def record(copy: Path, top: str, frameworks: Path | None) -> Executed | None:
    """Run all tests of a top folder without any mutation. `None` where one fails: then nothing can be said."""
    into = copy.parent / "executed.json"
    runs = [(Stage([f"tests/{top}"], took_s=0.0), [Recorder(copy, top, into)])]
    if frameworks and top == "trainer_hooks":
        runs.append((_with_torch(copy, Path(top), frameworks), []))
    for stage, plugins in runs:
        _, status = os.waitpid(run_stage(copy, stage, plugins), 0)
        if status:
            print((copy.parent / "output").read_text()[-3000:])
            return None
    return msgspec.json.decode(into.read_bytes(), type=Executed)
