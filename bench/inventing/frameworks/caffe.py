"""Caffe's solver, by glog: a row each `display` iterations; a test before its iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..strange.plans import TEST, VALID
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration


class Caffe(Trainer):
    """Rows of the iteration that is being computed; the parentheses with a rate and seconds came in 2017."""

    name = "caffe"
    stamp = "I%m%d %H:%M:%S.{ms:03d}417  6584 solver.cpp:218] "
    counts = ("step",)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.rates = self.random.random() < 0.6
        self.tests_first = self.random.random() < 0.7
        self.shown_s, self.shown = 0.0, 0

    def begins(self) -> None:
        phase = self.plan.phases[0]
        lines = ["Initializing solver from parameters: "]
        if VALID in self.plan.sets:
            lines += [f"test_iter: {self.plan.evaluation_batches}", f"test_interval: {phase.batches}"]
        lines += ["base_lr: 0.01", f"display: {self.script.every}", f"max_iter: {phase.epochs * phase.batches}"]
        lines += ['lr_policy: "step"', "gamma: 0.1", "momentum: 0.9", f"snapshot: {phase.batches}"]
        self.tape.say("\n".join([*lines, 'snapshot_prefix: "snapshots/net"', "solver_mode: GPU"]), self.now_s)
        for line in ("Solver scaffolding done.", "Solving LeNet", "Learning Rate Policy: step"):
            self.tape.say(line, self.now_s)
        self.shown_s = self.now_s
        if VALID in self.plan.sets and self.tests_first:
            self.test(0)

    def test(self, iteration: int) -> None:
        """A test of the model before an iteration, told of at its begin."""
        self.tape.say(f"Iteration {iteration}, Testing net (#0)", self.now_s)
        self.evaluate(TEST)
        loss = self.metric(TEST, "loss") if self.tape.iterations else 4.2
        self.tape.say("    Test net output #0: accuracy = 0.625", self.now_s)
        self.tape.say(f"    Test net output #1: loss = {loss:g} (* 1 = {loss:g} loss)", self.now_s)
        if self.tape.iterations:
            self.value(TEST, "loss", loss)

    def stepped(self, one: Iteration) -> None:
        if one.place % self.script.every:
            return
        loss, lapse_s = float(f"{self.losses[-1]:g}"), self.now_s - self.shown_s
        rate = (one.place - self.shown) / lapse_s
        rates = f" ({rate:g} iter/s, {lapse_s:g}s/{self.script.every} iters)" if self.rates else ""
        self.tape.say(f"Iteration {one.place}{rates}, loss = {loss:g}", self.now_s)
        self.told(one, (loss,), (one.place,))
        self.shown_s, self.shown = self.now_s, one.place
        self.tape.say(f"    Train net output #0: loss = {loss:g} (* 1 = {loss:g} loss)", self.now_s)
        self.tape.say(f"Iteration {one.place}, lr = 0.01", self.now_s)

    def epoch_trained(self) -> None:
        done = len(self.tape.iterations)
        self.tape.say(f"Snapshotting to binary proto file snapshots/net_iter_{done}.caffemodel", self.now_s)
        self.tape.say(f"Snapshotting solver state to binary proto file net_iter_{done}.solverstate", self.now_s)
        self.save()
        self.tape.stops[-1].piece -= 1
        if VALID in self.plan.sets and self.epoch + 1 < self.plan.phases[0].run_epochs:
            self.test(done)

    def ends(self) -> None:
        done, loss = len(self.tape.iterations), float(f"{self.losses[-1]:g}")
        if done % self.script.every == 0:
            self.tape.say(f"Iteration {done}, loss = {loss:g}", self.now_s)
            self.told(self.tape.iterations[-1], (loss,), (done,))  # computed once more, and trained on no more
        if VALID in self.plan.sets:
            self.test(done)
        self.tape.say("Optimization Done.", self.now_s)
