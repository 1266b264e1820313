"""One line, once: what was found and what was not."""

from __future__ import annotations

import sys

import pytest

from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    NO_ITERATION,
    Config,
    Event,
    Iteration,
    Message,
    Output,
    Progress,
    Severity,
    SpanEnd,
)
from itermon.trainer_hooks.output import notice
from itermon.trainer_hooks.output.notice import Notice

# The bounds as numbers of its own: from the code, a test would move with them.
ITERATIONS, WAIT_S = 20, 10.0


class Said:
    """A notice whose clock the test sets."""

    def __init__(self, **settings: int) -> None:
        self.lines: list[str] = []
        self.now_s = 100.0
        self.notice = Notice("my train", Config(**settings), self.lines.append, lambda: self.now_s)

    def see(self, *events: Event) -> None:
        self.notice.see(events)


def iterations(count: int) -> list[Iteration]:
    return [Iteration(n, 0.1) for n in range(count)]


def test_it_says_what_was_found_and_what_is_lacking() -> None:
    said = Said()
    said.see(*iterations(3), SpanEnd(EVALUATION, duration_s=1.0), Output(("iter 0: loss 4.2",)))
    said.now_s += WAIT_S
    said.see()
    assert said.lines == [
        (
            "itermon: watching my-train: iterations, loss (printed), evaluations; "
            "not found: tokens per iteration, how many iterations "
            "(say itermon.watch(micro_batch_size=..., block_size=..., max_iterations=...)). "
            "Attach: itermon attach my-train"
        )
    ]


def test_a_loop_in_which_nothing_can_be_found_is_told_what_to_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notice, "_FOUND_IN", frozenset({"torch"}))
    for loaded, warned in ((True, False), (False, True)):
        said = Said()
        monkeypatch.setitem(sys.modules, "torch", sys) if loaded else monkeypatch.delitem(sys.modules, "torch")
        assert said.notice.see([]) is None
        said.now_s += notice.NOTHING_S
        found = said.notice.see([Output(("epoch 1",))])
        assert (found == Message(notice.NOTHING, Severity.WARNING)) is warned
        assert ("hooks.iteration(i, loss=loss)" in "".join(said.lines)) is warned
        assert said.notice.see([]) is None, "once"


@pytest.mark.parametrize(
    ("events", "after_s", "warned"), [((), 5.0, True), ((), 4.9, False), ((Iteration(0),), 5.0, False)]
)
def test_a_process_that_ends_without_an_iteration_says_so_unless_it_was_short(
    events: tuple[Event, ...], after_s: float, warned: bool
) -> None:
    said = Said()
    said.now_s += after_s
    assert (said.notice.end(events) is not None) is warned
    assert bool(said.lines) is warned


def test_where_all_is_known_nothing_is_lacking() -> None:
    said = Said(micro_batch_size=4, block_size=8, max_iterations=100)
    said.see(Iteration(0, 0.1, loss=2.0, data_wait_s=0.1), SpanEnd(CHECKPOINT))
    assert said.notice.line() == (
        "itermon: watching my-train: iterations, loss, data waits, checkpoints. Attach: itermon attach my-train"
    )


def test_it_waits_for_the_training_and_then_for_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", sys)
    said = Said()
    said.now_s += 1000.0
    said.see(Output(("loading",)))
    said.see(*iterations(ITERATIONS))
    said.now_s += WAIT_S - 0.1
    said.see(*iterations(1000))
    assert said.lines == []
    said.now_s += 0.1
    said.see()
    assert "loss (none was printed so far)" in said.lines[0]
    said.see(Output(("loss 3.0",)))
    assert len(said.lines) == 1, "once"


def test_a_loop_that_prints_its_loss_needs_no_ten_seconds() -> None:
    said = Said()
    said.see(*iterations(ITERATIONS - 1), Output(("loss: 3.0",)))
    said.see()
    assert said.lines == []
    said.see(Iteration(ITERATIONS, 0.1))
    assert len(said.lines) == 1


@pytest.mark.parametrize(
    "line",
    [
        "loss 4.21",
        "train_loss=0.5",
        '{"loss": 2.5}',
        "Loss: nan",
        "LOSS .5",
        "tr/loss : -1",
        "Train Epoch: 1 Loss: 2",
    ],
)
def test_a_printed_loss_is_a_number_behind_its_word(line: str) -> None:
    said = Said()
    said.see(Output((line,)))
    assert "loss (printed)" in said.notice.line()


@pytest.mark.parametrize("line", ["loss function: MSE", "lossless", "no loss of generality", "glossary 5 of us"])
def test_other_lines_are_none(line: str) -> None:
    said = Said()
    said.see(Output((line,)))
    assert "loss (printed)" not in said.notice.line()


@pytest.mark.parametrize("line", ["step 5/100", "Epoch 1 / 10", "iteration 3 of 50", "max_iters = 600"])
def test_a_printed_total_is_not_asked_for(line: str) -> None:
    said = Said()
    said.see(Output((line,)))
    assert "how many iterations" not in said.notice.line()


@pytest.mark.parametrize(("line", "lines"), [("iter 0: loss 4.2", True), ("hello", False)])
def test_backward_passes_without_a_step_are_told_while_they_go_on(
    line: str, lines: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", sys)
    said = Said()
    said.see(Progress(0, micro_step=notice.BACKWARDS - 1), Output((line,)))
    said.now_s += notice.NOTHING_S
    assert said.notice.see([]) is None, "a sum of many micro-steps may still end in a step"
    found = said.notice.see([Progress(0, micro_step=512)])
    assert found is not None
    assert found.text.startswith(NO_ITERATION)
    (text,) = said.lines
    assert "hooks.iteration(i) after each step" in text
    assert (notice.LINES in text) is lines
    assert said.notice.see([]) is None, "once"


def test_where_a_step_was_found_backward_passes_say_nothing() -> None:
    said = Said()
    said.see(Iteration(0), Progress(1, micro_step=notice.BACKWARDS))
    said.now_s += notice.NOTHING_S
    assert said.notice.see([]) is None
