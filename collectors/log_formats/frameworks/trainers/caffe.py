"""Caffe's solver; the time stamps of glog have no year. A test lasts from `Testing net` to its first output.

    I0914 09:33:43.461599  6584 solver.cpp:228] Iteration 1851300, loss = 0.183091
    I0914 09:33:43.461599  6584 solver.cpp:228] Iteration 1851300 (2.5 iter/s, 40.1s/100 iters), loss = 0.5         later
    I0914 09:33:45.461599  6584 solver.cpp:404]     Test net output #1: loss = 0.25 (* 2 = 0.5 loss)
The loss that is trained is the sum of all outputs with a weight, so that of a test is their sum, too.
And cuda-convnet, which came before it: an epoch and a batch of those that its head names, with the seconds of each.

    12.351... logprob:  0.693156, 0.324219 (0.698 sec)
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from .....events import CHECKPOINT, DATA, EVALUATION, SpanBegin
from ....patterns import lazy_pattern
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import ended, finite, number, seconds, unix_time, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_OUTPUT = lazy_pattern(r"Test net output #\d{1,4}: (\S{1,60}) = (\S{1,24})(?: \(\* \S{1,24} = (\S{1,24}) loss\))?")
_GOES_ON = ("] Iteration ", "] Snapshotting to", "] Optimization Done")
"""Lines of the solver itself: behind them comes no output of the test before."""


class _Test(NamedTuple):
    """A test whose outputs are printed: `name`, value, and its part of the loss, each."""

    iteration: int | None
    at_s: float | None
    took_s: float | None
    outputs: list[tuple[str, float | None, float | None]]

    def values(self) -> dict[str, float]:
        """Its loss and its metrics; a name that several outputs have is that of a vector."""
        times = Counter(name for name, _, _ in self.outputs)
        values = {
            f"val_{name}": value
            for name, value, part in self.outputs
            if value is not None and part is None and times[name] == 1 and name != "loss"
        }
        parts = [part for _, _, part in self.outputs if part is not None]
        return {"val_loss": sum(parts)} | values if parts else values


_OF_ITERATION = lazy_pattern(r"_iter_(\d{1,12})\.\w{1,20}$")
_PLACE = lazy_pattern(r" (\w{1,40}\.cpp:\d{1,6})\] ")


class _At(NamedTuple):
    """A row or a snapshot: of which iteration, when, and the place in the source that prints it."""

    iteration: int
    at_s: float
    place: str = ""


def _at(iteration: float, line: LogLine) -> _At | None:
    """`None`: nobody knows when."""
    if not line.stamped or line.at_s is None:
        return None
    place = _PLACE.search(line.text)
    return _At(int(iteration), line.at_s, place[1] if place is not None else "")


def _snapshot_s(before: _At | None, saved: _At | None, row: _At | None) -> float | None:
    """What a snapshot took between two rows; `None` where they do not tell.

    From its line to the row it is the snapshot and one iteration; the others of the row lie before that line. The
    row behind the last iteration holds a part of one: another place in the source prints it.
    """
    if before is None or saved is None or row is None or before.place != row.place:
        return None
    if saved.iteration != row.iteration or row.iteration < before.iteration + 2:
        return None
    each_s = (saved.at_s - before.at_s) / (row.iteration - before.iteration - 1)
    took_s = row.at_s - saved.at_s - each_s
    return took_s if each_s > 0 and took_s > 0 else None


class Caffe(LineParser):
    """Caffe's solver; glog's stamps have no year. The parentheses came later: `(2.5 iter/s, 40.1s/100 iters)`."""

    name = "Caffe"
    about = "time stamps' difference over the iterations between, with data, test and snapshot in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps = True
    lines = (
        Line("] Iteration ", r"\] Iteration (?P<iteration>\d+)(?: \([^)]*\))?, loss = (?P<loss>N)", "trained"),
        Line("Testing net", r"\] Iteration (?P<iteration>\d+), Testing net", "tests"),
        Line("Test net output #", r"Test net output #\d", "tested"),
        Line("lr = ", r"\] Iteration \d+, lr = ", "known"),
        Line("Initializing solver from", r"\] Initializing solver from", "initialized"),
        Line("Optimization Done", r"\] Optimization Done", "known"),
        Line("Snapshotting to", r"Snapshotting to binary proto file (?P<detail>\S+)", "saves"),
    )
    examples = (
        Example(
            """
