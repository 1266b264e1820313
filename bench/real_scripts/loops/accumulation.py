"""Gradient accumulation: a step each fourth batch, and validation in the middle of an epoch."""

import torch
from stopwatch_inside import Stopwatch
from torch.utils.data import DataLoader, TensorDataset


class Lines(torch.utils.data.IterableDataset):
    def __iter__(self):
        for _ in range(480):
            yield torch.randn(16, 256), torch.randint(0, 10, (16,))


model = torch.nn.Sequential(torch.nn.Linear(256, 1_024), torch.nn.ReLU(), torch.nn.Linear(1_024, 10))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
train_loader = DataLoader(Lines(), batch_size=None)
val_loader = DataLoader(TensorDataset(torch.randn(2_048, 256)), batch_size=64)
watch = Stopwatch()
for i, (x, y) in enumerate(watch.batches(train_loader)):
    loss = torch.nn.functional.cross_entropy(model(x), y) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
        watch.iteration()
    if (i + 1) % 160 == 0:
        with watch.part("evaluation"):
            model.eval()
            with torch.no_grad():
                for (x,) in val_loader:
                    model(x)
            model.train()
watch.write()
