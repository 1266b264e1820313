"""timm's train.py: autocast, a scaler, an average of the model (EMA) that is evaluated too, a saver of checkpoints."""

import copy
import os

import torch
from stopwatch_inside import Stopwatch
from torch.utils.data import DataLoader, TensorDataset


def images(count):
    return TensorDataset(torch.randn(count, 3, 32, 32), torch.randint(0, 100, (count,)))


class ModelEma(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.module = copy.deepcopy(model).eval().requires_grad_(requires_grad=False)

    @torch.no_grad()
    def update(self, model):
        for mine, its in zip(self.module.state_dict().values(), model.state_dict().values(), strict=True):
            mine.lerp_(its, 0.01) if mine.is_floating_point() else mine.copy_(its)


def validate(model, loader):
    model.eval()
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        for x, y in loader:
            loss_fn(model(x), y)


def save_checkpoint(epoch):
    state = {"epoch": epoch, "state_dict": model.state_dict(), "state_dict_ema": model_ema.module.state_dict()}
    torch.save(state, "tmp.pth.tar")
    os.replace("tmp.pth.tar", f"checkpoint-{epoch}.pth.tar")


model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 48, 3, stride=2), torch.nn.BatchNorm2d(48), torch.nn.GELU(),
    torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(768, 1_000), torch.nn.Linear(1_000, 100),
)  # fmt: skip
model_ema = ModelEma(model)
loss_fn = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=90)
scaler = torch.amp.GradScaler("cpu")
loader_train, loader_eval = (
    DataLoader(images(960), batch_size=32, shuffle=True),
    DataLoader(images(256), batch_size=64),
)
watch = Stopwatch()
for epoch in range(3):
    model.train()
    for x, y in watch.batches(loader_train):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = loss_fn(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        model_ema.update(model)
        scheduler.step()
        watch.iteration()
    with watch.part("evaluation"):
        validate(model, loader_eval)
        validate(model_ema.module, loader_eval)
    with watch.part("checkpoint"):
        save_checkpoint(epoch)
watch.write()
