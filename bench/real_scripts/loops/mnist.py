"""pytorch/examples mnist: `test` at the end of each epoch, one `torch.save` at the very end."""

import torch
from stopwatch_inside import Stopwatch
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = torch.nn.Conv2d(1, 8, 3), torch.nn.Conv2d(8, 16, 3)
        self.dropout = torch.nn.Dropout(0.25)
        self.fc = torch.nn.Linear(2304, 10)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.conv2(functional.relu(self.conv1(x)))), 2)
        return functional.log_softmax(self.fc(torch.flatten(self.dropout(x), 1)), dim=1)


def images(count):
    return TensorDataset(torch.randn(count, 1, 28, 28), torch.randint(0, 10, (count,)))


def train(epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(watch.batches(train_loader)):
        optimizer.zero_grad()
        loss = functional.nll_loss(model(data), target)
        loss.backward()
        optimizer.step()
        watch.iteration()
        if batch_idx % 10 == 0:
            print(f"Train Epoch: {epoch} [{batch_idx * 32}/{len(train_loader.dataset)}]\tLoss: {loss.item():.6f}")


def test():
    model.eval()
    test_loss = correct = 0
    with torch.no_grad():
        for data, target in test_loader:
            output = model(data)
            test_loss += functional.nll_loss(output, target, reduction="sum").item()
            correct += output.argmax(dim=1).eq(target).sum().item()
    print(f"\nTest set: Average loss: {test_loss / 512:.4f}, Accuracy: {correct}/512\n")


train_loader = DataLoader(images(1_280), batch_size=32, shuffle=True)
test_loader = DataLoader(images(512), batch_size=128)
model = Net()
optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
watch = Stopwatch()
for epoch in range(1, 4):
    train(epoch)
    with watch.part("evaluation"):
        test()
    scheduler.step()
with watch.part("checkpoint"):
    torch.save(model.state_dict(), "mnist_cnn.pt")
watch.write()
