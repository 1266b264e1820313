"""Of several files, the log is found by what is in them."""

from pathlib import Path

import pytest

from itermon.collectors.logs.finding import find_log, recognised

NANOGPT = "iter 7: loss 2.5000, time 100.00ms, mfu 40.00%\n"


def named_values(lines: int) -> str:
    """Nobody's format, but perhaps a log."""
    return "".join(f"step: {i}, loss: {3 - i / 100}\n" for i in range(lines))


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {
        "nothing": "no iterations here\n" * 50,
        "empty": "",
        "by chance": named_values(4),
        "guess": named_values(5),
        "another guess": named_values(90),
        "known": NANOGPT,
        "also known": NANOGPT * 9,
        "known in its middle": "a preface\n" * 130 + NANOGPT * 20 + "an epilogue\n" * 130,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "folder").mkdir()
    return {name: tmp_path / name for name in [*texts, "folder", "gone"]}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (["known", "also known"], "known"),
        (["also known", "known"], "also known"),
        (["nothing", "empty", "folder", "gone", "known"], "known"),
        (["guess", "known"], "known"),
        (["guess", "another guess"], "guess"),
        (["another guess", "guess"], "another guess"),
        (["by chance", "guess"], "guess"),
        (["by chance"], None),
        (["nothing", "empty", "folder", "gone"], None),
        (["known in its middle"], "known in its middle"),
        ([], None),
    ],
)
def test_the_first_log_of_a_known_format_is_taken_before_any_guess(
    files: dict[str, Path], given: list[str], found: str | None
) -> None:
    log = find_log([files[name] for name in given])
    assert (log and log.path) == (files[found] if found else None)


def test_what_is_found_has_a_format() -> None:
    assert recognised(Path("/dev/null")).format is None
