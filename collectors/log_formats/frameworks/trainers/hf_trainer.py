"""Hugging Face Trainer, and what is built on it (TRL, LLaMA-Factory, Axolotl, FastChat).

    ***** Running training *****
      Total optimization steps = 921
     25%|██▍       | 230/921 [08:12<25:05,  2.17s/it]
    {'loss': 2.3, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.2}
    {'eval_loss': 2.2, 'eval_runtime': 10.6, ..., 'epoch': 0.33}
    {'train_runtime': 2219.0, ..., 'train_loss': 0.7, 'epoch': 3.0}
The dictionaries hold neither a step nor a time: the step comes from the bar, and so does the time (see `bars.py`), with
evaluation, saving and data loading in it. `loss` is the mean since the last dictionary. Order at a step: log, evaluate,
save. Without a bar (only stdout was kept) the step follows from the epoch, where both totals were printed; otherwise
the dictionaries are only counted, and there is no time. Values may be quoted (2026). A callback that prints each
dictionary a second time, rounded, counts once. `trainer_state.json` and `trainer_log.jsonl`: see `hf_files.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .....events import EVALUATION, End, Event, Message, SpanBegin
from .....words import rounded_duration
from ....patterns import lazy_pattern
from ...base import Example
from ...families.nesting import Nesting
from ...families.steps_by_epochs import StepsByEpochs, Told, WrittenAtTheEnd
from ...parsing.bar_parser import BarParser
from ...parsing.bars import BAR, BAR_START, Bar
from ...parsing.grammar import Line, handler
from ...parsing.values import Fields, LogLine, ended, finite, number, scalars, whole
from .hf_trainer_state import UNDERSTOOD
from .ms_swift import placed_by_swift

if TYPE_CHECKING:
    from collections.abc import Sequence

_PAIR = lazy_pattern(r"'([\w/ .@-]{1,80})': '?([^,'}\[]{1,40})")
NO_STEPS = "the log names no step, and not how many there are: an iteration is a logged line here"
_OF_AN_EPOCH = "Iteration"  # the bar's title until 2020, and in scripts before there was a Trainer
_NO_STEP_S = 1e-3  # the Trainer's own code takes longer for a step, whatever the model

_OURS = r"\{'(?:loss|epoch|rewards?|logps/|logits/|kl|objective/|grad_norm|num_tokens|lr|policy/|val/|eps)"


class HfTrainer(BarParser):
    """Steps and times from the bar, losses from the dictionaries between its frames."""

    name = "Hugging Face Trainer"
    reads_instead_of = ("DeepSpeed",)  # which the Trainer may run on
    about = (
        "steps and times from the bar, with evaluation, checkpoint and data in them; losses from the dictionaries"
    )
    each_bar_is_a_run = True
    lines: ClassVar[tuple[Line, ...]] = (
        Line("{'", r"\{'(?:eval_|test_|predict_|train_runtime)|\{'.{0,2000}'train_runtime':", "results"),
        Line("{'", rf"{_OURS}.{{0,4000}}'epoch':", "dictionary"),
        Line("Running training", r"\*{3,} Running training \*{3,}", "known"),
        Line("Running Evaluation", r"\*{3,} Running (?:Evaluation|Prediction) \*{3,}", "evaluation_begins"),
        Line("Total optimization steps", r"Total optimization steps ?[=:] ?(?P<max_iterations>N)", "total_steps"),
        Line("| Total steps", r"Num Epochs = (?P<epochs>N) \| Total steps = (?P<max_iterations>N)", "unsloth"),
        Line(
            "Batch size per device",
            r"Batch size per device = (?P<micro_batch_size>N) \| Gradient accumulation steps = "
            r"(?P<gradient_accumulation>N)",
            "config",
        ),
        Line("Num Epochs", r"Num Epochs ?[=:] ?(?P<epochs>N)", "epochs"),
        Line(
            "Instantaneous batch size",
            r"Instantaneous batch size per device ?= ?(?P<micro_batch_size>N)",
            "config",
        ),
        Line("Gradient Accumulation", r"Gradient Accumulation steps ?= ?(?P<gradient_accumulation>N)", "config"),
        Line("trainable parameters", r"Number of trainable parameters ?= ?(?P<trained_parameters>N)", "config"),
        Line(
            "all params:",
            r"trainable params: (?P<trained_parameters>N) \|\| all params: (?P<parameters>N)",
            "config",
            distinctive=False,
        ),
        Line("Saving model checkpoint to", r"Saving model checkpoint to (?P<detail>\S+)", "checkpoint"),
        Line("Training completed", r"^\s*Training completed\.", "known"),
        BAR,
        BAR_START,
        Line("|", r"\[(?:INFO|WARNING|ERROR)\|[\w.]+\.py:\d+\]", "known"),
    )
    examples = (
        Example(
            """
