"""Lightning's `fit`: validation twice an epoch, a `ModelCheckpoint` every 30 steps, the sanity check before all."""

import logging
import warnings

import lightning
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from stopwatch_inside import Stopwatch
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def examples(count):
    return DataLoader(TensorDataset(torch.randn(count, 256), torch.randint(0, 10, (count,))), batch_size=32)


class Module(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(256, 1_024), torch.nn.ReLU(), torch.nn.Linear(1_024, 10))

    def training_step(self, batch, _index):
        return torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])

    def validation_step(self, batch, _index):
        self.log("val_loss", torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1]))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)

    def on_train_batch_start(self, _batch, index):
        if index == self.trainer.global_step == 0:
            watch.start()

    def on_train_batch_end(self, *_):
        watch.iteration()

    def on_validation_model_eval(self):
        if not self.trainer.sanity_checking:
            watch.begin("evaluation")
        super().on_validation_model_eval()

    def on_validation_model_train(self):
        super().on_validation_model_train()
        if not self.trainer.sanity_checking:
            watch.end()


class Timed(lightning.Trainer):
    """The stopwatch, around what `ModelCheckpoint` calls."""

    def save_checkpoint(self, *arguments, **named):
        with watch.part("checkpoint"):
            super().save_checkpoint(*arguments, **named)


trainer = Timed(
    accelerator="cpu", max_epochs=2, val_check_interval=25, logger=False, enable_progress_bar=False,
    enable_model_summary=False, callbacks=[ModelCheckpoint(".", every_n_train_steps=30, save_top_k=-1)],
)  # fmt: skip
watch = Stopwatch()
trainer.fit(Module(), examples(1_600), examples(1_024))
watch.write()
