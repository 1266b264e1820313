"""A frame in words: short, without anybody's home, and whose code it is."""

import os
import sys
from pathlib import Path
from types import CodeType, SimpleNamespace

import pytest

from itermon.events import LONGEST_FRAME, MOST_FRAMES
from itermon.trainer_hooks.stacks import places
from itermon.trainer_hooks.stacks.places import Places

STANDARD = Path(os.__file__).parent
OURS = Path(places.__file__).parents[1]


def code(file: str, name: str = "step") -> CodeType:
    return compile(f"def {name}(): pass", file, "exec").co_consts[0]  # type: ignore[no-any-return]


def module(file: str) -> CodeType:
    return compile("pass", file, "exec")


@pytest.mark.parametrize(
    ("file", "words", "users"),
    [
        ("/home/ann/work/train.py", "train.py:7 step", True),
        ("/home/ann/work/data/shards.py", "data/shards.py:7 step", True),
        ("/home/ann/other/deep/tools.py", "deep/tools.py:7 step", True),
        ("/home/ann/tools.py", "tools.py:7 step", True),
        ("/Users/ann/tools.py", "tools.py:7 step", True),
        ("/train.py", "train.py:7 step", True),
        ("/root/tools.py", "tools.py:7 step", True),
        ("/home/ann/env/lib/python3.11/site-packages/torch/nn/linear.py", "torch/nn/linear.py:7 step", False),
        ("/usr/lib/python3/dist-packages/numpy/core/memmap.py", "numpy/core/memmap.py:7 step", False),
        (f"{STANDARD}/threading.py", "threading.py:7 step", False),
        (f"{STANDARD}/json/decoder.py", "json/decoder.py:7 step", False),
        ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>:7 step", False),
        ("<string>", "<string>:7 step", False),
        ("<ipython-input-3-ab>", "<ipython-input-3-ab>:7 step", True),
    ],
)
def test_a_file_is_called_by_what_matters_of_it(
    file: str, words: str, users: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/root")
    assert Places("/home/ann/work").words([(code(file), 7)]) == ((words,), 0 if users else None)


def test_the_users_own_is_the_innermost_that_no_package_holds() -> None:
    steps = [
        (code(f"{STANDARD}/ssl.py", "read"), 1),
        (code("/x/site-packages/requests/api.py", "get"), 2),
        (code(f"{OURS}/automatic/dataloader.py", "watched"), 3),
        (code("/work/data.py", "read_shard"), 48),
        (code("/work/train.py", "main"), 9),
    ]
    assert Places("/work").words(steps) == (
        ("ssl.py:1 read", "requests/api.py:2 get", "data.py:48 read_shard", "train.py:9 main"),
        2,
    )


def test_a_command_given_as_text_is_the_users_and_what_a_library_makes_of_text_is_not() -> None:
    assert Places("/work").words([(code("<string>", "__init__"), 2), (module("<string>"), 1)]) == (
        ("<string>:2 __init__", "<string>:1 <module>"),
        1,
    )


def test_a_method_has_the_name_of_its_class_and_a_closure_its_own() -> None:
    space: dict[str, object] = {}
    exec(
        compile("class Shards:\n def read(self): pass\ndef f():\n def g(): pass\n return g", "/w/d.py", "exec"),
        space,
    )
    read, inner = space["Shards"].read, space["f"]()  # type: ignore[attr-defined,operator]
    words, _ = Places("/w").words([(read.__code__, 2), (inner.__code__, 4)])
    assert words == ("d.py:2 Shards.read" if sys.version_info >= (3, 11) else "d.py:2 read", "d.py:4 g")


@pytest.mark.parametrize("depth", [MOST_FRAMES - 1, MOST_FRAMES, 200])
def test_of_a_deep_stack_the_innermost_and_the_users_own_stay(depth: int) -> None:
    steps = [(code("/x/site-packages/deep.py", f"f{n}"), n + 1) for n in range(depth)]
    steps += [(code("/w/train.py", "main"), 5), *[(code("/w/train.py", "outer"), 6)] * 50]
    words, own = Places("/w").words(steps)
    assert own is not None
    assert (words[0], words[own], len(words)) == ("deep.py:1 f0", "train.py:5 main", MOST_FRAMES)
    assert (f"({depth - 10} more)" in words) == (depth >= MOST_FRAMES)


@pytest.mark.parametrize(("longer", "begins"), [(0, "n"), (1, "…")])
def test_a_frame_that_just_fits_is_not_cut(longer: int, begins: str) -> None:
    name = "n" * (LONGEST_FRAME - len(".py:3 step") + longer)
    (words,), _ = Places("/w").words([(code(f"/w/{name}.py"), 3)])
    assert (len(words), words[0]) == (LONGEST_FRAME, begins)


def test_a_frame_without_a_line_is_at_0() -> None:
    assert Places("/w").words([(code("/w/a.py"), None)])[0] == ("a.py:0 step",)  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("main", "arguments", "words"),
    [
        ("/w/train.py", ["/other/run.py", "/w/deep.py"], "a/b/c.py:3 step"),
        (None, ["/w/train.py", "/other/data.txt"], "a/b/c.py:3 step"),
        ("/other/train.py", ["/w/train.py"], "b/c.py:3 step"),
    ],
)
def test_what_is_short_is_told_from_where_the_script_lies(
    main: str | None, arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "__main__", SimpleNamespace(__file__=main))  # type: ignore[misc]
    monkeypatch.setattr(sys, "argv", arguments)
    assert Places().words([(code("/w/a/b/c.py"), 3)])[0] == (words,)