***** Running training *****
  Num Epochs = 3
  Instantaneous batch size per device = 4
  Total optimization steps = 40
  0%|          | 0/40 [00:00<?, ?it/s]
  2%|▎         | 1/40 [00:02<01:18,  2.00s/it]
  5%|▌         | 2/40 [00:04<01:16,  2.00s/it]
{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.15}
  8%|▊         | 3/40 [00:13<03:09,  5.20s/it]
 10%|█         | 4/40 [00:15<02:32,  3.93s/it]
{'loss': '2.25', 'grad_norm': '0.5', 'learning_rate': '1e-05', 'epoch': '0.3'}
 12%|█▎        | 5/40 [00:17<02:00,  3.24s/it]
""",
            iterations=(
                (1, 2.0, 1, None),
                (2, 2.0, 1, None),
                (3, 9.0, 1, 2.5),
                (4, 2.0, 1, None),
                (5, 2.0, 1, 2.25),
            ),
        ),
        Example(
            """
 10%|█         | 1/10 [00:02<00:18,  2.00s/it]
{'loss': 3.0, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.1}
 10%|█         | 1/10 [00:02<00:18,  2.00s/it]
 20%|██        | 2/10 [00:04<00:16,  2.00s/it]
 30%|███       | 3/10 [00:06<00:14,  2.00s/it]
{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.3}
 30%|███       | 3/10 [00:06<00:14,  2.00s/it]
 40%|████      | 4/10 [00:08<00:12,  2.00s/it]
 60%|██████    | 6/10 [00:12<00:08,  2.00s/it]
{'loss': 2.0, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.6}
 60%|██████    | 6/10 [00:12<00:08,  2.00s/it]
 60%|██████    | 6/10 [00:15<00:08,  2.00s/it]
{'loss': 1.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.9}
 90%|█████████ | 9/10 [00:18<00:02,  2.00s/it]
