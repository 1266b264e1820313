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

from .....events import EVALUATION, OF_EPOCH, End, Event, SpanBegin
from .....words import rounded_duration
from ....patterns import lazy_pattern
from ...base import Example
from ...families.behind_a_flush import Blocks, found_in, is_trained, logged_in, result, results_in, runtime_in
from ...families.steps_by_epochs import StepsByEpochs, same_evaluation
from ...families.trainers_bar import OF_AN_EPOCH, RESUMES, TrainersBar
from ...parsing.bars import BAR, BAR_START, Bar, postfix_fields
from ...parsing.grammar import Line, handler
from ...parsing.values import Fields, LogLine, ended, finite, number, scalars, whole
from .hf_trainer_state import UNDERSTOOD
from .ms_swift import placed_by_swift

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import PrintedLoss

_PAIR = lazy_pattern(r"'([\w/ .@-]{1,80})': '?([^,'}\[]{1,40})")

_OURS = r"\{'(?!loss': '(?!nan|inf)[a-z])(?:loss|epoch|rewards?|logps/|logits/|kl|objective/|grad_norm|num_tokens|lr|policy/|val/|eps)"


class HfTrainer(TrainersBar):
    """Steps and times from the bar, losses from the dictionaries between its frames."""

    name = "Hugging Face Trainer"
    reads_instead_of = ("DeepSpeed",)  # which the Trainer may run on
    about = (
        "steps and times from the bar, with evaluation, checkpoint and data in them; losses from the dictionaries"
    )
    lines: ClassVar[tuple[Line, ...]] = (
        Line("{'", r"\{'(?:eval_|test_|predict_|train_runtime)|\{'(?!loss':).{0,2000}'train_runtime':", "results"),
        Line("{'", rf"{_OURS}.{{0,4000}}'epoch':", "dictionary"),
        Line("Running training", r"\*{3,} Running training \*{3,}", "training_begins"),
        Line("Running ", r"\*{3,} Running (?:[Ee]valuation|Prediction) \*{3,}", "evaluation_begins"),
        Line("eval_loss = ", r"\beval_loss = (?P<val_loss>N)$", "evaluation_ends", distinctive=False),
        Line("Total optimization steps", r"Total optimization steps ?[=:] ?(?P<max_iterations>N)", "total_steps"),
        Line("| Total steps", r"Num examples = (?P<examples>N) \| Num Epochs = (?P<epochs>N) \| Total steps = (?P<max_iterations>N)", "unsloth"),
        Line("Batch size per device",
             r"Batch size per device = (?P<micro_batch_size>N) \| Gradient accumulation steps = (?P<gradient_accumulation>N)", "config"),
        Line("Num examples", r"^.{0,100}Num examples ?= ?(?P<examples>N)$", "of_an_epoch_is_told", distinctive=False),
        Line("Total ", r"Total (?:train )?batch size(?: \([^()]{1,60}\))? ?= ?(?P<batch>N)$", "of_an_epoch_is_told", distinctive=False),
        Line("steps per epoch", r"Num update steps per epoch = (?P<steps>N)$", "of_an_epoch_is_told", distinctive=False),
        Line("Num Epochs", r"Num Epochs ?[=:] ?(?P<epochs>N)", "epochs", distinctive=False),
        Line("Instantaneous batch size", r"Instantaneous batch size per device ?= ?(?P<micro_batch_size>N)", "config"),
        Line("Gradient Accumulation", r"Gradient Accumulation steps ?= ?(?P<gradient_accumulation>N)", "config"),
        Line("trainable parameters", r"Number of trainable parameters ?= ?(?P<trained_parameters>N)", "config", distinctive=False),
        Line("all params:", r"trainable params: (?P<trained_parameters>N) \|\| all params: (?P<parameters>N)", "config", distinctive=False),
        Line("Saving model checkpoint to", r"Saving model checkpoint to (?P<detail>\S+)", "checkpoint", distinctive=False),
        Line("Training completed", r"^\s*Training completed\. Do not forget to share", "known"),
        Line("from", RESUMES, "resumes", distinctive=False),
        BAR,
        BAR_START,
        Line("|", r"\[(?:INFO|WARNING|ERROR)\|[\w.]+\.py:\d+\]", "known"),
    )  # fmt: skip
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
{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.23}
  8%|▊         | 3/40 [00:13<03:09,  5.20s/it]
 10%|█         | 4/40 [00:15<02:32,  3.93s/it]
{'loss': '2.25', 'grad_norm': '0.5', 'learning_rate': '1e-05', 'epoch': '0.38'}
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
        self._due: Fields = {}  # a dictionary whose step is due: the bar is redrawn after it
        self._late: dict[str, float] = {}  # all that it said: its epoch, should the bar be cut off
        self._clock: tuple[int, float] | None = None  # step and elapsed seconds, where the dictionaries say both
        self.of_an_epoch: float | None = None  # 0.0: its loss lines are counted, as none says its step
        self._blocks = Blocks()
        self._evaluates = False  # an evaluation was announced, and no result of it printed
        self._evaluated_newest: dict[str, float] = {}

    @handler()
    def evaluation_begins(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The dictionary at its end says how long it took."""
        events, self._evaluates = self.release(), True
        return [*events, SpanBegin(EVALUATION, line.at_s, self.next_index)]

    @handler()
    def evaluation_ends(self, fields: Fields, line: LogLine) -> list[Event]:
        """A script that prints the Trainer's headings may print its results line by line."""
        begun, self._evaluates, values = self._evaluates, False, {"val_loss": fields["val_loss"]}
        return [ended(EVALUATION, line.at_s, self.next_index, values=values)] if begun else []

    def step(self, fields: Fields, bar: Bar, line: LogLine) -> Sequence[Event]:
        """A step, at once; but one that is to be logged waits for its dictionary, which comes directly after it.

        Which are, is not known before the second dictionary: until then each step waits for the next frame. The first
        after a dictionary, drawn by whoever printed that, has the dictionary's step.
        """
        index, fields = fields["iteration"], fields | postfix_fields(bar.postfix)
        redrawn = self._held is not None and self._held[0]["iteration"] == index
        if self._due:
            before = self._held[0] if self._held else fields
            own = redrawn or self._sparse.is_of(before["iteration"], index, self._logged_at, bar.total)
            self._settle(before if own else fields)
        self._sparse.see(index)
        events = [*self.release(), *self._moves_to(index, line), *self._blocks.drawn(index, full=bar.full)]
        if redrawn:
            return events
        epochs = self._epochs if bar.title == OF_AN_EPOCH else 1
        fields.setdefault("total", bar.total * epochs if bar.total and epochs else None)
        due = self._interval is None or index == bar.total or index % self._interval == 0
        if due and fields["loss"] is None and index != self.last:
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
        if "train_runtime" in read and "loss" not in read:
            if self._over and "global_step=" in line.text:  # what `train` returned, printed once more
                return [*self._by_lines.told(line.text)]
            epochs = finite(read.get("epoch"))
            undrawn = self._undrawn(self._placed(epochs)) if self._is_undrawn else []
            placed = [*undrawn, *self.release(), *self._inner_over(line), *self._placed(epochs)]
            self._by_lines.over(read)
            self._over, self._blocks = True, Blocks()
            self._booked.clear()
            took_s = read["train_runtime"]
            mean = {"duration_s": took_s, "iterations_per_s": read.get("train_steps_per_second")}
            total = self.took(mean, line._replace(text="train_runtime"))
            return [*placed, *total, End(at_s=line.at_s, detail=f"{rounded_duration(took_s)} in all")]
        if any(key.startswith(("eval_", "test_", "predict_")) for key in read):
            return self._evaluated(read, line)
        self._has_logged, self._next_total, self._other_total = True, self._other_total, None
        begun = self._begun_behind()
        return begun if self._told.again(read) else [*begun, *self._trained(read, line)]

    def _trained(self, read: dict[str, float], line: LogLine) -> list[Event]:
        logged = {"loss": read.get("loss"), "gradient_norm": read.get("grad_norm"),
                  "learning_rate": read.get("learning_rate"), "scalars": scalars(read.items(), UNDERSTOOD)}  # fmt: skip
        known = self._logged_at is not None and not self._blocks.found and self._held is not None
        if known and self._held is not None and self._is_logged(self._held[0]["iteration"]):
            (fields, held_line), self._held = self._held, None
            self._logged(fields["iteration"])
            return self.iteration(fields | logged, held_line)
        if self.bar_total is None:
            return self._without_bar(read, logged, line)
        if not self._blocks.found and self._due and self._is_behind(self._late):
            self._blocks_begin()
        if self._blocks.found:
            self._blocks.add(finite(read.get("epoch")), logged)
            return self.release()
        events = self._cut_off(line)
        self._due, self._late = logged, read
        return events

    def _blocks_begin(self) -> None:
        """The dictionary that was due is one of a block."""
        self._blocks.found = True
        self._blocks.add(finite(self._late.get("epoch")), self._due)
        self._due = {}

    def end(self) -> list[Event]:
        """No frame comes any more. An evaluation whose bar is full is over."""
        over = self._inner_over(LogLine("", None)) if self._inner.is_full and not self._over else []
        left, self._due = self._blocks.left(self._due, self.last), {}
        return [*over, *self._placed(None), *left]

    def frame(self, bar: Bar, line: LogLine) -> Sequence[Event]:
        """A full one behind the end of a training tells how many steps it had."""
        return [*self._by_lines.full(bar), *super().frame(bar, line)]

    def _placed(self, epochs: float | None) -> list[Event]:
        """Dictionaries in blocks at their steps: of so many `epochs` the bar is full, or a banner told of them."""
        if not self._blocks.found:
            return []
        if by_drawings := self._blocks.by_drawings():
            return [*by_drawings]
        newest, total = self.newest, self._steps if self._filled else None
        if newest is not None and newest.n == 0 and self.last is None:
            self.newest = None  # what it shows later is no step of a line
            return [event for one in self._blocks.take() for event in self._unplaced(*one)]
        if total is None and newest is not None and newest.full:
            total = newest.total
        elif total is not None:
            epochs = self._filled
        return [*self._blocks.placed(epochs, total, self.last)]

    def release(self) -> list[Event]:
        """Nothing comes that a step could wait for."""
        told = super().release()
        if self._held is None:
            return told
        (fields, line), self._held = self._held, None
        return told + self.iteration(fields, line)

    def _settle(self, fields: Fields) -> None:
        """The dictionary that was due is of this step."""
        fields.update(self._due)
        self._due = {}
        self._logged(fields["iteration"])

    def _evaluated(self, read: dict[str, float], line: LogLine) -> list[Event]:
        if same_evaluation(read, self._evaluated_newest):
            return []
        again = read.get("epoch", -1) == self._evaluated_newest.get("epoch")
        self._evaluated_newest, self._evaluates = read, False
        self._leap.stop()
        values, took_s, epoch = results_in(read), runtime_in(read), finite(read.get("epoch"))
        if self._due and self._held is not None and self._is_logged(self._held[0]["iteration"]):
            self._settle(self._held[0])
        told_at = None if self._blocks.found else self._told_before(again=again)
        if told_at is not None and self._due:
            self._blocks_begin()
        if self._blocks.found:
            self._blocks.add_evaluation(epoch, values, took_s)
            return self.release()
        if told_at is not None and self.last is not None:
            self._blocks.told(told_at)
            return [*self.release(), result(min(told_at, self.last), values, took_s)]
        if self.newest is not None and self.newest.total is not None:  # its bar moves on from one to the next
            events, full = self.release(), self.newest.full
            return [*events, ended(EVALUATION, line.at_s, self.next_index, took_s, values=values, apart=full)]
        events, detail = self._another_training(epoch, line), "" if epoch is None else f"{OF_EPOCH} {epoch:g}"
        return [*events, ended(EVALUATION, line.at_s, self.next_index, took_s, detail=detail, values=values)]

    def _cut_off(self, line: LogLine) -> list[Event]:
        """A dictionary whose frame cannot be read (its line was shortened) has its place by its epoch, or none."""
        if not (self._due and self._filled):
            return []
        return [*self.release(), *self._without_bar(self._late, self._due, line)]

    def _without_bar(self, read: dict[str, float], logged: Fields, line: LogLine) -> list[Event]:
        epoch = finite(read.get("epoch"))
        events = self._another_training(epoch, line)
        if placed := placed_by_swift(line.text, self._clock):
            fields, self._clock = placed
            return events + self.iteration(logged | fields, line)
        said = whole(read.get("step", read.get("global_step", -1)))
        if said is not None and said >= 0:
            return events + self.iteration(logged | {"iteration": said}, line)
        if epoch is not None and self._steps and (filled := self._filled):
            index = self._by_epochs.step(epoch, self._steps / filled, self.last or 0)
            return events + self.iteration(logged | {"iteration": index}, line)
        events += self._by_lines.row(epoch, line.at_s)
        self.of_an_epoch = 0.0
        logged["scalars"] |= {} if epoch is None else {"epoch": epoch}  # nothing else says how far it is
        since = self._by_lines.since(read)
        return events + self.iteration(logged | since | {"iteration": (self.last or 0) + 1}, line)

    def _unplaced(self, epoch: float, row: PrintedLoss) -> list[Event]:
        """A dictionary beside a bar that was drawn once, when nothing was done: only its line counts."""
        if is_trained(row):
            return self._without_bar({"epoch": epoch}, logged_in(row), LogLine("", None))
        return [ended(EVALUATION, None, self.next_index, row.evaluation_s, values=found_in(row))]

    def _another_training(self, epoch: float | None, line: LogLine) -> list[Event]:
        """Its first dictionary, in the same file: it may be an evaluation's."""
        if not self._by_lines.begins_again(epoch):
            return []
        self.last, self._by_epochs = None, StepsByEpochs()
        return [self.run_info(line)]
