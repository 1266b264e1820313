"""What each Python below `itermon run --hooks` runs first: seen by nobody who does not train."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

import itermon
from itermon.trainer_hooks import automatic
from itermon.trainer_hooks.startup import startup_folder

IMPORTS_TORCH = "import torch, sys; print('trains', torch.name, 'itermon' in sys.modules)"


@pytest.fixture
def below(tmp_path: Path) -> dict[str, str]:
    """The environment of a process below, with a torch that holds nothing."""
    (tmp_path / "site" / "torch").mkdir(parents=True)
    (tmp_path / "site" / "torch" / "__init__.py").write_text("name = 'torch'\n")
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{startup_folder()}{os.pathsep}{tmp_path / 'site'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "ITERMON_COMPLAINED": str(tmp_path / "complained"),
        "ITERMON_MSGSPEC": "",
        "ITERMON_RUNS_DIR": str(tmp_path / "runs"),
        "ITERMON_SOCKETS_DIR": str(tmp_path / "sockets"),
    }


def run(environment: dict[str, str], code: str, python: str = sys.executable) -> tuple[str, str]:
    done = subprocess.run([python, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def foreign_pythons() -> list[str]:
    """Others than ours, on the path or where whatever manages versions has put them: the oldest ones."""
    found = [shutil.which(f"python{version}") for version in ("2.7", "3.8", "3.9")]
    installed = sorted(map(str, Path(sys.base_prefix).parent.glob("[23].*/bin/python")))
    test = [*filter(None, found), *(path for path in installed if not path.startswith(sys.base_prefix))]
    return [path for path in test if not subprocess.call([path, "-c", ""], stderr=subprocess.DEVNULL)][:5]


FOREIGN = foreign_pythons()


def test_its_syntax_is_that_of_old_pythons() -> None:
    text = (startup_folder() / "sitecustomize.py").read_text(encoding="ascii")
    ast.parse(text, feature_version=(3, 4))


def test_a_helper_loads_and_prints_nothing_of_ours(below: dict[str, str]) -> None:
    code = "import sys; print([name for name in sys.modules if name in ('itermon', 'msgspec', 'threading')])"
    assert run(below, code) == ("[]\n", "")


def test_who_imports_torch_is_watched(below: dict[str, str]) -> None:
    assert run(below, IMPORTS_TORCH) == ("trains torch True\n", "")


def test_a_msgspec_that_does_not_load_is_reported_once_a_run(below: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "site" / "msgspec").mkdir()
    (tmp_path / "site" / "msgspec" / "__init__.py").write_text("raise ImportError('built for another Python')\n")
    assert run(below, "print('helps')") == ("helps\n", "")
    out, err = run(below, IMPORTS_TORCH)
    assert out.startswith("trains torch")
    assert err == "itermon: no hooks in this training: built for another Python\n"
    assert run(below, IMPORTS_TORCH)[1] == "", "the next process of the run is silent"


@pytest.mark.skipif(not FOREIGN, reason="no other Python")
@pytest.mark.parametrize("python", FOREIGN)
def test_another_python_goes_on_and_one_line_a_run_says_that_there_are_no_hooks(
    below: dict[str, str], python: str
) -> None:
    assert run(below, "print('helps')", python) == ("helps\n", "")
    out, err = run(below, "import torch; print(torch.name)", python)
    assert out == "torch\n"
    assert err.count("\n") <= 1
    assert run(below, "import torch; print(torch.name)", python) == ("torch\n", "")


@pytest.mark.skipif(not FOREIGN, reason="no other Python")
@pytest.mark.parametrize("python", FOREIGN)
def test_what_the_environment_of_another_python_begins_with_is_run_as_well(
    below: dict[str, str], tmp_path: Path, python: str
) -> None:
    (tmp_path / "site" / "sitecustomize.py").write_text("import sys\nsys.stdout.write('begins\\n')\n")
    assert run(below, "print('helps')", python) == ("begins\nhelps\n", "")


def test_what_the_trainers_environment_lacks_is_found_last(below: dict[str, str], tmp_path: Path) -> None:
    bare = {**below, "ITERMON_MSGSPEC": str(Path(msgspec.__file__).parent)}
    code = """
import sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path]
sys.meta_path[:] = [finder for finder in sys.meta_path if "ditable" not in repr(finder)]
import itermon, msgspec
itermon.Hooks
print(itermon.__file__)
"""
    assert Path(run(bare, code)[0].strip()).resolve() == Path(itermon.__file__).resolve()


Load = Callable[[tuple[int, ...]], Any]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Load:
    """Run the file in this process, as if it were a Python of another version that finds nothing on its path."""
    finders = sys.meta_path.copy()
    monkeypatch.setenv("ITERMON_COMPLAINED", str(tmp_path / "complained"))
    monkeypatch.setattr(sys, "path", [])

    def load(version: tuple[int, ...]) -> Any:
        monkeypatch.setattr(sys, "meta_path", finders.copy())
        monkeypatch.setattr(sys, "version_info", version)
        spec = importlib.util.spec_from_file_location("startup", startup_folder() / "sitecustomize.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def test_a_python_that_is_too_old_is_named_in_one_private_line(
    load: Load, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    load((3, 9, 18))._watch()
    line = "itermon: no hooks in this training: this is Python 3.9; itermon needs 3.10\n"
    assert capsys.readouterr().err == line
    assert (tmp_path / "complained").stat().st_mode & 0o777 == 0o600


def test_the_oldest_python_that_we_run_on_is_watched(
    load: Load, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    watched: list[None] = []
    monkeypatch.setattr(automatic, "watch_when_it_trains", lambda: watched.append(None))
    startup = load((3, 10))
    startup._watch()
    assert (len(watched), capsys.readouterr().err) == (1, "")
    first, *_, last = sys.meta_path
    assert (type(first), type(last)) == (startup._Watch, startup._Last)


@pytest.mark.parametrize(("version", "ours"), [((3, 5), []), ((3, 6), ["_Watch"]), ((3, 9), ["_Watch"])])
def test_a_python_that_is_too_old_for_us_is_watched_where_it_can_be(
    load: Load, version: tuple[int, ...], ours: list[str]
) -> None:
    before = sys.meta_path.copy()
    load(version)
    assert [type(finder).__name__ for finder in sys.meta_path if finder not in before] == ours


def test_what_waits_for_torch_itself_meets_it(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the hooks put before all other finders was not there when Python began to ask them."""
    startup = load((3, 10))
    spec = ModuleSpec("torch", None)
    theirs: Any = SimpleNamespace(find_spec=lambda name, path, target: ModuleSpec(name, None))
    hooks: Any = SimpleNamespace(find_spec=lambda name, path, target: spec)
    watch = startup._Watch()
    monkeypatch.setattr(sys, "meta_path", [watch, theirs])
    monkeypatch.setattr(startup, "_watch", lambda: sys.meta_path.insert(0, hooks))
    assert watch.find_spec("numpy") is None
    assert watch.find_spec("torch") is spec
    assert watch.find_spec("torch") is None, "it has done its work"