""",
            iterations=(
                (1, 2.0, 1, 3.0),
                (2, 2.0, 1, None),
                (3, 2.0, 1, 2.5),
                (4, 2.0, 1, None),
                (6, 2.0, 2, 2.0),
                (9, 2.0, 3, 1.5),
            ),
            variant="Hugging Face Trainer, each step drawn before and after its dictionary",
        ),
        Example(
            """
{'loss': 2.5, 'grad_norm': 17.125, 'learning_rate': 1e-05, 'epoch': 0.05, 'global_step/max_steps': '5/100', 'elapsed_time': '1m 30s', 'train_speed(iter/s)': 0.0556}
{'loss': 2.25, 'grad_norm': 1.125, 'learning_rate': 1e-05, 'epoch': 0.1, 'global_step/max_steps': '10/100', 'elapsed_time': '2m 0s', 'train_speed(iter/s)': 0.0833}
""",
            iterations=((5, None, 1, 2.5), (10, 6.0, 5, 2.25)),
            variant="ms-swift without its bar",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._held: tuple[Fields, LogLine] | None = None  # a step whose dictionary is due
        self._due: Fields = {}  # a dictionary whose step is due: the bar is redrawn after it
        self._late: dict[str, float] = {}  # all that it said: its epoch, should the bar be cut off
        self._clock: tuple[int, float] | None = None  # step and elapsed seconds, where the dictionaries say both
        self._interval: int | None = None
        self._logged_at: int | None = None
        self._epochs: float | None = None
        self._steps: int | None = None
        self._told = Told()
        self._last_epoch = -1.0
        self._by_epochs = StepsByEpochs()
        self._written = WrittenAtTheEnd()
        self._evaluated_newest: dict[str, float] = {}
        self._has_logged = False  # a loss, since which the training's bar is known
        self._other_total: int | None = None  # of a bar of another length, since the newest loss
        self._next_total: int | None = None  # ... on which a loss followed
        self._prepared: int | None = None  # length of a bar that only prepared
        self._nesting = Nesting()
        self._over = False  # what the training took was printed
        self._by_lines = False  # nothing names the steps, and that was said

    @handler()
    def total_steps(self, fields: Fields, line: LogLine) -> list[Event]:
        """The length of the training, by which its bar is known among the others."""
        self._steps = whole(fields["max_iterations"])
        return [] if self._steps == self.total else self.config(fields, line)

    @handler()
    def epochs(self, fields: Fields, _line: LogLine) -> list[Event]:
        """With it a step follows from an epoch."""
        self._epochs = finite(fields["epochs"])
        return []

    @handler()
    def unsloth(self, fields: Fields, line: LogLine) -> list[Event]:
        """Unsloth prints both in its banner, as `Num Epochs = 1 | Total steps = 60`."""
        return [*self.epochs(fields, line), *self.total_steps({"max_iterations": fields["max_iterations"]}, line)]

    @handler()
    def evaluation_begins(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The dictionary at its end says how long it took."""
        return [SpanBegin(EVALUATION, line.at_s, self.next_index)]

    def trains(self, bar: Bar) -> bool:
        """The bar as long as the training, where its length was printed; evaluations have one without a title too."""
        if bar.title == _OF_AN_EPOCH:
            self.each_bar_is_a_run = False
            return True
        if self._steps is not None:
            return bar.total == self._steps
        if self._nesting.is_other(bar) or self._prepares_fast(bar):
            return False
        return self._trains_untitled(bar)

    def _trains_untitled(self, bar: Bar) -> bool:
        if self.newest is None and self.last is not None:  # dictionaries named the steps: its bar came first
            return bar.total == self.total
        if self._over and self.newest is not None and bar.total not in (self.newest.total, self._next_total):
            self._other_total = bar.total  # a loss would tell of another training
            return self.crashed and bar.n <= 1
        if self.newest is None or bar.total in (self.newest.total, self._next_total) or not self._has_logged:
            taken, full = super().trains(bar) or bar.total == self._next_total, self.newest and self.newest.full
            self._other_total, self._over = bar.total if full and not taken else None, self._over and bar.full
            return taken
        self._other_total = (
            bar.total if self.newest.full else None
        )  # of an evaluation, or of another training, of which a loss would tell
        return self.crashed and bar.n <= 1

    def _prepares_fast(self, bar: Bar) -> bool:
        """Before the first loss: is it of what takes no time, as tokenizing? Such bars may have no title either."""
        if self._has_logged:
            return False
        if bar.seconds_each is not None and bar.seconds_each < _NO_STEP_S and not bar.trains:
            self._prepared = bar.total
            if self.newest is not None and self.newest.n == 0:
                self.newest = None
        return self._prepared is not None and bar.total == self._prepared

    def step(self, fields: Fields, bar: Bar, line: LogLine) -> Sequence[Event]:
        """A step, at once; but one that is to be logged waits for its dictionary, which comes directly after it.

        Which are, is not known before the second dictionary: until then each step waits for the next frame. The first
        after a dictionary, drawn by whoever printed that, has the dictionary's step.
        """
        index = fields["iteration"]
        redrawn = self._held is not None and self._held[0]["iteration"] == index
        if self._due:
            (self._held[0] if self._held and redrawn else fields).update(self._due)
            self._due = {}
            self._logged(index)
        if redrawn:
            return self.release()
        events = self.release()
        epochs = self._epochs if bar.title == _OF_AN_EPOCH else 1
        fields.setdefault("total", bar.total * epochs if bar.total and epochs else None)
        due = self._interval is None or index == bar.total or index % self._interval == 0
        if due and "loss" not in fields and index != self.last:
            self._held = (fields, line)
            return events
        return events + self.iteration(fields, line)

    @handler(iterations=True)
    def dictionary(self, _fields: Fields, line: LogLine) -> list[Event]:
        """What `Trainer.log` printed of training."""
        return self._read(line)

    @handler()
    def results(self, _fields: Fields, line: LogLine) -> list[Event]:
        """What `Trainer.log` printed of an evaluation, or at the very end."""
        return self._read(line)

    def _read(self, line: LogLine) -> list[Event]:
        start = line.text.find("{'")
        read = {key: value for key, text in _PAIR.findall(line.text[start : start + 4000])
                if (value := number(text.strip())) is not None}  # fmt: skip
        if "train_runtime" in read:
            self._over = True
            return [
                *self.release(),
                *self.end(),
                *self.took({"duration_s": read["train_runtime"]}, line._replace(text="train_runtime")),
                End(at_s=line.at_s, detail=f"{rounded_duration(read['train_runtime'])} in all"),
            ]
        if any(key.startswith(("eval_", "test_", "predict_")) for key in read):
            return self._evaluated(read, line)
        self._has_logged, self._next_total, self._other_total = True, self._other_total, None
        if self._told.again(read):
            return []
        logged = {"loss": read.get("loss"), "gradient_norm": read.get("grad_norm"),
                  "learning_rate": read.get("learning_rate"), "scalars": scalars(read.items(), UNDERSTOOD)}  # fmt: skip
        if self._held is not None and self._interval is not None:
            fields, held_line = self._held
            self._held = None
            self._logged(fields["iteration"])
            return self.iteration(fields | logged, held_line)
        if self.bar_total is None:
            return self._without_bar(read, logged, line)
        after_end = self._written.holds(self._late, self._due, self.newest)
        events = [] if after_end else self._cut_off(line)
        self._due, self._late = logged, read
        return events

    def end(self) -> list[Event]:
        """No frame comes any more: dictionaries of one step after another were written behind them."""
        found, self._due = self._written.placed(self._late, self._due, self.bar_total)
        return [*found]

    def release(self) -> list[Event]:
        """Nothing comes that a step could wait for."""
        if self._held is None:
            return []
        (fields, line), self._held = self._held, None
        return self.iteration(fields, line)

    def _logged(self, index: int) -> None:
        """The interval shows with the second dictionary; the first step may be logged besides (`logging_first_step`)."""
        if self._logged_at is not None and index > self._logged_at:
            self._interval = index if self._logged_at == 1 else index - self._logged_at
        self._logged_at = index

    def _evaluated(self, read: dict[str, float], line: LogLine) -> list[Event]:
        if "eval_loss" in read and read["eval_loss"] == self._evaluated_newest.get("eval_loss"):
            return []  # printed a second time, rounded
        self._evaluated_newest = read
        values = {
            ("val_loss" if key == "eval_loss" else key): value
            for key, value in read.items()
            if finite(value) is not None and not key.endswith(("_per_second", "epoch"))
        }
        runtime = next((value for key, value in read.items() if key.endswith("_runtime")), None)
        return [*self.release(), ended(EVALUATION, line.at_s, self.next_index, finite(runtime), values=values)]

    def _cut_off(self, line: LogLine) -> list[Event]:
        """A dictionary whose frame cannot be read (its line was shortened) has its place by its epoch, or none."""
        if not (self._due and self._steps and self._epochs):
            return []
        return [*self.release(), *self._without_bar(self._late, self._due, line)]

    def _without_bar(self, read: dict[str, float], logged: Fields, line: LogLine) -> list[Event]:
        epoch = finite(read.get("epoch"))
        events: list[Event] = []
        if epoch is not None and epoch < self._last_epoch - 0.006:  # another training in the same file
            self.last, self._by_epochs, events = None, StepsByEpochs(), [self.run_info(line)]
        self._last_epoch = epoch if epoch is not None else self._last_epoch
        if placed := placed_by_swift(line.text, self._clock):
            fields, self._clock = placed
            return events + self.iteration(logged | fields, line)
        said = whole(read.get("step", read.get("global_step", -1)))
        if said is not None and said >= 0:
            return events + self.iteration(logged | {"iteration": said}, line)
        if epoch is not None and self._steps and self._epochs:
            index = self._by_epochs.step(epoch, self._steps / self._epochs, self.last or 0)
            return events + self.iteration(logged | {"iteration": index}, line)
        if not self._by_lines:
            self._by_lines = True
            events.append(Message(NO_STEPS, at_s=line.at_s))
        return events + self.iteration(logged | {"iteration": (self.last or 0) + 1}, line)