I0914 09:33:36.500000  6584 solver.cpp:228] Iteration 1851200, loss = 0.25
I0914 09:33:43.000000  6584 solver.cpp:228] Iteration 1851300 (15.4 iter/s, 6.5s/100 iters), loss = 0.5
""",
            iterations=((1851200, None, 1, 0.25), (1851300, 0.065, 100, 0.5)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._tests: tuple[int | None, float | None] | None = None  # of which iteration, since when
        self._test: _Test | None = None  # whose outputs are printed
        self._outputs = 0  # that each test has; 0: none was seen to be whole
        self._row: _At | None = None  # the newest, where no test came since
        self._saved: _At | None = None  # a snapshot that began since
        self._of_several = False  # nets that are tested: nobody knows which of them is the validation

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """What the solver says next is behind the outputs of a test."""
        if self._test is None or not any(map(text.__contains__, _GOES_ON)):
            return super().line(text, at_s)
        self._of_several = self._of_several or "Testing net (#1)" in text
        return [*self._over(whole_test=True), *super().line(text, at_s)]

    @handler(iterations=True)
    def trained(self, fields: Fields, line: LogLine) -> list[Event]:
        """A row, behind its own iteration: if a snapshot came right before that, it is known what it took."""
        before, self._row, saved, self._saved = self._row, _at(fields["iteration"], line), self._saved, None
        took_s = _snapshot_s(before, saved, self._row)
        over = [] if took_s is None or saved is None else [ended(CHECKPOINT, saved.at_s + took_s, None, took_s)]
        return [*over, *self.iteration(fields, line)]

    @handler()
    def saves(self, fields: Fields, line: LogLine) -> list[Event]:
        """A snapshot begins; its name ends with the iteration that comes next."""
        named = _OF_ITERATION.search(fields["detail"])
        self._saved = None if named is None else _at(int(named[1]), line)
        return self.checkpoint(fields, line)

    @handler()
    def tests(self, fields: Fields, line: LogLine) -> list[Event]:
        """A test begins, of the model before this iteration."""
        self._row = self._saved = None
        index = whole(fields.get("iteration"))
        self._tests = index, line.at_s if line.stamped else None
        return [SpanBegin(EVALUATION, unix_time(line.at_s), index)]

    @handler()
    def tested(self, _fields: Fields, line: LogLine) -> list[Event]:
        """What a test found is printed behind it, and nothing in between."""
        if self._tests is not None:
            (index, since_s), self._tests = self._tests, None
            took_s = None if since_s is None or line.at_s is None else line.at_s - since_s
            self._test = _Test(index, line.at_s, seconds(took_s), [])
        if self._test is not None and (found := _OUTPUT.search(line.text)) is not None:
            part = None if found[3] is None else finite(number(found[3]))
            self._test.outputs.append((found[1], finite(number(found[2])), part))
            if len(self._test.outputs) == self._outputs:
                return self._over(whole_test=True)
        return []

    @handler()
    def initialized(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """Another solver: its net may have other outputs."""
        self._outputs, self._of_several = 0, False
        self._row = self._saved = None
        return []

    def _over(self, *, whole_test: bool) -> list[Event]:
        """The test is over. One whose outputs the log's end may have cut tells of no values."""
        test, self._test = self._test, None
        if test is None:
            return []
        self._outputs = len(test.outputs) if whole_test else self._outputs
        told = len(test.outputs) == self._outputs and not self._of_several
        return [ended(EVALUATION, test.at_s, test.iteration, test.took_s, values=test.values() if told else {})]

    def release(self) -> list[Event]:
        """Nothing came behind the outputs of the newest test."""
        return self._over(whole_test=False)


