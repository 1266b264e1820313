"""accelerate's own example: `prepare`, `accelerator.backward`, `save_state` at the end of each epoch."""

import torch
from accelerate import Accelerator
from stopwatch_inside import Stopwatch
from torch.utils.data import DataLoader, TensorDataset


def examples(count):
    return TensorDataset(torch.randn(count, 256), torch.randint(0, 10, (count,)))


accelerator = Accelerator(cpu=True)
model = torch.nn.Sequential(torch.nn.Linear(256, 1_024), torch.nn.ReLU(), torch.nn.Linear(1_024, 10))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer)
train_loader, eval_loader = DataLoader(examples(1_600), 32, shuffle=True), DataLoader(examples(2_048), 64)
model, optimizer, train_loader, eval_loader, scheduler = accelerator.prepare(
    model, optimizer, train_loader, eval_loader, scheduler
)
watch = Stopwatch()
for epoch in range(3):
    model.train()
    for x, y in train_loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        watch.iteration()
    with watch.part("evaluation"):
        model.eval()
        for x, _ in eval_loader:
            with torch.no_grad():
                accelerator.gather_for_metrics(model(x))
    with watch.part("checkpoint"):
        accelerator.save_state(f"epoch_{epoch}")
watch.write()
