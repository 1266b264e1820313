"""pytorch/examples imagenet: workers fetch, an epoch ends with `validate` and a checkpoint that is copied if best."""

import shutil

import torch
from stopwatch_inside import Stopwatch
from torch.utils.data import DataLoader, TensorDataset


def images(count):
    return TensorDataset(torch.randn(count, 3, 32, 32), torch.randint(0, 100, (count,)))


def validate():
    model.eval()
    with torch.no_grad():
        for x, y in val_loader:
            criterion(model(x), y)


def save_checkpoint(state, is_best):
    torch.save(state, "checkpoint.pth.tar")
    if is_best:
        shutil.copyfile("checkpoint.pth.tar", "model_best.pth.tar")


model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 32, 3, stride=2), torch.nn.BatchNorm2d(32), torch.nn.ReLU(),
    torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(512, 1_000), torch.nn.Linear(1_000, 100),
)  # fmt: skip
train_loader = DataLoader(images(960), batch_size=32, shuffle=True, num_workers=1)
val_loader = DataLoader(images(512), batch_size=64)
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
watch = Stopwatch()
for epoch in range(3):
    model.train()
    for x, y in watch.batches(train_loader):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        watch.iteration()
    with watch.part("evaluation"):
        validate()
    with watch.part("checkpoint"):
        save_checkpoint(
            {"epoch": epoch + 1, "state_dict": model.state_dict(), "optimizer": optimizer.state_dict()},
            is_best=False,
        )
watch.write()