class CudaConvnet(LineParser):
    """`12.351` is no number: behind epoch 12's batch 800 comes 13.1. What a test took stands below it."""

    name = "cuda-convnet"
    about = "the printed seconds of a batch; without the test"
    lines = (
        Line("... ", r"^(?P<epoch>\d{1,9})\.(?P<batch>\d{1,9})(?: \([\d.]{1,8}%\))?\.\.\. [A-Za-z]\w{0,30}: +(?P<loss>N)(?:, (?P<error>N))?"
             r"(?:,[^()]{0,200})?(?: \((?P<duration_s>N) sec\))?\s*$", "trained"),
        Line("Data batch range: training", r"Data batch range: training +: (?P<first>\d{1,9})-(?P<last>\d{1,9})\b", "batches"),
        Line("=Test output=", r"^=+Test output=+$", "tests"),
        Line("logprob: ", r"^logprob: +(?P<val_loss>N)(?:, (?P<error>N))?(?:,[^()]{0,200})?\s*$", "tested"),
        Line(" sec)", r"^=+ \((?P<duration_s>N) sec\)$", "over"),
    )  # fmt: skip
    examples = (
        Example(
            """
Data batch range: testing                                  : 6-6
Data batch range: training                                 : 1-5
Running on CUDA device(s) 0
=========================
1.4... logprob:  2.250000, 0.875000 (1.500 sec)
1.5... logprob:  2.125000, 0.750000 (1.250 sec)
=========================
Testing 1 batches

======================Test output======================
logprob:  2.375000, 0.812500
-------------------------------------------------------
Layer 'conv1' biases: 2.230154e-06 [7.341617e-11]
Train error last 5 batches: 0.812500
-------------------------------------------------------
======================================================= (2.500 sec)
2.1... logprob:  2.000000, 0.625000 (1.375 sec)
""",
            iterations=((4, 1.5, 1, 2.25), (5, 1.25, 1, 2.125), (6, 1.375, 1, 2.0)),
            evaluations=((6, {"val_loss": 2.375, "val_error": 0.8125}),),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._first, self._batches = 1, 0  # number of the first of so many batches
        self._timed = False  # has the newest batch a time of its own?
        self._found: dict[str, float] | None = None  # by the newest test, which is not over

    @handler(numbers=("first", "last"))
    def batches(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The head says which batches are trained with."""
        self._first, self._batches = int(fields["first"]), max(0, int(fields["last"] - fields["first"]) + 1)
        return []

    @handler(iterations=True, numbers=("error",))
    def trained(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch. Where the head is missing they are counted."""
        error, self._timed = finite(fields.pop("error", None)), fields.get("duration_s") is not None
        if error is not None:
            fields["scalars"] = {"error": error}
        epoch, batch = fields.pop("epoch"), fields.pop("batch")
        place = (epoch - 1) * self._batches + batch - self._first + 1 if self._batches else (self.last or 0) + 1
        return [*self._test_over(None), *self.iteration(fields | {"iteration": place}, line)]

    @handler()
    def tests(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """What a test found comes next."""
        self._found = {}
        return []

    @handler(numbers=("error",))
    def tested(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The cost and the share of wrong answers."""
        if self._found == {}:
            named = {"val_loss": finite(fields["val_loss"]), "val_error": finite(fields.get("error"))}
            self._found = {name: value for name, value in named.items() if value is not None}
        return []

    @handler()
    def over(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A test is, and took so long; with the batch before it, where that has no time of its own."""
        return self._test_over(fields["duration_s"] if self._timed else None)

    def _test_over(self, took_s: float | None) -> list[Event]:
        found, self._found = self._found, None
        return [] if found is None else [ended(EVALUATION, None, self.next_index, took_s, values=found)]
