"""NVIDIA's DLLogger, in its references for MLPerf.

    DLL 2024-05-14 23:09:20.251083 - Iteration 2684 | train_acc : 0.7197 % | iteration_time : 113.38 ms | train_loss : 0.85
    DLL 2024-05-14 23:09:20.251083 - epoch    7 |   dev ema wer  12.50 | took  1.25 s
The time is one iteration's; where the log has only epochs, an epoch's.
"""

from __future__ import annotations

from ...base import Example
from ...parsing.grammar import Line
from ...parsing.lines import LineParser


class NvidiaDll(LineParser):
    """NVIDIA's logger."""

    name = "NVIDIA DLLogger"
    about = "iteration_time: one iteration; without evaluation"
    lines = (
        Line(
            "DLL ",
            r"DLL \S+ \S+ - Iteration (?P<iteration>\d+) \| .{0,200}?iteration_time : (?P<duration_ms>N) ms(?: \| train_loss : (?P<loss>N))?",
        ),
        Line("DLL ", r"DLL \S+ \S+ - epoch +(?P<iteration>\d+) \| avg train .{0,80}?took +(?P<duration_s>N) s"),
        Line(
            "took",
            r"DLL \S+ \S+ - epoch +(?P<iteration>\d+) \| +dev (?:ema )?wer +(?P<metric_wer>N) \| took +(?P<duration_s>N) s",
            "evaluation",
        ),
        Line("DLL ", r"DLL \d{4}-\d\d-\d\d \S+ - ", "known"),
    )
    examples = (
        Example(
            """
DLL 2024-05-14 23:09:20.251083 - Iteration 2684 | train_acc : 0.7197 % | iteration_time : 113.5 ms | train_loss : 0.5
""",
            iterations=((2684, 0.1135, 1, 0.5),),
        ),
        Example(
            """
DLL 2024-05-14 23:09:20.251083 - epoch    7 | avg train utts/s  3251 | took 85.50 s
DLL 2024-05-14 23:09:22.501083 - epoch    7 |   dev ema wer  12.50 | took  2.25 s
DLL 2024-05-14 23:10:50.001083 - epoch    8 | avg train utts/s  3251 | took 87.50 s
""",
            iterations=((7, 85.5, 1, None), (8, 87.5, 1, None)),
            evaluations=((7, {"wer": 12.5}),),
            variant="epochs alone",
        ),
    )
