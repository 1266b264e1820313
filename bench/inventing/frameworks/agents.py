"""Stable-Baselines 3: a table behind each rollout, with a clock of whole seconds; the same as `progress.csv`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration

STEPS_OF_A_ROLLOUT = 2048


class StableBaselines(Trainer):
    """PPO: a step here is an update and the rollout behind it; the table of a rollout tells of the update before.

    What an update recorded stands in the next table that is printed, be it an evaluation's.
    """

    name = "sb3"
    counts = ("step",)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.script.every = min(self.random.choice([1, 1, 4, 10]), self.plan.phases[0].batches)
        self.script.stamp = "%S"  # its clock is one of whole seconds
        self.prints_evaluations = self.random.random() < 0.6
        self.recorded: dict[str, object] = {}
        self.best_reward = -1e9

    @property
    def total_steps(self) -> int:
        return len(self.tape.iterations) * STEPS_OF_A_ROLLOUT

    def begins(self) -> None:
        for line in ("Using cuda device", "Wrapping the env in a DummyVecEnv.", "Logging to ./logs/PPO_1"):
            self.tape.say(line, self.now_s)

    def stepped(self, one: Iteration) -> None:
        number = one.place + 1
        if one.place:
            self.recorded |= {
                "train/approx_kl": self.random.uniform(0.001, 0.02),
                "train/clip_fraction": self.random.uniform(0.01, 0.2),
                "train/learning_rate": 0.0003,
                "train/loss": float(f"{self.losses[-1]:.3g}"),
                "train/n_updates": 10 * (number - 1),
            }
        if number % self.script.every:
            return
        spent_s = one.ends_s - self.phase_s
        self.recorded |= {
            "time/iterations": number,
            "rollout/ep_rew_mean": 20.0 + number / 7,
            "rollout/ep_len_mean": 20.0 + number / 7,
            "time/fps": int(self.total_steps / spent_s),
            "time/time_elapsed": int(spent_s),
            "time/total_timesteps": self.total_steps,
        }
        loss = self.recorded.get("train/loss")
        self.dump()
        losses = (loss,) if isinstance(loss, float) else (self.newest_loss,) if number > 1 else ()
        self.told(one, losses, (number, self.total_steps))

    newest_loss = 0.0

    def epoch_trained(self) -> None:
        if VALID not in self.plan.sets:
            return
        self.evaluate()
        reward = 10.0 + self.epoch + self.random.uniform(-2, 2)
        if self.prints_evaluations:
            self.tape.say(
                f"Eval num_timesteps={self.total_steps}, episode_reward={reward:.2f} +/- 3.20", self.now_s
            )
            self.tape.say("Episode length: 40.00 +/- 2.10", self.now_s)
        self.recorded |= {
            "eval/mean_reward": reward,
            "eval/mean_ep_length": 40.0,
            "time/total_timesteps": self.total_steps,
        }
        self.dump()
        if reward > self.best_reward and self.prints_evaluations:
            self.tape.say("New best mean reward!", self.now_s)
        self.best_reward = max(reward, self.best_reward)

    def dump(self) -> None:
        """All that was recorded since the table before, as a table."""
        self.newest_loss = float(str(self.recorded.get("train/loss", self.newest_loss)))
        rows: list[tuple[str, str]] = []
        tag = ""
        for key, value in sorted(self.recorded.items()):
            if not key.startswith(tag) or not tag:
                tag = key[: key.index("/") + 1]
                rows.append((tag, ""))
            rows.append((f"   {key[len(tag) :]}", f"{value:<8.3g}" if isinstance(value, float) else str(value)))
        wide, long = max(len(key) for key, _ in rows), max(len(value) for _, value in rows)
        border = "-" * (wide + long + 7)
        lines = [border, *(f"| {key:<{wide}} | {value:<{long}} |" for key, value in rows), border]
        self.tape.say("\n".join(lines), self.now_s)
        self.recorded = {}


class ProgressCsv(StableBaselines):
    """The same tables as rows; the whole file is written anew where a column is new, so all are in its heading."""

    name = "progress.csv"

    def begins(self) -> None:
        names = ["time/fps", "rollout/ep_len_mean", "time/iterations", "time/time_elapsed", "rollout/ep_rew_mean"]
        names += ["time/total_timesteps", "train/n_updates", "train/loss", "train/learning_rate"]
        names += ["train/clip_fraction", "train/approx_kl"]
        names += ["eval/mean_reward", "eval/mean_ep_length"] if VALID in self.plan.sets else []
        self.random.shuffle(names)
        self.names = names
        self.tape.say(",".join(names), self.now_s)

    def dump(self) -> None:
        self.newest_loss = float(str(self.recorded.get("train/loss", self.newest_loss)))
        self.tape.say(",".join(str(self.recorded.get(name, "")) for name in self.names), self.now_s)
        self.recorded = {}

    def epoch_trained(self) -> None:
        self.prints_evaluations = False
        super().epoch_trained()
