"""The real logs, where they are at hand: what a human says of each, and what our reading makes of it.

The iteration lines are counted independently: by the patterns below, which describe the lines and not our parsers, over
the file's lines without ANSI colours, split at carriage returns too (as `grep -cE` would after `tr` and `sed`).
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import NamedTuple

from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, expand

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"
"""They are not part of the project: whoever uses them does without where this is no folder."""

N = r"[-+]?(?:[\d.,]+(?:e[-+]?\d+)?|nan|inf)"
BAR = r"\d+(?:\.\d+)?[kM]?/\d+(?:\.\d+)?[kM]? \[[\d:]+<[\d:]+, +[\d.]+[kM]?(?:s/(?:it|batch)|(?:it|batch)/s)"
DICT = r"\{'(?:loss|epoch|grad_norm)': .*'epoch':"


class Expected(NamedTuple):
    """What a human says of some files: the glob, the names under which they may be recognised, and their iteration lines."""

    files: str
    formats: tuple[str, ...]
    line: str


EXPECTED = (
    Expected("nanogpt/*", ("nanoGPT",), rf"^(?:\S+ \S+ )?iter \d+: loss {N}"),
    Expected("issue-excerpts/nanoGPT*", ("nanoGPT",), rf"iter \d+: loss {N}"),
    Expected("build-nanogpt/*", ("build-nanogpt log.txt",), rf"^\d+ train {N}$"),
    Expected("llm.c/*.log", ("llm.c", "llm.c main.log"), rf"^step +\d+/\d+ \| loss +{N} .* tok/s|^s:\d+ trl:{N}"),
    Expected("modded-nanogpt/*.log", ("modded-nanogpt main.log",), rf"^s:\d+ trl:{N}"),
    Expected("modded-nanogpt/*.txt", ("modded-nanogpt",), r"^step:\d+/\d+ (?:train_loss:\S+ )?train_time:"),
    Expected("nanochat/*", ("nanochat",), rf"step \d+(?:/\d+)? \(.*%\) \| loss: {N}.* \| dt: {N}ms|^Step \d+/\d+ \| Training loss"),
    Expected("minGPT/*", ("minGPT",), rf"iter_dt {N}ms; iter \d+: train loss"),
    Expected("torchtitan/*", ("torchtitan",), r"step: +\d+ +loss: +\S+ .*tps: +[\d,]+"),
    Expected("issue-excerpts/torchtitan*", ("torchtitan",), r"step: +\d+ +loss: +\S+ .*tps: +[\d,]+"),
    Expected("megatron/*", ("Megatron",), r"iteration +\d+/ +\d+ \|.* elapsed time per iteration \(m?s\): \S+ \|"),
    Expected("issue-excerpts/Megatron*", ("Megatron-LM",), r"iteration +\d+/ +\d+ \|"),
    Expected("megatron-argonne/*deprecated*", ("Megatron",), r"iteration= *\d+/ *\d+ \|"),
    Expected("hf_trainer/*", ("Hugging Face Trainer",), rf"{DICT}|^ *\d+%\|[^|]*\| *{BAR}"),
    Expected("issue-excerpts/stanford*", ("Hugging Face Trainer",), DICT),
    Expected("hf_trainer_jsonl/*", ("LLaMA-Factory trainer_log.jsonl",), r"^\{.*\"loss\": "),
    Expected("hf_trainer_state/*", ("Hugging Face trainer_state.json",), r"^ +\"loss\": "),
    Expected("lightning/*SDXL*", ("Lightning",), rf"^Epoch \d+: +\d+%\|[^|]*\| {BAR}"),
    Expected("lightning/*Multimodal*", ("Lightning",), rf"^Epoch \d+: +\d+%\|[^|]*\| {BAR}"),
    Expected("lightning_csv/*", ("Lightning metrics.csv",), r"^\d+,[\d.]*,\d+,"),
    Expected("deepspeed/*step1*", ("DeepSpeed",), r"\[Rank 0\] step=\d+, skipped="),
    Expected("deepspeed/*step2*", ("DeepSpeed",), r"\[Rank 0\] step=\d+, skipped="),
    Expected("deepspeed/*step3*", ("DeepSpeed",), r"ppo_ep: ?\d+\|act_loss:"),
    Expected("deepspeed/linsky*", ("DeepSpeed",), r"\[Rank 0\] step=\d+, skipped="),
    Expected("issue-excerpts/OLMo*", ("OLMo",), r"\[step=\d+/\d+(?:,epoch=\d+)?\]$"),
    Expected("composer/*", ("Composer",), r"^\[batch=\d+/\d+\]:"),
    Expected("issue-excerpts/LLM-Shearing*", ("Composer",), r"^\[batch=\d+/\d+\]:"),
    Expected("litgpt/*", ("litgpt",), r"iter \d+ step \d+ \| loss train: "),
    Expected("issue-excerpts/litgpt*", ("litgpt",), r"iter +\d+.*loss.*iter time: "),
    Expected("fairseq/*", ("fairseq",), r"\| epoch \d+: +\d+ / \d+ loss=|\| train_inner \| \{"),
    Expected("issue-excerpts/fairseq*", ("fairseq",), r"\| epoch \d+ +\d+ / \d+ loss="),
    Expected("detectron2/*", ("detectron2 metrics.json",), r"\"total_loss\": "),
    Expected("maskrcnn-benchmark/*", ("maskrcnn-benchmark",), r"eta: .*iter: \d+ .*time: "),
    Expected("mmcv/*", ("OpenMMLab",), r"Epoch \[\d+\]\[\d+/\d+\]"),
    Expected("gnmt/*", ("GNMT",), r"TRAIN \[\d+\]\[\d+/\d+\]"),
    Expected("mxnet/*", ("MXNet",), r"Epoch\[\d+\] Batch \["),
    Expected("swin-style/*", ("Swin",), r"Train: \[\d+/\d+\]"),
    Expected("issue-excerpts/OpenPCDet*", ("OpenPCDet",), r"Train: +\d+/\d+ \("),
    Expected("torchvision-metriclogger/*", ("torchvision MetricLogger",), r"^Epoch: \[[\d/]+\] +\[ *\d+/\d+\] +eta: "),
    Expected("ultralytics-yolov5/*", ("Ultralytics YOLO",), rf"\d+/349 .*: +\d+%\|[^|]*\| *{BAR}"),
    Expected("yolov7/*", ("Ultralytics YOLO",), rf"^ +\d+/\d+ +[\d.]+G +{N} +{N}"),
    Expected("keras/*", ("Keras",), r"\d+/\d+ \[=+\] - \d+s .*s/step"),
    Expected("verl/*", ("verl",), r"\bstep:\d+ - \S+:"),
    Expected("maxtext/*metrics.md", ("MaxText",), r"completed step: \d+, seconds: [\d.]+, TFLOP/s/device: \d"),
    Expected("maxtext/*ipynb*", ("MaxText",), r"completed step: \d+, seconds: "),
    Expected("mlperf/*dgx1_bert*", ("MLPerf BERT",), r"\{'training_steps': \d+, 'average_loss': "),
    Expected("mlperf/*rnnt*", ("NVIDIA DLLogger",), r"DLL .* epoch +\d+ \| avg train"),
    Expected("mlperf/*gnn*", ("NVIDIA DLLogger",), r"DLL .*Iteration \d+ \|.*iteration_time"),
    Expected("mlperf/*gpt3*", ("MLPerf",), r":::MLLOG \{"),
    Expected("mlperf/*stable*", ("MLPerf",), r":::MLLOG \{"),
    Expected("mlperf/*lora*", ("MLPerf",), r":::MLLOG \{"),
    Expected("mlperf/*tinycorp*", ("MLPerf",), r":::MLLOG \{"),
    Expected("mlperf/*405b*", ("MLPerf",), r":::MLLOG \{"),
    Expected("openpi-jax/*", ("openpi",), r"^Step \d+: \w+="),
    Expected("openvla_tqdm/*", ("tqdm",), rf"^ *\d+%\|[^|]*\| *{BAR}"),
    Expected("pytorch-cifar-progressbar/*", ("pytorch-cifar",), r"\[=+ \d+/\d+ =+>\.*\] +Step: "),
    Expected("straggle-gpt2/*", ("straggle-ml GPT-2",), r"\[Step \d+/\d+\] global_step=\d+ train_loss="),
    Expected("wordplay-ezpz/*", ("wordplay",), r"step=\d+ loss=\S+ dt="),
    Expected("custom-paddle/*", ("PaddleRec",), r"epoch: \d+, batch_id: \d+,.*avg_batch_cost"),
    Expected("issue-excerpts/LCNN*", ("Caffe",), r"Iteration \d+, loss = "),
    Expected("jsonl/*", ("JSON Lines",), r"^\{\"(?:iter|step)\": \d+, \"loss\": "),
    Expected("issue-excerpts/P2T*", ("JSON Lines",), r"^\{.*\"train_loss\": "),
    Expected("custom/*T5*", ("key: value",), r"Epoch \d+ - Batch loss: "),
    Expected("custom/*FishVista*", ("key: value",), r"Epoch: +\d+ / 150 +Training loss: "),
    Expected("custom/*Ansh*", ("key: value",), r"Epoch \d+ \| Step \d+/\d+ \| Loss: .*Time: "),
    Expected("custom/0Xero7*", ("tqdm",), rf"Epoch \d+/20: +\d+%\|[^|]*\| *{BAR}"),
)  # fmt: skip

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Result(NamedTuple):
    """What became of one file."""

    file: str
    format: str
    as_expected: bool
    coverage: float
    counted: int  # iteration lines, independently
    read: int  # of these, how many the format reads as such
    iterations: int  # events
    seconds: float


def measure(path: Path, expected: Expected) -> Result:
    """Recognise and read one file, and count its iteration lines independently."""
    data = path.read_bytes()
    began = time.perf_counter()
    reader = LogReader()
    events = reader.feed(data)
    recognition = reader.recognition
    found = recognition.format
    seconds = time.perf_counter() - began
    pattern = re.compile(expected.line)
    texts = [_ANSI.sub("", text) for text in re.split(r"[\r\n]+", data.decode(errors="replace"))]
    ours = [text for text in texts if pattern.search(text)]
    read = sum(found.is_iteration(text) for text in ours) if found else 0
    iterations = sum(isinstance(event, Iteration) for event in expand(events))
    name = found.name if found else "none"
    return Result(
        str(path), name, name in expected.formats, recognition.coverage, len(ours), read, iterations, seconds
    )
