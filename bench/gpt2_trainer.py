"""A GPT-2 that trains in plain PyTorch with itermon's hooks on: the trainer of `gpu_proof.py`.

    python bench/gpt2_trainer.py --size 124M --seconds 180 --out /tmp/proof

Its text is what every machine with Python has: the standard library's source, as bytes, in a memory-mapped file
like nanoGPT's. It evaluates, writes real checkpoints, and at the end prints what a hook's call cost in this loop.
"""

from __future__ import annotations

import argparse
import json
import os
import sysconfig
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

import itermon


class Size(NamedTuple):
    layers: int
    heads: int
    embedding: int
    block_size: int
    vocabulary: int
    micro_batch_size: int
    gradient_accumulation: int
    evaluate_every: int
    save_every: int
    evaluations: int  # batches of one evaluation


SIZES = {
    "tiny": Size(2, 2, 64, 64, 256, 4, 2, 10, 20, 4),
    "124M": Size(12, 12, 768, 1024, 50304, 16, 8, 40, 80, 40),
    "1.5B": Size(48, 25, 1600, 1024, 50304, 8, 8, 15, 30, 20),
}


class Block(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.heads = size.heads
        self.before_attention, self.before_mlp = nn.LayerNorm(size.embedding), nn.LayerNorm(size.embedding)
        self.qkv = nn.Linear(size.embedding, 3 * size.embedding)
        self.out = nn.Linear(size.embedding, size.embedding)
        self.up = nn.Linear(size.embedding, 4 * size.embedding)
        self.down = nn.Linear(4 * size.embedding, size.embedding)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, time_steps, width = x.shape
        q, k, v = self.qkv(self.before_attention(x)).split(width, dim=2)
        q, k, v = (t.view(batch, time_steps, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, time_steps, width))
        return x + self.down(functional.gelu(self.up(self.before_mlp(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.tokens = nn.Embedding(size.vocabulary, size.embedding)
        self.positions = nn.Embedding(size.block_size, size.embedding)
        self.blocks = nn.ModuleList(Block(size) for _ in range(size.layers))
        self.last = nn.LayerNorm(size.embedding)
        self.apply(self._start)

    def forward(self, tokens: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        logits = functional.linear(self.last(x), self.tokens.weight)  # the two embeddings are one, as in GPT-2
        return functional.cross_entropy(logits.view(-1, logits.shape[-1]), targets.reshape(-1))

    @staticmethod
    def _start(module: nn.Module) -> None:
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)


class Text:
    """Windows of a memory-mapped file of bytes, one token each."""

    def __init__(self, path: Path, size: Size, device: str) -> None:
        self._data = torch.from_file(str(path), size=path.stat().st_size, dtype=torch.uint8)
        self._size, self._device = size, device

    def batch(self) -> tuple[torch.Tensor, torch.Tensor]:
        length = self._size.block_size
        starts = torch.randint(len(self._data) - length - 1, (self._size.micro_batch_size,))
        windows = torch.stack([self._data[s : s + length + 1] for s in starts.tolist()]).long()
        windows = windows.to(self._device, non_blocking=True)
        return windows[:, :-1], windows[:, 1:]


def write_text(path: Path) -> None:
    """The standard library's source, one file after the other."""
    with path.open("wb") as file:
        for source in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
            file.write(source.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    size, device = SIZES[options.size], "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1337)
    torch.set_float32_matmul_precision("high")
    write_text(options.out / "text.bin")
    text = Text(options.out / "text.bin", size, device)
    model = Gpt(size).to(device)
    run = torch.compile(model) if options.compile else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=device == "cuda")
    parameters = sum(p.numel() for p in model.parameters()) - model.positions.weight.numel()
    hooks = itermon.Hooks(
        f"gpt2-{options.size}", framework="PyTorch",
        layers=size.layers, heads=size.heads, embedding=size.embedding, vocabulary=size.vocabulary, bias=True,
        block_size=size.block_size, micro_batch_size=size.micro_batch_size, parameters=parameters,
        gradient_accumulation=size.gradient_accumulation, world_size=1,
        precision="bf16" if device == "cuda" else "fp32", compiled=options.compile,
        evaluation_interval=size.evaluate_every, checkpoint_interval=size.save_every,
        gpu_name=torch.cuda.get_device_name() if device == "cuda" else None,
    )  # fmt: skip
    with hooks:
        found = train(hooks, run, optimizer, text, size, device, options)
    (options.out / f"{options.size}.trainer.json").write_text(json.dumps(found))


def train(hooks, model, optimizer, text, size, device, options) -> dict[str, object]:  # type: ignore[no-untyped-def]
    """Train for `--seconds`; what the hooks' calls took, and which iterations evaluated and saved."""
    calls_ns: list[int] = []
    evaluated, saved = [], []
    half = torch.autocast(device, torch.bfloat16, enabled=device == "cuda")
    end_s, i = time.monotonic() + options.seconds, 0
    hooks.begin()
    while time.monotonic() < end_s:
        if i and i % size.evaluate_every == 0:
            with hooks.evaluation() as values, torch.no_grad(), half:
                losses = [model(*text.batch()) for _ in range(size.evaluations)]
                values["val_loss"] = float(torch.stack(losses).mean())
            evaluated.append(i)
        if i and i % size.save_every == 0:
            with hooks.checkpoint() as values:
                values["bytes"] = save(model, optimizer, options.out / "checkpoint.pt")
            saved.append(i)
        for k in range(size.gradient_accumulation):
            with hooks.data():
                tokens, targets = text.batch()
            with half:
                loss = model(tokens, targets) / size.gradient_accumulation
            loss.backward()
            hooks.micro_step(k + 1, size.gradient_accumulation)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        value = loss.item() * size.gradient_accumulation  # waits for the GPU: the iteration's time is the GPU's
        began = time.perf_counter_ns()
        hooks.iteration(i, loss=value)
        calls_ns.append(time.perf_counter_ns() - began)
        i += 1
    calls_ns.sort()
    return {
        "iterations": i,
        "evaluated": evaluated,
        "saved": saved,
        "hook_median_us": median(calls_ns) / 1e3,
        "hook_p99_us": calls_ns[int(0.99 * (len(calls_ns) - 1))] / 1e3,
        "torch": torch.__version__,
        "gpu": torch.cuda.get_device_name() if device == "cuda" else "",
        "pid": os.getpid(),
    }


def save(model: nn.Module, optimizer: torch.optim.Optimizer, path: Path) -> int:
    """Write and sync: without the sync a small checkpoint is only in the page cache."""
    with path.open("wb") as file:
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
        file.flush()
        os.fsync(file.fileno())
    return path.stat().st_size


if __name__ == "__main__":
    main()
