"""TensorFlow's Estimator: a loss and a rate each `log_step_count_steps`, saves and evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration


class Estimator(Trainer):
    """`train_and_evaluate`: a save and an evaluation each epoch's steps, both within the time of a row."""

    name = "estimator"
    counts = ("step",)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        stamps = ("INFO:tensorflow:", "INFO:tensorflow:", "I%m%d %H:%M:%S.{ms:03d}214 140230 estimator.py:2071] ")
        self.stamp = self.tape.stamp = self.script.stamp = self.random.choice(stamps)
        self.first = self.random.choice([0, 1])  # TensorFlow 2 counts the steps that are done before this one
        self.told_s = 0.0

    def begins(self) -> None:
        save = f"'_save_checkpoints_steps': {self.plan.phases[0].batches}"
        self.tape.say(
            f"Using config: {{'_model_dir': '/tmp/model', '_tf_random_seed': None, {save}, "
            f"'_log_step_count_steps': {self.script.every}, '_num_worker_replicas': 1}}",
            self.now_s,
        )
        said = (
            "Calling model_fn.",
            "Done calling model_fn.",
            "Create CheckpointSaverHook.",
            "Graph was finalized.",
        )
        for line in (*said, "Running local_init_op.", "Done running local_init_op."):
            self.tape.say(line, self.now_s)
        self.save()
        self.tape.say("Saving checkpoints for 0 into /tmp/model/model.ckpt.", self.tape.stops[-1].begins_s)

    def stepped(self, one: Iteration) -> None:
        if one.place % self.script.every:
            return
        loss, spent_s = float(f"{self.losses[-1]:.8g}"), self.now_s - self.told_s
        took = f" ({spent_s:.3f} sec)" if one.place else ""
        if one.place:
            self.tape.say(f"global_step/sec: {self.script.every / spent_s:g}", self.now_s)
        self.tape.say(f"loss = {loss}, step = {one.place + self.first}{took}", self.now_s)
        self.told(one, (loss,), (one.place + self.first,))
        self.told_s = self.now_s

    def epoch_trained(self) -> None:
        done = len(self.tape.iterations)
        self.tape.say(f"Saving checkpoints for {done} into /tmp/model/model.ckpt.", self.now_s)
        self.save()
        self.tape.stops[-1].piece -= 1
        self.told(self.tape.iterations[-1], (), (done,))  # how far it is, a save tells, too
        self.tape.rows[-1].piece = self.tape.stops[-1].piece
        if VALID not in self.plan.sets:
            return
        for line in (
            "Calling model_fn.",
            "Done calling model_fn.",
            f"Starting evaluation at {self.moment('%Y-%m-%dT%H:%M:%SZ')}",
        ):
            self.tape.say(line, self.now_s)
        for line in ("Graph was finalized.", f"Restoring parameters from /tmp/model/model.ckpt-{done}"):
            self.tape.say(line, self.now_s)
        self.evaluate()
        loss = self.metric(VALID, "loss")
        self.tape.say(f"Finished evaluation at {self.moment('%Y-%m-%d-%H:%M:%S')}", self.now_s)
        values = f"accuracy = 0.625, global_step = {done}, loss = {loss}"
        self.tape.say(f"Saving dict for global step {done}: {values}", self.now_s)
        self.value(VALID, "loss", loss)
        self.tape.say(f"Saving 'checkpoint_path' summary for global step {done}: /tmp/model.ckpt", self.now_s)

    def evaluation_step(self, number: int, of: int, _spent_s: float) -> None:
        if of >= 10 and number % (of // 10) == 0:
            self.tape.say(f"Evaluation [{number}/{of}]", self.now_s)

    def ends(self) -> None:
        loss = float(f"{self.losses[-1]:.8g}")
        self.tape.say(f"Loss for final step: {loss}.", self.now_s)
        self.told(self.tape.iterations[-1], (loss,), (len(self.tape.iterations),))
