"""JoeyNMT: a line each `logging_freq` steps.

    2020-05-01 10:00:00,000 - INFO - joeynmt.training - Epoch   1, Step:      100, Batch Loss:     5.125, Tokens per Sec:    12345, Lr: 0.000300
    ... - Validation result (greedy) at epoch   1, step     1000: bleu:  10.25, loss: 12345.5, ppl:  12.25, duration: 23.5000s
    ... - Evaluation result (greedy): loss:   4.50, ppl:  90.25, acc:   0.25, 13.5000[sec]                                     since 2022
No time is printed but a validation's. The loss of `Validation result` is the sum over all its tokens: it is left aside.
"""

from __future__ import annotations

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...parsing.grammar import Line
from ...parsing.lines import LineParser


class JoeyNmt(LineParser):
    """Steps."""

    name = "JoeyNMT"
    about = (
        "time stamps' difference over the steps between, with validation, checkpoint and data; loss: the batch's"
    )
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps = True
    lines = (
        Line("Batch Loss:", r"\bEpoch +\d+,? +Step: +(?P<iteration>\d+),? +Batch Loss: +(?P<loss>N),? +(?:Batch Acc: +[\d.naif]{1,20},? +)?"
             r"Tokens per Sec: +[\d.]{1,20}, Lr: (?P<learning_rate>N)"),
        Line("Validation result", r"Validation result (?:\(greedy\) )?at epoch +\d+, step +(?P<iteration>\d+): .{0,200}?\bloss: +[\d.naif]{1,24}, ppl: +(?P<perplexity>N), "
             r".{0,80}?duration: (?P<duration_s>N)s", "evaluation"),
        Line("Evaluation result", r"Evaluation result \(greedy\):? .{0,200}?\bloss: +(?P<val_loss>N), ppl: +(?P<perplexity>N),.{0,200}?"
             r"(?P<duration_s>N)\[sec\]", "evaluation"),
        Line("Checkpoint saved in", r"Checkpoint saved in (?P<detail>\S{1,400}?)\.?$", "checkpoint_written"),
        Line("total training loss", r"Epoch +\d+:? ?,? ?total training loss", "known"),
    )  # fmt: skip
    examples = (
        Example(
            """
2020-05-01 10:00:00,000 - INFO - joeynmt.training - Epoch   1, Step:      100, Batch Loss:     5.125, Tokens per Sec:    12345, Lr: 0.000300
2020-05-01 10:00:25,000 - INFO - joeynmt.training - Epoch   1, Step:      200, Batch Loss:     4.625, Batch Acc: 0.125, Tokens per Sec:    12345, Lr: 0.000300
2020-05-01 10:00:35,000 - INFO - joeynmt.training - Validation result (greedy) at epoch   1, step      200: bleu:  10.25, loss: 12345.5, ppl:  12.25, duration: 9.5000s
2020-05-01 10:01:15,000 - INFO - joeynmt.training - Epoch   1, Step:      300, Batch Loss:     4.500, Tokens per Sec:    12345, Lr: 0.000300
""",
            iterations=((100, None, 1, 5.125), (200, 0.25, 100, 4.625), (300, 0.5, 100, 4.5)),
            evaluations=((200, {"perplexity": 12.25}),),
        ),
    )
