"""PyTorch's example of a word language model, its tutorial of the transformer, AWD-LSTM and many scripts made of them.

    | epoch   1 |   200/ 2983 batches | lr 20.00 | ms/batch 69.50 | loss  7.63 | ppl  2048.12
    -----------------------------------------------------------------------------------------
    | end of epoch   1 | time: 214.33s | valid loss  5.97 | valid ppl   390.12
    | End of training | test loss  4.93 | test ppl   138.51
`ms/batch` is the mean since the line before, or since the epoch began: the last batches of an epoch and its validation are
in none. The epoch's time has all of it; what is saved comes behind that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA, EVALUATION, End, Total
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LONGEST_ORIGIN, LineParser
from ...parsing.values import ended, seconds, unix_time

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class WordLanguageModel(LineParser):
    """Batches through the epochs, a row every so many."""

    name = "PyTorch language model example"
    about = "ms/batch: a mean over the batches since the line before in its epoch; validation is apart"
    time_includes = (DATA,)
    mean = True
    lines = (
        Line(
            " ms/batch ",
            r"\| epoch +(?P<epoch>\d+) \| +(?P<batch>\d+)/ *(?P<batches>\d+) batches \| lr +(?P<learning_rate>N) \| ms/batch +"
            r"(?P<duration_ms>N) \| loss +(?P<loss>N)(?: \| ppl +(?P<metric_ppl>N))?",
            "row",
        ),
        Line(
            "end of epoch ",
            r"\| end of epoch +(?P<epoch>\d+) \| time: +(?P<took>N)s \| valid loss +(?P<val_loss>N)"
            r"(?: \| valid ppl +(?P<perplexity>N))?",
            "validated",
        ),
        Line("End of training ", r"\| End of training \| test loss +(?P<loss>N)", "over", distinctive=False),
    )
    examples = (
        Example(
            """
| epoch   1 |   200/  450 batches | lr 20.00 | ms/batch 50.00 | loss  7.50 | ppl  1808.04
| epoch   1 |   400/  450 batches | lr 20.00 | ms/batch 40.00 | loss  6.50 | ppl   665.14
-----------------------------------------------------------------------------------------
| end of epoch   1 | time: 21.50s | valid loss  6.00 | valid ppl   403.43
-----------------------------------------------------------------------------------------
| epoch   2 |   200/  450 batches | lr 20.00 | ms/batch 45.00 | loss  6.00 | ppl   403.43
=========================================================================================
| End of training | test loss  5.75 | test ppl   314.19
=========================================================================================
""",
            iterations=((200, 0.05, 200, 7.5), (400, 0.04, 200, 6.5), (650, 0.045, 200, 6.0)),
            evaluations=((450, {"val_loss": 6.0, "perplexity": 403.43}),),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._batches = 0.0  # of an epoch, as the newest row says
        self._newest = 0.0, 0.0  # epoch and batch of that row
        self._first = 1.0  # number of the first epoch: 0 once that has been seen
        self._epochs_s: float | None = None  # what they took, as long as each is said and none has begun anew
        self._over = 0.0  # number of the newest that is over
        self._goes_on = False  # ... and rows of the next one have come

    @handler(iterations=True)
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """Some batches on."""
        self._batches, self._goes_on = fields["batches"], True
        place, self._newest = self._newest, (fields["epoch"], fields["batch"])
        since = place[1] if place[0] == fields["epoch"] and place[1] < fields["batch"] else 0.0
        self._first = min(self._first, fields["epoch"])
        index = (fields["epoch"] - self._first) * self._batches + fields["batch"]
        return self.iteration(fields | {"iteration": index, "averaged_over": fields["batch"] - since}, line)

    @handler(numbers=("took", "epoch"))
    def validated(self, fields: Fields, line: LogLine) -> list[Event]:
        """An epoch is over, and its validation; how long that took is in the epoch's time alone."""
        took_s, epoch = fields.pop("took"), fields.pop("epoch")
        if epoch == self._first:
            self._epochs_s = took_s
        else:
            self._epochs_s = self._epochs_s + took_s if self._epochs_s and epoch == self._over + 1 else None
        self._over, self._goes_on = epoch, False
        at = (epoch + 1 - self._first) * self._batches or self.next_index
        return [ended(EVALUATION, line.at_s, at, values=fields, apart=True)]

    @handler(numbers=("loss",))
    def over(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The training is over: it took what its epochs took, unless it was left within one."""
        took_s = None if self._goes_on else seconds(self._epochs_s)
        total = [] if took_s is None else [Total(took_s, "times of all epochs", line.at_s)]
        return [*total, End(at_s=unix_time(line.at_s), detail=line.text.strip()[:LONGEST_ORIGIN])]
