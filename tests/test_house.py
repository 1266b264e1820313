"""The house keeps its rules: small rooms, modules and functions, no import circles, tests that mirror the code.

What breaks a rule on purpose is named below with its reason; what is named and breaks none is an error too.
"""

from __future__ import annotations

import ast
import functools
import graphlib
import importlib
import math
import re
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest

import itermon

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    "analysis",
    "cli",
    "collectors",
    "events",
    "launch",
    "metrics",
    "notices",
    "reports",
    "trainer_hooks",
    "tui",
)
MODULES = [
    *(ROOT / f"{name}.py" for name in ("opening", "private", "run_files", "words")),
    *(path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))),
]

MOST_MODULES = 15  # of a folder, its `__init__` apart
MOST_LINES = 350  # of a module
MOST_FUNCTION_LINES = 40  # without the docstring
MOST_PARAMETERS = 8  # without `self`

LONG_MODULES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}
MANY_PARAMETERS: dict[str, str] = {}
FULL_ROOMS: dict[str, str] = {}
ROOM_TESTS: dict[str, str] = {
    "tests/analysis/causes/test_of_whole_runs.py": "the causes together, on whole runs",
    "tests/analysis/outlook/test_of_whole_runs.py": "the rules together, on whole runs",
    "tests/analysis/incidents/test_loss_curves.py": "the rules for losses together, on healthy curves",
    "tests/analysis/record/test_spans_evaluations.py": "spans.py: its own test is full",
    "tests/reports/test_sentences_on_starts.py": "sentences.py: how often a log began; its own test is full",
    "tests/analysis/test_snapshot_rules.py": "snapshot.py by hand; its own test has whole runs",
    "tests/analysis/test_wall_time_rules.py": "wall_time.py by hand; its own test has whole runs",
    "tests/analysis/test_wall_time_rows.py": "wall_time.py: what has no row; its other tests are full",
    "tests/analysis/causes/test_cases_frames.py": "cases.py with the frames of bars; its own test is full",
    "tests/collectors/log_formats/parsing/test_bar_clocks_rules.py": "bar_clocks.py; its own test is full",
    "tests/analysis/causes/test_causes_rules.py": "causes.py and ledger.py; their own tests are full",
    "tests/analysis/causes/test_periods_rules.py": "periods.py by hand; its own test has whole runs",
    "tests/analysis/incidents/test_past_rules.py": "past.py by hand; its own test has whole runs",
    "tests/analysis/test_seed_claims.py": "what people claimed of three runs, against the whole analysis",
    "tests/collectors/logs/test_troubles_behind_an_end.py": "troubles.py with a reader; its own test is full",
    "tests/collectors/logs/test_text_ends.py": "text.py, of lines of megabytes: its own test is full",
    "tests/collectors/log_formats/generic/test_line_values_stamps.py": "line_values.py: its own test is full",
    "tests/collectors/logs/test_head_epochs.py": "head.py with a reader's bars; its own test is full",
    "tests/collectors/logs/test_old_log.py": "log_source.py with every format",
    "tests/campaigns/test_campaigns.py": "hostile input of every kind, against everything",
    "tests/analysis/ranks/test_stragglers_rules.py": "stragglers.py by hand; its own test has whole runs",
    "tests/analysis/whatif/test_plan_rules.py": "plan.py by hand; its own test has whole runs",
    "tests/analysis/timing/test_baseline_rules.py": "baseline.py, timing.py; their tests are full",
    "tests/analysis/timing/test_clock_rules.py": "clock.py with several clocks; its own test has rows",
    "tests/analysis/timing/test_timing_rules.py": "timing.py by hand; its own test has whole runs",
    "tests/analysis/test_ending_lines.py": "ending.py, by the lines of a log; its own test is full",
    "tests/analysis/verdict/test_endings_behind.py": "endings.py, of logs that go on; its own test is full",
    "tests/collectors/log_formats/stops/test_told_stops_rules.py": "told_stops.py; its own test is full",
    "tests/collectors/log_formats/test_opening_lines_rules.py": "opening_lines.py; its own test is full",
    "tests/analysis/verdict/test_health_rules.py": "health.py, its sentences and bounds",
    "tests/analysis/verdict/test_of_whole_runs.py": "the rules together, against the ledger of whole runs",
    "tests/campaigns/test_contradictions.py": "figures of a report that contradict each other, in all examples",
    "tests/campaigns/test_invented_frameworks.py": "what well known trainers print, on invented trainings",
    "tests/campaigns/test_invented_logs.py": "every way to print a training, on trainings that never were",
    "tests/campaigns/test_invented_strangers.py": "what strangers print beside their rows, on invented trainings",
    "tests/campaigns/test_metamorphic.py": "every format, on its example with prefixes, noise and cuts",
    "tests/campaigns/test_mixed_lines.py": "every format, on lines of several in one log",
    "tests/cli/commands/test_attach_ranks.py": "one command, with a process a rank",
    "tests/cli/commands/test_plan_compare.py": "two commands that share their runs",
    "tests/cli/commands/test_run_and_record.py": "two commands that share their trainers",
    "tests/cli/test_gpu_log.py": "options of several commands",
    "tests/cli/test_named_flags.py": "every command's options",
    "tests/collectors/files/test_tail_bars.py": "tail.py and the last frame of a bar; its own test is full",
    "tests/collectors/log_formats/families/test_still_bars.py": "a Trainer beside a bar that does not move",
    "tests/collectors/log_formats/parsing/test_bar_parser_evaluations.py": "bars of evaluations",
    "tests/collectors/log_formats/test_corpus.py": "every format, on real logs",
    "tests/collectors/log_formats/test_epochs.py": "every format that counts epochs",
    "tests/collectors/log_formats/test_formats.py": "every format, on its example",
    "tests/collectors/log_formats/test_hostile.py": "every format, on hostile lines",
    "tests/collectors/log_formats/test_shared_lines.py": "every format, on lines of other programs",
    "tests/collectors/log_formats/generic/test_counted_rows_blocks.py": "counted_rows.py: its own test is full",
    "tests/collectors/log_formats/generic/test_key_value_blocks.py": "blocks of lines between its rows",
    "tests/collectors/log_formats/generic/test_key_value_settings.py": "key_value.py, dumps of settings",
    "tests/collectors/log_formats/generic/test_short_counters.py": "key_value.py, rows that `it=` counts",
    "tests/collectors/log_formats/generic/last_resort/test_bare_counts_words.py": "bare_counts.py, words beside",
    "tests/collectors/logs/test_recurring.py": "reader.py and doubt.py, rows that stand far apart",
    "tests/collectors/log_formats/generic/test_key_value_places.py": "of which iteration a line is",
    "tests/collectors/log_formats/generic/test_tables.py": "the formats of the room that are tables",
    "tests/collectors/log_formats/parsing/test_row_times_rules.py": "row_times.py by hand; its own test is full",
    "tests/collectors/log_formats/parsing/test_rows_rules.py": "rows.py by hand; its own test is full",
    "tests/collectors/log_formats/parsing/test_validation_rules.py": "validation.py; its own test is full",
    "tests/collectors/runs/test_hooks_with_log_rules.py": "hooks_with_log.py by hand; its own test is full",
    "tests/collectors/runs/test_printed_scalars.py": "printed_lines.py without losses; its own test is full",
    "tests/collectors/nvml/test_faults.py": "the room, against every fault of a driver",
    "tests/collectors/nvml/test_gpus_command.py": "the command, against a driver that is a stand-in",
    "tests/collectors/test_fuzz.py": "every format and reader, on bytes in any pieces",
    "tests/end_to_end/test_leaving.py": "the program on a terminal, ended in every way",
    "tests/end_to_end/test_misread_logs.py": "real logs, each with its truth",
    "tests/end_to_end/test_tmux.py": "the program in a real terminal",
    "tests/frameworks/test_checkpoints.py": "the hooks inside the real frameworks",
    "tests/frameworks/test_docs.py": "the pages whose frameworks are installed",
    "tests/frameworks/test_gpu_proof.py": "the proof that runs on a GPU, without one",
    "tests/frameworks/test_huggingface.py": "the hooks inside the real framework",
    "tests/frameworks/test_lightning.py": "the hooks inside the real framework",
    "tests/frameworks/test_stopwatch.py": "the hooks inside the real frameworks",
    "tests/frameworks/test_phases.py": "the hooks inside real scripts",
    "tests/frameworks/test_printed.py": "the hooks inside real scripts",
    "tests/frameworks/test_torch.py": "the hooks inside the real framework",
    "tests/frameworks/test_torch_ranks.py": "the hooks inside the real framework",
    "tests/frameworks/test_torch_spans.py": "the hooks inside the real framework",
    "tests/frameworks/test_trl.py": "the hooks inside the real framework",
    "tests/reports/html/test_in_browser.py": "the page, in a real browser",
    "tests/reports/test_sentences_rules.py": "sentences.py; its own test is full",
    "tests/reports/test_corpus.py": "every form of a report, on real logs",
    "tests/test_docs.py": "the pages",
    "tests/test_house.py": "the house",
    "tests/test_readme.py": "the README",
    "tests/trainer_hooks/startup/test_startup_folder.py": "the folder as Python's start sees it",
    "tests/trainer_hooks/test_imports.py": "what the room imports, and may not",
    "tests/analysis/test_whole_runs.py": "the room, from the events of a run to all that is said of it",
    "tests/launch/test_endings.py": "however a training ends, from its process to its report",
    "tests/trainer_hooks/automatic/test_evaluation_rules.py": "evaluation.py: what begins none, what ends one",
    "tests/trainer_hooks/delivery/test_recording_rules.py": "recording.py, to the byte; its own test is full",
    "tests/trainer_hooks/delivery/test_viewers.py": "hooks, their recording and their server, with real viewers",
    "tests/trainer_hooks/test_process_end.py": "the room, at the end of a process of every kind",
    "tests/tui/test_hostile_text.py": "every panel, on hostile text",
}
# Imports between sibling rooms that go against the others.
ROOMS_UPWARDS = {
    ("itermon.collectors.log_formats", "itermon.collectors.runs"): "a recording is read as a log too",
    ("itermon.collectors.source", "itermon.collectors.logs"): "a source has the text of a log",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions() -> Iterator[tuple[str, Function]]:
    """Each function of the package: `analysis/run.py: Run.apply`."""

    def inside(node: ast.AST, before: str) -> Iterator[tuple[str, Function]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield before + child.name, child
            named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            yield from inside(child, f"{before}{child.name}." if named else before)

    for path in MODULES:
        yield from inside(ast.parse(path.read_text(encoding="utf-8")), f"{name_of(path)}: ")


def lines_of(function: Function) -> int:
    """From `def` to the last line; a docstring does not count."""
    first = function.body[0]
    has_docstring = ast.get_docstring(function, clean=False) is not None
    docstring = (first.end_lineno or 0) - first.lineno + 1 if has_docstring else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def parameters_of(function: Function) -> int:
    listed = function.args
    every = [*listed.posonlyargs, *listed.args, *listed.kwonlyargs]
    return sum(each.arg not in {"self", "cls"} for each in every)


def test_no_room_holds_too_many_modules() -> None:
    folders = {path.parent for path in MODULES} - {ROOT}
    counts = {name_of(folder): len([p for p in folder.glob("*.py") if p.stem != "__init__"]) for folder in folders}
    assert {room for room, count in counts.items() if count > MOST_MODULES} == set(FULL_ROOMS)


def test_no_module_is_too_long() -> None:
    others = [path for folder in ("tests", "bench", "screenshots") for path in (ROOT / folder).rglob("*.py")]
    counts = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in (*MODULES, *others)}
    assert {module for module, count in counts.items() if count > MOST_LINES} == set(LONG_MODULES)


def test_no_function_is_too_long() -> None:
    counts = {name: lines_of(function) for name, function in functions()}
    assert {name for name, count in counts.items() if count > MOST_FUNCTION_LINES} == set(LONG_FUNCTIONS)
    in_order = sorted(counts.values())
    assert in_order[math.ceil(0.95 * len(in_order)) - 1] <= 25


def test_no_function_takes_too_many_parameters() -> None:
    found = {name for name, function in functions() if parameters_of(function) > MOST_PARAMETERS}
    assert found == set(MANY_PARAMETERS)


def test_every_folder_is_installed() -> None:
    listed = re.search(
        r"^packages = \[(.*?)^\]", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.M | re.S
    )
    assert listed
    folders = {path.parent.relative_to(ROOT).parts for path in MODULES}
    assert set(re.findall(r'"(.+)"', listed[1])) == {".".join(("itermon", *folder)) for folder in folders}


def test_the_newest_version_of_the_changelog_is_this_one() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\d\S+)", changelog, re.MULTILINE)[0] == itermon.__version__


