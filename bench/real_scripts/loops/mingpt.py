"""minGPT's trainer: callbacks at the end of each batch, of which one evaluates and saves in the midst of it."""

from collections import defaultdict

import torch
from stopwatch_inside import Stopwatch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset


class Trainer:
    def __init__(self, model, train_dataset, max_iters):
        self.model, self.train_dataset, self.max_iters = model, train_dataset, max_iters
        self.callbacks = defaultdict(list)

    def run(self):
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        sampler = RandomSampler(self.train_dataset, replacement=True, num_samples=10_000)
        loader = DataLoader(self.train_dataset, sampler=sampler, batch_size=32, num_workers=0)
        self.model.train()
        self.iter_num = 0
        watch.start()
        data_iter = iter(watch.batches(loader))
        while True:
            x, y = next(data_iter)
            loss = torch.nn.functional.cross_entropy(self.model(x), y)
            self.model.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            watch.iteration()
            for callback in self.callbacks["on_batch_end"]:
                callback(self)
            self.iter_num += 1
            if self.iter_num >= self.max_iters:
                break


def batch_end_callback(trainer):
    if trainer.iter_num % 40 == 39:
        with watch.part("evaluation"):
            trainer.model.eval()
            with torch.no_grad():
                for _ in range(20):
                    trainer.model(torch.randn(256, 256))
                with watch.part("checkpoint"):
                    torch.save(trainer.model.state_dict(), "model.pt")
            trainer.model.train()


model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 10))
watch = Stopwatch()
trainer = Trainer(model, TensorDataset(torch.randn(2_000, 256), torch.randint(0, 10, (2_000,))), 160)
trainer.callbacks["on_batch_end"].append(batch_end_callback)
trainer.run()
watch.write()
