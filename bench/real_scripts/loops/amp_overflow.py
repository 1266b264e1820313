"""GradScaler with overflows: every tenth gradient is infinite, and its step is skipped. An iteration all the same."""

import torch
from stopwatch_inside import Stopwatch
from torch.utils.data import DataLoader, TensorDataset

model = torch.nn.Sequential(torch.nn.Linear(256, 1_024), torch.nn.ReLU(), torch.nn.Linear(1_024, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")
loader = DataLoader(TensorDataset(torch.randn(12_800, 256), torch.randint(0, 10, (12_800,))), batch_size=64)
watch = Stopwatch()
for i, (x, y) in enumerate(watch.batches(loader)):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(x), y)
    scaler.scale(loss * (float("inf") if i % 10 == 5 else 1.0)).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    watch.iteration()
    if i % 100 == 99:
        with watch.part("checkpoint"):
            torch.save({"model": model.state_dict(), "scaler": scaler.state_dict()}, "amp.pt")
watch.write()
