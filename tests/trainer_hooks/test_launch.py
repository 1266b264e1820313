"""Two attempts of one training are started alike, and the digest of it gives nothing away."""

import sys
from pathlib import Path

import pytest

from itermon.trainer_hooks.launch import job, launch


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def started(monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    monkeypatch.setattr(sys, "argv", list(words))
    return launch()


@pytest.mark.parametrize(
    "again",
    [
        ("train.py", "--lr=1", "--resume"),
        ("train.py", "--resume", "out/step_100.pt", "--lr=1"),
        ("train.py", "--init_from=resume", "--lr=1"),
        ("train.py", "--lr=1", "trainer.resume_from=a.pt"),
        ("./train.py", "--lr=1", "--resume_from_checkpoint", "a"),
    ],
)
def test_what_says_where_to_go_on_from_is_no_difference(
    monkeypatch: pytest.MonkeyPatch, again: tuple[str, ...]
) -> None:
    first = started(monkeypatch, "train.py", "--lr=1")
    assert len(first) == 16
    assert int(first, 16)
    assert started(monkeypatch, *again) == first


@pytest.mark.parametrize("other", [("train.py", "--lr=2"), ("b.py", "--lr=1"), ("train.py", "--lr=1", "--out=b")])
def test_another_command_or_folder_is_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, other: tuple[str, ...]
) -> None:
    first = started(monkeypatch, "train.py", "--lr=1")
    assert started(monkeypatch, *other) != first
    (tmp_path / "b").mkdir()
    monkeypatch.chdir(tmp_path / "b")
    assert started(monkeypatch, "train.py", "--lr=1") != first


def test_where_no_script_was_started_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert started(monkeypatch, "-c", "a") == started(monkeypatch, "") == started(monkeypatch) == ""


@pytest.mark.parametrize(
    ("number", "count", "expected"),
    [
        ("7", None, ("7", 0)),
        ("7", "2", ("7", 2)),
        ("7", "x", ("7", None)),
        (None, "1", ("", None)),
        ("7;8", "1", ("", None)),
        ("1" * 99, "1", ("", None)),
    ],
)
def test_slurms_job_is_known_by_its_number(
    monkeypatch: pytest.MonkeyPatch, number: str | None, count: str | None, expected: tuple[str, int | None]
) -> None:
    for name, value in (("SLURM_JOB_ID", number), ("SLURM_RESTART_COUNT", count)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    assert job() == expected


def test_the_value_of_an_option_is_one_word_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert started(monkeypatch, "train.py", "--resume", "a.pt", "b") != started(monkeypatch, "train.py")
    assert started(monkeypatch, "train.py", "--resume", "a.pt", "b") == started(monkeypatch, "train.py", "b")


def test_a_job_s_number_has_sixteen_digits_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    for digits in (15, 16, 17):
        number = "1" * digits
        monkeypatch.setenv("SLURM_JOB_ID", number)
        monkeypatch.setenv("SLURM_RESTART_COUNT", number)
        assert job() == ((number, int(number)) if digits <= 16 else ("", None))
