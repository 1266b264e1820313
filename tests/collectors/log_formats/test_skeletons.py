"""Beginnings of a format: what they are called, and what they list."""

import pytest

from itermon.collectors.log_formats.parsing.vocabulary import KINDS, UNITS, WORDS
from itermon.collectors.log_formats.skeletons import python_skeleton, stem_of, toml_skeleton, vocabulary_table


@pytest.mark.parametrize(
    ("name", "stem", "class_name"),
    [
        ("My trainer", "my_trainer", "MyTrainer"),
        ("  GPT-2 (fork) ", "gpt_2_fork", "Gpt2Fork"),
        ("8-bit Trainer", "8_bit_trainer", "BitTrainer"),
        ("42", "42", "Format"),
        ("...", "format", "Format"),
    ],
)
def test_names_of_files_and_classes_follow_the_name(name: str, stem: str, class_name: str) -> None:
    assert stem_of(name) == stem
    text = python_skeleton(name)
    assert f"class {class_name}(LineParser):" in text
    assert f'name = "{name.strip()}"' in text
    assert f"itermon formats test {stem}.toml train.log" in toml_skeleton(name)
    assert "@" not in text + toml_skeleton(name)


def test_what_would_end_the_text_is_left_out_of_it() -> None:
    assert 'name = "a b"' in toml_skeleton('a" \\\n"b')


def test_each_group_stands_below_its_kind_in_lines_of_a_hundred_characters() -> None:
    for text, indent in ((toml_skeleton("x"), "# "), (python_skeleton("x"), "    # ")):
        lines = text.splitlines()
        for kind, meaning in KINDS.items():
            at = lines.index(f"{indent}  {kind}: {meaning}")
            names = []
            while lines[at + 1].startswith(f"{indent}      "):
                at += 1
                names.append(lines[at].strip("# "))
                assert len(names[-1]) <= 100
            assert " ".join(names) == ", ".join(word.name for word in WORDS if kind in word.kinds)
    assert all(", ".join(units) in toml_skeleton("x") for units in UNITS.values())


def test_the_table_has_a_row_for_each_name() -> None:
    rows = vocabulary_table()
    assert [row[1] for row in rows] == [word.name for word in WORDS]
    assert all(set(row[0].split(", ")) <= set(KINDS) for row in rows)
