"""`itermon plan` and `itermon compare`, as they are typed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from seed_runs import run_a, run_b

from itermon.cli.main import main
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    Config,
    Event,
    Iteration,
    SpanBegin,
    SpanEnd,
)


def nanogpt(events: list[Event]) -> str:
    """The log that nanoGPT would have printed of `events`."""
    lines = []
    for e in events:
        match e:
            case Config():
                settings = {
                    "batch_size": e.micro_batch_size,
                    "block_size": e.block_size,
                    "gradient_accumulation_steps": e.gradient_accumulation,
                    "n_layer": e.layers,
                    "n_embd": e.embedding,
                    "max_iters": e.max_iterations,
                }
                lines += [f"Overriding: {k} = {v}" for k, v in settings.items() if v is not None]
                tokens = (e.micro_batch_size or 0) * (e.block_size or 0) * (e.gradient_accumulation or 0)
                lines.append(f"tokens per iteration will be: {tokens:,}")
            case SpanEnd(kind=kind, iteration=iteration, values=values) if kind == EVALUATION:
                lines.append(f"step {iteration}: train loss 3.0000, val loss {values['val_loss']:.4f}")
            case SpanBegin(kind=kind) if kind == CHECKPOINT:
                lines.append("saving checkpoint to out")
            case Iteration(index=i, duration_s=s, loss=loss, mfu=mfu):
                shown = -100 if mfu is None else 100 * mfu
                lines.append(f"iter {i}: loss {loss:.4f}, time {1e3 * (s or 0):.2f}ms, mfu {shown:.2f}%")
    return "\n".join(lines) + "\n"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "a.log").write_text(nanogpt(run_a(gpu=None)))
    (tmp_path / "before.log").write_text(nanogpt(run_b("before")))
    (tmp_path / "after.log").write_text(nanogpt(run_b("after")))
    return tmp_path


def itermon(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    return result.exit_code, result.output


def test_a_plan_of_a_log(logs: Path) -> None:
    code, said = itermon("plan", logs / "a.log", "--gradient-accumulation", 16, "--gpu-name", "NVIDIA H200")
    assert code == 0
    assert "5.25 s" in said
    assert "262,144" in said


def test_what_is_impossible_is_said_and_is_no_error(logs: Path) -> None:
    code, said = itermon("plan", logs / "a.log", "--target", "1s", "--gpu-name", "NVIDIA H200")
    assert code == 0
    assert "at least 11 such GPUs" in " ".join(said.split())


def test_a_plan_as_json(logs: Path) -> None:
    code, said = itermon("plan", logs / "a.log", "--tokens", "10e9", "--gradient-accumulation", 16, "--json")
    assert code == 0
    assert json.loads(said)["planned"]["iterations"] == 38_147


@pytest.mark.parametrize("target", ["soon", "0s", "-1s", "1h"])
def test_a_target_that_is_no_time_is_a_usage_error(logs: Path, target: str) -> None:
    code, said = itermon("plan", logs / "a.log", "--target", target)
    assert code == 2
    assert "1.5s or 300ms" in said


def test_a_comparison_of_two_logs(logs: Path) -> None:
    code, said = itermon("compare", logs / "before.log", logs / "after.log")
    assert code == 0
    assert "58 % fewer tokens/s, because the model costs 2.85 × the FLOPs a token." in said
    assert "0.0134 lower" in " ".join(said.split())


def test_a_comparison_as_json(logs: Path) -> None:
    code, said = itermon("compare", logs / "before.log", logs / "after.log", "--json")
    found = json.loads(said)
    assert code == 0
    assert found["iteration_interval"]["ratio"] == pytest.approx(9.34 / 3.9, rel=1e-3)
    assert "RTX 4060 Ti" in found["impossible_gpus"]


def test_a_missing_file_is_told_by_name(logs: Path) -> None:
    code, said = itermon("compare", logs / "before.log", logs / "aftr.log")
    assert code == 66
    assert "aftr.log" in said


def test_neither_command_needs_the_screen(logs: Path) -> None:
    script = (
        "import sys; from click.testing import CliRunner; from itermon.cli.main import main\n"
        f"assert CliRunner().invoke(main, ['plan', {str(logs / 'a.log')!r}]).exit_code == 0\n"
        f"assert CliRunner().invoke(main, ['compare'] + [{str(logs / 'a.log')!r}] * 2).exit_code == 0\n"
        "assert 'textual' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
