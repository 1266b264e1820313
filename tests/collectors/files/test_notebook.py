"""A notebook that was saved on one line gives the lines that Jupyter writes."""

import json
from pathlib import Path

import pytest

from itermon.collectors.files.notebook import is_compact
from itermon.collectors.files.tail import Tail

PRINTED = [f'step {n}, loss: {9 - n / 100:.2f}, "a" \\n of [5], path C:\\new\n' for n in range(700)]


def notebook(text: object) -> dict[str, object]:
    output = {"output_type": "stream", "name": "stdout", "text": text}
    cell = {"cell_type": "code", "source": ["train(['a'])\n", "print('é')"], "outputs": [output]}
    return {"nbformat": 4, "nbformat_minor": 0, "metadata": {"colab": {}}, "cells": [cell]}


def read(path: Path) -> list[str]:
    tail, data = Tail(path), b""
    while (more := tail.read()) or not tail.caught_up:
        data += more
    tail.close()
    return [line.strip() for line in data.decode().splitlines()]


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_each_printed_line_stands_on_a_line(tmp_path: Path, separators: tuple[str, str]) -> None:
    path = tmp_path / "run.ipynb"
    path.write_text(json.dumps(notebook(PRINTED), separators=separators))
    printed = [json.dumps(line) for line in PRINTED]
    rows = [line.removesuffix(",") for line in read(path) if line.startswith('"step')]
    assert rows == printed


def test_an_output_in_one_string_as_kaggle_saves_it(tmp_path: Path) -> None:
    path = tmp_path / "run.ipynb"
    text = "".join(f"step {n}, loss: {9 - n / 100:.2f}\n" for n in range(700))
    whole = notebook(text)
    path.write_text(json.dumps({"metadata": {"kernelspec": {}}, **whole}, separators=(",", ":")))
    rows = [line for line in read(path) if line.startswith('"step')]
    assert rows == [f'"step {n}, loss: {9 - n / 100:.2f}\\n",' for n in range(700)]


@pytest.mark.parametrize(
    ("head", "is_one"),
    [
        (b'{"nbformat":4,"nbformat_minor":0,"metadata":{"colab"', True),
        (b'{"cells": [{"cell_type": "code", "execution_count": 1', True),
        (b'{"metadata":{"kernelspec":{"language":"python"', True),
        (b'{\n "cells": [\n  {\n   "cell_type"', False),
        (b'{"metadata": {"run": 3}, "loss": 2.5', False),
        (b'{"cells": 12, "loss": 2.5, "step": 1', False),
    ],
)
def test_only_a_notebook_is_one(head: bytes, is_one: bool) -> None:
    assert is_compact(head) is is_one
