"""Transformer-XL and XLNet in TensorFlow, and their children: a line every so many steps, without a time.

    I1216 07:48:39.000445 133272504153920 train_gpu.py:298] [ 45000] | gnorm  0.21 lr  0.000488 | loss  5.54 | pplx  254.68
    INFO:tensorflow:Eval  batches[  100]                | loss  5.55
TensorFlow's and Abseil's logger may both write each line: the one that has a stamp is read. All is in the stamps' difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...parsing.grammar import Line
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event

_BARE = "INFO:tensorflow:"


class TransformerXl(LineParser):
    """A line every so many steps; what is logged twice is read once."""

    name = "Transformer-XL"
    about = "difference of the lines' time stamps, all in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps = True
    lines = (
        Line("| gnorm ", r"\[ *(?P<iteration>\d+)\] \| gnorm +(?P<gradient_norm>N) lr +(?P<learning_rate>N) \| loss +(?P<loss>N)"),
        Line("Eval ", r"\bEval +batches\[ *\d+\] +\| loss +(?P<val_loss>N)", "evaluation", distinctive=False),
        Line("Model saved in path: ", r"Model saved in path: (?P<detail>\S{1,400})", "checkpoint_written", distinctive=False),
        Line("train_steps", r"\btrain_steps +: (?P<max_iterations>\d+)$", "config", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
INFO:tensorflow:[  1000] | gnorm  0.50 lr  0.000125 | loss  5.50
I1216 07:48:40.500000 133272504153920 train_gpu.py:298] [  1000] | gnorm  0.50 lr  0.000125 | loss  5.50
INFO:tensorflow:Eval  batches[  100]                | loss  5.25
I1216 07:48:48.000000 133272504153920 train_gpu.py:324] Eval  batches[  100]                | loss  5.25
INFO:tensorflow:[  2000] | gnorm  0.25 lr  0.000250 | loss  5.00 | pplx  148.41
I1216 07:50:20.500000 133272504153920 train_gpu.py:298] [  2000] | gnorm  0.25 lr  0.000250 | loss  5.00 | pplx  148.41
""",
            iterations=((1000, None, 1, 5.5), (2000, 0.1, 1000, 5.0)),
            evaluations=((1001, {"val_loss": 5.25}),),
        ),
        Example(
            """
INFO:tensorflow:[200] | gnorm 1.50 lr 0.000125 | loss 7.50 | pplx 1808.04, bpc 10.8202
INFO:tensorflow:[400] | gnorm 1.25 lr 0.000250 | loss 7.25 | pplx 1408.10, bpc 10.4595
""",
            iterations=((200, None, 1, 7.5), (400, None, 1, 7.25)),
            variant="Transformer-XL without stamps",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._bare: tuple[str, float | None] | None = None  # a line that may come once more, with its stamp

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """A line of TensorFlow's logger waits for Abseil's."""
        waiting, self._bare = self._bare, None
        if text.startswith(_BARE):
            self._bare = (text, at_s)
            return self._read(waiting)
        if waiting is not None and text.endswith(waiting[0].removeprefix(_BARE)):
            waiting = None
        return [*self._read(waiting), *super().line(text, at_s)]

    def release(self) -> list[Event]:
        """The line does not come once more."""
        waiting, self._bare = self._bare, None
        return self._read(waiting)

    def _read(self, waiting: tuple[str, float | None] | None) -> list[Event]:
        return [] if waiting is None else [*super().line(*waiting)]
