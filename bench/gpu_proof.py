"""The proof on a real GPU: trains, records, and checks our NVML figures against nvidia-smi's, field by field.

    python bench/gpu_proof.py --out proof                     # GPT-2 of 124 M parameters, then of 1.5 B
    python bench/gpu_proof.py --out proof --tiny              # the same on a CPU, in half a minute, without NVML

Needs torch, and itermon with its dependencies importable; no network. Without one, bring them along beforehand:
`pip install --target proof-packages .`, then PYTHONPATH=proof-packages there. It prints and writes to OUT:
each NVML field beside nvidia-smi's, the price of each NVML call under load, the price of a hook in the loop, what
itermon found of the run, and the recording, whole and trimmed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec

from itermon import events
from itermon.analysis.run import Run
from itermon.collectors.nvml.sampler import NvmlSampler
from itermon.collectors.runs.listing import known_runs
from itermon.events import (
    GpuSample,
    HostSample,
    Iteration,
    Progress,
    SpanBegin,
    SpanEnd,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

TRAINER = Path(__file__).with_name("gpt2_trainer.py")
TRIMMED_BYTES = 400_000

# Our field, nvidia-smi's, its unit in ours, and by how much they may differ: both look at moving numbers, at
# moments a second apart.
CHECKS: tuple[tuple[str, str, float, float], ...] = (
    ("power_w", "power.draw", 1.0, 0.10),
    ("power_limit_w", "enforced.power.limit", 1.0, 0.001),
    ("memory_total_bytes", "memory.total", 2**20, 0.001),
    ("memory_used_bytes", "memory.used", 2**20, 0.02),
    ("memory_reserved_bytes", "memory.reserved", 2**20, 0.02),
    ("utilization", "utilization.gpu", 0.01, 0.10),
    ("temperature_c", "temperature.gpu", 1.0, 0.05),
    ("sm_clock_hz", "clocks.sm", 1e6, 0.05),
    ("sm_clock_max_hz", "clocks.max.sm", 1e6, 0.001),
    ("ecc_errors", "ecc.errors.uncorrected.volatile.total", 1.0, 0.0),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tiny", action="store_true", help="a tiny model for a few seconds, on whatever there is")
    parser.add_argument("--seconds", type=float, help="of each training (180; --tiny: 12)")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    seconds = options.seconds or (12 if options.tiny else 180)
    for size in ("tiny",) if options.tiny else ("124M", "1.5B"):
        prove(size, seconds, options.out)


def prove(size: str, seconds: float, out: Path) -> None:
    """One training: recorded, watched beside nvidia-smi, and judged."""
    print(f"== {size}, {seconds:.0f} s")
    recording = out / f"{size}.jsonl"
    recording.unlink(missing_ok=True)
    command = [sys.executable, TRAINER, "--size", size, "--seconds", str(seconds), "--out", str(out)]
    with subprocess.Popen(command) as trainer:
        run = wait_for_run(trainer)
        recorder = subprocess.Popen([sys.executable, "-m", "itermon", "record", str(run), "-o", str(recording)])
        compared = beside_nvidia_smi(trainer)
        trainer.wait()
    try:
        recorder.wait(30)
    except subprocess.TimeoutExpired:
        recorder.send_signal(signal.SIGINT)
        recorder.wait(30)
    known = json.loads((out / f"{size}.trainer.json").read_text())
    recorded = [events.decode(line) for line in recording.read_bytes().splitlines()]
    print(fields_table(compared))
    print(f"a hook's call in the loop: median {known['hook_median_us']:.2f} µs, p99 {known['hook_p99_us']:.2f} µs")
    print(findings_of(recorded, known))
    trimmed = trim(recorded, out / f"{size}.trimmed.jsonl")
    print(f"recorded {recording.stat().st_size:,} bytes, trimmed to {trimmed:,}")


def wait_for_run(trainer: subprocess.Popen[bytes]) -> int:
    """Until the trainer can be attached to."""
    while trainer.poll() is None:
        if any(run.pid == trainer.pid and run.alive for run in known_runs()):
            return trainer.pid
        time.sleep(0.1)
    sys.exit(f"the trainer ended with {trainer.returncode} before it could be recorded")


def beside_nvidia_smi(
    trainer: subprocess.Popen[bytes],
) -> list[tuple[GpuSample, dict[str, str], dict[str, float]]]:
    """Our sample, nvidia-smi's answer and the price of our calls, every other second while the trainer lives."""
    smi = shutil.which("nvidia-smi")
    sampler = NvmlSampler("0")
    found = []
    over = threading.Event()
    while trainer.poll() is None:
        gpus = [event for event in sampler.sample() if isinstance(event, GpuSample)]
        if gpus and not gpus[0].lost and smi:
            took_s = dict(sampler.library.took_s)
            found.append((gpus[0], ask_nvidia_smi(smi), took_s))
        over.wait(2)
    sampler.close()
    return found


