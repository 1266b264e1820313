"""A loader that reads a slow disk: 93 % of the time is waiting for batches."""

import time

import torch
from stopwatch_inside import Stopwatch
from torch.utils.data import DataLoader, Dataset


class OnSlowDisk(Dataset):
    def __len__(self) -> int:
        return 480

    def __getitem__(self, index):
        time.sleep(0.004)
        return torch.randn(128), index % 10


model = torch.nn.Sequential(torch.nn.Linear(128, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(OnSlowDisk(), batch_size=8)
watch = Stopwatch()
for epoch in range(1, 2):
    model.train()
    for x, y in watch.batches(loader):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        watch.iteration()
    with watch.part("checkpoint"):
        torch.save(model.state_dict(), f"epoch{epoch}.pt")
watch.write()
