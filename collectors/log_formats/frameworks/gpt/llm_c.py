"""llm.c (karpathy): the console of `train_gpt2cu`, and `main.log` in its output directory.

Console:
    step  250/19560 | loss 5.949 (+0.1z)| norm 0.59 (-0.2z)| lr 2.1e-04 | 382.11 ms | 52.1% bf16 MFU | 1372101 tok/s
The time is measured by CUDA events around data load, forward, backward and update: it excludes validation, HellaSwag,
sampling and checkpoints. Steps are counted from 1 here. `tok/s` is a bias-corrected running mean over all GPUs, so it
disagrees with the time; MFU is this step's, per GPU, `-100.0%` where the GPU is unknown. The z-scores are nan for the
first 128 steps by design: only `loss nan` is a bad loss. `val loss` belongs to the weights before the step that follows.

`main.log` counts from 0 and holds no time: `s:250 tel:5.9521`, `s:250 trl:5.9493 lr:0.000214 norm:0.59`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


def _row(title: str, field: str, value: str = "N") -> Line:
    """A row of the table printed at the start: `| micro batch size B    | 32 |`."""
    return Line(title, rf"^\| {title} +\| (?P<{field}>{value})", "config")


class LlmC(LineParser):
    """The console: times without evaluation and checkpoint."""

    name = "llm.c"
    synchronised = True
    about = (
        "ms of one step by CUDA events, without validation, HellaSwag, sampling, checkpoint; tok/s a running mean"
    )
    lines = (
        Line(
            "tok/s",
            r"step +(?P<iteration>\d+)/(?P<total>\d+) \| (?:train )?loss +(?P<loss>N)(?: \([^)]*z\))? ?\| norm +"
            r"(?P<gradient_norm>N)(?: \([^)]*z\))? ?\| lr (?P<learning_rate>N) \| (?P<duration_ms>N) ms"
            r"(?: \| (?P<mfu_percent>N)% \w+ MFU)? \| (?P<tokens_per_s>N) tok/s",
        ),
        Line(
            "tok/s",  # 2024-04 and -05: `step 1/60 | train loss 10.9 | norm .. | lr .. | (12.1 ms | 8100 tok/s)`
            r"step +(?P<iteration>\d+)/(?P<total>\d+)[ |:]+(?:train )?loss +(?P<loss>N) (?:\([^)]*\) ?)?"
            r"(?:\|? ?norm (?P<gradient_norm>N) )?(?:\| lr (?P<learning_rate>N) )?\|? ?\(?(?P<duration_ms>N) ms"
            r"(?:, | \| )(?:[^|]*\| )?(?P<tokens_per_s>N) tok/s",
        ),
        Line("val loss", r"^val loss (?P<val_loss>N)", "evaluation"),
        Line("HellaSwag:", r"^HellaSwag: \d+/\d+ = (?P<metric_hellaswag>N)", "evaluation"),
        Line("evaluating HellaSwag:", r"^evaluating HellaSwag: \d+/\d+", "known"),
        Line("Writing checkpoint", r"^Writing checkpoint at step (?P<iteration>\d+)", "checkpoint"),
        _row("micro batch size B", "micro_batch_size"),
        _row("sequence length T", "block_size"),
        _row("total batch size", "tokens_per_iteration"),
        _row("warmup iterations", "warmup_iterations"),
        _row("val_loss_every", "evaluation_interval"),
        _row("val_max_steps", "evaluation_iterations"),
        _row("checkpoint_every", "checkpoint_interval"),
        _row("train_num_batches", "max_iterations"),
        _row("num_parameters", "parameters"),
        _row("num_layers L", "layers"),
        _row("num_heads NH", "heads"),
        _row("channels C", "embedding"),
        _row("vocab_size V", "vocabulary"),
        _row("num_processes", "world_size"),
        _row("device", "gpu_name", r"[^|]+"),
        _row("precision", "precision", r"\w+"),
        Line("peak TFlops", r"^\| peak TFlops +\| (?P<tflops>N)", "peak"),
        Line("grad_accum_steps", r"setting grad_accum_steps=(?P<gradient_accumulation>\d+)", "config"),
    )
    examples = (
        Example(
            """
| micro batch size B    | 64                                                 |
| peak TFlops           | -1.0                                               |
val loss 11.01
step    1/18865 | loss 11.009 (+nanz)| norm 15.1 (+nanz)| lr 8.57e-07 | 550.50 ms | -100.0% bf16 MFU | 952400 tok/s
step    2/18865 | loss nan (+nanz)| norm 14.1 (+nanz)| lr 1.71e-06 | 338.25 ms | 47.5% bf16 MFU | 1550000 tok/s
""",
            iterations=((1, 0.5505, 1, 11.009), (2, 0.33825, 1, None)),
            evaluations=((None, {"val_loss": 11.01}),),
        ),
        Example(
            """
step    1/74 | train loss 4.370 | norm 13.1 | lr 3.00e-04 | (104.51 ms | 39190 tok/s)
step    2/74: train loss 4.50 (acc 4.50) (30.25 ms, 135383 tok/s)
""",
            iterations=((1, 0.10451, 1, 4.37), (2, 0.03025, 1, 4.5)),
            variant="llm.c of spring 2024",
        ),
    )

    @handler(numbers=("tflops",))
    def peak(self, fields: Fields, line: LogLine) -> list[Event]:
        """llm.c prints the peak behind its MFU; -1 where it does not know the GPU."""
        flops = fields["tflops"] * 1e12
        return self.config({"logged_mfu_peak_flops": flops}, line) if flops > 0 else []


class LlmCMainLog(LineParser):
    """`main.log`: losses without any time."""

    name = "llm.c main.log"
    about = "loss by step; the file holds no time at all"
    lines = (
        Line(
            "trl:",
            r"^s:(?P<iteration>\d+) trl:(?P<loss>N)(?: lr:(?P<learning_rate>N) norm:(?P<gradient_norm>N))?$",
        ),
        Line("tel:", r"^s:(?P<iteration>\d+) tel:(?P<val_loss>N)$", "evaluation"),
        Line("eval:", r"^s:(?P<iteration>\d+) eval:(?P<metric_hellaswag>N)$", "evaluation"),
    )
    examples = (
        Example(
            """
s:0 tel:11.0095
s:0 trl:11.0116 lr:0.000001 norm:14.96
s:1 trl:10.9586 lr:0.000002 norm:15.18
""",
            iterations=((0, None, 1, 11.0116), (1, None, 1, 10.9586)),
            evaluations=((0, {"val_loss": 11.0095}),),
        ),
    )
