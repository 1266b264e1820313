"""A training that goes on from a checkpoint: the optimizer's state says that 100 steps lie before it."""

import torch
from stopwatch_inside import Stopwatch
from torch.utils.data import DataLoader, TensorDataset

FIRST = 100
model = torch.nn.Sequential(torch.nn.Linear(256, 1_024), torch.nn.ReLU(), torch.nn.Linear(1_024, 10))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
saved = optimizer.state_dict()
saved["state"] = {  # as `torch.load` gives it back
    place: {"step": torch.tensor(float(FIRST)), "exp_avg": torch.zeros_like(p), "exp_avg_sq": torch.zeros_like(p)}
    for place, p in enumerate(model.parameters())
}
optimizer.load_state_dict(saved)
loader = DataLoader(TensorDataset(torch.randn(9_600, 256), torch.randint(0, 10, (9_600,))), batch_size=64)
watch = Stopwatch()
for step, (x, y) in enumerate(watch.batches(loader), FIRST):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
    watch.iteration()
    if step % 50 == 49:
        with watch.part("evaluation"):
            model.eval()
            with torch.no_grad():
                for _ in range(30):
                    model(torch.randn(256, 256))
            model.train()
        with watch.part("checkpoint"):
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, f"step{step}.pt")
watch.write()
