"""nanochat (karpathy): `speedrun.log` and the console of its scripts; several phases of training follow in one file.

    step 00250/21400 (1.17%) | loss: 4.5 | lrm: 1.00 | dt: 949.40ms | tok/sec: 276,130 | mfu: 48.74 | total time: 3.8m
`dt` is synchronised and covers the micro-steps and the optimizer: it excludes evaluation, sampling and checkpoints.
`tok/sec` is the total of all GPUs; `mfu` is in percent, against the peak of the GPU found (older versions: an H100's).
`loss` is a running mean (0.9), not this step's. Mid-training and fine-tuning count from 0 again, without a total; the
2025 fine-tuning prints `Step 00010/00682 | Training loss: 0.58| lrm: 0.98| num_tokens: 11,787`, without any time.
`Step 00250 | Validation bpb: 1.19` comes before the training line of that step. Checkpoints are reported after the write.

A fork prints `[2026-01-05 10:11:12] step 00250 | loss 4.5 | lrm 1.00 | dt_ms 949.40`.
"""

from __future__ import annotations

from ...base import Example
from ...parsing.grammar import Line
from ...parsing.lines import LineParser


class Nanochat(LineParser):
    """Times without evaluation and checkpoint; phases follow each other."""

    name = "nanochat"
    synchronised = True
    about = (
        "dt: micro-steps and optimizer, synchronised; without evaluation and checkpoint; loss is a running mean"
    )
    lines = (
        Line(
            "dt: ",
            r"step (?P<iteration>\d+)(?:/(?P<total>\d+))? \([^)]*%\) \| loss: (?P<loss>N)"
            r"(?: \| grad norm: (?P<gradient_norm>N))?(?: \| lrm: [^|]*)? \| dt: (?P<duration_ms>N)ms"
            r" \| tok/sec: (?P<tokens_per_s>N)(?: \| (?:bf16_)?mfu: (?P<mfu_percent>N))?",
        ),
        Line("dt_ms ", r"step (?P<iteration>\d+) \| loss (?P<loss>N) \| lrm [^|]*\| dt_ms (?P<duration_ms>N)"),
        Line(
            "Training loss:",
            r"Step (?P<iteration>\d+)(?:/(?P<total>\d+))? \| Training loss: (?P<loss>N)"
            r"(?:\s*\| lrm: [^|]*)?(?:\| num_tokens: (?P<tokens>N))?",
        ),
        Line("Validation", r"Step (?P<iteration>\d+) \| Validation bpb: (?P<val_bpb>N)", "evaluation"),
        Line("Validation loss", r"Step (?P<iteration>\d+) \| Validation loss: (?P<val_loss>N)", "evaluation"),
        Line("CORE metric", r"Step (?P<iteration>\d+) \| (?:Chat)?CORE metric: (?P<metric_core>N)", "evaluation"),
        Line("ChatCORE", r"Step (?P<iteration>\d+) \| ChatCORE: (?P<metric_core>N)", "evaluation"),
        Line("Saved model", r"Saved model (?:file|parameters) to: (?P<detail>\S+)", "checkpoint_written"),
        Line("saved checkpoint", r"saved checkpoint \S+ -> (?P<detail>\S+)", "checkpoint_written"),
        Line("Total batch size", r"Total batch size (?P<tokens_per_iteration>N) => gradient accumulation steps: "
             r"(?P<gradient_accumulation>N)", "config"),
        Line("micro-batch / rank", r"/ rank: (?P<micro_batch_size>\d+) x (?P<block_size>\d+) =", "config"),
        Line("Estimated FLOPs per token:", r"^Estimated FLOPs per token: (?P<flops_per_token>N)", "config"),
        Line("Number of parameters:", r"^Number of parameters: (?P<parameters>N)", "config"),
        Line("number of iterations", r"^Calculated number of iterations .*: (?P<max_iterations>N)$", "config"),
    )  # fmt: skip
    examples = (
        Example(
            """
Total batch size 524,288 => gradient accumulation steps: 2
Step 00000 | Validation bpb: 3.3015
step 00000/21400 (0.00%) | loss: 11.09 | lrm: 1.00 | dt: 1828.50ms | tok/sec: 14,336 | mfu: 2.53 | total time: 0.00m
step 00001/21400 (0.00%) | loss: 10.80 | grad norm: 0.1651 | lrm: 1.00 | dt: 874.25ms | tok/sec: 299,799 | mfu: 52.92
step 00002/21400 (0.01%) | loss: 10.10 | lrm: 1.00 | dt: 33.50ms | tok/sec: 15,511 | bf16_mfu: 1.17 | epoch: 1 pq: 0
""",
            iterations=((0, 1.8285, 1, 11.09), (1, 0.87425, 1, 10.8), (2, 0.0335, 1, 10.1)),
            evaluations=((0, {"val_bpb": 3.3015}),),
        ),
        Example(
            """
Step 00010/00682 | Training loss: 0.585979| lrm: 0.985337| num_tokens: 11,787
""",
            iterations=((10, None, 1, 0.585979),),
            variant="nanochat fine-tuning of 2025",
        ),
        Example(
            """
[2026-01-05 10:11:12] step 00250 | loss 4.5 | lrm 1.00 | dt_ms 949.50
""",
            iterations=((250, 0.9495, 1, 4.5),),
            variant="nanochat's fork",
        ),
    )
