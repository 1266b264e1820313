"""The commands that read pipes and old logs, as they are typed."""

import gzip
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import real_logs
import real_sample

from itermon.cli.commands.replay import SAMPLES
from itermon.events import (
    Config,
    End,
    GpuSample,
    HostSample,
    Iteration,
    Message,
    Output,
    RunInfo,
    SpanBegin,
    SpanEnd,
    decode,
    encode,
    encode_all,
)

LOG = "".join(f"iter {i}: loss 2.5000, time 100.00ms, mfu 40.00%\n" for i in range(20))


def itermon(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "itermon", *arguments], input=given, capture_output=True, check=False, timeout=60
    )


@pytest.mark.parametrize("given", [LOG.encode(), b"".join(encode(Iteration(i, 0.1, 2.5)) for i in range(20))])
@pytest.mark.parametrize("arguments", [["-"], ["report", "-"]])
def test_a_pipe_is_reported_whether_text_or_events(given: bytes, arguments: list[str]) -> None:
    done = itermon(*arguments, given=given)
    assert done.returncode == 0
    assert b"20 iterations seen" in done.stdout


def test_a_pipe_without_a_log_is_no_log() -> None:
    done = itermon("report", "-", given=b"hello\n")
    assert done.returncode == 65
    assert b"no line of a known log format" in done.stderr


def test_a_replay_without_a_terminal_is_a_report(tmp_path: Path) -> None:
    path = tmp_path / "old.log"
    path.write_text(LOG)
    assert b"20 iterations seen" in itermon("replay", str(path)).stdout
    assert itermon("replay", str(path) + "x").returncode == 66


def test_the_demo_s_sample_shows_each_cause_and_is_named_as_what_it_is() -> None:
    """Nothing of the machine that it was recorded on is in it."""
    shown = itermon("replay", "--sample", "demo").stdout.decode()
    assert "201 iterations seen" in shown
    for cause in ("training", "warmup", "evaluation", "checkpoint", "data", "gc", "unexplained"):
        assert f" {cause} " in shown
    text = SAMPLES["demo"].path.read_text(encoding="utf-8")
    assert len(text) <= 100_000
    assert '"host"' not in text
    assert "/" not in text
    assert "the demo's trainer" in itermon("replay", "--help").stdout.decode()


def test_the_real_sample_is_played_first_and_says_where_it_is_from() -> None:
    shown = itermon("replay", "--sample").stdout.decode()
    assert shown == itermon("replay", "--sample", "rtx3090").stdout.decode()
    assert "5,041 iterations in 505 rows" in shown
    assert "5 × 31.2 s" in shown  # the evaluations and checkpoints
    assert "67.1 % of RTX 3090 bf16" in shown
    assert "github.com/karpathy/nanoGPT" in shown
    assert "MIT licence" in shown
    assert "a real training" in itermon("replay", "--help").stdout.decode()


def test_the_real_sample_holds_figures_and_no_text_of_its_source() -> None:
    path = SAMPLES["rtx3090"].path
    assert path.stat().st_size <= 200_000
    events = [decode(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    counted = Counter(type(event) for event in events)
    assert (counted[Iteration], counted[GpuSample]) == (505, 1_483)
    assert not {HostSample, Output} & set(counted)
    (info,) = (event for event in events if isinstance(event, RunInfo))
    assert (info.name, info.host, info.gpu_names) == ("gpt2-124M", "", ("NVIDIA GeForce RTX 3090",))
    (said,) = (event.text for event in events if isinstance(event, Message))
    assert said.startswith("a real run")
    words = {event.detail for event in events if isinstance(event, SpanBegin | SpanEnd | End)}
    settings = [(event.dataset, event.extra) for event in events if isinstance(event, Config)]
    assert words == {""}
    assert settings == [(None, {})] * 2


def test_the_real_sample_is_what_the_script_makes_of_its_source() -> None:
    source = real_logs.CORPUS / "gpu" / "nanogpt-rtx3090-12h" / "run.wandb"
    if not source.exists():
        pytest.skip("the corpus is not here")
    packed = SAMPLES["rtx3090"].path.read_bytes()
    assert gzip.decompress(packed) == encode_all(list(real_sample.figures(source)))


def test_a_sample_that_there_is_not_is_named_with_those_that_there_are() -> None:
    done = itermon("replay", "--sample", "h200")
    assert done.returncode == 2
    assert b"'rtx3090', 'demo'" in done.stderr


def test_one_recording_is_played() -> None:
    assert itermon("replay").returncode == 2
    assert itermon("replay", "--sample", "x.log").returncode == 2
