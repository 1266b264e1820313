"""Which tests a mutation is tried on, and a process for them that starts at once."""

from __future__ import annotations

import os
import resource
import subprocess
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

CPU_S = 120  # a loop without end; wall time says nothing on a busy machine
MEMORY_BYTES = 8 << 30
OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]


class Executed(msgspec.Struct):
    """Which tests execute each line of each module, the folders whose tests start processes, the time of all."""

    tests: dict[str, dict[int, list[str]]]
    with_processes: set[str] = set()
    took_s: float = 0.0


@dataclass
class Stage:
    """Tests to run together: all below `paths`, or only those named; by another Python if one is given."""

    paths: list[str]
    only: set[str] | None = None
    python: Path | None = None


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
        return (yield)

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
    """Of the tests that are found, only these, the first of them first."""

    names: set[str]
    first: str

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (i for i in items if i.nodeid in self.names), key=lambda i: not i.nodeid.startswith(self.first)
        )


def mirror_of(module: Path) -> Path:
    """`tests/analysis/record/test_columns.py`"""
    return Path("tests") / module.parent / f"test_{module.stem.lstrip('_')}.py"


def stages(copy: Path, mutation: Mutation, executed: Executed, frameworks: Path | None) -> list[Stage]:
    """The tests that execute the mutation's statement; where none does, all of its module, room and top folder."""
    path = Path(mutation.path)
    room = Path("tests") / path.parent
    lines = {mutation.line, *range(mutation.statement[0], mutation.statement[1] + 1)}
    covering = {test for line in lines for test in executed.tests.get(mutation.path, {}).get(line, [])}
    if covering:
        found = [Stage(sorted({test.partition("::")[0] for test in covering}), covering)]
        if any(Path(folder).is_relative_to(room) for folder in executed.with_processes):
            found.append(Stage([str(room)]))
    else:
        folders = [room, *room.parents][: len(room.parts) - 1]
        found = [Stage([str(place)]) for place in (mirror_of(path), *folders) if (copy / place).exists()]
    if frameworks and path.parts[0] == "trainer_hooks":
        mirror = Path("tests") / "frameworks" / f"test_{path.stem}.py"
        tests = mirror if (copy / mirror).exists() else mirror.with_name("test_torch.py")
        found.append(Stage([str(tests)], python=frameworks))
    return found


def run_stage(copy: Path, stage: Stage, module: str = "", plugins: Iterable[object] = ()) -> int:
    """Run it in a child process, which has the heavy imports already; the child's id. It ends as pytest does."""
    child = os.fork()
    if child:
        return child
    code = 3
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
        os.chdir(copy)
        output = os.open(copy.parent / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.environ["PYTHONPATH"] = str(copy / ".build")
        if stage.python:
            code = subprocess.run([stage.python, "-m", "pytest", *OPTIONS, *stage.paths], check=False).returncode
        else:
            sys.path[0] = str(copy / ".build")
            sys.argv = ["pytest"]
            chosen = [] if stage.only is None else [Chosen(stage.only, mirror_of(Path(module)).as_posix())]
            plugins = [Shrinkless(), *plugins, *chosen]
            code = int(pytest.main([*OPTIONS, f"--rootdir={copy}", *stage.paths], plugins=plugins))
    finally:
        os._exit(code)


def record(copy: Path, top: str) -> Executed | None:
    """Run all tests of a top folder without any mutation. `None` where one fails: then nothing can be said."""
    into = copy.parent / "executed.json"
    began_s = time.monotonic()
    child = run_stage(copy, Stage([f"tests/{top}"]), plugins=[Recorder(copy, top, into)])
    _, status = os.waitpid(child, 0)
    if status:
        print((copy.parent / "output").read_text()[-3000:])
        return None
    executed = msgspec.json.decode(into.read_bytes(), type=Executed)
    executed.took_s = time.monotonic() - began_s
    return executed
