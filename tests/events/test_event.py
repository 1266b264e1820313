"""What all events have in common, and what the package loads."""

import subprocess
import sys

import pytest

from itermon import events
from itermon.events import ClockKind, EndReason, Severity, SourceState, Strength


@pytest.mark.parametrize("words", [ClockKind, EndReason, Severity, SourceState, Strength])
def test_a_word_reads_as_its_text(words: type[events.Word]) -> None:
    for word in words:
        assert word == word.value == str(word) == f"{word}" == "".join([word])
        assert hash(word) == hash(word.value)


def test_strengths_stand_from_the_strongest_to_the_weakest() -> None:
    assert [*Strength] == ["hook", "log", "telemetry", "period", "guess"]


def test_all_that_a_module_names_is_at_the_front() -> None:
    assert sorted(events.__all__) == sorted({*events.__all__})
    assert all(hasattr(events, name) for name in events.__all__)


def test_the_vocabulary_loads_nothing_but_msgspec_and_the_standard_library() -> None:
    code = "import sys, msgspec; before = {*sys.modules}; import itermon.events; print(*({*sys.modules} - before))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    foreign = {name.partition(".")[0] for name in loaded} - set(sys.stdlib_module_names)
    assert foreign == {"itermon"}
    assert [name for name in loaded if name.startswith("itermon.") and not name.startswith("itermon.events")] == []