def test_ten_thousand_files_are_remembered_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(places, "short_file", lambda file, *_: bool(asked.append(file)) or (file, True))
    known = Places("/w")
    for _ in range(2):
        for number in range(10_001):
            known.words_of_file(f"{number}.py", 1, "step")
    assert asked == [*(f"{number}.py" for number in range(10_001)), "10000.py"]


def test_ten_thousand_lines_are_remembered_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(places, "as_text", lambda text: told.append(text) or text)
    known, step = Places("/w"), code("/w/a.py")
    for _ in range(2):
        for line in range(1, 10_002):
            known.words([(step, line)])
    assert told == [*(f"a.py:{line} step" for line in range(1, 10_002)), "a.py:10001 step"]


def test_no_frame_is_longer_than_is_shown() -> None:
    (words,), own = Places("/w").words([(code("/w/" + "long/" * 100 + "x.py"), 3)])
    assert (len(words), words[0], words.endswith("long/x.py:3 step"), own) == (LONGEST_FRAME, "…", True, 0)


def test_a_file_name_that_is_no_text_stands_as_far_as_it_is() -> None:
    (words,), _ = Places("/w").words([(code("/w/\udcff.py"), 3)])
    assert words == "?.py:3 step"


def test_frames_that_somebody_else_has_seen_are_told_alike() -> None:
    deep = [(f"{STANDARD}/ssl.py", 1, "read")] * 30
    words, own = Places("/w").words_of([(f"{OURS}/hooks.py", 1, "x"), *deep, ("/w/data.py", 48, "read_shard")])
    assert own is not None
    assert (words[own], len(words) <= MOST_FRAMES, words[0]) == ("data.py:48 read_shard", True, "ssl.py:1 read")


@pytest.mark.parametrize("depth", [0, MOST_FRAMES - 1, MOST_FRAMES, 200])
def test_of_a_deep_stack_that_another_has_seen_as_many_stay(depth: int) -> None:
    frames = [("/x/site-packages/deep.py", n + 1, f"f{n}") for n in range(depth)]
    frames += [("/w/train.py", 5, "main"), *[("/w/train.py", 6, "outer")] * 50]
    words, own = Places("/w").words_of(frames)
    assert own is not None
    assert (words[own], len(words)) == ("train.py:5 main", MOST_FRAMES)
