"""What strangers' scripts print before they train: settings in many shapes, bars and rows over data, warnings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from .plans import Plan
    from .tape import Tape

WARNINGS = (
    "/usr/lib/python3.10/site-packages/torch/optim/lr_scheduler.py:139: UserWarning: Detected\n  warnings.warn(",
    "/opt/conda/lib/python3.8/site-packages/sklearn/metrics/_classification.py:1344: UndefinedMetricWarning: ill",
    "[W reducer.cpp:1303] Warning: find_unused_parameters=True was specified in DDP constructor",
    "Token indices sequence length is longer than the specified maximum sequence length (712 > 512)",
    "huggingface/tokenizers: The current process just got forked, after parallelism has already been used.",
    "WARNING:root:skipping batch 17: empty target",
)


def settings(plan: Plan, random: Random) -> dict[str, object]:
    """What such a program is set to: many numbers, few of them counts of what is trained."""
    first = plan.phases[0]
    every = {
        "batch_size": plan.batch_size,
        "epochs": first.epochs,
        "lr": 0.001,
        "weight_decay": 0.01,
        "warmup_steps": random.choice([100, 500, 4000]),
        "eval_every": random.choice([1, 50, 1000]),
        "eval_batch_size": 2 * plan.batch_size,
        "save_steps": random.choice([500, 2000]),
        "seed": random.choice([42, 1234, 2023]),
        "year": 2017,
        "num_workers": random.choice([0, 4, 8]),
        "hidden_size": random.choice([128, 512, 768]),
        "max_len": random.choice([128, 256, 512]),
        "log_interval": random.choice([1, 10, 50]),
        "patience": random.choice([3, 10]),
        "n_gpu": 1,
        "data": "data/train.txt",
        "resume": None,
        "amp": False,
    }
    kept = random.sample(list(every), random.randint(6, len(every)))
    return {name: value for name, value in every.items() if name in kept or name in ("batch_size", "epochs")}


def dump(tape: Tape, plan: Plan, random: Random, at_s: float) -> dict[str, object]:
    """The settings in one of many shapes; those that are printed."""
    shape = random.choice(
        ["none", "namespace", "yaml", "json", "json line", "table", "dashes", "flags", "sentence"]
    )
    named = settings(plan, random)
    if shape == "none":
        return {}
    lines = {
        "namespace": [f"Namespace({', '.join(f'{name}={value!r}' for name, value in named.items())})"],
        "yaml": ["config:", *(f"  {name}: {value}" for name, value in named.items())],
        "json": json.dumps(named, indent=4).split("\n"),
        "json line": [f"args: {json.dumps(named)}"],
        "table": [
            "+----------------------+----------------+",
            *(f"| {name:<20} | {value!s:>14} |" for name, value in named.items()),
            "+----------------------+----------------+",
        ],
        "dashes": ["-" * 30, *(f"{name:>24} ..... {value}" for name, value in named.items()), "-" * 30],
        "flags": ["python train.py " + " ".join(f"--{name} {value}" for name, value in named.items())],
        "sentence": [f"Training for {named['epochs']} epochs, batch size {named['batch_size']}, lr 0.001"],
    }[shape]
    for line in lines:
        tape.say(line, at_s)
    return named if shape != "sentence" else {"batch_size": plan.batch_size, "epochs": plan.phases[0].epochs}


BARS = {
    "tokenizing": (5000, "Map: ", "examples/s"),
    "scanning": (128, "train: Scanning labels.cache... 128 images, 0 corrupt: ", "it/s"),
    "tqdm": (64, "", "it/s"),
}


def _bar(tape: Tape, lasts_s: float, count: int, title: str, unit: str, at_s: float) -> None:
    for tenth in range(1, 11):
        done, spent_s = count * tenth // 10, lasts_s * tenth / 10
        drawn = f"{title}{10 * tenth:3d}%|{'█' * tenth:<10}| {done}/{count}"
        clock = f"[00:{int(spent_s):02d}<00:{int(lasts_s - spent_s):02d}, {done / spent_s:.2f}{unit}]"
        tape.draw(f"{drawn} {clock}", at_s + spent_s, "\n" if tenth == 10 else "\r")


def prepare(tape: Tape, plan: Plan, random: Random, at_s: float) -> float:
    """What is done to the data first; the time at its end."""
    kind = random.choice(["nothing", "words", "tokenizing", "scanning", "shards", "tqdm", "table", "epochs"])
    until_s = at_s + plan.prepare_s
    if kind == "words":
        tape.say("Loaded 50000 training and 10000 validation samples in 3.21 s", until_s)
        tape.say("Number of parameters: 11,689,512", until_s)
    if kind in BARS:
        _bar(tape, plan.prepare_s, *BARS[kind], at_s)
    if kind == "shards":
        for number in range(1, 6):
            tape.say(
                f"Loading shard {number}/5: 10000 samples, took {plan.prepare_s / 5:.2f}s",
                at_s + number * plan.prepare_s / 5,
            )
    if kind == "table":
        for line in ("   layer  params", "0  conv1  9408", "1  bn1  128", "2  fc  513000", "total 522536"):
            tape.say(line, until_s)
    if kind == "epochs":
        for number in range(1, 4):
            tape.say(
                f"word2vec epoch {number}: {number * 1000} words, {number * 37} sentences",
                at_s + number * plan.prepare_s / 4,
            )
    return until_s