@functools.cache
def import_graph() -> dict[str, set[str]]:
    """What each module imports of ours."""
    graph = grimp.build_graph("itermon", cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def test_no_imports_go_in_a_circle() -> None:
    graphlib.TopologicalSorter(import_graph()).prepare()  # raises a CycleError that names the circle


@pytest.mark.parametrize("folder", ["itermon", *(f"itermon.{room}" for room in ROOMS)])
def test_no_rooms_import_each_other(folder: str) -> None:
    """Nor the modules next to them: what two rooms need lies in a third, below both."""
    depth = folder.count(".") + 2
    rooms: dict[str, set[str]] = {}
    for module, imported in import_graph().items():
        room = ".".join(module.split(".")[:depth])
        for other in {".".join(each.split(".")[:depth]) for each in imported} - {room}:
            if all(each.startswith(f"{folder}.") for each in (room, other)) and (room, other) not in ROOMS_UPWARDS:
                rooms.setdefault(room, set()).add(other)
    graphlib.TopologicalSorter(rooms).prepare()


def test_each_test_module_stands_where_the_module_does_that_it_tests() -> None:
    def is_mirror(path: Path) -> bool:
        module = ROOT / path.parent.relative_to(ROOT / "tests") / path.stem.removeprefix("test_")
        return module.with_suffix(".py").is_file() or (module / "__init__.py").is_file()

    elsewhere = [path for path in (ROOT / "tests").rglob("test_*.py") if not is_mirror(path)]
    assert {name_of(path) for path in elsewhere} == set(ROOM_TESTS)


def test_no_regular_expression_is_compiled_because_a_reader_of_logs_is_imported() -> None:
    """A log needs a few of hundreds: `lazy_pattern` makes them at their first use."""

    def compiled(node: ast.AST) -> Iterator[ast.Call]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call) and ast.unparse(child.func) == "re.compile":
                yield child
            if not isinstance(child, Function):
                yield from compiled(child)

    readers = [path for room in ("logs", "log_formats") for path in (ROOT / "collectors" / room).rglob("*.py")]
    found = {name_of(path) for path in readers for _ in compiled(ast.parse(path.read_text(encoding="utf-8")))}
    assert len(readers) > 100
    assert found == set()


def test_every_lazy_pattern_is_one() -> None:
    """None is compiled when its module is imported, so no import finds the one that is none."""
    modules = [importlib.import_module(module) for module in import_graph() if ".log" in module]
    owners = [*modules, *(each for module in modules for each in vars(module).values() if isinstance(each, type))]
    patterns = [each for owner in owners for each in vars(owner).values() if type(each).__name__ == "_Lazy"]
    assert len(patterns) > 80
    assert all(pattern.pattern for pattern in patterns)


def test_every_exception_has_a_reason() -> None:
    for exceptions in (LONG_MODULES, LONG_FUNCTIONS, MANY_PARAMETERS, FULL_ROOMS, ROOM_TESTS, ROOMS_UPWARDS):
        assert all(exceptions.values())
