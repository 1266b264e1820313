"""YAML as blocks: whatever a text holds, it stays a text."""

from itermon.metrics.yaml_text import yaml_text


def test_mappings_and_lists_become_blocks() -> None:
    value = {"a": [{"b": 1, "c": ["x: y", "- z"]}, {"d": {}}], "e": {"f": True}}
    assert yaml_text(value) == ('a:\n  - b: 1\n    c:\n      - "x: y"\n      - "- z"\n  - d: {}\ne:\n  f: true\n')


def test_what_means_something_to_yaml_is_quoted() -> None:
    assert yaml_text({"a": 'no "b"\n#'}) == 'a: "no \\"b\\"\\n#"\n'