def ask_nvidia_smi(smi: str) -> dict[str, str]:
    names = [name for _, name, _, _ in CHECKS]
    query = f"--query-gpu={','.join(names)}"
    done = subprocess.run(
        [smi, "-i", "0", query, "--format=csv,noheader,nounits"], capture_output=True, text=True, check=False
    )
    return dict(zip(names, (part.strip() for part in done.stdout.split(",")), strict=False))


def fields_table(compared: Sequence[tuple[GpuSample, dict[str, str], dict[str, float]]]) -> str:
    """Each field: the medians of both, how often they agreed, and whether that is nearly always."""
    if not compared:
        return "no NVIDIA GPU here, or no nvidia-smi: nothing to compare NVML's figures with"
    lines = [f"{'field':<24}{'itermon':>16}{'nvidia-smi':>16}  agree"]
    for field, name, factor, tolerance in CHECKS:
        pairs = [(getattr(gpu, field), number(smi.get(name, ""), factor)) for gpu, smi, _ in compared]
        both = [(a, b) for a, b in pairs if a is not None and b is not None]
        if not both:
            absent = compared[-1][0].absent.get(field, "")
            lines.append(f"{field:<24}{'–':>16}{compared[-1][1].get(name, ''):>16}  {absent}")
            continue
        agree = sum(abs(a - b) <= tolerance * max(abs(b), 1e-9) for a, b in both)
        ours, theirs = (median(pair[side] for pair in both) for side in (0, 1))
        verdict = "" if agree >= 0.8 * len(both) else "  DIFFERENT"
        lines.append(f"{field:<24}{ours:>16.6g}{theirs:>16.6g}  {agree} of {len(both)}{verdict}")
    lines += ["", "price of each NVML call under load, median µs"]
    calls = sorted({call for _, _, took_s in compared for call in took_s})
    for call in calls:
        prices = [took_s[call] * 1e6 for _, _, took_s in compared if call in took_s]
        lines.append(f"  {call:<44}{median(prices):>10.1f}")
    return "\n".join(lines)


def number(text: str, factor: float) -> float | None:
    try:
        return float(text) * factor
    except ValueError:
        return None


def findings_of(recorded: Sequence[events.Event], known: dict[str, Any]) -> str:
    """What itermon found of the run, and what it finds with the hooks' spans taken out: by telemetry alone."""
    whole, blind = Run(), Run()
    whole.apply(recorded)
    blind.apply([event for event in recorded if not isinstance(event, (SpanBegin, SpanEnd, Progress))])
    found = whole.findings(spikes=None)
    audit = found.audit
    lines = [
        f"iterations {known['iterations']:,}, clean {_number(found.level.clean_s)} s, MFU {_number(audit.mfu)}",
        f"energy {_number(audit.energy_per_iteration_j)} J an iteration, {_number(audit.energy_run_j)} J in all",
        f"verdict: {found.verdict.headline}",
        f"GPU samples: {sum(isinstance(e, GpuSample) for e in recorded)}",
        f"host samples: {sum(isinstance(e, HostSample) for e in recorded)}",
    ]
    for kind, indices in (("evaluation", known["evaluated"]), ("checkpoint", known["saved"])):
        for name, run in (("with hooks", whole), ("by telemetry alone", blind)):
            spikes = {s.index: s for s in run.findings(spikes=None).spikes}
            right = sum(any(kind in c.kind for c in spikes[i].causes) for i in indices if i in spikes)
            lines.append(f"{kind}s {name}: {right} of {len(indices)}")
    return "\n".join(lines)


def trim(recorded: Sequence[events.Event], path: Path) -> int:
    """The recording without what only a live screen needs, cut where it is long enough."""
    size, reasons = 0, {}
    with path.open("wb") as file:
        for event in recorded:
            if isinstance(event, Progress):
                continue
            kept = event
            if isinstance(event, GpuSample):
                # Why fields are absent is said once, and again where it changes.
                same, reasons = event.absent == reasons, event.absent
                kept = msgspec.structs.replace(event, absent={}) if same else event
            line = events.encode(kept)
            if size + len(line) > TRIMMED_BYTES and isinstance(event, (Iteration, GpuSample, HostSample)):
                break
            size += file.write(line)
    return size


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


if __name__ == "__main__":
    main()
